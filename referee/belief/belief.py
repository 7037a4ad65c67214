"""
The belief: what most likely happened, decided in one place.

Theory of operation. A beam of hypotheses, each a whole game. For every told event:

1. each hypothesis takes each option of it (``options``), weighed by the law's prior (``rates``);
2. hypotheses that explain it badly are tried again with events that went unseen before it, with a card or a seat told
   wrongly without a word, and as a last resort with the books put down as wrong (``update``, ``missed``);
3. equal positions become one, unlikely ones are dropped (``hypotheses.merged``);
4. the lines before are decided (``decide``), and what the likeliest hypothesis announces is said.

Where nothing happens a ``tick`` decides what has waited long enough (:attr:`Belief.due`). While the table is hidden
(``blocked``) more goes unseen (``sensor_model``). One question is open at a time: a second one waits until the first is
settled.

Buttons are events that are certain. What corrects an earlier line is seen to by :mod:`referee.match_judge`: it goes
back to the belief before that line (:meth:`Belief.before`), which observes the lines since again.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, replace
from itertools import pairwise
from math import exp, inf, log
from typing import NamedTuple, Self

from referee.announcements import Announcement
from referee.belief.decide import THRESHOLDS, Answer, Decision, Thresholds, decided
from referee.belief.hindsight import Fed, after_misreading, after_unseen, in_other_order
from referee.belief.hypotheses import Beam, Budget, Hypothesis, merged, taken
from referee.belief.misreading import pack_in_order
from referee.belief.options import Change, change_of, reviewed
from referee.belief.rates import RATES, Rates
from referee.belief.retelling import RETELLING, believed_option, proven_unseen, retold, told_after_all
from referee.belief.sensor_model import SensorModel
from referee.belief.trail import REMEMBERED, WINDOW, accuses
from referee.belief.update import LIMITS, Limits, Update
from referee.corrections import LASTING, RecordLine
from referee.dealing import open_match
from referee.events import HEAP, Blocked, Corrected, Pressed, Reread, Swept, TableEvent, Tick, is_same_play
from referee.game import GameState, Phase
from referee.history import Entry, faults_of_last_bout
from referee.judge import judge
from referee.judgement import Step, Told
from referee.record import Header
from referee.review import Review
from referee.said import Said, Withdrawal, said_of

OPEN = REMEMBERED
"""So many of the newest lines can still be undecided, or be decided otherwise."""

ANNOUNCED = 12
"""So many of the newest lines can still have their announcements changed."""


PACE_S = 1.5
"""Seconds between two events where nothing says more: a draw comes so long after a sweep or another draw."""


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision and the number of the line that brought it."""

    decision: Decision
    at: int


class UntoldEvents(NamedTuple):
    """Events that went untold between two lines, each with the time at which it may have happened."""

    after: int
    line: int
    events: tuple[TableEvent, ...]


