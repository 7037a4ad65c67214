"""What happens in a clip, before anybody moves: a position and the steps played from it."""

from __future__ import annotations

from dataclasses import dataclass

from referee.cards import Card, Suit
from referee.events import HEAP


@dataclass(frozen=True, slots=True)
class Position:
    """
    Where all cards are when a bout begins.

    ``hands``: one tuple per seat, in the order of ``seats``. ``talon``: top card first, the turn-up last. ``bout``: 1
    is the first of the deal.
    """

    seats: tuple[str, ...]
    hands: tuple[tuple[Card, ...], ...]
    talon: tuple[Card, ...]
    heap: tuple[Card, ...]
    trump: Suit
    attacker: str
    bout: int = 1
    beaten_off: int = 0

    def hand(self, seat: str) -> tuple[Card, ...]:
        """The cards of one seat."""
        return self.hands[self.seats.index(seat)]

    @property
    def living(self) -> tuple[str, ...]:
        """Seats that hold cards, clockwise from the first seat."""
        return tuple(seat for seat in self.seats if self.hand(seat))

    def after(self, seat: str) -> str:
        """The next living seat clockwise after ``seat``."""
        count = len(self.seats)
        at = self.seats.index(seat)
        ring = (self.seats[(at + step) % count] for step in range(1, count + 1))
        return next(other for other in ring if self.hand(other))


@dataclass(frozen=True, slots=True)
class Lay:
    """``seat`` lays ``card`` across ``on``, or beside the others. ``fault``: the id of a fault made on purpose."""

    seat: str
    card: Card
    on: Card | None = None
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Lift:
    """``seat`` takes one card of the bout back."""

    seat: str
    card: Card


@dataclass(frozen=True, slots=True)
class Sweep:
    """The bout is cleared: to the heap, by whoever sits nearest to it, or into the hand of seat ``to``."""

    to: str

    @property
    def is_take(self) -> bool:
        """Do the cards go into a hand?"""
        return self.to != HEAP


@dataclass(frozen=True, slots=True)
class Draw:
    """``seat`` draws the top card of the talon; ``seen``: it is the turn-up, which lay face up."""

    seat: str
    card: Card
    seen: bool = False


Step = Lay | Lift | Sweep | Draw


@dataclass(frozen=True, slots=True)
class Story:
    """A stretch of a deal: its opening position, the steps, and the fool (None: a draw, or not played to the end)."""

    start: Position
    steps: tuple[Step, ...]
    fool: str | None
    turnup: Card | None
    free: bool = False

    def header(self, rules: str = "podkidnoy-36") -> dict[str, object]:
        """The record's first line; ``free``: everybody throws in when he likes."""
        start = self.start
        dealer = start.seats[-1]
        return {
            "kozyr": 1,
            "rules": rules,
            "options": {"throw_order": "free"} if self.free else {},
            "seats": list(start.seats),
            "dealer": dealer,
            "start": {
                "trump": str(start.trump),
                "turnup": str(self.turnup) if self.turnup and start.talon else None,
                "talon": len(start.talon),
                "hands": {seat: len(start.hand(seat)) for seat in start.seats},
                "attacker": start.attacker,
                "heap_count": len(start.heap),
                "bout": start.bout,
                "beaten_off": start.beaten_off,
            },
        }
