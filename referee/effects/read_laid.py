"""
Which play a laid card is.

A card laid across another is an attempt to beat. A card laid beside the others opens the bout, is thrown in, is given
on, or, from the defender's hand, tries to pass the attack on (docs/record.md, *How judging goes on*).
"""

from __future__ import annotations

from referee.cards import Card
from referee.game import GameState
from referee.plays import Beat, Give, Laid, Lead, ThrowIn, Transfer, laid


def read_laid(cards: tuple[Card, ...], by: str, on: Card | None, state: GameState) -> Laid:
    """Return the play that ``by`` makes with these cards across ``on``, or beside the others (None)."""
    bout = state.bout
    if bout is None or bout.ended is not None:
        return laid(Lead if on is None else Beat, by, cards, on)
    taking = bout.taking is not None
    if on is not None and not (taking and by != bout.defender):
        return laid(Beat, by, cards, on)
    if not bout.attacks:
        return laid(Lead, by, cards)
    if by == bout.defender:
        return laid(Transfer if bout.unbeaten or state.rules.transfer else ThrowIn, by, cards)
    return laid(Give if taking else ThrowIn, by, cards)
