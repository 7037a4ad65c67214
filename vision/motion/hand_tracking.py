"""
Hand tracks: arms followed from coming into the picture until leaving it, with their seat and what they were over.

Motion detection finds arms frame by frame. A hand track (``HandPass``) keeps when it was last over each spot of the
reduced picture, so that the hands over a card's place can be listed, and when it was at the piles.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from vision.geometry.quads import Array, Mask, centre, fill
from vision.layout import TableLayout
from vision.motion.arm_regions import Flags
from vision.motion.change_history import ChangeOnsets
from vision.motion.hand_pass import HandPass, ReachedSeat, Touch
from vision.motion.hand_track import SURE_SEAT, BackColours, HandTrack, distance_px
from vision.motion.holding_hands import HoldingHands
from vision.motion.motion_report import NEVER, Arm, MotionReport

# Shares are from 0 to 1, times in seconds. Chosen by hand, 2026-11.
JUMP_SHARE = 0.2
"""An arm's contact moves by less, in long sides of the picture, from frame to frame."""
BACK_FRAMES = 3
"""Number of frames with whose finger tips an arm without a contact is compared."""
TALON_COVER, HEAP_COVER = 0.06, 0.15
"""A hand that hides more of the talon, or of the discard pile, is at it."""
TOUCH_SLACK_S = 0.1
"""Seconds before a span of time from which finger tips count with it."""
CLEAR_PERCENTILE = 98.0
"""Percentage of a place's spots that must be clear for an arm to have left it: a few may flicker."""
EDGE_SHARE = 0.1
"""Finger tips this near to the picture's edge, in short sides of the picture, are with whoever sits there."""
OWN_SHARE = 0.3
"""A hand track that covers less than this share of a card beside the card was the card."""
UNCOVERS_S = 0.5
"""Seconds before which another hand must not have been over such a card: that hand laid it, and bares it as it goes."""
BEYOND_SHARE = 0.2
"""A region that comes in over the edge is no hand if less of it is no card: a card that slides in is graphics."""
GROWN = 1.3
"""Growth of such a region after which the segmentation is asked again."""
SLID_SHARE = 0.3
"""Share of a card's place that graphics covered as it came, from which the card has slid in."""
A_MOMENT_S = 1e-3
"""Times are kept as float32: a smaller difference, in seconds, does not count."""
CARD_RIM_PX = 3
"""Pixels of the reduced picture round cards in which no hand is searched for: shadows and blur."""
_CARD_RIM = np.ones((2 * CARD_RIM_PX + 1, 2 * CARD_RIM_PX + 1), np.uint8)


# When a hand track begins, ends and belongs to a seat. Times in seconds. Chosen by hand, 2026-11.
LEAVE_S = 0.11
"""Seconds after which an arm that is not found has left; shorter gaps are one or two lost frames."""
PARTING_S = 0.15
"""How long the hand that laid a card may still pass over its rim once the card is seen."""
REMEMBER_S = 12.0
"""How long hand tracks are kept after they ended, for cards that are understood late."""