class Belief:
    """Follows one match as a camera tells it. ``opening``: what the header itself brought."""

    def __init__(
        self,
        header: Header,
        rates: Rates = RATES,
        limits: Limits = LIMITS,
        thresholds: Thresholds = THRESHOLDS,
    ) -> None:
        told = Told()
        self.header = header
        self.rates, self.limits, self.thresholds = rates, limits, thresholds
        self.beam: Beam = (Hypothesis(open_match(header, told), 0.0),)
        self.opening: Step = told.step()
        self._fed: list[Fed] = []
        self._decided: dict[int, tuple[Decided, ...]] = {}
        self._spoken: tuple[tuple[int, Announcement], ...] = ()
        self._sensor = SensorModel()
        self._count = 0
        self._waiting: dict[int, float] = {}

    @property
    def state(self) -> GameState:
        """The position of the likeliest hypothesis that has not lost the thread."""
        return self.believed.state

    @property
    def believed(self) -> Hypothesis:
        """The likeliest hypothesis that has not lost the thread; where all have, the likeliest."""
        return next((each for each in self.beam if not each.is_lost), self.beam[0])

    @property
    def is_withholding(self) -> bool:
        """Is a ruling kept back, because more cards of the same play may still make it legal? It comes late anyway."""
        return False

    @property
    def sureness(self) -> float:
        """How likely the believed hypothesis is: 0..1."""
        return exp(self.believed.log_weight)

    def observe(self, recorded: RecordLine) -> tuple[Said, ...]:
        """
        Update the belief with the record's next line; return what is announced now, of this line and of those before.

        ``RecordError`` where the table can't stand as a correction states.
        """
        line, event, is_said, review = recorded
        self._count += 1
        if corrects_nothing(event):
            return ()
        if isinstance(event, Tick | Blocked):
            self._sensor = self._sensor.blocked(event.at) if isinstance(event, Blocked) else self._sensor
            return self._heard(self._decide(line, now_s=event.at))
        if isinstance(event, Pressed) and event.button == "challenge":
            return self._challenged(line)
        change = self._change_of(event, is_said=is_said)
        change = change if review is Review.NONE else reviewed(change)
        sensor = self._sensor if isinstance(event, Pressed | Corrected) else self._sensor.seeing(event.at)
        rates = sensor.rates_for(event, self.rates)
        update = Update(change, self._count, self.header.seats, rates, self.limits, review)
        beam = update.of(self.beam)
        if not beam and isinstance(event, Corrected):
            judge(self.state, event)  # no hypothesis can stand so: this one says why
        now = Fed(self._count, line, change, self.beam, self._spoken, self._sensor, update.log_evidence, review)
        self.beam = self._with_hindsight(beam, now, rates) or self.beam
        self._fed.append(now)
        self._sensor = sensor.after(event)
        return self._heard((*self._decide(line), *self._announce()))

    def _change_of(self, event: TableEvent, *, is_said: bool = False) -> Change:
        return change_of(event, self.header.seats, pack_in_order(self.state.rules), is_said=is_said)

    def _with_hindsight(self, beam: Beam, now: Fed, rates: Rates) -> Beam:
        """What is believed, where the newest lines were otherwise than they were told too."""
        seats, limits = self.header.seats, self.limits
        others: Beam = ()
        fits_badly = now.log_evidence < log(limits.wants)
        if self._fed and (fits_badly or any(map(_has_fault, beam[:1]))):
            others = in_other_order(self._fed[-1], now, seats, rates, limits)
        if beam and fits_badly:
            known = {each.key for each in beam}
            again = (
                *after_unseen(self._fed, now, seats, rates, limits),
                *after_misreading(self._fed, now, seats, rates, limits),
            )
            others = (*others, *(each for each in again if each.key not in known))
        return merged((*beam, *others), limits.most, limits.floor)[0] if others else beam

    @property
    def probabilities(self) -> Mapping[int, float]:
        """By line: how likely it was that a rule was broken there when it was decided; of several times the highest."""
        lines = {fed.place: fed.line for fed in self._fed}
        return {
            lines[place]: max(each.decision.probability for each in made)
            for place, made in self._decided.items()
            if place in lines and made
        }

    def as_believed(self, event: TableEvent) -> TableEvent | None:
        """
        How the next line is told best: the same evidence, what is most likely first; None: nothing happened.

        Nothing is fed by asking.
        """
        if not event.alternatives and not event.otherwise:
            return event
        change = self._change_of(event)
        rates = self._sensor.seeing(event.at).rates_for(event, self.rates)
        place = self._count + 1
        beam = Update(change, place, self.header.seats, rates, self.limits).of(self.beam)
        option = believed_option(change, beam, place)
        if option is None:
            return event
        return None if option.event is None else retold(change, option)

    def second_thoughts(self) -> tuple[tuple[int, TableEvent], ...]:
        """Lines that surely were otherwise than they are told, each with how it is told best."""
        found = []
        for fed in self._fed[-OPEN:]:
            if fed.change.told.otherwise or fed.change.told.alternatives:
                option = believed_option(fed.change, self.beam, fed.place)
                if option is not None and option.event is not None:
                    found.append((fed.line, retold(fed.change, option)))
        return tuple(found)

    def gaps(self) -> tuple[UntoldEvents, ...]:
        """What surely happened between lines and was not told."""
        found = []
        settled = self._fed[-OPEN:][: -RETELLING.later]
        for before, fed in pairwise((None, *settled)):
            assert fed is not None
            events = proven_unseen(self.beam, fed.place, fed.change.told) if fed is not self._fed[0] else ()
            if events and before is not None:
                rates = fed.sensor.seeing(fed.change.at).rates_for(fed.change.told, self.rates)
                pace_s = min(PACE_S, (fed.change.at - before.change.at) / (len(events) + 1))
                earliest, latest = before.change.at, fed.change.at
                times = (earliest + pace_s * number for number in range(1, len(events) + 1))
                times = (min(max(round(at, 2), earliest), latest) for at in times)
                told = (told_after_all(each, at, rates) for each, at in zip(events, times, strict=True))
                found.append(UntoldEvents(before.line, fed.line, tuple(told)))
        return tuple(found)

    def settle(self) -> tuple[Said, ...]:
        """Nothing is kept back."""
        return ()

    def finish(self) -> tuple[Said, ...]:
        """Nothing more comes: people stop when the deal is decided. What is still undecided is decided."""
        self.beam, _ = merged(tuple(map(self._ended, self.beam)), self.limits.most, self.limits.floor)
        return self._heard((*self._decide(self._fed[-1].line if self._fed else 0, at_end=True), *self._announce()))

    @property
    def due(self) -> float | None:
        """The second at which a ``tick`` would decide the next line that waits; None where none does."""
        return min(self._waiting.values(), default=None)

    def before(self, place: int) -> Self:
        """The belief after the first ``place`` lines."""
        kept = [each for each in self._fed if each.place <= place]
        belief = copy(self)
        belief._fed, belief._count = kept, place
        if len(kept) < len(self._fed):
            gone = self._fed[len(kept)]
            belief.beam, belief._spoken, belief._sensor = gone.before, gone.spoken, gone.sensor
        decided_then = {
            at: tuple(each for each in made if each.at <= place) for at, made in self._decided.items() if at <= place
        }
        belief._decided = {at: made for at, made in decided_then.items() if made}
        undecided = (fed for fed in kept[-OPEN:] if fed.place not in belief._decided)
        belief._waiting = {
            fed.place: belief._due_s(fed, decided(belief.beam, fed.place, self.thresholds)) for fed in undecided
        }
        return belief

    def _heard(self, said: tuple[Said, ...]) -> tuple[Said, ...]:
        """At a silent table faults are spoken of when somebody challenges them."""
        if self.header.tone != "silent":
            return said
        return tuple(each for each in said if isinstance(each.what, Announcement))

    def _ended(self, hypothesis: Hypothesis) -> Hypothesis:
        """The hypothesis, now that nothing more is told: decided already, by a sweep nobody told, or broken off."""
        state, weight, trail = hypothesis.state, hypothesis.log_weight, hypothesis.trail
        if state.phase is Phase.OVER or trail is None:
            return hypothesis
        if state.bout is not None and state.bout.attacks:
            for to in (HEAP, state.bout.defender):
                found = taken(hypothesis, Swept(at=0.0, to=to), self.rates, Budget(1))
                if found is not None and found[0].phase is Phase.OVER and not any(map(accuses, found[1].rulings)):
                    told = replace(trail, announced=(*trail.announced, *found[1].announcements))
                    weight += log(self.rates.last_sweep)
                    return replace(hypothesis, state=found[0], log_weight=weight, trail=told)
        return replace(hypothesis, log_weight=weight + log(self.rates.broken_off))

    def _decide(self, line: int, *, at_end: bool = False, now_s: float = -inf) -> tuple[Said, ...]:
        """
        Rulings on lines of which nothing more is to be expected, and those that have to be ruled on anew, said on this
        ``line``. ``now_s``: where nothing happened, what time it is.
        """
        said: list[Said] = []
        asking: list[tuple[Fed, Decision, int]] = []
        self._waiting = {}
        newest = self._fed[-OPEN:]
        for number, fed in enumerate(newest):
            made = self._made_of(fed)
            decision = decided(self.beam, fed.place, self.thresholds)
            if made is not None:
                if made.decision.gives_way_to(decision, self.thresholds):
                    self._decide_so(fed, decision)
                    said += _said_anew(made.decision, decision, fed.line, line)
                continue
            age, due_s = _age_of(fed, newest[number + 1 :]), self._due_s(fed, decision)
            if not (at_end or now_s >= due_s or decision.is_settled(age, self.thresholds)):
                self._waiting[fed.place] = due_s
            elif decision.answer is Answer.ASKED:
                asking.append((fed, decision, age))
            else:
                said += self._made(fed, decision)
        said += self._asked(asking, newest, at_end=at_end)
        return tuple(sorted(said, key=lambda each: each.line))

    def _asked(self, asking: list[tuple[Fed, Decision, int]], newest: list[Fed], *, at_end: bool) -> list[Said]:
        """The question whose answer settles most, if none is open; a line that can't wait for its turn gets a note."""
        made = (self._made_of(fed) for fed in newest)
        is_open = any(each is not None and each.decision.asks for each in made)
        said: list[Said] = []
        for fed, decision, age in sorted(asking, key=lambda each: abs(each[1].probability - 0.5)):
            if not is_open and not fed.change.is_said:
                said += self._made(fed, decision)
                is_open = True
            elif at_end or age >= WINDOW or fed.change.is_said:
                said += self._made(fed, decision.as_note())
        return said

    def _due_s(self, fed: Fed, decision: Decision) -> float:
        return fed.change.at + decision.time_s(self.thresholds)

    def _made(self, fed: Fed, decision: Decision) -> list[Said]:
        self._decide_so(fed, decision)
        return _said_of(decision, fed.line)

    def _decide_so(self, fed: Fed, decision: Decision) -> None:
        """The newest decision on a line counts; those before it count again where the belief goes back."""
        self._decided[fed.place] = (*self._decided.get(fed.place, ()), Decided(decision, self._count))

    def _made_of(self, fed: Fed) -> Decided | None:
        made = self._decided.get(fed.place, ())
        return made[-1] if made else None

    def _announce(self) -> tuple[Said, ...]:
        """What the likeliest hypothesis announces; what it no longer holds is withdrawn."""
        if not self._fed:
            return ()
        newest = self._fed[-ANNOUNCED:]
        lines = {each.place: each.line for each in newest}
        path: list[tuple[int, Announcement]] = []
        trail = self.believed.trail
        while trail is not None and trail.place >= newest[0].place:
            path[:0] = [(trail.place, each) for each in trail.announced]
            trail = trail.before
        before = [each for each in self._spoken if each[0] >= newest[0].place]
        gone = [each for _, each in _without(before, path) if each.kind in LASTING]
        self._spoken = tuple(path)
        withdrawn = [Said(newest[-1].line, Announcement.of("withdrawn", of=each.kind, **each.facts)) for each in gone]
        return (*withdrawn, *(Said(lines[place], each) for place, each in _without(path, before)))

    def _challenged(self, line: int) -> tuple[Said, ...]:
        """What was wrong in the last bout: of the one that lies there, or else of the one before it."""
        history = []
        for fed in self._fed:
            made = self._made_of(fed)
            decision = made.decision if made is not None else decided(self.beam, fed.place, self.thresholds)
            history.append(Entry(fed.change.told, fed.before[0].state, decision.rulings))
        found = faults_of_last_bout(tuple(history), self.state)
        return said_of(line, Step(found, (Announcement.of("challenge", count=len(found)),)))


