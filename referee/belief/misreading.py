"""Which card may have been told as another without a word of doubt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from referee.belief.rates import Rates
from referee.cards import Card, Suit
from referee.rulebook import Rulebook

ALIKE = ("689", "JQK", "TA", "27", "35", "4")
"""Ranks whose printed indices are taken for one another."""

BLACK = (Suit.SPADES, Suit.CLUBS)


@cache
def pack_in_order(rules: Rulebook) -> tuple[Card, ...]:
    """The pack, always in the same order: the same record gives the same rulings."""
    return tuple(sorted(rules.cards(), key=str))


def look_alike(one: Card, other: Card) -> bool:
    """
    Are they of one colour, and of ranks that are taken for one another?

    >>> look_alike(Card.parse("6s"), Card.parse("9c")), look_alike(Card.parse("6s"), Card.parse("6h"))
    (True, False)
    """
    same_colour = (one.suit in BLACK) == (other.suit in BLACK)
    return same_colour and any(one.rank in ranks and other.rank in ranks for ranks in ALIKE)


def misreadings(told: Card, cards: Iterable[Card], rates: Rates, in_all: float) -> Iterator[tuple[Card, float]]:
    """The cards that it may really have been, out of these, each with how likely that is; ``in_all`` together."""
    shares = {
        card: rates.look_alike if look_alike(told, card) else rates.same_rank if card.rank == told.rank else 1.0
        for card in cards
        if card != told
    }
    total = sum(shares.values())
    for card, share in shares.items():
        yield card, in_all * share / total
