"""How much of each card shows, beside arms and the cards that lie on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.motion.arm_regions import Flags
from vision.table.track import FULL_VIEW, VISIBLE_SHARE, FrameFacts, Track


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

    def is_covered(self, track: Track) -> bool:
        """Check whether later cards hide most of the card, so that not finding it says nothing."""
        whole, view = CardsInView(self.tracks, replace(self.facts, arms=np.zeros_like(self.facts.arms))).of(track)
        return float(view.sum()) < VISIBLE_SHARE * whole

    def is_under_arm(self, track: Track) -> bool:
        """Check whether an arm hides most of it."""
        place = self.facts.place(track.corners_px)
        return bool(place.any()) and float(self.facts.arms[place].mean()) > 1 - FULL_VIEW

    def found_again(self) -> Flags:
        """Return where confirmed cards lie that this inference has found."""
        mask = np.zeros(self.facts.shape, np.uint8)
        for track in self.tracks:
            if track.is_confirmed and track.seen_at == self.facts.at:
                cv2.fillConvexPoly(mask, np.round(track.corners_px / self.facts.scale).astype(np.int32), 1)
        return mask > 0
