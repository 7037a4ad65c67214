"""
Cards of the French-suited pack, their text form, which card beats which, and sets of cards.

A set is a whole number with a bit for each card, so that a rule is one or two operations on numbers: bit
``13 * suit + rank``, suits in the order of :class:`Suit`, rank 0 the two. Rules and search use these numbers;
:class:`CardSet` is the set that callers of the referee get.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from enum import Enum
from functools import lru_cache
from typing import Any


class Suit(Enum):
    """One of the four suits; the value is its letter in text."""

    SPADES = "s"
    HEARTS = "h"
    DIAMONDS = "d"
    CLUBS = "c"

    # There is one object of each, so the identity serves as the hash, which is fast in sets of cards.
    __hash__ = object.__hash__

    def __str__(self) -> str:
        return self.value


RANKS = "23456789TJQKA"
"""All rank letters from low to high. A pack of 36 begins at 6, one of 32 at 7, one of 24 at 9."""

PACK_SIZES = {24: "9", 32: "7", 36: "6", 52: "2"}
"""The lowest rank by pack size (docs/rules.md, 1)."""


BACK = "back"
"""The name of a card that lies face down or was not read."""

_CARDS: dict[str, Card] = {}
"""Each card by its text."""


class Card:
    """
    One card, written rank then suit: ``6s``, ``Th``, ``Ac``.

    There is one object of each card, so that comparison and lookups in sets are fast. Cards have no order of their own,
    since it depends on the trump: there is no ``<``. The class is no dataclass: msgspec would read fields, not text.

    >>> Card.parse("9h").beats(Card.parse("7h"), trump=Suit.SPADES)
    True
    >>> Card.parse("9h").beats(Card.parse("7d"), trump=Suit.SPADES)
    False
    >>> Card.parse("6s").beats(Card.parse("Ad"), trump=Suit.SPADES)
    True
    >>> Card.parse("Ac").beats(Card.parse("6h"), trump=Suit.SPADES)
    False
    >>> str(Card.parse("Th"))
    'Th'
    >>> Card.parse("10h")
    Traceback (most recent call last):
        ...
    ValueError: expected a card such as '9h' or 'Ts', got '10h'
    >>> Card("9", Suit.HEARTS) is Card.parse("9h")
    True
    """

    __slots__ = ("bit", "height", "rank", "suit", "text")
    rank: str
    suit: Suit
    text: str
    height: int
    """Place of the rank from low (two: 0) to high (ace: 12)."""
    bit: int
    """The card as a set of one (:mod:`referee.cards`): bit ``13 * suit + height``."""

    def __new__(cls, rank: str, suit: Suit) -> Card:
        """Return the one card of this rank and suit."""
        card = _CARDS.get(rank + suit.value)
        if card is None:
            card = object.__new__(cls)
            object.__setattr__(card, "rank", rank)
            object.__setattr__(card, "suit", suit)
            object.__setattr__(card, "text", rank + suit.value)
            object.__setattr__(card, "height", RANKS.index(rank))
            object.__setattr__(card, "bit", 1 << (len(RANKS) * list(Suit).index(suit) + RANKS.index(rank)))
        return card

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: a card doesn't change."""
        raise AttributeError(f"expected a card to stay as it is, got another {name}")

    def __reduce__(self) -> tuple[Callable[[str], Card], tuple[str]]:
        """Restore copied and unpickled cards as the one object of their rank and suit."""
        return Card.parse, (str(self),)

    @classmethod
    def parse(cls, text: object) -> Card:
        """Read a card from its text form; ``ValueError`` states what was expected and what came."""
        card = _CARDS.get(text) if isinstance(text, str) else None
        if card is None:
            raise ValueError(f"expected a card such as '9h' or 'Ts', got {text!r}")
        return card

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Card({self})"

    def is_trump(self, trump: Suit | None) -> bool:
        """Check whether the card is a trump. Where the trump is not known (None), no card is."""
        return self.suit is trump

    def beats(self, other: Card, trump: Suit) -> bool:
        """Check whether this card beats ``other``: higher in suit, or a trump on a plain card (docs/rules.md, 4)."""
        if self.suit is other.suit:
            return self.height > other.height
        return self.suit is trump


_CARDS.update({rank + suit.value: Card(rank, suit) for suit in Suit for rank in RANKS})


def pack(size: int) -> tuple[Card, ...]:
    """
    Return all cards of a pack of 24, 32, 36 or 52, by suit, then from low to high.

    >>> len(pack(36)), str(pack(36)[0]), str(pack(32)[0])
    (36, '6s', '7s')
    >>> pack(40)
    Traceback (most recent call last):
        ...
    ValueError: expected a pack of 24, 32, 36 or 52 cards, got 40
    """
    if size not in PACK_SIZES:
        raise ValueError(f"expected a pack of 24, 32, 36 or 52 cards, got {size}")
    ranks = RANKS[RANKS.index(PACK_SIZES[size]) :]
    return tuple(_CARDS[rank + suit.value] for suit in Suit for rank in ranks)


# sets of cards


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
    if isinstance(cards, CardSet):
        return cards.mask
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


@lru_cache(maxsize=1 << 9)
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


def suit_of(mask: int) -> Suit | None:
    """Return the suit of the lowest card of a set; None: the set is empty."""
    return CARD_OF[mask & -mask].suit if mask else None


BEATEN_BY = {
    trumps: {card: higher if card & trumps else higher | trumps for card, higher in HIGHER.items()}
    for trumps in (0, *SUIT_MASKS)
}
"""
By all cards of the trump suit (0: not known), then by card: the cards that beat it, which are the higher ones of its
suit, and trumps if it is none (docs/rules.md, 4).
"""


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

    def __or__(self, cards: Iterable[Card]) -> CardSet:  # type: ignore[override]
        return CardSet(self.mask | mask_of(cards))

    def __and__(self, cards: Iterable[Card]) -> CardSet:
        return CardSet(self.mask & mask_of(cards))

    def __sub__(self, cards: Iterable[Card]) -> CardSet:
        return CardSet(self.mask & ~mask_of(cards))

    def __eq__(self, other: object) -> bool:
        return self.mask == other.mask if isinstance(other, CardSet) else super().__eq__(other)

    def __iter__(self) -> Iterator[Card]:
        return iter(cards_of(self.mask))

    def __len__(self) -> int:
        return self.mask.bit_count()

    def __hash__(self) -> int:
        return hash(self.mask)

    def __str__(self) -> str:
        return " ".join(map(str, self))

    def __repr__(self) -> str:
        return f"CardSet({self})"
