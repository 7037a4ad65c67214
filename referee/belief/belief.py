"""
Follow one match: update the belief with each line, and announce what it decides.

The belief is a beam of hypotheses, each a course of the whole game. For every reported event:

1. each hypothesis is combined with each option of the event (``reported_event``), weighed by the prior (``rates``);
2. hypotheses that explain it badly are tried again with unseen events before it, with a silent error in a card or a
   seat, and at last with the fallback hypothesis (``update``, ``unseen_events``, ``fixed_lag``);
3. equal positions are merged, unlikely ones pruned (``hypotheses.merge``);
4. the earlier lines are decided (``decide``), and the announcements of the most likely hypothesis are made.

How lines are interpreted and when they are decided depends on the source of the record: a camera (``camera_record``) or
a person (``person_record``). While nothing happens, a ``tick`` decides what has waited long enough
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
from collections.abc import Collection, Hashable, Mapping, Sequence
from copy import copy
from itertools import pairwise
from math import exp
from typing import Any, NamedTuple, Self

from msgspec.structs import replace

from referee.announce import announcements
from referee.belief.camera_record import CameraRecord
from referee.belief.decide import Outcome
from referee.belief.hypotheses import Beam, Hypothesis
from referee.belief.interpretation import interpretation_of
from referee.belief.person_record import PersonRecord
from referee.belief.rates import Rates, SensorModel
from referee.belief.record_source import (
    Announced,
    LineLog,
    ObservedLine,
    OpenRulings,
    Ruled,
    RulingTime,
    Situation,
    Updated,
)
from referee.belief.reported_event import Option, ReportedEvent, difference
from referee.cards import Card
from referee.corrections import RecordLine
from referee.dealing import open_match
from referee.events import Blocked, Drawn, Lifted, Placed, Pressed, Swapped, Swept, TableEvent, is_same_play
from referee.game import GameState
from referee.record import Header, event_from_json, event_to_json
from referee.rulings import Announcement, Message, Ruling, Step, messages_of

LEAST_POSTERIOR = 0.9
"""Probability from which a line is recorded as another of its options. Chosen by hand; figures do not depend on it."""

LEAST_LIKELIHOOD = 0.004
"""
Likelihood that the camera itself must have given that option: the rules alone do not put a name into the record. Chosen
by hand.
"""

LEAST_UNSEEN = 0.95
"""Probability from which an unreported event is inserted. Chosen by hand."""

LINES_BEFORE_INSERTION = 3
"""Number of lines that must follow before an event is inserted. Chosen by hand."""


def most_likely_option(reported: ReportedEvent, beam: Beam, place: int) -> Option | None:
    """Return the alternative that is nearly certain to have happened on this line; None if it is the recorded one."""
    shares: defaultdict[int, float] = defaultdict(float)
    for hypothesis in beam:
        last = interpretation_of(hypothesis.last, place)
        if last is not None and not last.unseen:
            for number, option in enumerate(reported.options):
                if option.event == last.event:
                    shares[number] += exp(hypothesis.log_weight)
                    break
    if not shares:
        return None
    best = max(shares, key=lambda number: shares[number])
    option = reported.options[best]
    if (
        shares[best] < LEAST_POSTERIOR
        or exp(option.log_likelihood) < LEAST_LIKELIHOOD
        or _is_as_reported(reported, option)
    ):
        return None
    return option


def certain_unseen(beam: Beam, place: int, recorded: TableEvent) -> tuple[TableEvent, ...]:
    """
    Return the events that nearly certainly happened unreported directly before this line.

    ``recorded``: the line as recorded. Of cards only those are returned whose names are certain.
    """
    shares: defaultdict[tuple[TableEvent, ...], float] = defaultdict(float)
    for hypothesis in beam:
        last = interpretation_of(hypothesis.last, place)
        if last is not None and not hypothesis.is_fallback:
            shares[tuple(each for each in last.unseen if _has_sure_name(each, recorded))] += exp(hypothesis.log_weight)
    best = max(shares, key=lambda events: shares[events], default=())
    return best if shares[best] >= LEAST_UNSEEN else ()


def _has_sure_name(event: TableEvent, recorded: TableEvent) -> bool:
    """Check whether the event has no card, or a card that the next line names."""
    if isinstance(event, Placed):
        return isinstance(recorded, Placed) and recorded.on == event.card
    return isinstance(event, Drawn | Swept | Swapped)


def as_inserted(event: TableEvent, at: float, rates: Rates) -> TableEvent:
    """
    Return the event as evidence with the probability at which such an event goes unseen.

    Judged again, it then has the same weight as the unseen event had.
    """
    unseen = {Drawn: rates.unseen_draw, Swept: rates.unseen_sweep, Swapped: rates.unseen_swap}
    share = round(unseen.get(type(event), rates.unseen_card), 4)
    return replace(event, at=at, confidence=share, otherwise=((None, round(1 - share, 4)),))


def _is_as_reported(reported: ReportedEvent, option: Option) -> bool:
    """Check whether the alternative is the recorded event; an unknown seat may become known."""
    recorded = reported.event
    same_seat = option.event is not None and getattr(recorded, "by", None) is None and hasattr(recorded, "by")
    first = reported.options[0]
    if same_seat and option.event is not None and first.event is not None:
        return replace(option.event, by=None) == replace(first.event, by=None)
    return option is first


def with_option_first(reported: ReportedEvent, first: Option) -> TableEvent:
    """Return the line with this alternative as the recorded event and all others as its alternatives."""
    assert first.event is not None
    recorded = event_to_json(first.event)
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
        keys = difference(recorded, event_to_json(option.event))
        if not keys:
            same += exp(option.log_likelihood)  # the same event as two options: one seat named, and any seat
        elif keys.keys() == {"card"}:
            alternatives.append((option.event.card, share))  # type: ignore[attr-defined]
        else:
            otherwise.append((keys, share))
    return replace(
        event_from_json(recorded),
        confidence=round(same, 4),
        alternatives=tuple(alternatives),
        otherwise=tuple(otherwise),
        missed=reported.event.missed,
    )


class Entry(NamedTuple):
    """One line of the history: the event, the position before it, and the rulings on it."""

    event: TableEvent
    before: GameState
    rulings: tuple[Ruling, ...]


def faults_of_last_bout(history: tuple[Entry, ...], state: GameState) -> tuple[Ruling, ...]:
    """
    Return the faults of the current bout, or of the one before it where none has begun, oldest first.

    Left out are faults that rest on spoken leave alone, faults whose card has been taken back since, and refused
    statements, which were answered at once.
    """
    bout = state.bout
    if bout is None:
        return ()
    going_on = bout.attacks or bout.strays or bout.ended or state.matters
    last = bout.number if going_on else bout.number - 1
    found: list[Ruling] = []
    taken_back: set[Card] = set()
    following: TableEvent | None = None
    for entry in reversed(history):
        before, event = entry.before, entry.event
        number = before.bout.number if before.bout is not None else 1
        if before.session.deal != state.session.deal or number < last:
            break
        if isinstance(event, Lifted):
            taken_back.add(event.card)
        if not isinstance(event, Pressed) and not is_same_play(event, following):
            found[:0] = [
                ruling
                for ruling in entry.rulings
                if ruling.fault is not None
                and not (ruling.cards and taken_back.issuperset(ruling.cards))
                and not ruling.rests_on_leave
            ]
        following = event
    return tuple(found)


CLOSE = 0.001
"""Greatest difference of two probabilities that count as the same belief. Chosen by hand."""


def _weights(beam: Beam) -> dict[Hashable, float]:
    return {each.key: exp(each.log_weight) for each in beam}


def _fault_shares(beam: Beam, stated: Collection[int]) -> dict[Hashable, float]:
    """Return the probability of each fault on each line, but for the lines that people have stated."""
    shares: defaultdict[Hashable, float] = defaultdict(float)
    for hypothesis in beam:
        for each in hypothesis.fault_shares:
            if each.place not in stated:
                shares[each.place, each.fault] += exp(hypothesis.log_weight) * each.share
    return shares


def _is_close(some: Mapping[Hashable, float], others: Mapping[Hashable, float]) -> bool:
    return all(abs(some.get(key, 0.0) - others.get(key, 0.0)) <= CLOSE for key in {*some, *others})


ANNOUNCED = 12
"""Number of newest lines whose announcements may change."""

PACE_S = 1.5
"""Seconds assumed between two unseen events: from a sweep to a draw, or between two draws. Chosen by hand."""

CAMERA = CameraRecord()

RecordSource = CameraRecord | PersonRecord


class UnreportedEvents(NamedTuple):
    """Events that went unreported between the lines ``after`` and ``line``, each with a possible time."""

    after: int
    line: int
    events: tuple[TableEvent, ...]


class Belief:
    """
    Follow one match.

    ``source``: how its lines are interpreted and when they are ruled on. ``opening``: what the header itself causes.
    """

    def __init__(self, header: Header, source: RecordSource = CAMERA) -> None:
        self.header, self.source = header, source
        state = open_match(header)
        self.beam: Beam = (Hypothesis(state, 0.0),)
        self.opening = Step((), announcements(state.but(bout=None, lead=None), state))
        self._log = LineLog()
        self._announced: Announced = ()
        self._sensor = SensorModel()
        self._count = 0
        self._open = OpenRulings()

    @property
    def state(self) -> GameState:
        """Return the position of the most likely hypothesis."""
        return self.best.state

    @property
    def best(self) -> Hypothesis:
        """Return the most likely hypothesis; a fallback only if all are."""
        return self.source.best(self.beam)

    @property
    def is_explained(self) -> bool:
        """Check whether a course of the game explains the events: the fallback hypotheses have less than half."""
        return sum(exp(each.log_weight) for each in self.beam if each.is_fallback) < 0.5

    @property
    def is_withholding(self) -> bool:
        """Check whether a ruling is held back because further cards of the play may make it legal."""
        return bool(self._open.withheld)

    @property
    def due(self) -> float | None:
        """Return the second at which a ``tick`` would decide the next waiting line; None if none waits."""
        return min(self._open.waiting.values(), default=None)

    @property
    def probabilities(self) -> Mapping[int, float]:
        """Return by line the highest probability of a fault among the decisions made on it."""
        lines = {each.place: each.line for each in self._log.lines}
        return {
            lines[place]: max(each.decision.probability for each in made)
            for place, made in self._log.decisions.items()
            if place in lines and made
        }

    def observe(self, recorded: RecordLine) -> tuple[Message, ...]:
        """
        Update the belief with the record's next line; return what is announced now, about this line and earlier ones.

        Raise ``RecordError`` if the table cannot be as a correction states.
        """
        self._count += 1
        event = recorded.event
        time = RulingTime(recorded.line, self._count)
        if self.source.is_pause(event, self.state.phase):
            if isinstance(event, Blocked):
                self._sensor = self._sensor.blocked(event.at)
            return self._rulings(self.source.rule_in_pause(recorded, self._log, self.beam, self._open, time))
        if isinstance(event, Pressed) and event.button == "challenge":
            return (*self.end_play(), *self._answer_challenge(recorded.line))
        return self._rule_after(recorded, self._update(recorded))

    def observe_report(self, recorded: RecordLine) -> tuple[TableEvent | None, tuple[Message, ...]]:
        """
        Update the belief with an event that is reported now; return how the record states it, and what is announced.

        A camera's event is recorded with its most likely option first. If most likely nothing happened, nothing is
        recorded and the belief does not change.
        """
        event = recorded.event
        is_uncertain = self.source.infers and (event.alternatives or event.otherwise)
        if not is_uncertain or self.source.is_pause(event, self.state.phase):
            return event, self.observe(recorded)
        self._count += 1
        updated = self._update(recorded)
        option = most_likely_option(updated.line.reported, updated.beam, self._count)
        if option is None:
            return event, self._rule_after(recorded, updated)
        self._count -= 1
        if option.event is None:
            return None, ()
        revised = with_option_first(updated.line.reported, option)
        return revised, self.observe(recorded._replace(event=revised))

    def _update(self, recorded: RecordLine) -> Updated:
        """Return the update with the line, which changes nothing yet."""
        situation = Situation(self._count, self.header.seats, self.beam, self._announced, self._sensor)
        return self.source.update(recorded, situation)

    def _rule_after(self, recorded: RecordLine, updated: Updated) -> tuple[Message, ...]:
        """Take the update over and return what is announced now."""
        self.beam = self.source.smooth(updated, self._log.lines, self.header.seats) or self.beam
        self._log.append(updated.line)
        self._sensor = updated.sensor
        ruled = self.source.rule(self._log, self.beam, self._open, RulingTime(recorded.line, self._count))
        return (*self._rulings(ruled), *self._announce())

    def end_play(self) -> tuple[Message, ...]:
        """End the last play: return the rulings that were held back."""
        messages = self._audible(self._open.withheld)
        self._open = OpenRulings(self._open.waiting)
        return messages

    def finish(self) -> tuple[Message, ...]:
        """End the record: decide what is still undecided."""
        self.beam = self.source.end(self.beam)
        line = self._log.lines[-1].line if self._log.lines else 0
        ruled = self.source.rule(self._log, self.beam, self._open, RulingTime(line, self._count, at_end=True))
        return (*self._rulings(ruled), *self._announce())

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
                last = self.source.best(line.before).last
        return found

    def agrees(self, other: Belief, stated: Collection[int]) -> bool:
        """
        Check whether ``other``, which has judged further, believed the same after as many lines: its later lines hold.

        ``stated``: ordinals of lines that people have stated: their rulings are not reconsidered.
        """
        following = other._log.following(self._count)
        if following is None or not following.before or self._open.withheld:
            return False
        if following.announced != self._announced or not self._sensor.is_like(following.sensor):
            return False
        if self.best.state.session != self.source.best(following.before).state.session:
            return False
        return (
            _is_close(_weights(self.beam), _weights(following.before))
            and _is_close(_fault_shares(self.beam, stated), _fault_shares(following.before, stated))
            and self._log.decides_like(other._log, self._count)
        )

    def joined(self, other: Belief) -> Self:
        """Return this belief after the later lines of ``other``, with which it agrees now."""
        belief = copy(self)
        belief._log = self._log.joined(other._log, self._count, self.beam)
        belief.beam, belief._announced, belief._sensor = other.beam, other._announced, other._sensor
        belief._open, belief._count = other._open, other._count
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
        belief._open = OpenRulings(self.source.waiting(belief._log, belief.beam))
        return belief

    def revised_lines(self) -> tuple[tuple[int, TableEvent], ...]:
        """Return earlier lines that nearly certainly happened otherwise than recorded, the most likely option first."""
        found = []
        for line in self._log.newest if self.source.infers else ():
            if line.reported.event.otherwise or line.reported.event.alternatives:
                option = most_likely_option(line.reported, self.beam, line.place)
                if option is not None and option.event is not None:
                    found.append((line.line, with_option_first(line.reported, option)))
        return tuple(found)

    def unreported_events(self, stated: int | None = None) -> tuple[UnreportedEvents, ...]:
        """
        Return what nearly certainly happened unreported between two lines.

        ``stated``: only before this line, which a person is about to state, however new it is.
        """
        found = []
        followed: Sequence[ObservedLine] = self._log.newest if self.source.infers else ()
        followed = followed if stated is not None else followed[:-LINES_BEFORE_INSERTION]
        for before, line in pairwise(followed):
            if stated not in (None, line.line):
                continue
            events = certain_unseen(self.beam, line.place, line.reported.event)
            if not events:
                continue
            earliest, latest = before.reported.at, line.reported.at
            pace_s = min(PACE_S, (latest - earliest) / (len(events) + 1))
            times = (earliest + pace_s * number for number in range(1, len(events) + 1))
            times = (min(max(round(at, 2), earliest), latest) for at in times)
            rates = line.sensor.seeing(latest).rates_for(line.reported.event, self.source.rates)
            inserted = (as_inserted(each, at, rates) for each, at in zip(events, times, strict=True))
            found.append(UnreportedEvents(before.line, line.line, tuple(inserted)))
        return tuple(found)

    def _rulings(self, ruled: Ruled) -> tuple[Message, ...]:
        """Keep the open rulings and return the others."""
        self._open = ruled.still_open
        return (*self._audible(ruled.released), *(ruled.messages if ruled.is_answer else self._audible(ruled.messages)))

    def _audible(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        """Return the rulings unless the table is silent, where faults are announced when challenged."""
        return () if self.header.tone == "silent" else messages

    def _announce(self) -> tuple[Message, ...]:
        """Return the new announcements of the most likely hypothesis, and withdraw those that it no longer makes."""
        if not self._log.lines:
            return ()
        newest = self._log.lines[-ANNOUNCED:]
        lines = {each.place: each.line for each in newest}
        now: list[tuple[int, Announcement]] = []
        last = self.best.last
        while last is not None and last.place >= newest[0].place:
            now[:0] = [(last.place, each) for each in last.announced]
            last = last.before
        before = [each for each in self._announced if each[0] >= newest[0].place]
        gone = [each for _, each in _difference(before, now) if each.can_be_withdrawn]
        self._announced = tuple(now)
        withdrawn = [Message(newest[-1].line, each.withdrawn()) for each in gone]
        return (*withdrawn, *(Message(lines[place], each) for place, each in _difference(now, before)))

    def _answer_challenge(self, line: int) -> tuple[Message, ...]:
        """
        Announce the faults of the current bout, or of the one before it if none is on the table.

        A fault that was not decided yet is decided now: later lines withdraw it, but do not turn it into a question.
        """
        history, ruled = [], list[Message]()
        for each in self._log.whole:
            decision = self._log.decision_on(each)
            if decision is None:
                decision = self.source.decision(self.beam, each.place)
                if decision.outcome is Outcome.ACCUSED:
                    self._log.keep(each, decision, self._count)
                    ruled += [Message(each.line, it, decision.probability, decision.why) for it in decision.rulings]
            history.append(Entry(each.reported.event, each.before[0].state, decision.rulings))
        found = faults_of_last_bout(tuple(history), self.state)
        answer = messages_of(line, Step(found, (Announcement.of("challenge", count=len(found)),)))
        return (*self._audible(tuple(ruled)), *answer)


def _difference(
    some: list[tuple[int, Announcement]], others: list[tuple[int, Announcement]]
) -> list[tuple[int, Announcement]]:
    """Return the announcements that are not among the others."""
    return [each for each in some if each not in others]
