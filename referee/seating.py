"""Who sits where: seats clockwise, who is whose partner, who comes next (*left* is the next seat clockwise)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Seating:
    """
    Seats in clockwise order and the teams they form, empty where everybody plays alone.

    >>> table = Seating(("W", "N", "E", "S"), (("W", "E"), ("N", "S")))
    >>> table.from_left_of("N"), table.team("W")
    (('E', 'S', 'W'), ('W', 'E'))
    """

    seats: tuple[str, ...]
    teams: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def of(cls, seats: tuple[str, ...], teams: str, stated: tuple[tuple[str, ...], ...] = ()) -> Seating:
        """``teams`` as the rulebook has it; ``stated``: teams a header names, else every other seat."""
        if teams == "none":
            return cls(seats)
        return cls(seats, stated or (seats[0::2], seats[1::2]))

    def from_left_of(self, seat: str) -> tuple[str, ...]:
        """The other seats clockwise, the left neighbour first."""
        place = self.seats.index(seat)
        return self.seats[place + 1 :] + self.seats[:place]

    def clockwise_from(self, seat: str) -> tuple[str, ...]:
        """All seats clockwise, this one first."""
        return (seat, *self.from_left_of(seat))

    def next_living(self, seat: str, out: Iterable[str]) -> str:
        """The next seat clockwise that is not out; the seat itself where no other is left."""
        gone = set(out)
        return next((other for other in self.from_left_of(seat) if other not in gone), seat)

    def next_opponent(self, seat: str, out: Iterable[str]) -> str:
        """The next seat clockwise, not out, that plays against this one; the seat itself where none is left."""
        return self.next_living(seat, (*out, *self.team(seat)))

    def previous_living(self, seat: str, out: Iterable[str]) -> str:
        """The next seat counter-clockwise that is not out."""
        gone = set(out)
        return next((other for other in reversed(self.from_left_of(seat)) if other not in gone), seat)

    def team(self, seat: str) -> tuple[str, ...]:
        """Everybody on the seat's side, the seat included."""
        return next((team for team in self.teams if seat in team), (seat,))

    def next_of_side(self, seat: str, out: Iterable[str]) -> str:
        """The next of x's side clockwise who has cards; x himself if he is the last (docs/rules.md, 9, *next(x)*)."""
        gone = set(out)
        team = self.team(seat)
        return next((other for other in self.from_left_of(seat) if other in team and other not in gone), seat)
