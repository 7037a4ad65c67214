"""
Follow one match: update the belief with each line, and announce what it decides.

The belief is a beam of hypotheses, each a course of the whole game. For every reported event:

1. each hypothesis is combined with each option of the event (``reported_event``), weighed by the prior (``rates``);
2. hypotheses that explain it badly are tried again with unseen events before it, with a silent error in a card or a
   seat, and at last with the fallback hypothesis (``update``, ``unseen_events``, ``fixed_lag``);
3. equal positions are merged, unlikely ones pruned (``hypotheses.merge``);
4. the earlier lines are decided (``decide``), and the announcements of the most likely hypothesis are made.

A source of the record without errors, a person, is one with rates of zero (``rates``): its lines are decided at once.
While nothing happens, a ``tick`` decides what has waited long enough
(:attr:`Belief.due`). While the table is hidden (``blocked``) more events go unseen (``rates``). One question is
open at a time; a second one waits until the first is resolved.

The record states that alternative of a line first which explains the game: a card that looks a little more like the 5
is recorded as the 8 if only that does. A draw that nobody saw is inserted once later lines prove it. The alternatives
and their likelihoods stay the same, so judging the record again gives the same belief.

Presses are certain events. A correction of an earlier line is applied by :mod:`referee.match_judge`: it goes back to
the belief before that line (:meth:`Belief.before`), which observes the lines since again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import pairwise
from math import exp, inf, log
from operator import itemgetter
from typing import Any, Self

from msgspec import structs

from referee.belief.decide import THRESHOLDS, Decision, Outcome, Thresholds, decide, decide_stated
from referee.belief.fixed_lag import filter_again, smooth_order, smooth_seats
from referee.belief.hypotheses import Beam, Budget, Hypothesis, Judgements, advance, merge
from referee.belief.interpretation import REMEMBERED, WINDOW, accuses, interpretation_of
from referee.belief.line_log import Announced, LineLog, ObservedLine
from referee.belief.rates import PERSON, RATES, Rates, SensorModel
from referee.belief.reported_event import (
    UNLISTED,
    ReportedEvent,
    difference,
    pack_in_order,
    reported_event,
)
from referee.belief.update import LIMITS, Limits, Update
from referee.cards import Card
from referee.corrections import RecordLine
from referee.effects import apply
from referee.effects.announce import announcements
from referee.effects.deal import open_match
from referee.effects.lay import may_become_legal
from referee.effects.sweep import last_sweep
from referee.events import (
    HEAP,
    Blocked,
    Corrected,
    Drawn,
    Lifted,
    Placed,
    Pressed,
    Reread,
    Swapped,
    Swept,
    TableEvent,
    Tick,
    certain,
    is_same_play,
)
from referee.game import GameState, Phase
from referee.record import Header, event_to_json
from referee.rulings import Announcement, Message, Ruling, Step, Withdrawal, messages_of

LEAST_POSTERIOR = 0.9
"""Probability from which a line is recorded as another of its options. Chosen by hand; figures do not depend on it."""

LEAST_LIKELIHOOD = 0.004
"""
Likelihood that the camera itself must have given that option: the rules alone do not put a name into the record. Chosen
by hand.
"""

LEAST_SILENT = 0.95
"""Probability from which a line reported as certain is recorded with another seat or destination. Chosen by hand."""

LEAST_STATED = 2e-4
"""Probability. The least with which a record states an option. Chosen by hand."""

LEAST_UNSEEN = 0.95
"""Probability from which an unreported event is inserted. Chosen by hand."""

LINES_BEFORE_INSERTION = 3
"""Number of lines that must follow before an event is inserted. Chosen by hand."""


def as_believed(reported: ReportedEvent, beam: Beam, place: int) -> TableEvent | None:
    """
    Return how the record states this line: with the option first that is nearly certain to have happened, and all
    others as its alternatives. None: nothing happened. Where no other option is, that is the recorded event.
    """
    recorded, shares = reported.event, [0.0] * len(reported.options)
    for hypothesis in beam:
        last = interpretation_of(hypothesis.last, place)
        if last is not None and not last.unseen:
            number = next((k for k, option in enumerate(reported.options) if option.event == last.event), None)
            if number is not None:
                shares[number] += exp(hypothesis.log_weight)
    best = max(shares)
    first = reported.options[shares.index(best)]
    if best < LEAST_POSTERIOR or exp(first.log_likelihood) < LEAST_LIKELIHOOD or first is reported.options[0]:
        return recorded
    if first.event is None:
        return None
    if getattr(recorded, "by", "") is None and structs.replace(first.event, by=None) == certain(recorded):
        return recorded  # an unknown seat may become known
    stated = event_to_json(first.event)
    alternatives: list[tuple[Card, float]] = []
    otherwise: list[tuple[dict[str, Any] | None, float]] = []
    same = exp(first.log_likelihood)
    for option in reported.options:
        share = round(exp(option.log_likelihood), 4)
        if option is first:
            continue
        if option.event is None:
            otherwise.append((None, share))
            continue
        keys = difference(stated, event_to_json(option.event))
        if not keys:
            same += exp(option.log_likelihood)  # the same event as two options: one seat named, and any seat
        elif keys.keys() == {"card"}:
            alternatives.append((option.event.card, share))  # type: ignore[attr-defined]
        else:
            otherwise.append((keys, share))
    return structs.replace(
        first.event,
        confidence=round(same, 4),
        alternatives=tuple(alternatives),
        otherwise=tuple(otherwise),
        missed=recorded.missed,
    )


SILENT_CUES: Mapping[str, str] = {"seat": "by", "to": "to"}
"""Keys of a line that the rules may put right, by the cue of an interpretation; a card's name they don't."""


def as_put_right(line: ObservedLine, beam: Beam, seats: int) -> TableEvent | None:
    """
    Return a line that was reported as certain with the seat that nearly certainly laid its card, or the place to which
    its bout nearly certainly went, and with the reported one as alternative; None where nothing is nearly certain.

    Judged again, it has the weight of a silent error, at least that of an option with ``LEAST_STATED``.
    """
    recorded = certain(line.reported.event)
    listed = {option.event for option in line.reported.options}
    shares: defaultdict[tuple[str, TableEvent], float] = defaultdict(float)
    for hypothesis in beam:
        last = interpretation_of(hypothesis.last, line.place)
        if last is not None and last.event is not None and last.cue in SILENT_CUES and last.event not in listed:
            shares[SILENT_CUES[last.cue], last.event] += exp(hypothesis.log_weight)
    (key, event), share = max(shares.items(), key=itemgetter(1), default=(("", recorded), 0.0))
    if share < LEAST_SILENT or structs.replace(event, **{key: getattr(recorded, key)}) != recorded:
        return None
    rate = line.rates.misseated / (seats - 1) if key == "by" else line.rates.swept_elsewhere
    rate = round(max(rate, LEAST_STATED), 4)
    return structs.replace(event, confidence=rate, otherwise=(({key: getattr(recorded, key)}, 1 - rate),))


CLOSE_FAULT = 0.001
"""Greatest difference of two probabilities of a fault that count as the same. Chosen by hand."""

CLOSE_POSITION = 0.01
"""
Greatest difference of two probabilities of a position that count as the same; the probability of a later fault differs
by no more. After a correction of an early line that of an unseen deal, for example, never becomes quite the same again.
Chosen by hand.
"""


ANNOUNCED = 12
"""Number of newest lines whose announcements may change."""

LAST_SWEEP = 0.5
"""Probability. The sweep that decides a deal was not reported. Chosen by hand."""

BROKEN_OFF = 0.003
"""Probability. The record ends before the deal is decided. Chosen by hand."""

PACE_S = 1.5
"""Seconds assumed between two unseen events: from a sweep to a draw, or between two draws. Chosen by hand."""


UNREADABLE = 0.02
"""Probability. Where a person could not read a card of the bout, a further one was laid unread. Chosen by hand."""


class Belief:
    """
    Follow one match.

    ``rates``: how often events and errors of the record's source occur. ``opening``: what the header itself causes.
    """

    def __init__(
        self, header: Header, rates: Rates = RATES, limits: Limits = LIMITS, thresholds: Thresholds = THRESHOLDS
    ) -> None:
        self.header, self.rates, self.limits, self.thresholds = header, rates, limits, thresholds
        state = open_match(header)
        self.beam: Beam = (Hypothesis(state, 0.0),)
        self.opening = Step((), announcements(state.replace(bout=None, lead=None), state))
        self._log = LineLog()
        self._announced: Announced = ()
        self._sensor = SensorModel()
        self._judgements = Judgements(limits.judged)
        self._count = 0
        self.holds_back_ruling = False
        """A ruling is held back because further cards of the play may make it legal."""
        self._waiting: Mapping[int, float] = {}
        """By a line's ordinal, the second at which it is decided if nothing happens."""

    @property
    def state(self) -> GameState:
        """Return the position of the most likely hypothesis."""
        return self.best.state

    def state_as_recorded(self, event: TableEvent) -> GameState:
        """
        Return the most likely position in which the newest line was the seat's, and went to the place, that it names.

        Where no hypothesis has that, it is the most likely position of all.
        """
        for hypothesis in self.beam:
            last = hypothesis.last
            if hypothesis.is_fallback or (last is not None and last.place == self._count and last.event is None):
                continue
            happened = last.event if last is not None and last.place == self._count else event
            named = ((getattr(event, key, None), getattr(happened, key, None)) for key in SILENT_CUES.values())
            if all(recorded in (None, believed) for recorded, believed in named):
                return hypothesis.state
        return self.state

    @property
    def best(self) -> Hypothesis:
        """Return the most likely hypothesis; a fallback only if all are."""
        return best_of(self.beam)

    @property
    def is_explained(self) -> bool:
        """Check whether a course of the game explains the events: the fallback hypotheses have less than half."""
        return sum(exp(hypothesis.log_weight) for hypothesis in self.beam if hypothesis.is_fallback) < 0.5

    @property
    def due(self) -> float | None:
        """Return the second at which a ``tick`` would decide the next waiting line; None if none waits."""
        return min(self._waiting.values(), default=None)

    @property
    def probabilities(self) -> Mapping[int, float]:
        """Return by line the highest probability of a fault among the decisions made on it."""
        lines = {line.place: line.line for line in self._log.lines}
        return {
            lines[place]: max(dated.decision.probability for dated in made)
            for place, made in self._log.decisions.items()
            if place in lines and made
        }

    def observe(self, recorded: RecordLine) -> tuple[Message, ...]:
        """
        Update the belief with the record's next line; return what is announced now, about this line and earlier ones.

        Raise ``RecordError`` if the table cannot be as a correction states.
        """
        event = recorded.event
        if self._is_pause(event):
            self._count += 1
            if isinstance(event, Blocked):
                self._sensor = self._sensor.blocked(event.at)
            # A correction of no card decides nothing, nor does a line that did not happen part two cards of one play.
            is_tick = isinstance(event, Tick | Blocked) and not (recorded.is_void and self.holds_back_ruling)
            return self._audible(self._rule(recorded.line, now_s=event.at)) if is_tick else ()
        if isinstance(event, Pressed) and event.button == "challenge":
            self._count += 1
            return (*self.end_play(), *self._answer_challenge(recorded.line))
        return self._take_over(recorded, *self._updated(recorded))

    def observe_report(self, recorded: RecordLine) -> tuple[TableEvent | None, tuple[Message, ...]]:
        """
        Update the belief with an event that is reported now; return how the record states it, and what is announced.

        A camera's event is recorded with its most likely option first. If most likely nothing happened, nothing is
        recorded and the belief does not change.
        """
        event = recorded.event
        is_uncertain = (
            self.rates.has_errors and (event.alternatives or event.otherwise) and not isinstance(event, Pressed)
        )
        if not is_uncertain or self._is_pause(event):
            return event, self.observe(recorded)
        updated = self._updated(recorded)
        line, beam, *_ = updated
        believed = as_believed(line.reported, beam, line.place)
        if believed == event:
            return event, self._take_over(recorded, *updated)
        return believed, () if believed is None else self.observe(recorded._replace(event=believed))

    def _is_pause(self, event: TableEvent) -> bool:
        """Check whether nothing happened at the table, or it was hidden, or a correction refers to no card."""
        corrects_nothing = isinstance(event, Reread) or (
            isinstance(event, Pressed) and event.button in ("assign", "dismiss")
        )
        return isinstance(event, Tick | Blocked) or (corrects_nothing and self.state.phase is not Phase.FREE)

    def _updated(self, recorded: RecordLine) -> tuple[ObservedLine, Beam, SensorModel, Rates]:
        """
        Return the line as observed, the beam and the sensor model after it, and the rates at it; nothing changes yet.

        Raise ``RecordError`` if the table cannot be as a correction states.
        """
        line, event, is_stated, own = recorded
        seats, sensor = self.header.seats, self._sensor
        pack = pack_in_order(self.state.rules)
        # In a record by a person every line is one that a person states.
        reported = reported_event(event, seats, pack, is_stated=is_stated and self.rates.has_errors)
        seeing = sensor.seeing(event.at)
        rates = seeing.rates_for(event, self.rates if own is None or not self.rates.has_errors else own)
        # A statement says nothing about whether the table is visible again, but happened while it may have been hidden.
        sensor = sensor if isinstance(event, Pressed | Corrected) else seeing
        if self.state.table.has_unread and not rates.unseen_card:
            rates = replace(rates, unseen_card=UNREADABLE)
        if self.state.phase is Phase.FREE:
            rates = PERSON  # without a game nothing says what went unseen while the table was hidden
        update = Update(reported, self._count + 1, seats, rates, self.limits, self._judgements)
        beam = update.of(self.beam)
        if not beam and (isinstance(event, Corrected) or not rates.has_errors):
            apply(self.state, certain(event))  # raises the error that names what is wrong
        # A camera's line waits for what people do next, unless it continues a play that a person has stated.
        last = self._log.lines[-1] if self._log.lines else None
        is_more = last is not None and not last.waits and is_same_play(last.reported.event, event)
        observed = ObservedLine(
            self._count + 1,
            line,
            reported,
            self.beam,
            self._announced,
            self._sensor,
            update.log_evidence,
            rates,
            waits=not (is_stated or is_more) if self.rates.has_errors else rates.has_errors,
        )
        return observed, beam, sensor.after(event), rates

    def _take_over(
        self, recorded: RecordLine, line: ObservedLine, beam: Beam, sensor: SensorModel, rates: Rates
    ) -> tuple[Message, ...]:
        """Take the update over and return what is announced now."""
        self._count = line.place
        self.beam = self._filtered_again(line, beam, rates) or self.beam
        self._log.append(line)
        self._sensor = sensor
        ruled = self._rule(recorded.line)
        is_press = isinstance(recorded.event, Pressed)
        answers = tuple(message for message in ruled if is_press and message.line == recorded.line)
        others = tuple(message for message in ruled if message not in answers)
        return (*self._audible(others), *answers, *self._announce())

    def _filtered_again(self, now: ObservedLine, beam: Beam, rates: Rates) -> Beam:
        """Add the hypotheses that reinterpret earlier lines, if this line fits badly or a fault is likely."""
        limits, seats, earlier = self.limits, self.header.seats, self._log.lines
        if not rates.has_errors:
            return beam
        others: Beam = ()
        fits_badly = now.log_evidence < log(limits.wants)
        newest = beam[0].last if beam else None
        rulings = () if newest is None else (*newest.rulings, *(newest.before.rulings if newest.before else ()))
        if earlier and (fits_badly or any(map(accuses, rulings))):
            others = smooth_order(earlier[-1], now, seats, limits, self._judgements)
        if beam and fits_badly:
            known = {hypothesis.key for hypothesis in beam}
            again = filter_again(earlier, now, seats, limits, self._judgements)
            if isinstance(now.reported.event, Drawn):
                again = (*again, *smooth_seats(earlier, now, seats, limits, self._judgements))
            others = (*others, *(other for other in again if other.key not in known))
        return merge((*beam, *others), limits.most, limits.floor)[0] if others else beam

    def end_play(self) -> tuple[Message, ...]:
        """End the last play: return the rulings that were held back."""
        return self._audible(self._rule(self._newest_line, ends_play=True)) if self.holds_back_ruling else ()

    def finish(self) -> tuple[Message, ...]:
        """End the record: people stop when the deal is decided. Decide what is still undecided."""
        self.beam = merge(tuple(map(self._at_end, self.beam)), self.limits.most, self.limits.floor)[0]
        return (*self._audible(self._rule(self._newest_line, at_end=True)), *self._announce())

    @property
    def _newest_line(self) -> int:
        return self._log.lines[-1].line if self._log.lines else 0

    def _at_end(self, hypothesis: Hypothesis) -> Hypothesis:
        """Return the hypothesis as already decided, decided by a sweep that was not reported, or broken off."""
        state, weight, last = hypothesis.state, hypothesis.log_weight, hypothesis.last
        if state.phase is Phase.OVER or last is None:
            return hypothesis
        unswept = last_sweep(state)
        sweeps = [unswept] if unswept is not None else []
        if self.rates.unseen_sweep and state.bout is not None and state.bout.attacks:
            sweeps = [Swept(at=0.0, to=to) for to in (HEAP, state.bout.defender)]
        for sweep in sweeps:
            found = advance(hypothesis, sweep, self.rates, Budget(1, self._judgements))
            if found is not None and found[0].phase is Phase.OVER and not any(map(accuses, found[1].rulings)):
                swept = replace(last, announced=(*last.announced, *found[1].announcements))
                return hypothesis.replace(state=found[0], log_weight=weight + log(LAST_SWEEP), last=swept)
        return hypothesis.replace(log_weight=weight + log(BROKEN_OFF))

    # --- what is ruled, and when ---

    def _rule(
        self, newest: int, *, now_s: float = -inf, at_end: bool = False, ends_play: bool = False
    ) -> tuple[Message, ...]:
        """
        Decide the lines that need not wait any longer, and again those whose decision is superseded.

        ``newest``: the newest line of the record; ``now_s``: the time, if nothing happened. A line is decided when the
        next event has come or its time is up; one by a person at once, unless the next card of its play is ruled on
        with it.
        """
        messages: list[Message] = []
        asking: list[tuple[ObservedLine, Decision, int]] = []
        waiting: dict[int, float] = {}
        suspected = {fault_share.place for hypothesis in self.beam for fault_share in hypothesis.fault_shares}
        log, place, self.holds_back_ruling = self._log, self._count, False
        older, sure = log.older(place - REMEMBERED), replace(self.thresholds, accuse=self.thresholds.sure)
        lines = (*older, *log.newest)
        for number, line in enumerate(lines):
            before, later = log.decision_on(line), lines[number + 1 :]
            is_stated = line.reported.is_stated
            if not line.waits and later and is_same_play(line.reported.event, later[0].reported.event):
                if before is not None and before.rulings:
                    log.keep(line, replace(before, rulings=()), place)
                    faults = (ruling.fault for ruling in before.rulings if is_stated or ruling.fault is not None)
                    messages += [Message(line.line, Withdrawal(fault), revised_by=newest) for fault in faults]
                continue
            is_done = before is not None and (is_stated or before.outcome is Outcome.LEGAL)
            if is_done and (is_stated or line.place not in suspected):
                continue
            if is_stated:
                now = decide_stated(self.beam, self.best, line.place)
            else:
                doubtful = (
                    line.reported if not self.rates.has_errors and line.reported.unlisted >= UNLISTED.least else None
                )
                now = decide(self.beam, line.place, self.thresholds if number >= len(older) else sure, doubtful)
            if before is not None:
                sweeps = sum(isinstance(other.reported.event, Swept) for other in later)
                is_late = self.rates.has_errors and sweeps >= self.thresholds.late_sweeps
                if before.outcome is not Outcome.ACCUSED and is_late:
                    now = now.as_late()
                if before.is_superseded_by(now, self.thresholds):
                    log.keep(line, now, place)
                    if before.fault not in (None, now.fault):
                        messages.append(Message(line.line, Withdrawal(before.fault), revised_by=newest))
                    messages += self._messages_of(now, line, newest)
                continue
            age = sum(1 for other in later if not is_same_play(line.reported.event, other.reported.event))
            if line.waits:
                due_s = line.reported.at + now.time_s(self.thresholds)
                is_final = at_end or now_s >= due_s or now.is_final(age, self.thresholds)
            else:
                may_go_on = not later and may_become_legal(self.state, now.rulings)
                is_final = at_end or ends_play or not may_go_on or now_s > -inf
                self.holds_back_ruling = not is_final
            if not is_final and line.waits:
                waiting[line.place] = due_s
            elif not is_final:
                continue
            elif now.outcome is Outcome.ASKED:
                asking.append((line, now, age))
            else:
                log.keep(line, now, place)
                messages += self._messages_of(now, line)
        messages += self._ask(asking, at_end=at_end)
        self._waiting = waiting
        return tuple(sorted(messages, key=lambda message: message.line))

    def _ask(self, asking: list[tuple[ObservedLine, Decision, int]], *, at_end: bool) -> list[Message]:
        """Ask the question that resolves most, if none is open; a line that cannot wait for its turn gets a note."""
        made = map(self._log.decision_on, self._log.newest)
        is_open = any(decision is not None and decision.asks for decision in made)
        messages: list[Message] = []
        for line, decision, age in sorted(asking, key=lambda asked: abs(asked[1].probability - 0.5)):
            is_stated = line.reported.is_stated
            if is_open or is_stated:
                if not (at_end or age >= WINDOW or is_stated):
                    continue
                decision = decision.as_note()
            else:
                is_open = True
            self._log.keep(line, decision, self._count)
            messages += self._messages_of(decision, line)
        return messages

    def _messages_of(self, decision: Decision, line: ObservedLine, revised_by: int | None = None) -> list[Message]:
        """Return the rulings of a decision. ``revised_by``: the later line that revises it."""
        is_sure = decision.fault is None or not self.rates.has_errors
        probability, reasons = (None, ()) if is_sure else (decision.probability, decision.why)
        return [Message(line.line, ruling, probability, reasons, revised_by) for ruling in decision.rulings]

    @property
    def course(self) -> Mapping[int, tuple[TableEvent, ...]]:
        """Return by line what happened in the most likely hypothesis, unseen events before it included."""
        found: dict[int, tuple[TableEvent, ...]] = {}
        last = self.best.last
        for line in reversed(self._log.lines):
            while last is not None and last.place > line.place:
                last = last.before
            if last is not None and last.place == line.place:
                found[line.line] = last.unseen if last.event is None else (*last.unseen, last.event)
            if line.is_joined:
                last = best_of(line.before).last
        return found

    def agrees(self, other: Belief, stated: Collection[int]) -> bool:
        """
        Check whether ``other``, which has judged further, believed the same after as many lines: its later lines hold.

        ``stated``: ordinals of lines that people have stated: their rulings are not reconsidered.
        """
        following = other._log.following(self._count)
        if following is None or not following.before or self.holds_back_ruling:
            return False
        if following.announced != self._announced or not self._sensor.is_like(following.sensor):
            return False
        if self.best.state.session != best_of(following.before).state.session:
            return False
        beams = (self.beam, following.before)
        positions = [{hypothesis.key: exp(hypothesis.log_weight) for hypothesis in beam} for beam in beams]
        faults: list[defaultdict[Hashable, float]] = [defaultdict(float) for _ in beams]
        for shares, beam in zip(faults, beams, strict=True):
            for hypothesis in beam:
                for fault_share in hypothesis.fault_shares:
                    if fault_share.place not in stated:
                        shares[fault_share.place, fault_share.fault] += exp(hypothesis.log_weight) * fault_share.share
        pairs: tuple[tuple[Sequence[Mapping[Hashable, float]], float], ...]
        pairs = (positions, CLOSE_POSITION), (faults, CLOSE_FAULT)
        return all(
            abs(one.get(key, 0.0) - other.get(key, 0.0)) <= most
            for (one, other), most in pairs
            for key in {*one, *other}
        ) and self._log.decides_like(other._log, self._count)

    def joined(self, other: Belief) -> Self:
        """Return this belief after the later lines of ``other``, with which it agrees now."""
        belief = copy(self)
        belief._log = self._log.joined(other._log, self._count, self.beam)
        belief.beam, belief._announced, belief._sensor = other.beam, other._announced, other._sensor
        belief._waiting, belief._count = other._waiting, other._count
        belief.holds_back_ruling = other.holds_back_ruling
        return belief

    def restorable(self, place: int) -> int:
        """Return the highest number of lines, at most ``place``, for which ``before`` can return the belief."""
        return self._log.restorable(place)

    def before(self, place: int) -> Self:
        """Return the belief after the first ``place`` lines, a number that ``restorable`` returns."""
        belief = copy(self)
        belief._log, belief._count = self._log.before(place), place
        kept = len(belief._log.lines)
        if kept < len(self._log.lines):
            gone = self._log.lines[kept]
            belief.beam, belief._announced, belief._sensor = gone.before, gone.announced, gone.sensor
        belief.holds_back_ruling = False
        belief._waiting = {
            line.place: line.reported.at + decide(belief.beam, line.place, self.thresholds).time_s(self.thresholds)
            for line in belief._log.newest
            if line.waits and line.place not in belief._log.decisions
        }
        return belief

    def revised_lines(self) -> Iterator[tuple[int, TableEvent]]:
        """Yield earlier lines that nearly certainly happened otherwise than recorded, the most likely option first."""
        for line in self._log.newest if self.rates.has_errors else ():
            event, believed = line.reported.event, None
            if event.otherwise or event.alternatives:
                believed = as_believed(line.reported, self.beam, line.place)
            elif isinstance(event, Placed | Swept) and not line.reported.is_stated:
                believed = as_put_right(line, self.beam, len(self.header.seats))
            if believed is not None and believed is not event:
                yield line.line, believed

    def unreported_events(self, stated: int | None = None) -> Iterator[tuple[int, int, TableEvent]]:
        """
        Yield what nearly certainly happened unreported, after the two lines between which it did.

        It has a possible time, and the probability at which such an event goes unseen: judged again, it has the same
        weight as the unseen event had. ``stated``: only before this line, which a person is about to state, however new
        it is.
        """
        followed: Sequence[ObservedLine] = self._log.newest if self.rates.has_errors else ()
        for before, line in pairwise(followed if stated is not None else followed[:-LINES_BEFORE_INSERTION]):
            if stated not in (None, line.line):
                continue
            recorded = line.reported.event
            under = recorded.on if isinstance(recorded, Placed) else None
            shares: defaultdict[tuple[TableEvent, ...], float] = defaultdict(float)
            for hypothesis in self.beam:
                last = interpretation_of(hypothesis.last, line.place)
                if last is not None and not hypothesis.is_fallback:
                    sure = (  # of cards only the one that the line names
                        event
                        for event in last.unseen
                        if isinstance(event, Drawn | Swept | Swapped)
                        or (isinstance(event, Placed) and event.card == under)
                    )
                    shares[tuple(sure)] += exp(hypothesis.log_weight)
            events = max(shares, key=lambda unseen: shares[unseen], default=())
            if not events or shares[events] < LEAST_UNSEEN:
                continue
            earliest, latest = before.reported.at, line.reported.at
            pace_s = min(PACE_S, (latest - earliest) / (len(events) + 1))
            rates = line.sensor.seeing(latest).rates_for(recorded, self.rates)
            unseen = {Drawn: rates.unseen_draw, Swept: rates.unseen_sweep, Swapped: rates.unseen_swap}
            for number, event in enumerate(events, start=1):
                at = min(max(round(earliest + pace_s * number, 2), earliest), latest)
                share = round(unseen.get(type(event), rates.unseen_card), 4)
                otherwise = ((None, round(1 - share, 4)),)
                yield before.line, line.line, structs.replace(event, at=at, confidence=share, otherwise=otherwise)

    def _audible(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        """Return the rulings unless the table is silent, where faults are announced when challenged."""
        return () if self.header.tone == "silent" else messages

    def _announce(self) -> tuple[Message, ...]:
        """Return the new announcements of the most likely hypothesis, and withdraw those that it no longer makes."""
        if not self._log.lines:
            return ()
        newest = self._log.lines[-ANNOUNCED:]
        lines = {line.place: line.line for line in newest}
        now: list[tuple[int, Announcement]] = []
        last = self.best.last
        while last is not None and last.place >= newest[0].place:
            now[:0] = [(last.place, announcement) for announcement in last.announced]
            last = last.before
        before = [dated for dated in self._announced if dated[0] >= newest[0].place]
        gone = [announcement for _, announcement in _difference(before, now) if announcement.can_be_withdrawn]
        self._announced = tuple(now)
        withdrawn = [Message(newest[-1].line, announcement.withdrawn()) for announcement in gone]
        return (*withdrawn, *(Message(lines[place], announcement) for place, announcement in _difference(now, before)))

    def _answer_challenge(self, line: int) -> tuple[Message, ...]:
        """
        Announce the faults of the current bout, or of the one before it where none has begun, oldest first.

        Left out are faults that rest on spoken leave alone, faults whose card has been taken back since, and refused
        statements, which were answered at once. A fault that was not decided yet is decided now: later lines withdraw
        it, but do not turn it into a question.
        """
        state, bout = self.state, self.state.bout
        found: list[Ruling] = []
        ruled: list[Message] = []
        taken_back: set[Card] = set()
        following: TableEvent | None = None
        going_on = bout is not None and (bout.attacks or bout.strays or bout.ended or state.matters)
        oldest = 0 if bout is None else bout.number - (not going_on)
        for earlier in reversed(self._log.whole if bout is not None else ()):
            before, event = earlier.before[0].state, earlier.reported.event
            number = before.bout.number if before.bout is not None else 1
            if before.session.deal != state.session.deal or number < oldest:
                break
            decision = self._log.decision_on(earlier)
            if decision is None:
                decision = decide(self.beam, earlier.place, self.thresholds)
                if decision.outcome is Outcome.ACCUSED:
                    self._log.keep(earlier, decision, self._count)
                    ruled += [Message(earlier.line, it, decision.probability, decision.why) for it in decision.rulings]
            if isinstance(event, Lifted):
                taken_back.add(event.card)
            if not isinstance(event, Pressed) and not is_same_play(event, following):
                found[:0] = [
                    ruling
                    for ruling in decision.rulings
                    if ruling.fault is not None
                    and not (ruling.cards and taken_back.issuperset(ruling.cards))
                    and not ruling.rests_on_leave
                ]
            following = event
        answer = messages_of(line, Step(tuple(found), (Announcement.of("challenge", count=len(found)),)))
        return (*self._audible(tuple(sorted(ruled, key=lambda message: message.line))), *answer)


def _difference(
    some: list[tuple[int, Announcement]], others: list[tuple[int, Announcement]]
) -> list[tuple[int, Announcement]]:
    """Return the announcements that are not among the others."""
    return [item for item in some if item not in others]


def best_of(beam: Beam) -> Hypothesis:
    """Return the most likely hypothesis that is not a fallback; if all are, the most likely."""
    return next((hypothesis for hypothesis in beam if not hypothesis.is_fallback), beam[0])
