"""
Zones that people set by hand; whatever they leave open is estimated.

The vision pipeline finds talon and discard pile by their cards, and spaces the seats evenly around the picture. Where
that is wrong (a pile of plain backs on a plain cloth, two players on one side) a person drags the zone to its place on
the page, and that value is used from then on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from referee.fields import fail, read

RelativePoint = tuple[float, float]
"""A place as shares of the picture's width and height."""
LEAST_CORNER_AREA = 1e-4
"""
Smallest double area, in shares of the picture, of the triangle at each corner of a zone: a zone as thin as a line holds
no card. Set by hand, 2026-11.
"""

EVERYWHERE: tuple[RelativePoint, ...] = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
"""The bout's zone by default."""


Share = Annotated[float, Meta(ge=0, le=1)]
Place = Annotated[tuple[Share, Share], Meta(description="a place such as [0.8, 0.5], shares of the picture")]
Corners = Annotated[tuple[Place, Place, Place, Place], Meta(description="the four corners of the bout's zone")]
Degrees = Annotated[float, Meta(ge=-1e12, le=1e12, description="a direction in degrees")]
Seats = Annotated[Mapping[str, Degrees | None], Meta(description='directions of seats such as {"A": 90}')]


class ZonesBody(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Places as JSON; those that are missing stay, null lets the program find the place."""

    seats: Seats | UnsetType | None = UNSET
    talon: Place | UnsetType | None = UNSET
    heap: Place | UnsetType | None = UNSET
    bout: Corners | UnsetType | None = UNSET


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
        >>> zones.changed({"talon": [8, 5]}, ("A", "B"))
        Traceback (most recent call last):
            ...
        referee.errors.RecordError: expected "talon" to be a place such as [0.8, 0.5], shares of the picture, got [8, 5]
        """
        if not isinstance(values, Mapping):
            raise fail('zones such as {"talon": [0.8, 0.5]}', values)
        given = read(dict(values), ZonesBody, "zones")
        return replace(
            self,
            seats=self.seats if given.seats is UNSET else self._seats_with(given.seats, seats),
            talon=self.talon if given.talon is UNSET else _rounded(given.talon),
            heap=self.heap if given.heap is UNSET else _rounded(given.heap),
            bout=self.bout if given.bout is UNSET else _corners(given.bout),
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

    def _seats_with(
        self, values: Mapping[str, float | None] | None, seats: Sequence[str]
    ) -> tuple[tuple[str, float], ...]:
        if values is None:
            return ()
        turned = dict(self.seats)
        for seat, turn_deg in values.items():
            if seat not in seats:
                raise fail(f"a seat out of {', '.join(seats)}", seat)
            if turn_deg is None:
                turned.pop(seat, None)
            else:
                turned[seat] = round(turn_deg % 360.0, 1) % 360.0
        return tuple((seat, turned[seat]) for seat in seats if seat in turned)


UNMARKED = Zones()
"""No zone is set: all are estimated."""


def _rounded(place: RelativePoint | None) -> RelativePoint | None:
    return None if place is None else (round(place[0], 4), round(place[1], 4))


def _corners(places: tuple[RelativePoint, ...] | None) -> tuple[RelativePoint, ...] | None:
    corners = tuple((round(x, 4), round(y, 4)) for x, y in places or ())
    if places is not None and not _is_convex(corners):
        raise fail('"bout" to have four corners that go round a zone without a dent', list(places))
    return corners or None


def _is_convex(corners: Sequence[RelativePoint]) -> bool:
    """Check whether all corners turn the same way and enclose some area."""
    turns = []
    for k in range(len(corners)):
        (ax, ay), (bx, by), (cx, cy) = (corners[(k + j) % len(corners)] for j in range(3))
        turns.append((bx - ax) * (cy - by) - (by - ay) * (cx - bx))
    return all(turn > LEAST_CORNER_AREA for turn in turns) or all(turn < -LEAST_CORNER_AREA for turn in turns)
