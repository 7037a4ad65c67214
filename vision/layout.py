"""
The table in millimetres: its plane, seats, piles and zones.

Zones are places that people set by hand; whatever they leave open is estimated: talon and discard pile by their cards,
the seats spaced evenly around the picture. Where that is wrong (a pile of plain backs on a plain cloth, two players on
one side) a person drags the zone to its place on the page, and that value is used from then on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import cv2
import numpy as np
import numpy.typing as npt
from msgspec import UNSET, Meta, Struct, UnsetType

from referee.fields import fail, read
from vision.geometry.pose import Pose
from vision.geometry.quads import (
    CARD_HEIGHT_MM,
    CARD_WIDTH_MM,
    Array,
    TableFit,
    card_shaped,
    centre,
    fit_table,
    turn_deg,
    warp,
)

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
        for seat, degrees in values.items():
            if seat not in seats:
                raise fail(f"a seat out of {', '.join(seats)}", seat)
            if degrees is None:
                turned.pop(seat, None)
            else:
                turned[seat] = round(degrees % 360.0, 1) % 360.0
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


SEAT_SPREAD_DEG = 22.0
"""
Standard deviation in degrees between a seat's direction and that of its arm: people lean, and tables are not round in
the picture. Set by hand, 2026-11.
"""

MEASURED_WELL = 4
"""Cards from which the table's plane is exact enough to correct the corners of other cards. Set by hand, 2026-11."""

BENT_MM = 6.0
"""Smallest error in millimetres of a corner that belongs to another card's edge. Set by hand, 2026-11."""

SEAT_FLOOR = 1e-9
"""Smallest weight of a seat, so that shares add up to 1 even if all seats are far."""

GUESSED_WIDTH_MM = 900.0
"""
Assumed width of the picture in millimetres before any card is detected: the reach of two people. Set by hand, 2026-11.
"""


