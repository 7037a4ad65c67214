"""
Plays of Durak: what a seat does with cards, as the rules judge it.

A play names its seat as the record does; rules read it with the seat's number (:func:`by_number`), ``Laid[int]``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar, Generic

from referee.cards import Card, mask_of
from referee.seating import S


@dataclass(frozen=True, slots=True)
class Laid(Generic[S]):
    """A play of cards onto the table, by one seat. ``mask``: its cards as a set (:mod:`referee.cards`)."""

    name: ClassVar[str] = "lay"
    by: S
    cards: tuple[Card, ...]
    mask: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mask", mask_of(self.cards))

    def __str__(self) -> str:
        return f"{self.by}: {' '.join(map(str, self.cards))}"


@dataclass(frozen=True, slots=True)
class Lead(Laid[S]):
    """The opening of a bout."""

    name: ClassVar[str] = "lead"


@dataclass(frozen=True, slots=True)
class ThrowIn(Laid[S]):
    """A further attack card."""

    name: ClassVar[str] = "throw-in"


@dataclass(frozen=True, slots=True)
class Give(Laid[S]):
    """Cards added after the defender has announced the take."""

    name: ClassVar[str] = "give"


@dataclass(frozen=True, slots=True)
class Transfer(Laid[S]):
    """The defender passes the attack on, by laying a card or (``shown``) by showing the trump of the rank."""

    name: ClassVar[str] = "transfer"
    shown: bool = False

    def __str__(self) -> str:
        return f"{self.by}: {'show' if self.shown else 'transfer'} {' '.join(map(str, self.cards))}"


@dataclass(frozen=True, slots=True)
class Beat(Laid[S]):
    """A card laid across ``over``."""

    name: ClassVar[str] = "beat"
    over: Card

    @property
    def card(self) -> Card:
        return self.cards[0]

    def __str__(self) -> str:
        return f"{self.by}: {' '.join(map(str, self.cards))} over {self.over}"


@dataclass(frozen=True, slots=True)
class Sweep(Generic[S]):
    """The bout is cleared ``to`` a seat or the discard pile (``heap``), except for the cards ``left``."""

    name: ClassVar[str] = "sweep"
    by: ClassVar[None] = None
    to: S | str
    left: tuple[Card, ...] = ()

    def __str__(self) -> str:
        return f"sweep to {self.to}"


@dataclass(frozen=True, slots=True)
class Draw(Generic[S]):
    """Cards drawn from the talon."""

    name: ClassVar[str] = "draw"
    by: S
    count: int

    def __str__(self) -> str:
        return f"{self.by}: draw {self.count}"


@dataclass(frozen=True, slots=True)
class Swap(Generic[S]):
    """The lowest trump exchanged for the turn-up."""

    name: ClassVar[str] = "swap"
    by: S
    card: Card

    cards = property(lambda self: (self.card,))
    mask = property(lambda self: self.card.bit)

    def __str__(self) -> str:
        return f"{self.by}: swap {self.card}"


@dataclass(frozen=True, slots=True)
class Take(Generic[S]):
    """The defender announces the take."""

    name: ClassVar[str] = "take"
    by: S

    def __str__(self) -> str:
        return f"{self.by}: take"


@dataclass(frozen=True, slots=True)
class Pass(Generic[S]):
    """An attacker stops."""

    name: ClassVar[str] = "pass"
    by: S

    def __str__(self) -> str:
        return f"{self.by}: pass"


@dataclass(frozen=True, slots=True)
class Done(Generic[S]):
    """All attackers stop; ``by``: who says so, if that was heard."""

    name: ClassVar[str] = "done"
    by: S | None = None

    def __str__(self) -> str:
        return "done"


CardPlay = Laid[S] | Sweep[S] | Draw[S] | Swap[S]
"""A play that moves cards."""

Play = CardPlay[S] | Take[S] | Pass[S] | Done[S]

Kind = Callable[..., object]
"""A class of plays."""


# Few enough that a long evening fills them in its first hour: with 16,384 plays memory grew for ten hours.
@lru_cache(maxsize=1 << 11)
def laid(kind: Kind, by: S, cards: tuple[Card, ...], over: Card | None = None, shown: bool = False) -> Laid[S]:
    """Return a play of cards, the same object each time. ``over``: the card to beat; ``shown``: for a transfer."""
    if over is not None and kind is Beat:
        return Beat(by, cards, over)
    if kind is Transfer:
        return Transfer(by, cards, shown)
    return next((like(by, cards) for like in (Lead, ThrowIn, Give) if like is kind), Laid(by, cards))


def by_number(play: Play, number_of: Mapping[str, int]) -> Play[int]:
    """Return the play with its seat's number, as the rules read it."""
    match play:
        case Beat():
            return laid(Beat, number_of[play.by], play.cards, play.over)
        case Transfer():
            return laid(Transfer, number_of[play.by], play.cards, None, play.shown)
        case Laid():
            kind: Kind = type(play)
            return laid(kind, number_of[play.by], play.cards)
        case Sweep():
            return Sweep(number_of.get(play.to, play.to), play.left)
        case Draw():
            return Draw(number_of[play.by], play.count)
        case Swap():
            return Swap(number_of[play.by], play.card)
        case Take():
            return Take(number_of[play.by])
        case Pass():
            return Pass(number_of[play.by])
    return Done(None if play.by is None else number_of[play.by])
