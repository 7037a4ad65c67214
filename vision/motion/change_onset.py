"""
Since when each spot of the table looks as it does: a card that was laid and at once hidden by a resting hand has lain
there since before that hand came.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.geometry.quads import Array, fill
from vision.motion.background_subtraction import NEVER, MotionReport
from vision.motion.patches import Flags


@dataclass(frozen=True, slots=True)
class ChangeOnsetSettings:
    """When a card's coming is told by its spots. Shares of its area, 0 to 1. Set by hand, 2026-11."""

    own_share: float = 0.2
    """A card of which less lies clear of all others is not told. Higher: cards in a crowd aren't; lower: a sliver
    decides."""
    seen_share: float = 0.6
    """So much of that must have been seen to change. Higher: fewer cards are told; lower: shadows date them."""


class ChangeOnsets:
    """Feed it every gate report; ask it since when something lies at a place."""

    def __init__(self, settings: ChangeOnsetSettings = ChangeOnsetSettings()) -> None:
        self.settings = settings
        self._since: npt.NDArray[np.float32] = np.zeros((0, 0), np.float32)
        self._pending: Flags = np.zeros((0, 0), bool)
        self._taken_up: Flags = np.zeros((0, 0), bool)
        self._scale = 1.0

    def feed(self, report: MotionReport) -> None:
        """See one frame."""
        shape = report.arm_labels.shape
        if self._since.shape != shape or report.relearned:
            self._since = np.full(shape, NEVER, np.float32)
            self._pending, self._taken_up = np.zeros(shape, bool), np.zeros(shape, bool)
        self._scale = report.scale
        if report.blind or not (report.restless.any() or report.changed.any() or self._pending.any()):
            return
        free = report.arm_labels == 0
        differs = (report.restless | report.changed) & free
        begins = differs & ~self._pending
        self._since[begins] = report.at
        self._taken_up[begins] = False
        self._pending |= differs
        self._taken_up |= report.changed
        is_calm = free & ~differs
        # What went as it came, without becoming part of the table, was a shadow or the rim of a hand.
        self._since[is_calm & self._pending & ~self._taken_up] = NEVER
        self._pending &= ~is_calm

    def since(self, quad_px: Array, after: float, others_px: Sequence[Array] = ()) -> float | None:
        """
        When what lies at a place (4, 2) was first seen there without a hand over it; None if that was not seen.

        ``after``: the place was empty then; what was seen before that is not meant. ``others_px``: cards on or under
        it, whose own coming says nothing.
        """
        if not self._since.size:
            return None
        place = fill(self._since.shape, quad_px, 1 / self._scale)
        size = np.count_nonzero(place)
        for other in others_px:
            place[fill(place.shape, other, 1 / self._scale) > 0] = 0
        spots = self._since[place > 0]
        if len(spots) < self.settings.own_share * size:
            return None
        seen = spots[spots > after]
        return float(np.median(seen)) if len(spots) and len(seen) >= self.settings.seen_share * len(spots) else None
