"""
Follow one match: update the belief with each line, and announce what it decides.

The belief is a beam of hypotheses, each a course of the whole game. For every reported event:

1. each hypothesis is combined with each option of the event (``reported_event``), weighed by the prior (``rates``);
2. hypotheses that explain it badly are tried again with unseen events before it, with a silent error in a card or a
   seat, and at last with the fallback hypothesis (``update``, ``unseen_events``, ``smoothing``);
3. equal positions are merged, unlikely ones pruned (``hypotheses.merge``);
4. the earlier lines are decided (``decide``), and the announcements of the most likely hypothesis are made.

While nothing happens, a ``tick`` decides what has waited long enough (:attr:`Belief.due`). While the table is hidden
(``blocked``) more events go unseen (``sensor_model``). One question is open at a time; a second one waits until the
first is resolved.

Presses are certain events. A correction of an earlier line is applied by :mod:`referee.match_judge`: it goes back to
the belief before that line (:meth:`Belief.before`), which observes the lines since again.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, replace
from itertools import pairwise
from math import exp, inf, log
from typing import NamedTuple, Self

from referee.announcements import Announcement
from referee.apply_event import apply_event
from referee.belief.decide import THRESHOLDS, Decision, Outcome, Thresholds, decide
from referee.belief.hypotheses import Beam, Budget, Hypothesis, advance, merge
from referee.belief.interpretation import REMEMBERED, WINDOW, accuses
from referee.belief.misreading import pack_in_order
from referee.belief.rates import RATES, Rates
from referee.belief.reported_event import ReportedEvent, reported_event, reviewed
from referee.belief.revision import REVISION, as_inserted, certain_unseen, most_likely_option, with_option_first
from referee.belief.sensor_model import SensorModel
from referee.belief.smoothing import LINES_AGO, ObservedLine, smooth_misreading, smooth_order, smooth_unseen
from referee.belief.update import LIMITS, Limits, Update
from referee.corrections import LASTING, RecordLine
from referee.dealing import open_match
from referee.events import HEAP, Blocked, Corrected, Pressed, Reread, Swept, TableEvent, Tick, is_same_play
from referee.game import GameState, Phase
from referee.history import Entry, faults_of_last_bout
from referee.messages import Message, Withdrawal, messages_of
from referee.record import Header
from referee.review import Review
from referee.step import Results, Step

OPEN = REMEMBERED
"""Number of newest lines that may be undecided or be decided again."""

ANNOUNCED = 12
"""Number of newest lines whose announcements may change."""


WHOLE = 256
"""Number of the newest lines of which the belief before them is kept: two deals, in which people correct something."""

CHECKPOINT = 128
"""Of earlier lines it is kept once in so many, since it takes 50 kB a line: a correction there judges more lines."""

PACE_S = 1.5
"""Seconds assumed between two unseen events: from a sweep to a draw, or between two draws. Chosen by hand."""


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision, and the ordinal of the line at which it was made."""

    decision: Decision
    at: int


class UnreportedEvents(NamedTuple):
    """Events that went unreported between the lines ``after`` and ``line``, each with a possible time."""

    after: int
    line: int
    events: tuple[TableEvent, ...]


