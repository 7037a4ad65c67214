"""Seats in clockwise order, teams, and the order of turns (*left* is the next seat clockwise)."""

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
        """Return a seating. ``teams``: the rulebook's option; ``stated``: the header's teams, else every other seat."""
        if teams == "none":
            return cls(seats)
        return cls(seats, stated or (seats[0::2], seats[1::2]))

    def from_left_of(self, seat: str) -> tuple[str, ...]:
        """Return the other seats clockwise, the left neighbour first."""
        place = self.seats.index(seat)
        return self.seats[place + 1 :] + self.seats[:place]

    def clockwise_from(self, seat: str) -> tuple[str, ...]:
        """Return all seats clockwise, this one first."""
        return (seat, *self.from_left_of(seat))

    def next_living(self, seat: str, out: Iterable[str]) -> str:
        """Return the next seat clockwise that is not out; the seat itself where no other is left."""
        gone = set(out)
        return next((other for other in self.from_left_of(seat) if other not in gone), seat)

    def next_opponent(self, seat: str, out: Iterable[str]) -> str:
        """Return the next opponent clockwise that is not out; the seat itself where none is left."""
        return self.next_living(seat, (*out, *self.team(seat)))

    def previous_living(self, seat: str, out: Iterable[str]) -> str:
        """Return the next seat counter-clockwise that is not out."""
        gone = set(out)
        return next((other for other in reversed(self.from_left_of(seat)) if other not in gone), seat)

    def team(self, seat: str) -> tuple[str, ...]:
        """Return the seats of this seat's team, itself included."""
        return next((team for team in self.teams if seat in team), (seat,))

    def next_of_side(self, seat: str, out: Iterable[str]) -> str:
        """Return the next of the team clockwise that is not out, else the seat itself (docs/rules.md, 9, *next(x)*)."""
        gone = set(out)
        team = self.team(seat)
        return next((other for other in self.from_left_of(seat) if other in team and other not in gone), seat)
