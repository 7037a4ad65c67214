"""
Plays of Durak: what a seat does with cards, as the rules judge it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from referee.cards import Card, mask_of


@dataclass(frozen=True, slots=True)
class Laid:
    """A play of cards onto the table, by one seat. ``mask``: its cards as a set (:mod:`referee.cards`)."""

    name: ClassVar[str] = "lay"
    by: str
    cards: tuple[Card, ...]
    mask: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mask", mask_of(self.cards))

    def __str__(self) -> str:
        return f"{self.by}: {' '.join(map(str, self.cards))}"


@dataclass(frozen=True, slots=True)
class Lead(Laid):
    """The opening of a bout."""

    name: ClassVar[str] = "lead"


@dataclass(frozen=True, slots=True)
class ThrowIn(Laid):
    """A further attack card."""

    name: ClassVar[str] = "throw-in"


@dataclass(frozen=True, slots=True)
class Give(Laid):
    """Cards added after the defender has announced the take."""

    name: ClassVar[str] = "give"


@dataclass(frozen=True, slots=True)
class Transfer(Laid):
    """The defender passes the attack on, by laying a card or (``shown``) by showing the trump of the rank."""

    name: ClassVar[str] = "transfer"
    shown: bool = False

    def __str__(self) -> str:
        return f"{self.by}: {'show' if self.shown else 'transfer'} {' '.join(map(str, self.cards))}"


@dataclass(frozen=True, slots=True)
class Beat(Laid):
    """A card laid across ``over``."""

    name: ClassVar[str] = "beat"
    over: Card

    @property
    def card(self) -> Card:
        return self.cards[0]

    def __str__(self) -> str:
        return f"{self.by}: {' '.join(map(str, self.cards))} over {self.over}"


@dataclass(frozen=True, slots=True)
class Sweep:
    """The bout is cleared to the discard pile or to a seat, except for the cards ``left``."""

    name: ClassVar[str] = "sweep"
    by: ClassVar[None] = None
    to: str
    left: tuple[Card, ...] = ()

    def __str__(self) -> str:
        return f"sweep to {self.to}"


@dataclass(frozen=True, slots=True)
class Draw:
    """Cards drawn from the talon."""

    name: ClassVar[str] = "draw"
    by: str
    count: int

    def __str__(self) -> str:
        return f"{self.by}: draw {self.count}"


@dataclass(frozen=True, slots=True)
class Swap:
    """The lowest trump exchanged for the turn-up."""

    name: ClassVar[str] = "swap"
    by: str
    card: Card

    cards = property(lambda self: (self.card,))
    mask = property(lambda self: self.card.bit)

    def __str__(self) -> str:
        return f"{self.by}: swap {self.card}"


@dataclass(frozen=True, slots=True)
class Take:
    """The defender announces the take."""

    name: ClassVar[str] = "take"
    by: str

    def __str__(self) -> str:
        return f"{self.by}: take"


@dataclass(frozen=True, slots=True)
class Pass:
    """An attacker stops."""

    name: ClassVar[str] = "pass"
    by: str

    def __str__(self) -> str:
        return f"{self.by}: pass"


@dataclass(frozen=True, slots=True)
class Done:
    """All attackers stop; ``by``: who says so, if that was heard."""

    name: ClassVar[str] = "done"
    by: str | None = None

    def __str__(self) -> str:
        return "done"


CardPlay = Laid | Sweep | Draw | Swap
"""A play that moves cards."""

Play = CardPlay | Take | Pass | Done
