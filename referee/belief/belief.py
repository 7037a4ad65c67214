"""
The belief: what most likely happened, decided in one place.

Theory of operation. A beam of hypotheses, each a whole game. For every told event:

1. each hypothesis takes each option of it (``options``), weighed by the law's prior (``rates``);
2. hypotheses that explain it badly are tried again with events that went unseen before it, with a card or a seat told
   wrongly without a word, and as a last resort with the books put down as wrong (``missed``, :func:`_wrongly_told`);
3. equal positions become one, unlikely ones are dropped (``hypotheses.merged``);
4. the line before is decided (``decide``), and what the likeliest hypothesis announces is said.

An event that corrects an earlier one changes that one, and everything since is judged again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import exp, log

from referee.announcements import Announcement
from referee.belief.decide import THRESHOLDS, Decision, Thresholds, decided, on_line
from referee.belief.hypotheses import (
    Beam,
    Budget,
    Hypothesis,
    accuses,
    by_real_names,
    extended,
    lost,
    merged,
    taken,
    unchanged,
)
from referee.belief.missed import explained, may_be_played, unseen_in_take
from referee.belief.options import Change, Option, change_of
from referee.belief.rates import RATES, Rates
from referee.corrections import LASTING
from referee.dealing import open_match
from referee.events import HEAP, Blocked, Placed, Swept, TableEvent, Tick, is_same_play
from referee.game import GameState, Phase
from referee.judgement import Step, Told
from referee.record import Header
from referee.rulings import Ruling

AGES = 16
"""So many of the newest lines can still be undecided."""


@dataclass(frozen=True, slots=True)
class Limits:
    """
    ``most``: hypotheses kept. ``floor``: nats below the best from which one is dropped. ``wants``: a hypothesis that
    gives what was told a smaller factor is tried again with what may have gone unseen. ``calls``: judgements an event
    may cost. ``retried``: hypotheses that are tried again. ``negligible``: a share of dropped hypotheses
    that is forgotten.
    """

    most: int = 128
    floor: float = 9.0
    wants: float = 0.02
    calls: int = 1500
    retried: int = 12
    negligible: float = 1e-4


@dataclass(frozen=True, slots=True)
class Said:
    """One thing said, and the record's line it belongs to. ``of``: said anew of an older line, by a later one."""

    line: int
    what: Ruling | Announcement
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class _Entry:
    line: int
    change: Change
    before: Beam