class Belief:
    """Follows one match as a camera reports it. ``opening``: what the header itself causes."""

    def __init__(
        self,
        header: Header,
        rates: Rates = RATES,
        limits: Limits = LIMITS,
        thresholds: Thresholds = THRESHOLDS,
    ) -> None:
        collected = Results()
        self.header = header
        self.rates, self.limits, self.thresholds = rates, limits, thresholds
        self.beam: Beam = (Hypothesis(open_match(header, collected), 0.0),)
        self.opening: Step = collected.step()
        self._lines: list[ObservedLine] = []
        self._decided: dict[int, tuple[Decided, ...]] = {}
        self._announced: tuple[tuple[int, Announcement], ...] = ()
        self._sensor = SensorModel()
        self._count = 0
        self._waiting: dict[int, float] = {}

    @property
    def state(self) -> GameState:
        """Return the position of the most likely hypothesis that is not a fallback."""
        return self.best.state

    @property
    def best(self) -> Hypothesis:
        """Return the most likely hypothesis that is not a fallback; if all are, the most likely."""
        return next((each for each in self.beam if not each.is_fallback), self.beam[0])

    @property
    def is_withholding(self) -> bool:
        """
        Check whether a ruling is held back because further cards of the play may make it legal. A camera's rulings come
        late anyway.
        """
        return False

    @property
    def sureness(self) -> float:
        """Return the probability of the most likely hypothesis."""
        return exp(self.best.log_weight)

    def observe(self, recorded: RecordLine) -> tuple[Message, ...]:
        """
        Update the belief with the record's next line; return what is announced now, about this line and earlier ones.

        Raise ``RecordError`` if the table cannot be as a correction states.
        """
        line, event, is_said, review = recorded
        self._count += 1
        if corrects_nothing(event):
            return ()
        if isinstance(event, Tick | Blocked):
            self._sensor = self._sensor.blocked(event.at) if isinstance(event, Blocked) else self._sensor
            return self._audible(self._decide(line, now_s=event.at))
        if isinstance(event, Pressed) and event.button == "challenge":
            return self._answer_challenge(line)
        reported = self._reported(event, is_said=is_said)
        reported = reported if review is Review.NONE else reviewed(reported)
        sensor = self._sensor if isinstance(event, Pressed | Corrected) else self._sensor.seeing(event.at)
        rates = sensor.rates_for(event, self.rates)
        update = Update(reported, self._count, self.header.seats, rates, self.limits, review)
        beam = update.of(self.beam)
        if not beam and isinstance(event, Corrected):
            apply_event(self.state, event)  # raises the error that names what is wrong
        now = ObservedLine(
            self._count, line, reported, self.beam, self._announced, self._sensor, update.log_evidence, review
        )
        self.beam = self._with_hindsight(beam, now, rates) or self.beam
        self._keep_line(now)
        self._sensor = sensor.after(event)
        return self._audible((*self._decide(line), *self._announce()))

    def _keep_line(self, now: ObservedLine) -> None:
        """Append a line; release the belief before the line that is now too old, unless it belongs to a checkpoint."""
        self._lines.append(now)
        place = len(self._lines) - 1 - WHOLE
        if place >= 0 and 0 < place % CHECKPOINT < CHECKPOINT - LINES_AGO:
            self._lines[place] = replace(self._lines[place], before=())

    def _reported(self, event: TableEvent, *, is_said: bool = False) -> ReportedEvent:
        """Return the event with its options."""
        return reported_event(event, self.header.seats, pack_in_order(self.state.rules), is_said=is_said)

    def _with_hindsight(self, beam: Beam, now: ObservedLine, rates: Rates) -> Beam:
        """Add the hypotheses that reinterpret the newest lines, if this line fits badly or a fault is likely."""
        seats, limits = self.header.seats, self.limits
        others: Beam = ()
        fits_badly = now.log_evidence < log(limits.wants)
        if self._lines and (fits_badly or any(map(_has_fault, beam[:1]))):
            others = smooth_order(self._lines[-1], now, seats, rates, limits)
        if beam and fits_badly:
            known = {each.key for each in beam}
            again = (
                *smooth_unseen(self._lines, now, seats, rates, limits),
                *smooth_misreading(self._lines, now, seats, rates, limits),
            )
            others = (*others, *(each for each in again if each.key not in known))
        return merge((*beam, *others), limits.most, limits.floor)[0] if others else beam

    @property
    def probabilities(self) -> Mapping[int, float]:
        """Return by line the highest probability of a fault among the decisions made on it."""
        lines = {observed.place: observed.line for observed in self._lines}
        return {
            lines[place]: max(each.decision.probability for each in made)
            for place, made in self._decided.items()
            if place in lines and made
        }

    def as_believed(self, event: TableEvent) -> TableEvent | None:
        """
        Return the next line with its most likely option first; None: most likely nothing happened. The call changes
        nothing.
        """
        if not event.alternatives and not event.otherwise:
            return event
        reported = self._reported(event)
        rates = self._sensor.seeing(event.at).rates_for(event, self.rates)
        place = self._count + 1
        beam = Update(reported, place, self.header.seats, rates, self.limits).of(self.beam)
        option = most_likely_option(reported, beam, place)
        if option is None:
            return event
        return None if option.event is None else with_option_first(reported, option)

    def second_thoughts(self) -> tuple[tuple[int, TableEvent], ...]:
        """
        Return earlier lines that nearly certainly happened otherwise than recorded, each with its most likely option
        first.
        """
        found = []
        for observed in self._lines[-OPEN:]:
            if observed.reported.event.otherwise or observed.reported.event.alternatives:
                option = most_likely_option(observed.reported, self.beam, observed.place)
                if option is not None and option.event is not None:
                    found.append((observed.line, with_option_first(observed.reported, option)))
        return tuple(found)

    def gaps(self) -> tuple[UnreportedEvents, ...]:
        """Return what nearly certainly happened unreported between two lines."""
        found = []
        settled = self._lines[-OPEN:][: -REVISION.later]
        for before, observed in pairwise((None, *settled)):
            assert observed is not None
            events = (
                certain_unseen(self.beam, observed.place, observed.reported.event)
                if observed is not self._lines[0]
                else ()
            )
            if events and before is not None:
                rates = observed.sensor.seeing(observed.reported.at).rates_for(observed.reported.event, self.rates)
                pace_s = min(PACE_S, (observed.reported.at - before.reported.at) / (len(events) + 1))
                earliest, latest = before.reported.at, observed.reported.at
                times = (earliest + pace_s * number for number in range(1, len(events) + 1))
                times = (min(max(round(at, 2), earliest), latest) for at in times)
                inserted = (as_inserted(each, at, rates) for each, at in zip(events, times, strict=True))
                found.append(UnreportedEvents(before.line, observed.line, tuple(inserted)))
        return tuple(found)

    def end_play(self) -> tuple[Message, ...]:
        """Return nothing: no ruling is held back."""
        return ()

    def finish(self) -> tuple[Message, ...]:
        """End the record: decide what is still undecided. People stop when the deal is decided."""
        self.beam, _ = merge(tuple(map(self._at_end, self.beam)), self.limits.most, self.limits.floor)
        return self._audible(
            (*self._decide(self._lines[-1].line if self._lines else 0, at_end=True), *self._announce())
        )

    @property
    def due(self) -> float | None:
        """Return the second at which a ``tick`` would decide the next waiting line; None if none waits."""
        return min(self._waiting.values(), default=None)

    def restorable(self, place: int) -> int:
        """Return the highest number of lines, at most ``place``, for which ``before`` can return the belief."""
        count = sum(each.place <= place for each in self._lines)
        whole = count
        while not all(each.before for each in self._lines[max(0, whole - LINES_AGO) : whole + 1]):
            whole -= 1
        return place if whole == count else self._lines[whole].place - 1

    def before(self, place: int) -> Self:
        """Return the belief after the first ``place`` lines, a number that ``restorable`` returns."""
        kept = [each for each in self._lines if each.place <= place]
        belief = copy(self)
        belief._lines, belief._count = kept, place
        if len(kept) < len(self._lines):
            gone = self._lines[len(kept)]
            belief.beam, belief._announced, belief._sensor = gone.before, gone.spoken, gone.sensor
        decided_then = {
            at: tuple(each for each in made if each.at <= place) for at, made in self._decided.items() if at <= place
        }
        belief._decided = {at: made for at, made in decided_then.items() if made}
        undecided = (observed for observed in kept[-OPEN:] if observed.place not in belief._decided)
        belief._waiting = {
            observed.place: belief._due_s(observed, decide(belief.beam, observed.place, self.thresholds))
            for observed in undecided
        }
        return belief

    def _audible(self, said: tuple[Message, ...]) -> tuple[Message, ...]:
        """
        Return the announcements, and the rulings unless the table is silent, where faults are announced when
        challenged.
        """
        if self.header.tone != "silent":
            return said
        return tuple(each for each in said if isinstance(each.what, Announcement))

    def _at_end(self, hypothesis: Hypothesis) -> Hypothesis:
        """
        Return the hypothesis at the end of the record: already decided, decided by an unreported sweep, or broken off.
        """
        state, weight, last = hypothesis.state, hypothesis.log_weight, hypothesis.last
        if state.phase is Phase.OVER or last is None:
            return hypothesis
        if state.bout is not None and state.bout.attacks:
            for to in (HEAP, state.bout.defender):
                found = advance(hypothesis, Swept(at=0.0, to=to), self.rates, Budget(1))
                if found is not None and found[0].phase is Phase.OVER and not any(map(accuses, found[1].rulings)):
                    ended = replace(last, announced=(*last.announced, *found[1].announcements))
                    weight += log(self.rates.last_sweep)
                    return replace(hypothesis, state=found[0], log_weight=weight, last=ended)
        return replace(hypothesis, log_weight=weight + log(self.rates.broken_off))

    def _decide(self, line: int, *, at_end: bool = False, now_s: float = -inf) -> tuple[Message, ...]:
        """
        Decide the lines that need not wait any longer, and those that are decided again.

        ``line``: the line with which this is announced. ``now_s``: the time, if nothing happened.
        """
        said: list[Message] = []
        asking: list[tuple[ObservedLine, Decision, int]] = []
        self._waiting = {}
        newest = self._lines[-OPEN:]
        for number, observed in enumerate(newest):
            made = self._decision_on(observed)
            decision = decide(self.beam, observed.place, self.thresholds)
            if made is not None:
                if made.decision.is_superseded_by(decision, self.thresholds):
                    self._keep_decision(observed, decision)
                    said += _said_revised(made.decision, decision, observed.line, line)
                continue
            age, due_s = _age_of(observed, newest[number + 1 :]), self._due_s(observed, decision)
            if not (at_end or now_s >= due_s or decision.is_final(age, self.thresholds)):
                self._waiting[observed.place] = due_s
            elif decision.outcome is Outcome.ASKED:
                asking.append((observed, decision, age))
            else:
                said += self._made(observed, decision)
        said += self._asked(asking, newest, at_end=at_end)
        return tuple(sorted(said, key=lambda each: each.line))

    def _asked(
        self, asking: list[tuple[ObservedLine, Decision, int]], newest: list[ObservedLine], *, at_end: bool
    ) -> list[Message]:
        """Ask the question that resolves most, if none is open; a line that cannot wait for its turn gets a note."""
        made = (self._decision_on(observed) for observed in newest)
        is_open = any(each is not None and each.decision.asks for each in made)
        said: list[Message] = []
        for observed, decision, age in sorted(asking, key=lambda each: abs(each[1].probability - 0.5)):
            if not is_open and not observed.reported.is_said:
                said += self._made(observed, decision)
                is_open = True
            elif at_end or age >= WINDOW or observed.reported.is_said:
                said += self._made(observed, decision.as_note())
        return said

    def _due_s(self, observed: ObservedLine, decision: Decision) -> float:
        """Return the second at which this decision has waited long enough."""
        return observed.reported.at + decision.time_s(self.thresholds)

    def _made(self, observed: ObservedLine, decision: Decision) -> list[Message]:
        """Keep the decision and return its rulings."""
        self._keep_decision(observed, decision)
        return _said_of(decision, observed.line)

    def _keep_decision(self, observed: ObservedLine, decision: Decision) -> None:
        """Keep the decision as the newest one on its line; earlier ones count again if the belief goes back."""
        self._decided[observed.place] = (*self._decided.get(observed.place, ()), Decided(decision, self._count))

    def _decision_on(self, observed: ObservedLine) -> Decided | None:
        """Return the newest decision on the line."""
        made = self._decided.get(observed.place, ())
        return made[-1] if made else None

    def _announce(self) -> tuple[Message, ...]:
        """Return the new announcements of the most likely hypothesis, and withdraw those that it no longer makes."""
        if not self._lines:
            return ()
        newest = self._lines[-ANNOUNCED:]
        lines = {each.place: each.line for each in newest}
        path: list[tuple[int, Announcement]] = []
        last = self.best.last
        while last is not None and last.place >= newest[0].place:
            path[:0] = [(last.place, each) for each in last.announced]
            last = last.before
        before = [each for each in self._announced if each[0] >= newest[0].place]
        gone = [each for _, each in _difference(before, path) if each.kind in LASTING]
        self._announced = tuple(path)
        withdrawn = [
            Message(newest[-1].line, Announcement.of("withdrawn", of=each.kind, **each.facts)) for each in gone
        ]
        return (*withdrawn, *(Message(lines[place], each) for place, each in _difference(path, before)))

    def _answer_challenge(self, line: int) -> tuple[Message, ...]:
        """Announce the faults of the current bout, or of the one before it if none is on the table."""
        history = []
        for observed in self._lines[-WHOLE:]:
            made = self._decision_on(observed)
            decision = made.decision if made is not None else decide(self.beam, observed.place, self.thresholds)
            history.append(Entry(observed.reported.event, observed.before[0].state, decision.rulings))
        found = faults_of_last_bout(tuple(history), self.state)
        return messages_of(line, Step(found, (Announcement.of("challenge", count=len(found)),)))


