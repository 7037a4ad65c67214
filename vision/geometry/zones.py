"""
Zones that people set by hand; whatever they leave open is estimated.

The vision pipeline finds talon and discard pile by their cards, and spaces the seats evenly around the picture. Where
that is wrong (a pile of plain backs on a plain cloth, two players on one side) a person drags the zone to its place on
the page, and that value is used from then on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

RelativePoint = tuple[float, float]
"""A place as shares of the picture's width and height."""
LEAST_CORNER_AREA = 1e-4
"""
Smallest double area, in shares of the picture, of the triangle at each corner of a zone: a zone as thin as a line holds
no card. Set by hand, 2026-11.
"""

EVERYWHERE: tuple[RelativePoint, ...] = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
"""The bout's zone by default."""


@dataclass(frozen=True, slots=True)
class Zones:
    """
    Places are shares of the picture's width and height: (0, 0) its upper left corner, (1, 1) the lower right one.

    ``seats``: (seat, degrees) with the direction from the picture's middle in which the seat is, y down: 90 is the
    bottom edge, 180 the left one. ``talon``, ``heap``: the middle of that pile, None where it is to be found. ``bout``:
    corners, in their order, of the only place where cards are played; None: everywhere.
    """

    seats: tuple[tuple[str, float], ...] = ()
    talon: RelativePoint | None = None
    heap: RelativePoint | None = None
    bout: tuple[RelativePoint, ...] | None = None

    def changed(self, values: Mapping[str, Any], seats: Sequence[str]) -> Zones:
        """
        Return these zones updated with ``values`` from JSON; missing keys stay, null resets to estimation.

        Raises ``ValueError`` that says what is wrong. ``seats``: who sits at the table.

        >>> zones = Zones().changed({"talon": [0.8, 0.5], "seats": {"B": 300}}, ("A", "B"))
        >>> zones
        Zones(seats=(('B', 300.0),), talon=(0.8, 0.5), heap=None, bout=None)
        >>> zones.changed({"talon": None, "seats": {"B": None}}, ("A", "B")) == Zones()
        True
        >>> zones.changed({"talon": [80, 50]}, ("A", "B"))
        Traceback (most recent call last):
            ...
        ValueError: expected a place such as [0.8, 0.5], shares of the picture, got [80, 50]
        """
        if not isinstance(values, Mapping):
            raise ValueError(f'expected zones such as {{"talon": [0.8, 0.5]}}, got {values!r:.60}')
        unknown = sorted(set(values) - {"seats", "talon", "heap", "bout"}, key=str)
        if unknown:
            raise ValueError(f"expected zones out of seats, talon, heap, bout, got {unknown[0]!r:.60}")
        return replace(
            self,
            seats=self._seats_with(values.get("seats", {}), seats),
            talon=_place(values["talon"]) if "talon" in values else self.talon,
            heap=_place(values["heap"]) if "heap" in values else self.heap,
            bout=_corners(values["bout"]) if "bout" in values else self.bout,
        )

    def as_json(self) -> dict[str, Any]:
        """Return the zones that were set, in the form that ``changed`` reads."""
        values: dict[str, Any] = {}
        if self.seats:
            values["seats"] = dict(self.seats)
        for name, place in (("talon", self.talon), ("heap", self.heap)):
            if place is not None:
                values[name] = list(place)
        if self.bout is not None:
            values["bout"] = [list(corner) for corner in self.bout]
        return values

    def moved(self, move: Sequence[Sequence[float]]) -> Zones:
        """
        Return the zones after the camera was moved.

        ``move``: (2, 3), from earlier to present shares of the picture. Seats stay unchanged: a moved camera does not
        move the players.

        >>> Zones(talon=(0.5, 0.5)).moved([[1, 0, 0.1], [0, 1, 0]]).talon
        (0.6, 0.5)
        """

        def at(place: RelativePoint) -> RelativePoint:
            x, y = (round(row[0] * place[0] + row[1] * place[1] + row[2], 4) for row in move)
            return min(max(x, 0.0), 1.0), min(max(y, 0.0), 1.0)

        return replace(
            self,
            talon=None if self.talon is None else at(self.talon),
            heap=None if self.heap is None else at(self.heap),
            bout=None if self.bout is None else tuple(at(corner) for corner in self.bout),
        )

    def _seats_with(self, values: object, seats: Sequence[str]) -> tuple[tuple[str, float], ...]:
        if values is None:
            return ()
        if not isinstance(values, Mapping):
            raise ValueError(f'expected seats such as {{"A": 90}}, got {values!r:.60}')
        turned = dict(self.seats)
        for seat, turn_deg in values.items():
            if seat not in seats:
                raise ValueError(f"expected a seat out of {', '.join(seats)}, got {seat!r:.60}")
            if turn_deg is None:
                turned.pop(seat, None)
            elif _is_number(turn_deg):
                turned[seat] = round(float(turn_deg) % 360.0, 1) % 360.0
            else:
                raise ValueError(f"expected a direction in degrees for {seat}, got {turn_deg!r:.60}")
        return tuple((seat, turned[seat]) for seat in seats if seat in turned)


UNMARKED = Zones()
"""No zone is set: all are estimated."""


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= 1e12


def _place(value: object) -> RelativePoint | None:
    if value is None:
        return None
    if (
        not isinstance(value, list | tuple)
        or len(value) != 2
        or not all(_is_number(share) and 0.0 <= share <= 1.0 for share in value)
    ):
        raise ValueError(f"expected a place such as [0.8, 0.5], shares of the picture, got {value!r:.60}")
    return round(float(value[0]), 4), round(float(value[1]), 4)


def _corners(value: object) -> tuple[RelativePoint, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list | tuple) or len(value) != 4:
        raise ValueError(f"expected the four corners of the bout's zone, got {value!r:.60}")
    corners = [corner for corner in map(_place, value) if corner is not None]
    if len(corners) != 4 or not _is_convex(corners):
        raise ValueError(f"expected four corners that go round a zone without a dent, got {value!r:.60}")
    return tuple(corners)


def _is_convex(corners: Sequence[RelativePoint]) -> bool:
    """Check whether all corners turn the same way and enclose some area."""
    turns = []
    for k in range(len(corners)):
        (ax, ay), (bx, by), (cx, cy) = (corners[(k + j) % len(corners)] for j in range(3))
        turns.append((bx - ax) * (cy - by) - (by - ay) * (cx - bx))
    return all(turn > LEAST_CORNER_AREA for turn in turns) or all(turn < -LEAST_CORNER_AREA for turn in turns)
