"""How much of each card shows, beside arms and the cards that lie on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.motion.arm_regions import Flags
from vision.table.track import FULL_VIEW, VISIBLE_SHARE, FrameFacts, Track

OCCLUDER_RIM_PX = 3
"""Pixels of the reduced picture by which changes of a card, or a hand beside it, spill over one under it."""
RIM = np.ones((2 * OCCLUDER_RIM_PX + 1, 2 * OCCLUDER_RIM_PX + 1), np.uint8)
"""The square, (7, 7) uint8, by which a card's place is widened for its rim."""


@dataclass(frozen=True, slots=True)
class CardSight:
    """
    One card at one inference: where it is expected, before detections are paired; then where it lies.

    Shares of its area, 0 to 1: ``visible``, neither arms nor later cards hide it; ``uncovered``, no later card does,
    arms aside; ``arm``, arms hide it. Shares of its place and of a rim round it: ``touched``, hands may have touched it
    since the card was last found; ``handled``, since the inference before this one; 1 where hands may be anywhere.
    ``is_outside``: nothing of it lies in the picture. ``is_visited``: a hand was over it a moment ago, and since it was
    last found. ``is_changed``: its place has changed since then.

    Known once detections are paired: ``found``, index of the detection that continues it, None if there is none;
    ``is_missed``, it should have been found, was not, and no card in doubt lies on it; ``is_laid_over``, a card that
    came after it was last seen lies on it; ``is_held``, a hand that rests in the picture holds it.
    """

    visible: float
    uncovered: float
    arm: float
    touched: float
    handled: float
    is_outside: bool
    is_visited: bool
    is_changed: bool
    found: int | None = None
    is_missed: bool = False
    is_laid_over: bool = False
    is_held: bool = False

    @property
    def is_covered(self) -> bool:
        """Check whether later cards hide most of the card, so that not finding it says nothing."""
        return self.uncovered < VISIBLE_SHARE and not self.is_outside

    @property
    def is_under_arm(self) -> bool:
        """Check whether an arm hides most of it."""
        return self.arm > 1 - FULL_VIEW


@dataclass(frozen=True, slots=True, eq=False)
class Visits:
    """
    When hands may have been where.

    ``visited_at``: (rows, columns) of the reduced picture, seconds, None if hands may have been anywhere. ``since_at``:
    the inference before this one, in seconds; ``moment_s``: how long a hand counts as having been there a moment ago.
    """

    visited_at: npt.NDArray[np.float64] | None
    since_at: float
    moment_s: float


@dataclass(frozen=True, slots=True, eq=False)
class CardsInView:
    """``tracks``: oldest first; of two that overlap the later one lies on top. ``facts``: of the newest frame."""

    tracks: Sequence[Track]
    facts: FrameFacts

    def of(self, track: Track) -> tuple[int, Flags]:
        """Return how many pixels a card covers, and which of them are in view."""
        place = self.facts.filled(track.corners_px)
        whole = int((place > 0).sum())
        place[self.facts.arms] = 0
        for later in self.tracks[self.tracks.index(track) + 1 :]:
            cv2.fillConvexPoly(place, np.round(later.corners_px / self.facts.scale).astype(np.int32), 0)
        return whole, place > 0

    def share(self, track: Track) -> float:
        """Return the share of a card that is in view, 0..1."""
        whole, view = self.of(track)
        return float(view.sum()) / whole if whole else 0.0

    def sight(self, track: Track, visits: Visits) -> CardSight:
        """Return what shows of a card, and what hands have done there."""
        filled = self.facts.filled(track.corners_px)
        place = filled > 0
        whole = int(place.sum())
        later = filled.copy()
        for above in self.tracks[self.tracks.index(track) + 1 :]:
            cv2.fillConvexPoly(later, np.round(above.corners_px / self.facts.scale).astype(np.int32), 0)
        bare = later > 0
        near = cv2.dilate(filled, RIM) > 0
        times = None if visits.visited_at is None or not near.any() else visits.visited_at[near]
        moment_at = max(track.seen_at, self.facts.at - visits.moment_s)
        return CardSight(
            visible=float((bare & ~self.facts.arms).sum()) / whole if whole else 0.0,
            uncovered=float(bare.sum()) / whole if whole else 0.0,
            arm=float(self.facts.arms[place].mean()) if whole else 0.0,
            touched=1.0 if times is None else float((times > track.seen_at).mean()),
            handled=1.0 if times is None else float((times > visits.since_at).mean()),
            is_outside=not whole,
            is_visited=visits.visited_at is not None and (times is None or bool((times > moment_at).any())),
            is_changed=track.changed_since_found is not None,
        )

    def sights(self, visits: Visits) -> dict[int, CardSight]:
        """Return the sight of each card by its key."""
        return {track.key: self.sight(track, visits) for track in self.tracks}

    def found_again(self) -> Flags:
        """Return where confirmed cards lie that this inference has found."""
        mask = np.zeros(self.facts.shape, np.uint8)
        for track in self.tracks:
            if track.is_confirmed and track.seen_at == self.facts.at:
                cv2.fillConvexPoly(mask, np.round(track.corners_px / self.facts.scale).astype(np.int32), 1)
        return mask > 0
