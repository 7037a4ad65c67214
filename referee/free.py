"""
Follow the cards on the table without judging them (rule set ``free``).

Used for other games than Durak, for films of any cards, and to measure the vision pipeline without the referee.
"""

from __future__ import annotations

from dataclasses import replace

from referee.cards import Card
from referee.events import HEAP, Lifted, Placed, Reread, Swept, TableEvent
from referee.game import GameState, Phase
from referee.ledger import Attack, Bout


def follow(state: GameState, event: TableEvent) -> GameState:
    """Return the state after an event; an event that does not fit the cards on the table changes nothing."""
    bout = state.bout or _empty(state)
    attacks = bout.attacks
    if isinstance(event, Placed):
        under = next((each for each in attacks if each.card == event.on and each.defence is None), None)
        if under is None:
            attacks = (*attacks, Attack(event.card, event.by or "", 0))
        else:
            attacks = tuple(replace(each, defence=event.card) if each is under else each for each in attacks)
    elif isinstance(event, Lifted):
        attacks = tuple(pair for each in attacks for pair in _without(each, event.card))
    elif isinstance(event, Reread):
        attacks = tuple(_renamed(each, event.was, event.card) for each in attacks)
    elif isinstance(event, Swept):
        swept = {card for each in attacks for card in _cards_of(each)} - set(event.left)
        for card in swept:
            attacks = tuple(pair for each in attacks for pair in _without(each, card))
        if event.to == HEAP:
            state = state.but(ledger=state.ledger.but(heap_count=state.ledger.heap_count + len(swept)))
    return state.but(phase=Phase.FREE, bout=bout.but(attacks=attacks))


def _empty(state: GameState) -> Bout:
    return Bout(1, "", "", None, state.ledger.hands)


def _cards_of(attack: Attack) -> tuple[Card, ...]:
    return (attack.card,) if attack.defence is None else (attack.card, attack.defence)


def _without(attack: Attack, card: Card) -> tuple[Attack, ...]:
    """Return a pair without one of its cards; a defence card lies alone if its attack card was taken."""
    if attack.defence == card:
        return (replace(attack, defence=None),)
    if attack.card == card:
        return () if attack.defence is None else (replace(attack, card=attack.defence, defence=None),)
    return (attack,)


def _renamed(attack: Attack, was: Card, card: Card) -> Attack:
    return replace(
        attack,
        card=card if attack.card == was else attack.card,
        defence=card if attack.defence == was else attack.defence,
    )
