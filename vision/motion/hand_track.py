"""
One hand track as it is kept from frame to frame: its outline, seats, piles, and whether it is a hand.

Whether a hand carries a card away from the talon is measured by colours: pointing at the talon, squaring it and putting
a card back otherwise look like drawing. In twelve draws on five development clips the area of back grew by 0.34 to 0.94
of a card, for a pointing finger by 0.0, for a card put back by -0.67.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from vision.capture.sources import Image
from vision.geometry.pose import Pose
from vision.geometry.quads import Array, Mask, centre, fill
from vision.layout import TableLayout
from vision.motion.arm_regions import PixelPoint
from vision.motion.hand_pass import HandPass, ReachedSeat, TalonCall
from vision.motion.motion_report import NEVER, Arm, MotionReport

# Chosen by hand, 2026-11.
STEPS = 8
"""Steps into which each of blue, green and red is divided."""
STAYS, SPILLS = 0.5, 0.25
"""
Shares with which a colour counts in its own step and in either neighbour: a little light more or less moves it by a
step.
"""
LEAST_SHARE = 0.02
"""A colour of less than this share of the back, 0 to 1, is none of its own."""
RATE = 0.2
"""Share by which the known colours follow the picture, each time."""
EVERY_S = 0.4
"""Seconds between two times."""


class BackColours:
    """The colours of the talon's back, learnt while no hand is over it."""

    def __init__(self) -> None:
        self._learnt_at = NEVER
        self._shares: npt.NDArray[np.float32] | None = None
        self.card_px = 0
        """Reduced pixels of one card, where the talon lies."""

    def learn(self, report: MotionReport, talon_px: Array) -> None:
        """Learn the colours of the talon, (4, 2) in full-size pixels, from one frame."""
        if report.picture is None or report.state.blind or report.at - self._learnt_at < EVERY_S:
            return
        place = fill(report.arm_labels.shape, talon_px, 1 / report.scale) > 0
        if not place.any() or report.arm_labels[place].any() or report.restless[place].any():
            return
        self._learnt_at = report.at
        self.card_px = int(place.sum())
        counted = np.bincount(_steps(report.picture[place]), minlength=STEPS**3).astype(np.float32)
        spread = counted.reshape(STEPS, STEPS, STEPS)
        for axis in range(3):
            edge = np.pad(spread, [(1, 1) if k == axis else (0, 0) for k in range(3)])
            before, after = np.take(edge, range(STEPS), axis), np.take(edge, range(2, STEPS + 2), axis)
            spread = STAYS * spread + SPILLS * (before + after)
        now = (spread.ravel() / self.card_px).astype(np.float32)
        if self._shares is None:
            self._shares = now
        self._shares += np.float32(RATE) * (now - self._shares)

    def like_it(self, report: MotionReport, arm: Mask) -> float | None:
        """Return the area of an arm (rows, columns; 1 within it) with these colours, in cards; None if unknown."""
        if self._shares is None or report.picture is None or not self.card_px:
            return None
        colours = _steps(report.picture[arm > 0])
        return float((self._shares[colours] >= LEAST_SHARE).sum()) / self.card_px


def _steps(pixels: Image) -> npt.NDArray[np.intp]:
    """Return the number (n,) of each pixel's colour, of (n, 3) uint8."""
    steps = pixels.astype(np.intp) * STEPS // 256
    return np.asarray((steps[:, 0] * STEPS + steps[:, 1]) * STEPS + steps[:, 2])


# Shares are from 0 to 1, times in seconds. Chosen by hand, 2026-11.
SHOULDER_SHARE = 0.3
"""An arm is taken to come from this far beyond the edge, in long sides of the picture."""
LEAST_ARM = 0.06
"""A shorter arm, in long sides of the picture, has no direction."""
CAME_IN = 1.4
"""Growth of a region while it came in over the edge, from which it was a hand that laid a card there."""
WENT_BACK = 0.5
"""A hand goes back: at last no more than this share of its largest contact region is joined to the edge."""
TALON_REACH_MM = 75.0
"""A hand reaches for the talon if its tips end within this of the talon's middle: a card's length and fingers."""
REACH_GAP_S = 0.4
"""Seconds within which a hand that is over the talon again has not been away: the outline of an arm
frays in dim and turned films."""
HAND_TRACKER_CARRIED_S = 0.5
"""How long before and after it was at the talon the area of back that a hand carries is compared."""
SURE_SEAT = 0.75
"""Probability from which a seat is named: below, two seats fit about equally."""


@dataclass(slots=True)
class EdgeRegion:
    """The region that came in over the picture's edge. Areas are in pixels of the reduced picture."""

    has_contact: bool = False
    is_at_edge: bool = False
    now_px: int = 0
    most_px: int = 0
    first_px: int = 0
    shown_px: int = 0
    """Area of the region when the segmentation was last asked."""
    is_hand: bool = True

    def record(self, arm: Arm, mask: Mask) -> None:
        """Note how much of the region is joined to the edge."""
        self.is_at_edge = arm.contact is not None
        if self.is_at_edge:
            self.now_px = int(np.count_nonzero(mask))
            self.first_px = self.first_px or self.now_px
            self.most_px = max(self.most_px, self.now_px)

    @property
    def has_come_in(self) -> bool:
        """Check whether it was small at first, at the edge, and grew as it came."""
        return 0 < self.first_px * CAME_IN <= self.most_px

    @property
    def is_graphics(self) -> bool:
        """
        Check whether only cards have come in, and come clear of the edge whole.

        A hand that lays a card close to the edge shows little of itself, but it goes back where it came from.
        """
        return not self.is_hand and not self.is_at_edge and self.now_px > WENT_BACK * self.most_px


