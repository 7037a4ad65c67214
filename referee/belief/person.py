"""
What a person tells: the same filter, for a witness who misses, misreads and mistakes nothing.

Only what the record itself says may be is followed: another name of a card, a seat that nobody saw, an event told with
so much doubt that it may have been none. Each line is ruled on at once (:func:`ruled`), and ruled on anew where what
follows settles a doubt. After the table was hidden, or a card could not be read, the books follow the table
(:mod:`referee.unseen`), and nobody is accused for the rest of that bout. All doubts end with the deal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf, log

from referee.belief.belief import OPEN, Belief, Decided, UntoldEvents, corrects_nothing
from referee.belief.decide import Answer, Decision
from referee.belief.doubtful import is_contradicted, key_of, ruled
from referee.belief.hindsight import Fed
from referee.belief.hypotheses import Beam, Budget, Hypothesis, Taking, by_real_names, extended, merged, unchanged
from referee.belief.options import Change, Option, certain
from referee.belief.plausible_seats import plausible_seats
from referee.belief.rates import RATES
from referee.corrections import RecordLine
from referee.events import (
    HEAP,
    Blocked,
    Dealt,
    Drawn,
    Lifted,
    Placed,
    Pressed,
    Shown,
    Swapped,
    Swept,
    TableEvent,
    Tick,
    Unread,
)
from referee.game import GameState, Phase, Trust
from referee.header import Header
from referee.judge import judge
from referee.laying import may_become_legal
from referee.rulings import MANNERS, FaultId, Ruling, Verdict, grade_of
from referee.said import Said, Withdrawal


@dataclass(frozen=True, slots=True)
class DoubtSettings:
    """When is a person's record in doubt? Shares of 1. Set by hand, 2026-11; scenarios hold them."""

    sure: float = 0.7
    """Told with less confidence an event accuses nobody: two in three is a guess. Higher asks about more; lower accuses
    on less."""
    plausible: float = 0.1
    """Another name or event of at least this confidence is judged as well. Higher asks less; lower asks about what
    hardly was so."""
    names: int = 4
    """So many other names of a card at most. More ask more; fewer leave some out."""
    amiss: float = 0.01
    """How likely an event told as a guess was none, or a sweep went elsewhere, where the record doesn't say. Higher
    believes that sooner; lower holds on to what was told."""
    forbidden: float = 0.15
    """How likely a guess is right that would break a rule. Higher goes on with what was told; lower with what is
    legal."""
    first_seat: float = 0.5
    """Share of the seat whose turn it is, where nobody saw the hand; the others have the rest. Higher believes it
    longer; lower another one sooner."""
    most: int = 16
    """Hypotheses kept. More take longer; fewer forget doubts sooner."""
    floor: float = 16.0
    """Nats below the best from which one is dropped: two faults and more. Higher keeps more that never win; lower
    drops what a later line would prove."""


DOUBTS = DoubtSettings()


