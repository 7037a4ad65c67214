"""
Records by a person: nothing is missed, misread or given to the wrong seat.

Only the uncertainty that the record itself states is followed: another name of a card, a seat that nobody saw, an event
with so little confidence that it may have been none. Each line is ruled on at once (:func:`rulings_of_line`), and again
if later lines resolve an uncertainty. After the table was hidden, or a card could not be read, the position follows the
table (:mod:`referee.table_events`) and nobody is accused for the rest of that bout. All uncertainty ends with the deal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, log

from msgspec import structs

from referee.apply_event import apply_event, last_sweep
from referee.belief.ambiguous_rulings import is_contradicted, ruling_key, rulings_of_line
from referee.belief.decide import Decision, Outcome, decide
from referee.belief.hypotheses import (
    Beam,
    Budget,
    Hypothesis,
    continues_play,
    extend,
    merge,
    with_real_names,
    without_event,
)
from referee.belief.rates import RATES, Rates
from referee.belief.record_source import (
    OPEN,
    LineLog,
    ObservedLine,
    OpenRulings,
    Ruled,
    RulingTime,
    Situation,
    Updated,
    corrects_nothing,
)
from referee.belief.reported_event import Option, ReportedEvent, certain
from referee.cards import Card
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
from referee.plays import Transfer, read_laid
from referee.rule_order import cannot_be, fault_of
from referee.rulebook import FaultId
from referee.rulings import MANNERS, Message, Ruling, Verdict, Withdrawal, grade_of
from referee.table_events import may_become_legal


def plausible_seats(state: GameState, event: Placed) -> tuple[str, ...]:
    """
    Return the defender if the card beats another, else the seats that may attack now, the most likely first.

    A hand in which the card is known to be decides it; hands that cannot hold it are left out. The defender is included
    if the attack may be transferred.
    """
    laying, card = state.laying, event.card
    if laying is not None and event.on is None and laying.at == event.at and laying.by is not None:
        return (laying.by,)
    holder = state.ledger.holder(card)
    if holder is not None:
        return (holder,)
    seats = _by_right(state, card, event.on)
    able = tuple(seat for seat in seats if cannot_be(read_laid((card,), seat, event.on, state), state) is None)
    return able or seats


def _by_right(state: GameState, card: Card, on: Card | None) -> tuple[str, ...]:
    """Return the seats that may lay this card by the rules."""
    bout = state.bout
    everybody = state.living or state.seating.seats
    if bout is None:
        return state.leaders or everybody
    if bout.ended is not None:
        return (bout.defender,) if bout.ended == "beaten" else everybody
    if on is not None and bout.taking is None:
        return (bout.defender,)
    if not bout.attacks:
        return (bout.attacker,)
    seats = state.entitled() or state.attackers() or everybody
    if fault_of(Transfer(bout.defender, (card,)), state) is None:
        seats = (*seats, bout.defender)
    return seats


SURE = 0.7
"""Confidence below which an event accuses nobody. This and those below: chosen by hand so that the scenarios hold."""

PLAUSIBLE = 0.1
"""Confidence from which another name of a card is judged as well."""

NAMES = 4
"""Number of other names of a card that are judged."""

NOT_SO = 0.01
"""Probability that a guessed event was none, or a sweep went elsewhere, where the record does not say."""

FORBIDDEN = 0.15
"""Factor on the weight of a guess that would break a rule."""

FIRST_SEAT = 0.5
"""Share of the seat whose turn it is, if nobody saw the hand; the others share the rest."""

MOST = 16
"""Hypotheses kept."""

FLOOR = 16.0
"""Distance in nats from the best below which a hypothesis is pruned: more than two faults."""


@dataclass(frozen=True, slots=True)
class PersonRecord:
    """How a person's lines are interpreted and ruled on."""

    infers: bool = False
    rates: Rates = RATES

    def is_pause(self, event: TableEvent, phase: Phase) -> bool:
        """Check whether nothing happened, or a correction refers to no card. Without rules nothing is a correction."""
        return isinstance(event, Tick) or (corrects_nothing(event) and phase is not Phase.FREE)

    def best(self, beam: Beam) -> Hypothesis:
        """Return the most likely hypothesis."""
        return beam[0]

    def update(self, recorded: RecordLine, situation: Situation) -> Updated:
        """Update the beam with a line. Raise ``RecordError`` if the table cannot be as a correction states."""
        event = recorded.event
        observed = situation.observed(recorded.line, ReportedEvent(event.at, event, ()))
        return Updated(observed, self._after(event, situation), situation.sensor)

    def smooth(self, updated: Updated, earlier: Sequence[ObservedLine], seats: tuple[str, ...]) -> Beam:
        """Return the updated beam: a person's report is not reinterpreted."""
        return updated.beam

    def end(self, beam: Beam) -> Beam:
        """Return the beam with the last bout swept if no player could play on."""
        return tuple(map(self._at_end, beam))

    def _at_end(self, hypothesis: Hypothesis) -> Hypothesis:
        unswept, last = last_sweep(hypothesis.state), hypothesis.last
        if unswept is None or last is None:
            return hypothesis
        state, step = apply_event(hypothesis.state, unswept)
        return replace(hypothesis, state=state, last=replace(last, announced=(*last.announced, *step.announcements)))

    def decision(self, beam: Beam, place: int) -> Decision:
        """Return what would be decided about a line now."""
        return decide(beam, place)

    def waiting(self, log: LineLog, beam: Beam) -> Mapping[int, float]:
        """Return nothing: every line was ruled on at once."""
        return {}

    def rule_in_pause(
        self, recorded: RecordLine, log: LineLog, beam: Beam, still_open: OpenRulings, time: RulingTime
    ) -> Ruled:
        """Release the withheld rulings; a line that did not happen does not separate two cards of one play."""
        return Ruled((), still_open) if recorded.is_void else Ruled((), OpenRulings(), still_open.withheld)

    def rule(self, log: LineLog, beam: Beam, still_open: OpenRulings, time: RulingTime) -> Ruled:
        """Rule on the newest line, and again on earlier ones whose rulings changed."""
        if time.at_end:
            return Ruled((), still_open)
        now, withheld = log.lines[-1], still_open.withheld
        event, state = now.reported.event, self.best(beam).state
        if withheld and isinstance(event, Placed) and continues_play(state):
            del log.decisions[log.lines[-2].place]
            withheld = ()
        was_ambiguous = len(now.before) > 1
        messages = _rulings(log, beam, log.newest if was_ambiguous else log.lines[-2:], time)
        if may_become_legal(state, [each.what for each in messages if isinstance(each.what, Ruling)]):
            return Ruled((), OpenRulings(withheld=messages), withheld, isinstance(event, Pressed))
        return Ruled(messages, OpenRulings(), withheld, isinstance(event, Pressed))

    def _after(self, event: TableEvent, situation: Situation) -> Beam:
        """Return the beam after the line."""
        beam = situation.beam
        if isinstance(event, Blocked):
            return tuple(replace(each, state=each.state.but(trust=Trust.NOTHING)) for each in beam)
        believed = beam[:1] if isinstance(event, Dealt) else beam
        children = [child for hypothesis in believed for child in self._children(hypothesis, event, situation)]
        if not children:
            apply_event(self.best(beam).state, certain(event))  # raises the error that names what is wrong
        assert children, f"expected an event that is impossible in every hypothesis to raise an error, got {event}"
        kept, _ = merge(children, MOST, FLOOR)
        if len(kept) == 1:
            return kept
        possible = [each for each in kept if not is_contradicted(kept[0], each, situation.place)]
        return merge(possible, len(kept), inf)[0]

    def _children(self, hypothesis: Hypothesis, event: TableEvent, situation: Situation) -> list[Hypothesis]:
        """Return the hypothesis after each plausible interpretation of the line."""
        place, trust = situation.place, hypothesis.state.trust
        if self._is_guess(event):
            # A guess accuses nobody: it is judged as if the table had been hidden at that time only.
            hypothesis = replace(hypothesis, state=hypothesis.state.but(trust=Trust.NOTHING))
            trust = Trust.TABLE if trust is Trust.ALL and isinstance(event, Swept) else trust
        if isinstance(event, Unread):
            trust = Trust.NOTHING
        found: list[Hypothesis] = []
        budget = Budget(MOST * len(situation.seats))
        for option in self.options(hypothesis.state, event):
            if option.event is None:
                likelihood = option.log_likelihood
                found.append(without_event(hypothesis, place=place, cue=option.cue, log_likelihood=likelihood))
                continue
            for real in with_real_names(option.event, hypothesis):
                child = extend(hypothesis, option, self.rates, budget, place=place, recorded=event, event=real)
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
        return replace(hypothesis, log_weight=hypothesis.log_weight + log(FORBIDDEN))

    def _is_guess(self, event: TableEvent) -> bool:
        """Check whether the event is stated with too little confidence to accuse anybody."""
        kinds = Placed | Lifted | Drawn | Swapped | Swept | Shown
        return isinstance(event, kinds) and event.confidence is not None and event.confidence < SURE

    def options(self, state: GameState, event: TableEvent) -> Iterator[Option]:
        """Yield what the line may have been, by what the record states."""
        sure = certain(event)
        share = 1.0 if event.confidence is None else max(event.confidence, PLAUSIBLE)
        named: list[tuple[TableEvent, float, str]] = [(sure, share, "told")]
        if isinstance(sure, Placed):
            others = sorted(event.alternatives, key=lambda pair: -pair[1])[:NAMES]
            plausible = [each for each in others if each[1] >= PLAUSIBLE and each[0] != sure.card]
            named += [(structs.replace(sure, card=card), other, "card") for card, other in plausible]
        for each, likely, cue in named:
            if not isinstance(each, Placed) or each.by is not None or state.phase is Phase.FREE:
                yield Option(each, log(likely), cue)
                continue
            seats = plausible_seats(state, each)
            rest = (1 - FIRST_SEAT) / max(1, len(seats) - 1)
            for place, seat in enumerate(seats):
                of_seat = 1.0 if len(seats) == 1 else rest if place else FIRST_SEAT
                yield Option(structs.replace(each, by=seat), log(likely * of_seat), cue if cue == "card" else "seat")
        if not self._is_guess(event) or isinstance(event, Shown):
            return
        if not isinstance(event, Swept):
            yield Option(None, log(NOT_SO), "nothing")
        elif state.bout is not None:
            # The sweep itself is certain; only its destination is not.
            elsewhere = structs.replace(sure, to=state.bout.defender if event.to == HEAP else HEAP, left=())
            yield Option(elsewhere, log(NOT_SO), "to")


def _rulings(log: LineLog, beam: Beam, lines: Sequence[ObservedLine], time: RulingTime) -> tuple[Message, ...]:
    """Return the rulings on the newest of these lines, and changed rulings on those before it."""
    messages: list[Message] = []
    recorded = {each.place: each.reported.event for each in log.lines[-2 * OPEN :]}
    for each in lines:
        before, rulings = log.decision_on(each), rulings_of_line(beam, each.place, recorded)
        log.keep(each, Decision(Outcome.LEGAL, rulings, 1.0), time.place)
        if before is None:
            messages += [Message(each.line, ruling) for ruling in rulings]
            continue
        named = {ruling.fault for ruling in rulings}
        gone = {ruling.fault: None for ruling in before.rulings if ruling.fault not in named}
        messages += [Message(each.line, Withdrawal(fault), revised_by=time.line) for fault in gone if fault is not None]
        keys = [ruling_key(ruling) for ruling in before.rulings]
        messages += [
            Message(each.line, ruling, revised_by=time.line) for ruling in rulings if ruling_key(ruling) not in keys
        ]
    return tuple(messages)


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
