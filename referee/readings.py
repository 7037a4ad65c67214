"""
What one event may have been: every reading that is still plausible, each judged, and the one ruling that follows.

A camera may doubt which card was laid, and may not have seen whose hand it was. All readings legal: legal; all faults:
a fault; else ``unclear``, with the one question whose answer settles it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from referee.cards import Card
from referee.events import Placed, TableEvent
from referee.game import GameState
from referee.judge import judge
from referee.judgement import Step
from referee.laying import DOUBTS
from referee.plays import Transfer, read_laid
from referee.rule_order import cannot_be, fault_of
from referee.rulings import Ruling, Verdict, grade_of

MOST_READINGS = 8
"""How many readings of one card are judged: the likeliest. Elsewhere than in what is believed, half as many."""

LIKELIEST_SEAT = 0.5
"""Share of the seat whose turn it is, where nobody saw the hand; the others have the rest between them."""

GRAVITY = {Verdict.LEGAL: 0, Verdict.UNCLEAR: 1, Verdict.ILLEGAL: 2, Verdict.IMPOSSIBLE: 3}
"""How grave a ruling is; from 2 on it accuses."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a laid card: the name ``seen``, the event sure of its card and its seat, how likely (0..1)."""

    seen: Card
    event: Placed
    share: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """A reading judged: what stands after it and what it brought."""

    reading: Reading
    state: GameState
    step: Step

    @property
    def ruling(self) -> Ruling:
        """The ruling on the card laid."""
        return self.step.rulings[-1]

    @property
    def gravity(self) -> int:
        """How grave that ruling is."""
        return GRAVITY[self.ruling.verdict]

    @property
    def can_be(self) -> bool:
        """May the card be there at all?"""
        return self.ruling.fault is None or grade_of(self.ruling.fault) is not Verdict.IMPOSSIBLE


def is_certain(event: TableEvent) -> bool:
    """Has the event one reading only?"""
    return type(event) is not Placed or (event.by is not None and not event.alternatives)


def judge_readings(state: GameState, event: Placed, most: int = MOST_READINGS) -> tuple[tuple[Outcome, ...], Step]:
    """Every plausible reading judged, the one that counts first; and what is said of the event as a whole."""
    outcomes = [Outcome(each, *judge(state, each.event)) for each in readings_of(event, state)[:most]]
    outcomes = _possible(outcomes, event.card)
    chosen = min(outcomes, key=lambda each: (each.gravity, not each.can_be))
    outcomes = [chosen, *(each for each in outcomes if each is not chosen)]
    outcomes = [_known_as_seen(each, event.card) for each in outcomes]
    seats = {each.reading.event.by for each in outcomes}
    by = chosen.reading.event.by if len(seats) == 1 else None
    worst = next((each for each in outcomes if each.ruling.fault is not None), None)
    ruling = replace(chosen.ruling, by=by)
    if worst is not None and chosen.ruling.fault is None:
        ruling = replace(
            worst.ruling,
            verdict=Verdict.UNCLEAR,
            play=chosen.ruling.play,
            cards=(*worst.ruling.cards[:-1], event.card),
            by=by,
            question=_question(event.card, outcomes),
        )
    step = replace(outcomes[0].step, rulings=(*outcomes[0].step.rulings[:-1], ruling))
    return tuple(outcomes), step


def readings_of(event: Placed, state: GameState) -> tuple[Reading, ...]:
    """The plausible readings, the likeliest first; a name less likely than ``DOUBTS.plausible`` is none."""
    others = sorted(event.alternatives, key=lambda pair: -pair[1])[: DOUBTS.most]
    shares = {event.card: 1.0 if event.confidence is None else max(event.confidence, DOUBTS.plausible)}
    shares.update((card, share) for card, share in others if share >= DOUBTS.plausible and card != event.card)
    doubtful = event.confidence is not None and event.confidence < DOUBTS.sure
    found = []
    for card, share in shares.items():
        seats = plausible_seats(state, card, event) if event.by is None else (event.by,)
        for place, seat in enumerate(seats):
            likely = 1.0 if len(seats) == 1 else LIKELIEST_SEAT if place == 0 else LIKELIEST_SEAT / (len(seats) - 1)
            sure = replace(
                event, card=card, by=seat, alternatives=(), confidence=event.confidence if doubtful else None
            )
            found.append(Reading(event.card, sure, share * likely))
    # What was seen comes first, however likely the others are; of equal ones the earlier named.
    return (found[0], *sorted(found[1:], key=lambda reading: -reading.share))


def _possible(outcomes: list[Outcome], seen: Card) -> list[Outcome]:
    """
    Without other names that can't be, where the one seen is fine.

    A less likely name that lies elsewhere already is no second reading: the eye erred before the cards did.
    """
    if not any(each.ruling.fault is None and each.reading.event.card == seen for each in outcomes):
        return outcomes
    return [each for each in outcomes if each.can_be or each.reading.event.card == seen]


def _known_as_seen(outcome: Outcome, seen: Card) -> Outcome:
    """Until somebody looks again, what is called by the name that was seen is the card it is taken for."""
    taken = outcome.reading.event.card
    if taken == seen:
        return outcome
    return replace(outcome, state=outcome.state.but(read_as={**outcome.state.read_as, seen: taken}))


def _question(seen: Card, outcomes: list[Outcome]) -> Mapping[str, Any]:
    """What would settle it: who laid the card, where that alone makes the difference, or else which card it was."""
    seats = tuple(dict.fromkeys(each.reading.event.by for each in outcomes))
    if len(seats) > 1 and any(each.ruling.fault is None and each.reading.event.card == seen for each in outcomes):
        return {"ask": "who", "card": seen, "seats": seats}
    cards = {each.reading.event.card: each.reading.share for each in outcomes}
    return {"ask": "card", "card": seen, "cards": tuple(sorted(cards, key=lambda card: -cards[card]))}


def plausible_seats(state: GameState, card: Card, event: Placed) -> tuple[str, ...]:
    """
    Who may have laid a card if nobody saw it: the defender across an attack card, else whoever may attack now.

    A hand in which the card is known to be settles it, and so does a hand that can't have had it. Where the attack may
    be passed on, the defender is one of them.
    """
    laying = state.laying
    if laying is not None and event.on is None and laying.at == event.at and laying.by is not None:
        return (laying.by,)
    holder = state.ledger.holder(card)
    if holder is not None:
        return (holder,)
    seats = _by_right(state, card, event.on)
    able = tuple(seat for seat in seats if cannot_be(read_laid((card,), seat, event.on, state), state) is None)
    return able or seats


def _by_right(state: GameState, card: Card, on: Card | None) -> tuple[str, ...]:
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