class PersonBelief(Belief):
    """Follows one match as a person tells it. ``opening``: what the header itself brought."""

    def __init__(self, header: Header, doubts: DoubtSettings = DOUBTS) -> None:
        super().__init__(header)
        self.doubts = doubts
        self._withheld: tuple[Said, ...] = ()

    @property
    def believed(self) -> Hypothesis:
        """The likeliest hypothesis."""
        return self.beam[0]

    @property
    def is_withholding(self) -> bool:
        """Is a ruling kept back, because more cards of the same play may still make it legal?"""
        return bool(self._withheld)

    def as_believed(self, event: TableEvent) -> TableEvent | None:
        """What a person tells is told so."""
        return event

    def second_thoughts(self) -> tuple[tuple[int, TableEvent], ...]:
        """A person has none."""
        return ()

    def gaps(self) -> tuple[UntoldEvents, ...]:
        """A person tells all."""
        return ()

    def settle(self) -> tuple[Said, ...]:
        """No more cards belong to the last play: the ruling that was kept back."""
        said, self._withheld = self._withheld, ()
        return self._heard(said)

    def finish(self) -> tuple[Said, ...]:
        """Nothing was kept back."""
        return ()

    def before(self, place: int) -> PersonBelief:
        """The belief after the first ``place`` lines."""
        belief = super().before(place)
        assert isinstance(belief, PersonBelief), "a copy of this one"
        belief._withheld = ()
        return belief

    def observe(self, recorded: RecordLine) -> tuple[Said, ...]:
        """
        Update the belief with the record's next line; return what is announced now.

        A ruling that was kept back comes first, unless this line goes on with its play. ``RecordError`` where the table
        can't stand as a correction states.
        """
        line, event, is_said, _ = recorded
        self._count += 1
        if is_said and isinstance(event, Tick):
            return ()  # nothing happened: it does not even part two cards of one play
        withheld, self._withheld = self._withheld, ()
        if isinstance(event, Tick) or (corrects_nothing(event) and self.state.phase is not Phase.FREE):
            return self._heard(withheld)
        if isinstance(event, Pressed) and event.button == "challenge":
            return (*self._heard(withheld), *self._challenged(line))
        beam = self._after(event)
        self._fed.append(Fed(self._count, line, Change(event.at, event, ()), self.beam, self._spoken, self._sensor))
        had_doubts, self.beam = len(self.beam) > 1, beam
        if withheld and isinstance(event, Placed) and self._goes_on():
            del self._decided[self._fed[-2].place]
            withheld = ()
        said = self._ruled(line, self._fed[-OPEN:] if had_doubts else self._fed[-2:])
        if may_become_legal(self.state, [each.what for each in said if isinstance(each.what, Ruling)]):
            said, self._withheld = (), said
        if isinstance(event, Pressed):
            # Whoever presses a button is answered, at a silent table too.
            return (*self._heard(withheld), *said, *self._announce())
        return self._heard((*withheld, *said, *self._announce()))

    def _goes_on(self) -> bool:
        laying = self.state.laying
        return laying is not None and len(laying.cards) > 1

    def _ruled(self, line: int, newest: list[Fed]) -> tuple[Said, ...]:
        """Rulings on the newest of these lines, and on those before it that have become others."""
        said: list[Said] = []
        told = {fed.place: fed.change.told for fed in self._fed[-2 * OPEN :]}
        for fed in newest:
            rulings = ruled(self.beam, fed.place, told)
            made = self._made_of(fed)
            before = () if made is None else made.decision.rulings
            self._decided[fed.place] = (
                *self._decided.get(fed.place, ()),
                Decided(Decision(Answer.LEGAL, rulings, 1.0), self._count),
            )
            if made is None:
                said += [Said(fed.line, each) for each in rulings]
                continue
            named = {each.fault for each in rulings}
            gone = {each.fault: None for each in before if each.fault not in named}
            said += [Said(fed.line, Withdrawal(fault), anew=line) for fault in gone if fault is not None]
            keys = [key_of(each) for each in before]
            said += [Said(fed.line, each, anew=line) for each in rulings if key_of(each) not in keys]
        return tuple(said)

    def _after(self, event: TableEvent) -> Beam:
        """What may be after the line."""
        if isinstance(event, Blocked):
            return tuple(replace(each, state=each.state.but(trust=Trust.NOTHING)) for each in self.beam)
        beam = self.beam[:1] if isinstance(event, Dealt) else self.beam
        children = [child for hypothesis in beam for child in self._children(hypothesis, event)]
        if not children:
            judge(self.state, certain(event))  # says which of the books it breaks
        assert children, f"expected what no hypothesis takes to break the books, got {event}"
        kept, _ = merged(children, self.doubts.most, self.doubts.floor)
        if len(kept) == 1:
            return kept
        kept, _ = merged([each for each in kept if not is_contradicted(kept[0], each, self._count)], len(kept), inf)
        return kept

    def _children(self, hypothesis: Hypothesis, event: TableEvent) -> list[Hypothesis]:
        """The hypothesis after each plausible reading of the line."""
        trust = hypothesis.state.trust
        if self._is_guess(event):
            # It accuses nobody by itself: it is judged as if the table had been hidden at that moment, and only then.
            hypothesis = replace(hypothesis, state=hypothesis.state.but(trust=Trust.NOTHING))
            trust = Trust.TABLE if trust is Trust.ALL and isinstance(event, Swept) else trust
        if isinstance(event, Unread):
            trust = Trust.NOTHING
        found: list[Hypothesis] = []
        budget = Budget(self.doubts.most * len(self.header.seats))
        for option in self.options(hypothesis.state, event):
            if option.event is None:
                place, likelihood = self._count, option.log_likelihood
                found.append(unchanged(hypothesis, place=place, cue=option.cue, log_likelihood=likelihood))
                continue
            for real in by_real_names(option.event, hypothesis):
                taking = Taking(self._count, event, real, option.cue, option.log_likelihood)
                child = extended(hypothesis, taking, RATES, budget)
                found += [] if child is None else [child]
        if self._is_guess(event):
            found = [self._less_likely(each) if set(_faults(each)) - MANNERS else each for each in found]
        is_seen_fine = any(not _faults(each) for each in found if each.trail is not None and each.trail.cue != "card")
        return [
            _trusting(each, trust, event)
            for each in found
            # The eye erred before the cards did: a less likely name that lies elsewhere is no second reading.
            if not (is_seen_fine and each.trail is not None and each.trail.cue == "card" and _cannot_be(each))
        ]

    def _less_likely(self, hypothesis: Hypothesis) -> Hypothesis:
        return replace(hypothesis, log_weight=hypothesis.log_weight + log(self.doubts.forbidden))

    def _is_guess(self, event: TableEvent) -> bool:
        kinds = Placed | Lifted | Drawn | Swapped | Swept | Shown
        return isinstance(event, kinds) and event.confidence is not None and event.confidence < self.doubts.sure

    def options(self, state: GameState, event: TableEvent) -> Iterator[Option]:
        """What the record says that the line may have been."""
        doubts, sure = self.doubts, certain(event)
        share = 1.0 if event.confidence is None else max(event.confidence, doubts.plausible)
        named: list[tuple[TableEvent, float, str]] = [(sure, share, "told")]
        if isinstance(sure, Placed):
            others = sorted(event.alternatives, key=lambda pair: -pair[1])[: doubts.names]
            plausible = [each for each in others if each[1] >= doubts.plausible and each[0] != sure.card]
            named += [(replace(sure, card=card), other, "card") for card, other in plausible]
        for each, likely, cue in named:
            if not isinstance(each, Placed) or each.by is not None or state.phase is Phase.FREE:
                yield Option(each, log(likely), cue)
                continue
            seats = plausible_seats(state, each)
            rest = (1 - doubts.first_seat) / max(1, len(seats) - 1)
            for place, seat in enumerate(seats):
                of_seat = 1.0 if len(seats) == 1 else rest if place else doubts.first_seat
                yield Option(replace(each, by=seat), log(likely * of_seat), cue if cue == "card" else "seat")
        if not self._is_guess(event) or isinstance(event, Shown):
            return
        if not isinstance(event, Swept):
            yield Option(None, log(doubts.amiss), "nothing")
        elif state.bout is not None:
            # A bout that is gone is gone; the question is where.
            elsewhere = replace(sure, to=state.bout.defender if event.to == HEAP else HEAP, left=())  # type: ignore[call-arg]
            yield Option(elsewhere, log(doubts.amiss), "to")


def _faults(hypothesis: Hypothesis) -> tuple[FaultId, ...]:
    trail = hypothesis.trail
    return () if trail is None else tuple(each.fault for each in trail.rulings if each.fault is not None)


def _cannot_be(hypothesis: Hypothesis) -> bool:
    return any(grade_of(fault) is Verdict.IMPOSSIBLE for fault in _faults(hypothesis))


def _trusting(hypothesis: Hypothesis, trust: Trust, event: TableEvent) -> Hypothesis:
    """What is trusted after the event, where no new bout has begun with it."""
    state = hypothesis.state
    if state.trust is trust or (state.trust is not Trust.NOTHING and not isinstance(event, Unread)):
        return hypothesis
    return replace(hypothesis, state=state.but(trust=trust))