def corrects_nothing(event: TableEvent) -> bool:
    """Is it what is left of a correction that means no card on the table?"""
    return isinstance(event, Reread) or (isinstance(event, Pressed) and event.button == "assign")


def _has_fault(hypothesis: Hypothesis) -> bool:
    """Was a rule broken by one of the two newest lines?"""
    newest = hypothesis.trail
    rulings = () if newest is None else (*newest.rulings, *(() if newest.before is None else newest.before.rulings))
    return any(map(accuses, rulings))


def _age_of(fed: Fed, later: list[Fed]) -> int:
    """How many events have come after this one, those of the same play not counted."""
    return sum(1 for each in later if not is_same_play(fed.change.told, each.change.told))


def _said_of(decision: Decision, line: int, anew: int | None = None) -> list[Said]:
    probability = None if decision.fault is None else decision.probability
    return [Said(line, ruling, probability, decision.why, anew) for ruling in decision.rulings]


def _said_anew(before: Decision, now: Decision, line: int, newest: int) -> list[Said]:
    """What is said on the newest line of an older one that is ruled on anew."""
    withdrawn = [] if before.fault in (None, now.fault) else [Said(line, Withdrawal(before.fault), anew=newest)]
    return [*withdrawn, *_said_of(now, line, newest)]


def _without(
    some: list[tuple[int, Announcement]], others: list[tuple[int, Announcement]]
) -> list[tuple[int, Announcement]]:
    return [each for each in some if each not in others]
