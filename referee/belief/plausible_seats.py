"""Which seats may have laid a card when nobody saw the hand."""

from __future__ import annotations

from referee.cards import Card
from referee.events import Placed
from referee.game import GameState
from referee.plays import Transfer, read_laid
from referee.rule_order import cannot_be, fault_of


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