@dataclass(frozen=True, slots=True, eq=False)
class TableLayout:
    """
    The geometry of this table.

    ``picture``: (width, height) in pixels. ``to_mm``: 3x3 homography, picture to table. ``seats``: clockwise as seen by
    the camera, the first at the bottom edge. ``talon_px``, ``heaps_px``: corners of the talon and the discard piles;
    None or empty if not known. ``talon_off_mm``: how far from there the talon may lie, more than 0 where only the
    turn-up is found. ``zones``: what people set on the page.
    """

    picture: tuple[int, int]
    to_mm: npt.NDArray[np.float64]
    seats: tuple[str, ...]
    cards_measured: int = 0
    talon_px: Array | None = None
    heaps_px: tuple[Array, ...] = ()
    talon_off_mm: float = 0.0
    zones: Zones = UNMARKED

    @classmethod
    def guessed(cls, picture: tuple[int, int], seats: tuple[str, ...], zones: Zones = UNMARKED) -> TableLayout:
        """Return the layout before any card is detected: a camera straight above, at the usual height."""
        scale = GUESSED_WIDTH_MM / picture[0]
        to_mm = np.array([[scale, 0, -scale * picture[0] / 2], [0, scale, -scale * picture[1] / 2], [0, 0, 1.0]])
        return cls(picture, to_mm, seats, zones=zones)

    def measured(self, quads_px: Array) -> TableLayout:
        """Return this layout with its plane fitted to these cards (n, 4, 2)."""
        fit: TableFit = fit_table(quads_px, self.picture)
        return replace(self, to_mm=fit.to_mm, cards_measured=fit.cards)

    @property
    def heap_px(self) -> Array | None:
        """Return the most likely discard pile."""
        return self.heaps_px[0] if self.heaps_px else None

    def with_piles(self, talon_px: Array | None, heaps_px: tuple[Array, ...], talon_off_mm: float = 0.0) -> TableLayout:
        """Return this layout with the given piles."""
        return replace(self, talon_px=talon_px, heaps_px=heaps_px, talon_off_mm=talon_off_mm)

    def with_zones(self, zones: Zones) -> TableLayout:
        """Return this layout with the given zones."""
        return replace(self, zones=zones)

    def followed(self, move: npt.NDArray[np.float64]) -> TableLayout:
        """
        Return this layout for a camera that was moved: millimetres stay the same.

        ``move``: (3, 3), from earlier pixels to present pixels.
        """
        width, height = self.picture
        size = np.diag([width, height, 1.0])
        piles = (None if self.talon_px is None else warp(move, self.talon_px), *(warp(move, p) for p in self.heaps_px))
        return replace(
            self,
            to_mm=np.asarray(self.to_mm @ np.linalg.inv(move), np.float64),
            talon_px=piles[0],
            heaps_px=tuple(pile for pile in piles[1:] if pile is not None),
            zones=self.zones.moved((np.linalg.inv(size) @ move @ size)[:2].tolist()),
        )

    def zone_card_px(self, place: tuple[float, float]) -> Array:
        """Return the corners in pixels of a card at a place in shares of the picture; its rotation is a guess."""
        middle = self.mm([place[0] * self.picture[0], place[1] * self.picture[1]])
        return self.card_px(Pose(float(middle[0]), float(middle[1]), 90.0))

    def is_in_bout(self, quad_px: Array) -> bool:
        """Check whether a card lies in the bout zone."""
        if self.zones.bout is None:
            return True
        outline = np.array(self.zones.bout, np.float32) * np.array(self.picture, np.float32)
        x, y = (float(v) for v in centre(quad_px))
        return cv2.pointPolygonTest(outline, (x, y), False) >= 0

    def mm(self, points_px: npt.ArrayLike) -> Array:
        """Convert pixels (..., 2) to millimetres."""
        return warp(self.to_mm, points_px)

    def px(self, points_mm: npt.ArrayLike) -> Array:
        """Convert millimetres (..., 2) to pixels."""
        return warp(np.asarray(np.linalg.inv(self.to_mm), np.float64), points_mm)

    def pose(self, quad_px: Array) -> Pose:
        """Return the pose of a card in millimetres and degrees."""
        quad = self.mm(quad_px)
        middle = centre(quad)
        return Pose(round(float(middle[0]), 1), round(float(middle[1]), 1), round(turn_deg(quad), 1) % 180.0)

    def whole_px(self, quad_px: Array) -> Array:
        """
        Return the corners in pixels of a card of the right size fitted to an inexact quad; unchanged before the plane
        is known.
        """
        if self.cards_measured < MEASURED_WELL:
            return quad_px
        return self.px(card_shaped(self.mm(quad_px), CARD_WIDTH_MM, CARD_HEIGHT_MM, BENT_MM))

    def card_px(self, at: Pose) -> Array:
        """Return the corners in pixels of a card with this pose."""
        turn = math.radians(at.turn_deg - 90)
        corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (CARD_WIDTH_MM / 2, CARD_HEIGHT_MM / 2)
        spin = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
        return self.px(corners @ spin.T + (at.x_mm, at.y_mm))

    @property
    def seat_angles(self) -> dict[str, float]:
        """
        Return each seat's direction from the picture's centre in degrees, y down: set by people, or evenly spaced.
        """
        evenly = {seat: seat_angle(place, len(self.seats)) for place, seat in enumerate(self.seats)}
        return evenly | {seat: degrees for seat, degrees in self.zones.seats if seat in evenly}

    def seat_direction(self, seat: str) -> tuple[float, float]:
        """Return the unit vector in the picture from its centre towards a seat (y down)."""
        angle = math.radians(self.seat_angles[seat])
        return math.cos(angle), math.sin(angle)

    def seat_shares(self, towards_px: tuple[float, float]) -> dict[str, float]:
        """
        Return the probability of each seat for an arm that comes from that point of the picture (or beyond its edge).
        """
        x, y = towards_px[0] - self.picture[0] / 2, towards_px[1] - self.picture[1] / 2
        return seat_shares(math.degrees(math.atan2(y, x)), self.seat_angles)


def seat_angle(place: int, seats: int) -> float:
    """
    Return the direction of a seat in the picture in degrees, y down: 90 is the bottom edge, 180 left, 270 the far side.

    >>> [seat_angle(k, 4) for k in range(4)]
    [90.0, 180.0, 270.0, 0.0]
    """
    return (90.0 + 360.0 * place / seats) % 360.0


def seat_shares(angle_deg: float, seat_angles: Mapping[str, float]) -> dict[str, float]:
    """
    Return the probability of each seat for a direction; ``seat_angles``: each seat's own.

    >>> shares = seat_shares(150.0, {"A": 90.0, "B": 210.0, "C": 330.0})
    >>> {seat: round(share, 2) for seat, share in shares.items()}
    {'A': 0.5, 'B': 0.5, 'C': 0.0}
    """
    weights = {}
    for seat, own_deg in seat_angles.items():
        off = (angle_deg - own_deg + 180.0) % 360.0 - 180.0
        weights[seat] = math.exp(-((off / SEAT_SPREAD_DEG) ** 2) / 2) + SEAT_FLOOR
    total = sum(weights.values())
    return {seat: weight / total for seat, weight in weights.items()}