def corrects_nothing(event: TableEvent) -> bool:
    """Check whether the event changes no position: a correction of no card on the table, or a dismissed question."""
    return isinstance(event, Reread) or (isinstance(event, Pressed) and event.button in ("assign", "dismiss"))


def _has_fault(hypothesis: Hypothesis) -> bool:
    """Check whether a rule was broken on one of the two newest lines."""
    newest = hypothesis.last
    rulings = () if newest is None else (*newest.rulings, *(() if newest.before is None else newest.before.rulings))
    return any(map(accuses, rulings))


def _age_of(observed: ObservedLine, later: list[ObservedLine]) -> int:
    """Count the events after this one, without those of the same play."""
    return sum(1 for each in later if not is_same_play(observed.reported.event, each.reported.event))


def _said_of(decision: Decision, line: int, anew: int | None = None) -> list[Message]:
    """Return the rulings of a decision. ``anew``: the later line that revises it."""
    probability = None if decision.fault is None else decision.probability
    return [Message(line, ruling, probability, decision.why, anew) for ruling in decision.rulings]


def _said_revised(before: Decision, now: Decision, line: int, newest: int) -> list[Message]:
    """Return what line ``newest`` announces about the earlier ``line``, which is ruled on again."""
    withdrawn = (
        [] if before.fault in (None, now.fault) else [Message(line, Withdrawal(before.fault), revised_by=newest)]
    )
    return [*withdrawn, *_said_of(now, line, newest)]


def _difference(
    some: list[tuple[int, Announcement]], others: list[tuple[int, Announcement]]
) -> list[tuple[int, Announcement]]:
    """Return the announcements that are not among the others."""
    return [each for each in some if each not in others]