@dataclass(slots=True)
class HandTrack:
    """
    A hand track as it is kept. Masks and places are of the reduced picture; ``tips``: (at, x, y) of finger tips.

    ``seats``: weight of each seat; ``reached``: another one at whose edge it was. ``heap_at``: when it was last at a
    discard pile. ``calls``: each reach for the talon, with the time at which it began; ``like_back``: (at, area in
    cards) of what looks like a back in the hand.
    """

    number: int
    came_at: float
    last_over: npt.NDArray[np.float32]
    mask: Mask
    contact: PixelPoint
    seen_at: float
    left_at: float | None = None
    tips: list[tuple[float, float, float]] = field(default_factory=list)
    seats: dict[str, float] = field(default_factory=dict)
    reached: ReachedSeat | None = None
    edge: EdgeRegion = field(default_factory=EdgeRegion)
    heap_at: float | None = None
    at_talon_since: float | None = None
    off_talon_at: float = 0.0
    calls: list[tuple[float, TalonCall]] = field(default_factory=list)
    like_back: list[tuple[float, float]] = field(default_factory=list)
    ended: tuple[TableLayout, HandPass] | None = None

    @staticmethod
    def begun(number: int, arm: Arm, shape: tuple[int, ...], at: float) -> HandTrack:
        """Begin a track with its first arm, in masks of a shape (rows, columns)."""
        track = HandTrack(
            number, at, np.full(shape, NEVER, np.float32), np.zeros(shape, np.uint8), arm.contact or arm.tip, at
        )
        track.edge.has_contact = arm.contact is not None
        return track

    def add(self, arm: Arm, mask: Mask, at: float, layout: TableLayout) -> None:
        """Add an arm of a frame; a second one of the same frame is a part of the same hand."""
        self.seen_at = at
        self.edge.record(arm, mask)
        self.mask |= mask
        self.last_over[mask > 0] = at
        if arm.contact is not None:
            self.contact = arm.contact
            for seat, share in layout.seat_shares(shoulder(arm, max(layout.picture))).items():
                self.seats[seat] = self.seats.get(seat, 0.0) + share * arm.share
        if not self.tips or self.tips[-1][0] < at:
            self.tips.append((at, *arm.tip))
        elif distance_px(arm.tip, self.contact) > distance_px(self.tips[-1][1:], self.contact):
            self.tips[-1] = (at, *arm.tip)

    def end_reach(self, layout: TableLayout) -> None:
        """Keep a reach for the talon, now that the hand is clear of it, unless it only passed over."""
        since, until, self.at_talon_since = self.at_talon_since, self.off_talon_at, None
        assert since is not None
        assert layout.talon_px is not None
        tips = [(x, y) for at, x, y in self.tips if since <= at <= until]
        if not tips:
            return
        deepest = max(tips, key=lambda tip: distance_px(tip, self.contact))
        gap = float(np.linalg.norm(layout.mm(deepest) - centre(layout.mm(layout.talon_px))))
        if gap > TALON_REACH_MM + layout.talon_off_mm:
            return
        if self.calls and since - self.calls[-1][1].at <= REACH_GAP_S:
            since, _ = self.calls.pop()
        self.calls.append((since, TalonCall(until, round(gap, 1))))

    def as_visit(self, layout: TableLayout, cards_at: Mapping[str, Pose]) -> HandPass:
        """Return the track in millimetres on the table. ``cards_at``: where seats hold their cards in the picture."""
        total = sum(self.seats.values())
        seat, share = None, 0.0
        if total > 0:
            seat, weight = max(self.seats.items(), key=lambda item: item[1])
            share = weight / total
        calls, wait = [], HAND_TRACKER_CARRIED_S
        for since, call in self.calls:
            before = [area for at, area in self.like_back if since - wait <= at < since]
            after = [area for at, area in self.like_back if call.at < at <= call.at + wait]
            carried = round(max(after) - max(before), 2) if before and after else None
            calls.append(replace(call, carried=carried))
        where = layout.mm([self.contact, *((x, y) for _, x, y in self.tips)]).round(1).tolist()
        (home_x, home_y), (x_mm, y_mm) = where[0], where[-1] if self.tips else (0.0, 0.0)
        return HandPass(
            self.number,
            seat if share >= SURE_SEAT else None,
            round(share, 3),
            self.came_at,
            self.left_at,
            seat,
            Pose(x_mm, y_mm),
            self.heap_at,
            tuple(calls),
            self.reached,
            tuple((at, x, y) for (at, _, _), (x, y) in zip(self.tips, where[1:], strict=True)),
            (*(at for owner, at in cards_at.items() if owner == seat), Pose(home_x, home_y)),
        )


def distance_px(one: PixelPoint, other: PixelPoint) -> float:
    """Return the distance of two places in px."""
    return float(np.hypot(one[0] - other[0], one[1] - other[1]))


def shoulder(arm: Arm, long_px: int) -> PixelPoint:
    """Return where the arm comes from beyond the edge: on the line from its tip through its contact."""
    assert arm.contact is not None
    x, y = arm.contact[0] - arm.tip[0], arm.contact[1] - arm.tip[1]
    length = float(np.hypot(x, y))
    if length < LEAST_ARM * long_px:
        return arm.contact
    on = SHOULDER_SHARE * long_px / length
    return arm.contact[0] + x * on, arm.contact[1] + y * on
