"""
Sets of cards as whole numbers: one bit for each card, so that a rule is one or two operations on numbers.

Bit ``13 * suit + rank`` stands for a card, suits in the order of :class:`~referee.cards.Suit`, rank 0 the two. Rules
and search use these numbers; :class:`CardSet` is the set that callers of the referee get.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import Any

from referee.cards import RANKS, Card, Suit, pack

RANK_COUNT = len(RANKS)
SUITS = tuple(Suit)
ONE_SUIT = (1 << RANK_COUNT) - 1
"""All ranks of the first suit; also the mask of a set of ranks."""
SPREAD = sum(1 << (RANK_COUNT * suit) for suit in range(4))
"""A set of ranks times this is all cards of these ranks."""
SUIT_MASKS = tuple(ONE_SUIT << (RANK_COUNT * suit) for suit in range(4))

CARD_OF = {card.bit: card for card in pack(52)}
SUIT_INDEX = {suit: index for index, suit in enumerate(SUITS)}
MASK_OF_SUIT = dict(zip(SUITS, SUIT_MASKS, strict=True))


HIGHER = {
    1 << (RANK_COUNT * suit + rank): (ONE_SUIT & ~((2 << rank) - 1)) << (RANK_COUNT * suit)
    for suit in range(4)
    for rank in range(RANK_COUNT)
}
"""By card: the higher cards of its suit."""


def mask_of(cards: Iterable[Card]) -> int:
    """
    Return these cards as a set (a bit mask).

    >>> mask_of([Card.parse("2s"), Card.parse("4s")])
    5
    """
    mask = 0
    for card in cards:
        mask |= card.bit
    return mask


def bits_of(mask: int) -> Iterator[int]:
    """Yield each card of a set as a set of its own, the lowest bit first."""
    while mask:
        bit = mask & -mask
        yield bit
        mask ^= bit


def cards_of(mask: int) -> tuple[Card, ...]:
    """
    Return the cards of a set, by suit, then from low to high.

    >>> cards_of(5)
    (Card(2s), Card(4s))
    """
    return tuple(CARD_OF[bit] for bit in bits_of(mask))


def same_ranks(mask: int) -> int:
    """
    Return all cards whose rank is among those of the set.

    >>> len(cards_of(same_ranks(mask_of([Card.parse("2s"), Card.parse("2h")]))))
    4
    """
    ranks = mask | mask >> 13 | mask >> 26 | mask >> 39
    return (ranks & ONE_SUIT) * SPREAD


def ranks_of(mask: int) -> frozenset[str]:
    """
    Return the letters of the ranks in a set.

    >>> sorted(ranks_of(mask_of([Card.parse("2s"), Card.parse("Th"), Card.parse("Td")])))
    ['2', 'T']
    """
    return frozenset(card.rank for card in cards_of(mask))


def suit_of(mask: int) -> Suit:
    """Return the suit of the lowest card of a set."""
    return CARD_OF[mask & -mask].suit


def cards_beating(card: int, trumps: int) -> int:
    """
    Return all cards that beat a card: the higher ones of its suit, and trumps if it is none (docs/rules.md, 4).

    >>> print(CardSet(cards_beating(Card.parse("Qs").bit, CardSet.parse("6h 7h").mask)))
    Ks As 6h 7h
    """
    return HIGHER[card] if card & trumps else HIGHER[card] | trumps


BEATEN_BY = tuple({card: cards_beating(card, trumps) for card in HIGHER} for trumps in SUIT_MASKS)
"""By trump suit, then by card: the cards that beat it."""


class CardSet(Set[Card]):
    """
    A frozen set of cards: ``mask`` has a bit for each card. It iterates by suit, then from low to high.

    >>> hand = CardSet.parse("9h 7s Ah")
    >>> print(hand | {Card.parse("6s")}, len(hand), Card.parse("9h") in hand)
    6s 7s 9h Ah 3 True
    >>> print(hand - CardSet.parse("7s"), hand & CardSet.parse("Ah Ac") == {Card.parse("Ah")})
    9h Ah True
    """

    __slots__ = ("mask",)

    def __init__(self, mask: int = 0) -> None:
        self.mask = mask

    @classmethod
    def of(cls, cards: Iterable[Card]) -> CardSet:
        """Return the set of these cards."""
        return cls(mask_of(cards))

    @classmethod
    def _from_iterable(cls, it: Iterable[Any]) -> CardSet:  # type: ignore[override]
        return cls.of(it)

    @classmethod
    def parse(cls, text: str) -> CardSet:
        """Read cards that blanks separate; ``ValueError`` names the one that is none."""
        return cls(mask_of(map(Card.parse, text.split())))

    def __contains__(self, card: object) -> bool:
        return isinstance(card, Card) and bool(self.mask & card.bit)

    def __iter__(self) -> Iterator[Card]:
        return iter(cards_of(self.mask))

    def __len__(self) -> int:
        return self.mask.bit_count()

    def __hash__(self) -> int:
        return self._hash()

    def __str__(self) -> str:
        return " ".join(map(str, self))

    def __repr__(self) -> str:
        return f"CardSet({self})"
