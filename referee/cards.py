"""Cards of the French-suited pack, their text form, and which card beats which."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum


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
"""All rank letters from low to high. A pack of 36 begins at 6, one of 24 at 9."""

PACK_SIZES = {24: "9", 36: "6", 52: "2"}
"""The lowest rank by pack size (docs/rules.md, 1)."""


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
    """The card as a set of one (:mod:`referee.card_sets`): bit ``13 * suit + height``."""

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
    Return all cards of a pack of 24, 36 or 52, by suit, then from low to high.

    >>> len(pack(36)), str(pack(36)[0]), str(pack(24)[0])
    (36, '6s', '9s')
    >>> pack(32)
    Traceback (most recent call last):
        ...
    ValueError: expected a pack of 24, 36 or 52 cards, got 32
    """
    if size not in PACK_SIZES:
        raise ValueError(f"expected a pack of 24, 36 or 52 cards, got {size}")
    ranks = RANKS[RANKS.index(PACK_SIZES[size]) :]
    return tuple(_CARDS[rank + suit.value] for suit in Suit for rank in ranks)