class Belief:
    """Follows one match as a camera tells it. ``opening``: what the header itself brought."""

    def __init__(
        self,
        header: Header,
        rates: Rates = RATES,
        limits: Limits = Limits(),
        thresholds: Thresholds = THRESHOLDS,
    ) -> None:
        told = Told()
        self.header = header
        self.rates, self.limits, self.thresholds = rates, limits, thresholds
        self.beam: Beam = (Hypothesis(open_match(header, told), 0.0),)
        self.opening: Step = told.step()
        self._entries: list[_Entry] = []
        self._decisions: dict[int, Decision] = {}
        self._spoken: list[tuple[int, Announcement]] = []
        self._line = 1

    @property
    def state(self) -> GameState:
        """The position of the likeliest hypothesis that has not lost the thread."""
        return self.believed.state

    @property
    def believed(self) -> Hypothesis:
        """The likeliest hypothesis that has not lost the thread; where all have, the likeliest."""
        return next((each for each in self.beam if not each.is_lost), self.beam[0])

    @property
    def sureness(self) -> float:
        """How likely the believed hypothesis is: 0..1."""
        return exp(self.believed.log_weight)

    def feed(self, event: TableEvent) -> tuple[Said, ...]:
        """Take the record's next line; what is said now, each with its line."""
        self._line += 1
        if isinstance(event, Tick | Blocked):
            return ()
        change = change_of(event, self.header.seats)
        self._entries.append(_Entry(self._line, change, self.beam))
        self.beam = self._after(self.beam, change, self._line)
        return (*self._decide(at_end=False), *self._announce())

    def finish(self) -> tuple[Said, ...]:
        """Nothing more comes: people stop when the deal is decided. What is still undecided is decided."""
        self.beam, _ = merged(tuple(map(self._ended, self.beam)), self.limits.most, self.limits.floor)
        return (*self._decide(at_end=True), *self._announce())

    def _ended(self, hypothesis: Hypothesis) -> Hypothesis:
        """The hypothesis, now that nothing more is told: decided already, by a sweep nobody told, or broken off."""
        state, weight = hypothesis.state, hypothesis.log_weight
        if state.phase is Phase.OVER:
            return hypothesis
        if state.bout is not None and state.bout.attacks:
            for to in (HEAP, state.bout.defender):
                found = taken(hypothesis, Swept(at=0.0, to=to), self.rates, Budget(1))
                if found is not None and found[0].phase is Phase.OVER and not any(map(accuses, found[1].rulings)):
                    return replace(hypothesis, state=found[0], log_weight=weight + log(self.rates.last_sweep))
        return replace(hypothesis, log_weight=weight + log(self.rates.broken_off))

    def _decide(self, *, at_end: bool) -> tuple[Said, ...]:
        """Rulings on lines of which nothing more is to be expected."""
        said: list[Said] = []
        for entry in [each for each in self._entries[-AGES:] if each.line not in self._decisions]:
            decision = decided(self.beam, entry.line, self.thresholds)
            if at_end or decision.is_settled(self._age_of(entry), self.thresholds):
                self._decisions[entry.line] = decision
                said += [Said(entry.line, ruling, decision.probability) for ruling in decision.rulings]
        return tuple(said)

    def _age_of(self, entry: _Entry) -> int:
        """How many events have come after this one, those of the same play not counted."""
        later = self._entries[self._entries.index(entry) + 1 :]
        return sum(1 for each in later if not is_same_play(entry.change.told, each.change.told))

    def _announce(self) -> tuple[Said, ...]:
        """What the likeliest hypothesis announces; what it no longer holds is withdrawn."""
        path: list[tuple[int, Announcement]] = []
        trail = self.believed.trail
        if not self._entries:
            return ()
        oldest = self._entries[max(0, len(self._entries) - 12)].line
        while trail is not None and trail.line >= oldest:
            path[:0] = [(trail.line, each) for each in trail.said.announcements]
            trail = trail.before
        before = [each for each in self._spoken if each[0] >= oldest]
        gone = [each for each in before if each not in path and each[1].kind in LASTING]
        new = [each for each in path if each not in before]
        self._spoken = [*(each for each in self._spoken if each[0] < oldest), *path]
        withdrawn = [Said(line, Announcement.of("withdrawn", of=each.kind, **each.facts)) for line, each in gone]
        return (*withdrawn, *(Said(line, each) for line, each in new))

    def _after(self, beam: Beam, change: Change, line: int) -> Beam:
        limits = self.limits
        budget = Budget(limits.calls)
        children: list[Hypothesis] = []
        poorly: list[Hypothesis] = []
        for hypothesis in beam:
            mine = list(self._children(hypothesis, change, line, budget))
            children += mine
            best = max((child.log_weight for child in mine), default=-1e9)
            if best < hypothesis.log_weight + log(limits.wants):
                poorly.append(hypothesis)
        for hypothesis in poorly[: limits.retried]:
            best = max((child.log_weight for child in children), default=hypothesis.log_weight - 40.0)
            children += self._retried(hypothesis, change, line, best - limits.floor, budget)
        wrong = beam[0] if not poorly else poorly[0]
        children += (
            self._lost(wrong, wrong.log_weight + log(self.rates.adrift * self.rates.followed), change, line)
            if poorly
            else ()
        )
        kept, dropped = merged(children, limits.most, limits.floor)
        if not kept:
            return beam
        if dropped > limits.negligible:
            kept, _ = merged((*kept, *self._lost(beam[0], log(dropped), change, line)), limits.most, limits.floor)
        return kept

    def _children(self, hypothesis: Hypothesis, change: Change, line: int, budget: Budget) -> Iterator[Hypothesis]:
        for option in change.options:
            if option.event is None:
                yield unchanged(hypothesis, line=line, cue=option.cue, log_likelihood=option.log_likelihood)
                continue
            for event in by_real_names(option.event, hypothesis):
                child = self._extended(hypothesis, change, line, budget, option, event)
                if child is not None:
                    yield child
                    yield from self._with_unseen_take(hypothesis, change, line, budget, option, event, child)

    def _extended(
        self, hypothesis: Hypothesis, change: Change, line: int, budget: Budget, option: Option, event: TableEvent
    ) -> Hypothesis | None:
        return extended(
            hypothesis,
            event,
            self.rates,
            budget,
            line=line,
            told=change.told,
            cue=option.cue,
            log_likelihood=option.log_likelihood,
        )

    def _with_unseen_take(
        self,
        hypothesis: Hypothesis,
        change: Change,
        line: int,
        budget: Budget,
        option: Option,
        event: TableEvent,
        child: Hypothesis,
    ) -> Iterator[Hypothesis]:
        for unseen, log_rate, _ in unseen_in_take(hypothesis.state, event, self.rates):
            if child.log_weight + log_rate < hypothesis.log_weight - self.limits.floor:
                return
            found = taken(hypothesis, unseen, self.rates, budget)
            if found is not None:
                state, _, log_prior = found
                before = replace(hypothesis, state=state, log_weight=hypothesis.log_weight + log_rate + log_prior)
                other = self._extended(before, change, line, budget, option, event)
                if other is not None:
                    yield other

    def _retried(
        self, hypothesis: Hypothesis, change: Change, line: int, floor: float, budget: Budget
    ) -> Iterator[Hypothesis]:
        """Children with what went unseen before, or with the event itself told wrongly."""
        options = tuple(
            replace(each, event=event)
            for each in change.options
            if each.event is not None
            for event in by_real_names(each.event, hypothesis)
        )
        for option in self._wrongly_told(hypothesis.state, options):
            assert option.event is not None
            if hypothesis.log_weight + option.log_likelihood >= floor and budget.left > 0:
                child = self._extended(hypothesis, change, line, budget, option, option.event)
                if child is not None and child.log_weight >= floor:
                    yield child
        yield from explained(hypothesis, change.told, options, self.rates, budget, line=line, floor=floor)

    def _wrongly_told(self, state: GameState, options: tuple[Option, ...]) -> Iterator[Option]:
        """What was told without doubt and may be wrong all the same: a card's name, its place, whose hand it was."""
        for option in options[:2]:
            event = option.event
            if not isinstance(event, Placed) or event.by is None:
                continue
            rates, seats = self.rates, self.header.seats
            if event.on is not None:
                yield Option(replace(event, on=None), option.log_likelihood + log(rates.misplaced), "place")
            elif state.bout is not None:
                for card in state.bout.unbeaten:
                    likelihood = option.log_likelihood + log(rates.misplaced / len(state.bout.unbeaten))
                    yield Option(replace(event, on=card), likelihood, "place")
            for seat in seats:
                if seat != event.by:
                    likelihood = option.log_likelihood + log(rates.misseated / (len(seats) - 1))
                    yield Option(replace(event, by=seat), likelihood, "seat")
            cards = [card for card in may_be_played(state, event.by) if card != event.card]
            for card in cards:
                alike = 6.0 if card.rank == event.card.rank else 1.0
                likelihood = option.log_likelihood + log(rates.misread * alike / (len(cards) + 15.0))
                yield Option(replace(event, card=card), likelihood, "misread")

    def _lost(self, hypothesis: Hypothesis, log_weight: float, change: Change, line: int) -> tuple[Hypothesis, ...]:
        """The hypothesis that what really happened is none of what is believed, after the change."""
        event = change.options[0].event
        if event is None or hypothesis.is_lost:
            return ()
        found = self._extended(lost(hypothesis, log_weight), change, line, Budget(1), change.options[0], event)
        return () if found is None else (replace(found, log_weight=log_weight),)


__all__ = ["Belief", "Limits", "Said", "on_line"]
