"""The seats at a table: their order, their teams, and the numbers by which rules know them (docs/rules.md, 1 and 9)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    S = TypeVar("S", default=str)
else:
    from typing import TypeVar

    S = TypeVar("S")
"""What names a seat: its name in a record and in positions, its number where rules read it."""


@dataclass(frozen=True, slots=True)
class Seating(Generic[S]):
    """
    Seats in clockwise order and the teams they form, empty where everybody plays alone.

    ``number_of``: the number of each seat, from 0, by which rules know it. ``numbered``: the same seating by numbers.

    >>> seating = Seating(("W", "N", "E", "S"), (("W", "E"), ("N", "S")))
    >>> seating.from_left_of("N"), seating.team("W"), seating.numbered.team(0)
    (('E', 'S', 'W'), ('W', 'E'), (0, 2))
    """

    seats: tuple[S, ...]
    teams: tuple[tuple[S, ...], ...] = ()
    number_of: Mapping[S, int] = field(init=False, compare=False, repr=False)
    numbered: Seating[int] = field(init=False, compare=False, repr=False)
    _rings: Mapping[S, tuple[S, ...]] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        numbers = {seat: number for number, seat in enumerate(self.seats)}
        rings = {seat: self.seats[number:] + self.seats[:number] for seat, number in numbers.items()}
        object.__setattr__(self, "_rings", rings)
        object.__setattr__(self, "number_of", numbers)
        places = tuple(range(len(self.seats)))
        teams = tuple(tuple(numbers[seat] for seat in team) for team in self.teams)
        object.__setattr__(self, "numbered", self if self.seats == places else Seating(places, teams))

    def named(self, numbers: Iterable[int]) -> tuple[S, ...]:
        """Return the seats with these numbers."""
        return tuple([self.seats[number] for number in numbers])

    @classmethod
    def of(cls, seats: tuple[S, ...], teams: str, stated: tuple[tuple[S, ...], ...] = ()) -> Seating[S]:
        """Return a seating. ``teams``: the rulebook's option; ``stated``: the header's teams, else every other seat."""
        if teams == "none":
            return cls(seats)
        return cls(seats, stated or (seats[0::2], seats[1::2]))

    def from_left_of(self, seat: S) -> tuple[S, ...]:
        """Return the other seats clockwise, the left neighbour first."""
        return self._rings[seat][1:]

    def clockwise_from(self, seat: S) -> tuple[S, ...]:
        """Return all seats clockwise, this one first."""
        return self._rings[seat]

    def next_living(self, seat: S, out: Sequence[S]) -> S:
        """Return the next seat clockwise that is not out; the seat itself where no other is left."""
        for other in self._rings[seat]:
            if other not in out and other != seat:
                return other
        return seat

    def next_opponent(self, seat: S, out: Sequence[S]) -> S:
        """Return the next opponent clockwise that is not out; the seat itself where none is left."""
        return self.next_living(seat, (*out, *self.team(seat)))

    def previous_living(self, seat: S, out: Sequence[S]) -> S:
        """Return the next seat counter-clockwise that is not out."""
        return next((other for other in reversed(self._rings[seat][1:]) if other not in out), seat)

    def team(self, seat: S) -> tuple[S, ...]:
        return next((team for team in self.teams if seat in team), (seat,))

    def next_of_side(self, seat: S, out: Sequence[S]) -> S:
        """Return the next of the team clockwise that is not out, else the seat itself (docs/rules.md, 9, *next(x)*)."""
        team = self.team(seat)
        return next((other for other in self._rings[seat][1:] if other in team and other not in out), seat)
