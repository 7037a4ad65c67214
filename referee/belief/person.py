"""
Follow a match that a person records: nothing is missed, misread or given to the wrong seat.

Only the uncertainty that the record itself states is followed: another name of a card, a seat that nobody saw, an event
with so little confidence that it may have been none. Each line is ruled on at once (:func:`rulings_of_line`), and again
if later lines resolve an uncertainty. After the table was hidden, or a card could not be read, the position follows the
table (:mod:`referee.unseen`) and nobody is accused for the rest of that bout. All uncertainty ends with the deal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf, log

from referee.apply_event import apply_event
from referee.belief.ambiguous_rulings import is_contradicted, ruling_key, rulings_of_line
from referee.belief.belief import OPEN, Belief, Decided, UnreportedEvents, corrects_nothing
from referee.belief.decide import Decision, Outcome
from referee.belief.hypotheses import (
    Assumption,
    Beam,
    Budget,
    Hypothesis,
    extend,
    merge,
    with_real_names,
    without_event,
)
from referee.belief.plausible_seats import plausible_seats
from referee.belief.rates import RATES
from referee.belief.reported_event import Option, ReportedEvent, certain
from referee.belief.smoothing import ObservedLine
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
from referee.laying import may_become_legal
from referee.messages import Message, Withdrawal
from referee.rulings import MANNERS, FaultId, Ruling, Verdict, grade_of


@dataclass(frozen=True, slots=True)
class PersonSettings:
    """
    When a line of a person's record has several interpretations. Probabilities, unless another unit is named; chosen by
    hand in 2026-11 so that the scenarios hold.
    """

    sure: float = 0.7
    """An event stated with less confidence accuses nobody."""
    plausible: float = 0.1
    """Another name or event is judged as well from this confidence on."""
    names: int = 4
    """Number of other names of a card that are judged."""
    amiss: float = 0.01
    """A guessed event was none, or a sweep went elsewhere, where the record does not say."""
    forbidden: float = 0.15
    """Factor on the weight of a guess that would break a rule."""
    first_seat: float = 0.5
    """Share of the seat whose turn it is, if nobody saw the hand; the others share the rest."""
    most: int = 16
    """Hypotheses kept."""
    floor: float = 16.0
    """Distance in nats from the best below which a hypothesis is pruned: more than two faults."""


PERSON_SETTINGS = PersonSettings()


class PersonBelief(Belief):
    """Follows one match as a person records it. ``opening``: what the header itself causes."""

    def __init__(self, header: Header, doubts: PersonSettings = PERSON_SETTINGS) -> None:
        super().__init__(header)
        self.doubts = doubts
        self._withheld: tuple[Message, ...] = ()

    @property
    def best(self) -> Hypothesis:
        """Return the most likely hypothesis."""
        return self.beam[0]

    @property
    def is_withholding(self) -> bool:
        """Check whether a ruling is held back because further cards of the play may make it legal."""
        return bool(self._withheld)

    def as_believed(self, event: TableEvent) -> TableEvent | None:
        """Return the event: a person's report is not reinterpreted."""
        return event

    def second_thoughts(self) -> tuple[tuple[int, TableEvent], ...]:
        """Return nothing: a person's report is not reinterpreted."""
        return ()

    def gaps(self) -> tuple[UnreportedEvents, ...]:
        """Return nothing: a person reports everything."""
        return ()

    def end_play(self) -> tuple[Message, ...]:
        """End the last play: return the ruling that was held back."""
        said, self._withheld = self._withheld, ()
        return self._audible(said)

    def finish(self) -> tuple[Message, ...]:
        """Return nothing: every line was ruled on at once."""
        return ()

    def before(self, place: int) -> PersonBelief:
        """Return the belief after the first ``place`` lines."""
        belief = super().before(place)
        assert isinstance(belief, PersonBelief), "a copy of this one"
        belief._withheld = ()
        return belief

    def observe(self, recorded: RecordLine) -> tuple[Message, ...]:
        """
        Update the belief with the record's next line; return what is announced now.

        A ruling that was held back comes first, unless this line continues its play. Raise ``RecordError`` if the table
        cannot be as a correction states.
        """
        line, event, is_said, _ = recorded
        self._count += 1
        if is_said and isinstance(event, Tick):
            return ()  # nothing happened; it does not separate two cards of one play
        withheld, self._withheld = self._withheld, ()
        if isinstance(event, Tick) or (corrects_nothing(event) and self.state.phase is not Phase.FREE):
            return self._audible(withheld)
        if isinstance(event, Pressed) and event.button == "challenge":
            return (*self._audible(withheld), *self._answer_challenge(line))
        beam = self._after(event)
        self._keep_line(
            ObservedLine(
                self._count, line, ReportedEvent(event.at, event, ()), self.beam, self._announced, self._sensor
            )
        )
        had_doubts, self.beam = len(self.beam) > 1, beam
        if withheld and isinstance(event, Placed) and self._goes_on():
            del self._decided[self._lines[-2].place]
            withheld = ()
        said = self._ruled(line, self._lines[-OPEN:] if had_doubts else self._lines[-2:])
        if may_become_legal(self.state, [each.what for each in said if isinstance(each.what, Ruling)]):
            said, self._withheld = (), said
        if isinstance(event, Pressed):
            # A press is answered at a silent table too.
            return (*self._audible(withheld), *said, *self._announce())
        return self._audible((*withheld, *said, *self._announce()))

    def _goes_on(self) -> bool:
        """Check whether the newest card was laid together with others."""
        laying = self.state.laying
        return laying is not None and len(laying.cards) > 1

    def _ruled(self, line: int, newest: list[ObservedLine]) -> tuple[Message, ...]:
        """Return the rulings on the newest of these lines, and changed rulings on those before it."""
        said: list[Message] = []
        recorded = {observed.place: observed.reported.event for observed in self._lines[-2 * OPEN :]}
        for observed in newest:
            rulings = rulings_of_line(self.beam, observed.place, recorded)
            made = self._decision_on(observed)
            before = () if made is None else made.decision.rulings
            self._decided[observed.place] = (
                *self._decided.get(observed.place, ()),
                Decided(Decision(Outcome.LEGAL, rulings, 1.0), self._count),
            )
            if made is None:
                said += [Message(observed.line, each) for each in rulings]
                continue
            named = {each.fault for each in rulings}
            gone = {each.fault: None for each in before if each.fault not in named}
            said += [Message(observed.line, Withdrawal(fault), revised_by=line) for fault in gone if fault is not None]
            keys = [ruling_key(each) for each in before]
            said += [Message(observed.line, each, revised_by=line) for each in rulings if ruling_key(each) not in keys]
        return tuple(said)

    def _after(self, event: TableEvent) -> Beam:
        """Return the beam after the line."""
        if isinstance(event, Blocked):
            return tuple(replace(each, state=each.state.but(trust=Trust.NOTHING)) for each in self.beam)
        beam = self.beam[:1] if isinstance(event, Dealt) else self.beam
        children = [child for hypothesis in beam for child in self._children(hypothesis, event)]
        if not children:
            apply_event(self.state, certain(event))  # raises the error that names what is wrong
        assert children, f"expected an event that is impossible in every hypothesis to raise an error, got {event}"
        kept, _ = merge(children, self.doubts.most, self.doubts.floor)
        if len(kept) == 1:
            return kept
        kept, _ = merge([each for each in kept if not is_contradicted(kept[0], each, self._count)], len(kept), inf)
        return kept

    def _children(self, hypothesis: Hypothesis, event: TableEvent) -> list[Hypothesis]:
        """Return the hypothesis after each plausible interpretation of the line."""
        trust = hypothesis.state.trust
        if self._is_guess(event):
            # A guess accuses nobody: it is judged as if the table had been hidden at that moment only.
            hypothesis = replace(hypothesis, state=hypothesis.state.but(trust=Trust.NOTHING))
            trust = Trust.TABLE if trust is Trust.ALL and isinstance(event, Swept) else trust
        if isinstance(event, Unread):
            trust = Trust.NOTHING
        found: list[Hypothesis] = []
        budget = Budget(self.doubts.most * len(self.header.seats))
        for option in self.options(hypothesis.state, event):
            if option.event is None:
                place, likelihood = self._count, option.log_likelihood
                found.append(without_event(hypothesis, place=place, cue=option.cue, log_likelihood=likelihood))
                continue
            for real in with_real_names(option.event, hypothesis):
                taking = Assumption(self._count, event, real, option.cue, option.log_likelihood)
                child = extend(hypothesis, taking, RATES, budget)
                found += [] if child is None else [child]
        if self._is_guess(event):
            found = [self._less_likely(each) if set(_faults(each)) - MANNERS else each for each in found]
        is_seen_fine = any(not _faults(each) for each in found if each.last is not None and each.last.cue != "card")
        return [
            _trusting(each, trust, event)
            for each in found
            # A less likely name of a card that is known to be elsewhere is a misreading, not an alternative.
            if not (is_seen_fine and each.last is not None and each.last.cue == "card" and _cannot_be(each))
        ]

    def _less_likely(self, hypothesis: Hypothesis) -> Hypothesis:
        """Return the hypothesis with the weight of a guess that would break a rule."""
        return replace(hypothesis, log_weight=hypothesis.log_weight + log(self.doubts.forbidden))

    def _is_guess(self, event: TableEvent) -> bool:
        """Check whether the event is stated with too little confidence to accuse anybody."""
        kinds = Placed | Lifted | Drawn | Swapped | Swept | Shown
        return isinstance(event, kinds) and event.confidence is not None and event.confidence < self.doubts.sure

    def options(self, state: GameState, event: TableEvent) -> Iterator[Option]:
        """Yield what the line may have been, by what the record states."""
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
            # The sweep itself is certain; only its destination is not.
            elsewhere = replace(sure, to=state.bout.defender if event.to == HEAP else HEAP, left=())  # type: ignore[call-arg]
            yield Option(elsewhere, log(doubts.amiss), "to")


def _faults(hypothesis: Hypothesis) -> tuple[FaultId, ...]:
    """Return the faults on the newest line."""
    last = hypothesis.last
    return () if last is None else tuple(each.fault for each in last.rulings if each.fault is not None)


def _cannot_be(hypothesis: Hypothesis) -> bool:
    """Check whether the newest line puts a card where it cannot be."""
    return any(grade_of(fault) is Verdict.IMPOSSIBLE for fault in _faults(hypothesis))


def _trusting(hypothesis: Hypothesis, trust: Trust, event: TableEvent) -> Hypothesis:
    """Return the hypothesis with this trust in its position after the event, unless a new bout has begun with it."""
    state = hypothesis.state
    if state.trust is trust or (state.trust is not Trust.NOTHING and not isinstance(event, Unread)):
        return hypothesis
    return replace(hypothesis, state=state.but(trust=trust))