class HandTracker:
    """Follows the arms of every frame, and returns hand tracks and touches."""

    def __init__(self) -> None:
        self._visits: list[HandTrack] = []
        self._count = 0
        self._any_over: npt.NDArray[np.float32] | None = None
        self._slid_over: npt.NDArray[np.float32] | None = None
        self._scale = 1.0
        self._back = BackColours()
        self.holding = HoldingHands()
        self._onsets = ChangeOnsets()
        self.left_now = False
        """Has a hand left with this frame?"""

    @property
    def busy(self) -> bool:
        """Check whether a hand is in the picture."""
        return any(visit.left_at is None for visit in self._visits)

    def update(self, report: MotionReport, layout: TableLayout) -> None:
        """Take in the arms of a frame."""
        shape = report.arm_labels.shape
        self._scale = report.scale
        if self._any_over is None or self._any_over.shape != shape:
            self._any_over = np.full(shape, NEVER, np.float32)
            self._slid_over = np.full(shape, NEVER, np.float32)
            self._visits.clear()
        self._any_over[report.arm_labels > 0] = report.at
        for visit in self._visits:
            self._record_slid(visit)
        self._onsets.update(report)
        for visit in self._visits:
            visit.mask[:] = 0
        if layout.talon_px is not None:
            self._back.learn(report, layout.talon_px)
        for arm in sorted(report.arms, key=lambda arm: arm.contact is None):
            self._join(arm, report, layout)
        self.left_now = False
        for visit in self._visits:
            if visit.left_at is None:
                self._record_piles(visit, report, layout)
                self._record_edges(visit, report, layout)
            if visit.left_at is None and report.at - visit.seen_at > LEAVE_S and not report.state.blind:
                visit.left_at, self.left_now = visit.seen_at, True
        self._visits = [v for v in self._visits if v.left_at is None or report.at - v.left_at < REMEMBER_S]

    @property
    def wants_to_see(self) -> bool:
        """Check whether the segmentation is needed to decide if a region at the edge is a hand."""
        return any(self._is_open(visit) for visit in self._visits)

    def _is_open(self, visit: HandTrack) -> bool:
        least = max(GROWN * visit.edge.shown_px, 1.0)
        return visit.edge.has_contact and visit.left_at is None and int(np.count_nonzero(visit.mask)) >= least

    def show(self, cards: Flags) -> None:
        """
        Decide which open regions are hands: those with enough area beside the cards.

        ``cards``: (rows, columns) of any size, pixels that the segmentation of the newest frame labels as card.
        """
        for visit in (other for other in self._visits if self._is_open(other)):
            shape = visit.mask.shape
            seen = cv2.resize(cards.astype(np.uint8), shape[::-1], interpolation=cv2.INTER_NEAREST)
            beyond = (visit.mask > 0) & (cv2.dilate(seen, _CARD_RIM) == 0)
            visit.edge.shown_px = int(np.count_nonzero(visit.mask))
            visit.edge.is_hand = float(beyond.sum()) >= BEYOND_SHARE * visit.edge.shown_px

    def slid_in(self, quad_px: Array, since: float) -> bool:
        """Check whether a card came to a place (4, 2) since a moment (seconds) over the edge, without a hand."""
        if self._slid_over is None:
            return False
        over = self._slid_over[fill(self._slid_over.shape, quad_px, 1 / self._scale) > 0]
        return len(over) > 0 and float((over >= since - A_MOMENT_S).mean()) >= SLID_SHARE

    def uncover(self, place: Flags, report: MotionReport) -> None:
        """
        Correct the hand tracks after an arm region at ``place``, (rows, columns), was reclassified as a card at rest.

        A hand track that was nothing else is removed; one of which nothing else is left ended when the card was laid.
        """
        if self._any_over is None or report.still_since is None:
            return
        rest_at = report.still_since[place]
        self._any_over[place] = np.minimum(self._any_over[place], rest_at)
        beyond = cv2.dilate(place.astype(np.uint8), np.ones((5, 5), np.uint8)) == 0
        kept = []
        for visit in self._visits:
            self._record_slid(visit)
            own = (visit.last_over > NEVER / 2) & beyond
            is_open = visit.left_at is None and bool(visit.mask[place].any())
            if is_open and own.sum() < OWN_SHARE * place.sum():
                if not visit.edge.has_come_in or self._was_over(place, visit):
                    continue
                own = visit.last_over > NEVER / 2
            visit.last_over[place] = np.minimum(visit.last_over[place], rest_at)
            if is_open and not visit.mask[beyond].any():
                visit.left_at, self.left_now = float(visit.last_over[own].max()), True
                visit.tips = [tip for tip in visit.tips if tip[0] <= visit.left_at] or visit.tips[:1]
            visit.mask[place] = 0
            kept.append(visit)
        self._visits = kept

    def _was_over(self, place: Flags, visit: HandTrack) -> bool:
        """
        Check whether another hand was there just before: then the region did not come in but was uncovered by that
        hand.
        """
        since = visit.came_at - UNCOVERS_S
        return any(bool((other.last_over[place] >= since).any()) for other in self._visits if other is not visit)

    def _record_slid(self, visit: HandTrack) -> None:
        """Remember where graphics have been."""
        if visit.edge.is_graphics:
            assert self._slid_over is not None
            np.maximum(self._slid_over, visit.last_over, out=self._slid_over)

    def visits(self, layout: TableLayout) -> tuple[HandPass, ...]:
        """Return all hand tracks still remembered, in the order they came."""
        ended, cards_at = [], self.holding.cards_mm(layout)
        for visit in self._visits:
            if visit.ended is None or visit.ended[0] is not layout:
                visit.ended = (layout, visit.as_visit(layout, cards_at))
            ended.append(visit.ended[1])
            if visit.left_at is None:
                visit.ended = None  # it goes on
        return tuple(ended)

    def touches(
        self, quad_px: Array, since: float, until: float, layout: TableLayout, *, seen: bool = False
    ) -> tuple[Touch, ...]:
        """
        Return the hands that were over a place (4, 2) in a span of time (seconds).

        ``seen``: only those that the segmentation has shown to be hands.
        """
        if self._any_over is None:
            return ()
        place = fill(self._any_over.shape, quad_px, 1 / self._scale) > 0
        pixels = max(1, int(place.sum()))
        middle = centre(layout.mm(quad_px))
        found = []
        for visit in self._visits:
            if visit.edge.is_graphics or (seen and not (visit.edge.shown_px and visit.edge.is_hand)):
                continue
            over = visit.last_over[place]
            within = (over >= since) & (over <= until)
            tips = [(x, y) for at, x, y in visit.tips if since - TOUCH_SLACK_S <= at <= until]
            if within.any() and tips:
                near = float(np.linalg.norm(layout.mm(tips) - middle, axis=1).min())
                found.append(
                    Touch(
                        visit.number, round(float(within.sum()) / pixels, 3), round(near, 1), float(over[within].max())
                    )
                )
        return tuple(found)

    def lain_since(self, quad_px: Array, after: float, until: float, others_px: Sequence[Array]) -> float | None:
        """
        Return since when a card that was found at ``until``, and not at ``after``, has lain there; None if not known.

        A hand that came later did not lay it, however long it hid the card. Times in seconds; ``others_px``: cards on
        or under it.
        """
        since = self._onsets.since(quad_px, after, others_px)
        return None if since is None else min(since + PARTING_S, until)

    def clear_at(self, quad_px: Array, until: float) -> float:
        """Return when an arm was last over a place, ``until`` at the latest; ``until`` itself if none ever was."""
        if self._any_over is None:
            return until
        over = self._any_over[fill(self._any_over.shape, quad_px, 1 / self._scale) > 0]
        over = over[(over > NEVER / 2) & (over <= until)]
        return float(np.percentile(over, CLEAR_PERCENTILE)) if len(over) else until

    def _join(self, arm: Arm, report: MotionReport, layout: TableLayout) -> None:
        """Add an arm of a frame to its hand track, or begin one."""
        mask = (report.arm_labels == arm.label).astype(np.uint8)
        visit = self._visit_of(arm, mask, report)
        if visit is None:
            self._count += 1
            visit = HandTrack.begun(self._count, arm, mask.shape, report.at)
            self._visits.append(visit)
        visit.add(arm, mask, report.at, layout)
        like_back = self._back.like_it(report, mask)
        if like_back is not None:
            visit.like_back.append((report.at, like_back))

    def _visit_of(self, arm: Arm, mask: Mask, report: MotionReport) -> HandTrack | None:
        """Return the hand track that an arm continues, None if it is a new one."""
        long_px = max(mask.shape) * report.scale
        best: tuple[float, float, HandTrack] | None = None
        for visit in self._visits:
            if visit.left_at is not None:
                continue
            if arm.contact is not None:
                if visit.mask.any():  # already an arm of this frame: a second contact is a second arm
                    continue
                gap = distance_px(arm.contact, visit.contact)
            else:
                gap = min((distance_px(arm.tip, (x, y)) for at, x, y in visit.tips[-BACK_FRAMES:]), default=long_px)
            if gap >= JUMP_SHARE * long_px:
                continue
            # An arm that breaks in two for a frame and is whole again is the one that it was, not the new piece.
            apart = -float((visit.last_over[mask > 0] >= visit.seen_at).sum())
            if best is None or (apart, gap) < best[:2]:
                best = (apart, gap, visit)
        return None if best is None else best[2]

    def _record_piles(self, visit: HandTrack, report: MotionReport, layout: TableLayout) -> None:
        """Note when the hand is at a pile."""
        shape = visit.mask.shape
        for outline in layout.heaps_px:
            heap = fill(shape, outline, 1 / report.scale) > 0
            if heap.any() and float((visit.mask[heap] > 0).mean()) > HEAP_COVER:
                visit.heap_at = report.at
        if layout.talon_px is None:
            return
        talon = fill(shape, layout.talon_px, 1 / report.scale) > 0
        near = cv2.dilate(visit.mask, np.ones((3, 3), np.uint8))
        at_it = bool(talon.any()) and float((near[talon] > 0).mean()) > TALON_COVER
        if at_it:
            if visit.at_talon_since is None:
                visit.at_talon_since = report.at
            visit.off_talon_at = report.at
        elif visit.at_talon_since is not None:
            visit.end_reach(layout)

    def _record_edges(self, visit: HandTrack, report: MotionReport, layout: TableLayout) -> None:
        """Note when the hand comes to another seat's edge: cards are pushed across the table to who takes them."""
        if not visit.tips or visit.tips[-1][0] < report.at or not visit.seats:
            return
        _, x, y = visit.tips[-1]
        width, height = layout.picture
        if min(x, y, width - x, height - y) > EDGE_SHARE * min(width, height):
            return
        shares = layout.seat_shares((x, y))
        there, own = (
            max(shares, key=lambda seat: shares[seat]),
            max(visit.seats, key=lambda seat: visit.seats[seat]),
        )
        if there != own and shares[there] >= SURE_SEAT:
            visit.reached = ReachedSeat(there, report.at)
