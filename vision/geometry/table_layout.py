"""The table in millimetres: its plane, seats, piles and zones."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from vision.geometry.plane_homography import CARD_HEIGHT_MM, CARD_WIDTH_MM, TableFit, fit_table
from vision.geometry.quads import Array, card_shaped, centre, turn_deg, warp
from vision.geometry.zones import UNMARKED, Zones
from vision.observation import Pose

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
        return evenly | {seat: turn_deg for seat, turn_deg in self.zones.seats if seat in evenly}

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
