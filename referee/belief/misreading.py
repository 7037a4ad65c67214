"""Which card may have been recorded by the name of another without any stated uncertainty."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from referee.cards import Card, Suit
from referee.rulebook import Rulebook

SAME_RANK = 4.0
"""Factor by which another card of the rank is the more likely misreading. Chosen by hand."""

LOOK_ALIKE = 20.0
"""Factor by which a card that looks alike is the more likely misreading. Chosen by hand."""

ALIKE = ("689", "JQK", "TA", "27", "35", "4")
"""Groups of ranks whose printed indices are confused with one another."""

BLACK = (Suit.SPADES, Suit.CLUBS)


@cache
def pack_in_order(rules: Rulebook) -> tuple[Card, ...]:
    """Return the pack in a fixed order, so that the same record always gives the same rulings."""
    return tuple(sorted(rules.cards(), key=str))


def look_alike(one: Card, other: Card) -> bool:
    """
    Check whether two cards are of one colour and of ranks that are confused with one another.

    >>> look_alike(Card.parse("6s"), Card.parse("9c")), look_alike(Card.parse("6s"), Card.parse("6h"))
    (True, False)
    """
    same_colour = (one.suit in BLACK) == (other.suit in BLACK)
    return same_colour and any(one.rank in ranks and other.rank in ranks for ranks in ALIKE)


def misreadings(recorded: Card, cards: Iterable[Card], in_all: float) -> Iterator[tuple[Card, float]]:
    """Yield the cards among ``cards`` that may have been misread as ``recorded``, each with its share of ``in_all``."""
    shares = {
        card: LOOK_ALIKE if look_alike(recorded, card) else SAME_RANK if card.rank == recorded.rank else 1.0
        for card in cards
        if card != recorded
    }
    total = sum(shares.values())
    for card, share in shares.items():
        yield card, in_all * share / total
