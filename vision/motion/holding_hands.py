"""
Hands that hold cards in the picture: they rest there, so that motion detection takes them for a part of the table.

Only the segmentation finds them. A player takes the cards that he lays from this hand, and carries cards to it. Each
time the other cards in it shift a little; motion detection would take that difference from the background for an arm.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.geometry.pose import Pose
from vision.geometry.quads import Array, fill, size
from vision.layout import TableLayout
from vision.motion.arm_regions import Flags, numbered_regions, share_of, tip_of
from vision.motion.cards_in_arm_regions import RESTING
from vision.motion.hand_track import SURE_SEAT, shoulder
from vision.motion.motion_report import Arm, MotionReport

LEAST_HAND_SHARE = 0.005
"""Least share of the picture of a hand that holds cards: twice that of an arm. Chosen by hand."""
RIM_SHARE = 0.02
"""A hand this near to the picture's edge, in long sides of the picture, comes in over it. Chosen by hand."""

HELD_GAP, LET_GO_GAP = 0.5, 1.0
"""Most distance of a held card from what the segmentation shows of the hand, in card diagonals: it often misses
fingers. A card that was held is let go at the second distance, since more or less of a hand shows each time. Chosen by
hand."""


class HoldingHands:
    """Finds these hands. ``hands``: as arms with label 0, with their places in pixels of the full-size picture."""

    def __init__(self) -> None:
        self.hands: tuple[Arm, ...] = ()
        self._seen: Flags | None = None
        self._spots: Flags | None = None
        self._apart_px: npt.NDArray[np.float32] | None = None
        self._scale = 1.0

    def update(self, arms_seen: Flags, report: MotionReport) -> None:
        """
        Update the hands from a segmentation. ``arms_seen``: (rows, columns) of any size, pixels labelled as arm.

        A hand is found once two consecutive segmentations show it, and kept while a moving arm covers it.
        """
        shape = (report.arm_labels.shape[0], report.arm_labels.shape[1])
        seen = cv2.resize(arms_seen.astype(np.uint8), shape[::-1], interpolation=cv2.INTER_NEAREST) > 0
        before, self._seen = self._seen, seen
        if before is None or before.shape != shape:
            self.hands, self._spots = (), None
            return
        moving = cv2.dilate(_moving(report), np.ones((5, 5), np.uint8)) > 0
        spots = seen & before & ~moving
        if self._spots is not None:
            spots |= self._spots & moving
        self._spots, rim = np.zeros(shape, bool), _rim(shape)
        numbered, sizes = numbered_regions(spots.astype(np.uint8))
        hands = []
        for k, pixels in enumerate(sizes[1:], start=1):
            part = np.asarray(numbered == k)
            rows, columns = np.nonzero(part & rim)
            if pixels < LEAST_HAND_SHARE * part.size or not len(rows):
                continue
            contact = float(columns.mean()), float(rows.mean())
            tip = tip_of(part, contact)
            places = [(x * report.scale, y * report.scale) for x, y in (contact, tip)]
            hands.append(Arm(0, places[0], places[1], share_of(part)))
            self._spots |= part
        self.hands, self._scale = tuple(hands), report.scale
        self._apart_px = np.asarray(cv2.distanceTransform((~self._spots).astype(np.uint8), cv2.DIST_L2, 3), np.float32)

    def cards_mm(self, layout: TableLayout) -> dict[str, Pose]:
        """Return where seats hold their cards in the picture: at the finger tips of the largest such hand of each."""
        places: dict[str, Pose] = {}
        for hand in sorted(self.hands, key=lambda hand: hand.share):
            shares = layout.seat_shares(shoulder(hand, max(layout.picture)))
            seat = max(shares, key=lambda owner: shares[owner])
            if shares[seat] >= SURE_SEAT:
                places[seat] = _pose(layout, hand)
        return places

    def beside(self, layout: TableLayout) -> Flags | None:
        """
        Return where, (rows, columns) of the reduced picture, the cards in these hands may be: a card's diagonal round
        them; None without any.
        """
        if self._apart_px is None or not self.hands:
            return None
        reach_px = max(size(layout.card_px(pose)) for pose in (_pose(layout, hand) for hand in self.hands))
        return np.asarray(self._apart_px * self._scale <= reach_px)

    def holds(self, quad_px: Array, *, held: bool) -> bool:
        """Check whether one of these hands is at a card (4, 2): then it belongs to no pile. ``held``: was it before?"""
        if self._apart_px is None or not self.hands:
            return False
        gap = LET_GO_GAP if held else HELD_GAP
        rows, columns = self._apart_px.shape
        place = self._apart_px[fill((rows, columns), quad_px, 1 / self._scale) > 0]
        return len(place) > 0 and float(place.min()) * self._scale <= gap * size(quad_px)


def _pose(layout: TableLayout, hand: Arm) -> Pose:
    x_mm, y_mm = layout.mm(hand.tip).round(1).tolist()
    return Pose(x_mm, y_mm)


def _moving(report: MotionReport) -> np.ndarray:
    """Return a mask (rows, columns), 1 in arm regions that move."""
    labels = report.arm_labels
    return ((labels > 0) & (labels < RESTING)).astype(np.uint8)


def _rim(shape: tuple[int, int]) -> Flags:
    """Return a mask (rows, columns) of the pixels near the picture's edge."""
    width = max(1, round(RIM_SHARE * max(shape)))
    rim = np.ones(shape, bool)
    rim[width:-width, width:-width] = False
    return rim
