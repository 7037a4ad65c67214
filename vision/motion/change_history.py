"""Since when each spot of the reduced picture looks as it does, and which changes no card accounts for yet."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from vision.geometry.quads import Array, Mask, fill
from vision.motion.arm_regions import Flags
from vision.motion.motion_report import NEVER, MotionReport

Times = npt.NDArray[np.float32]

OWN_SHARE = 0.2
"""A card with less of its area clear of all others has no time of its own. Chosen by hand."""
SEEN_SHARE = 0.6
"""Share of that area that must have been seen to change. Chosen by hand."""


class ChangeOnsets:
    """
    Since when each spot looks as it does.

    A card that was laid and at once hidden by a resting hand has lain there since before that hand came.
    """

    def __init__(self) -> None:
        self._since: Times = np.zeros((0, 0), np.float32)
        self._pending: Flags = np.zeros((0, 0), bool)
        self._taken_up: Flags = np.zeros((0, 0), bool)
        self._scale = 1.0

    def update(self, motion: MotionReport) -> None:
        """Take in one frame."""
        shape = motion.arm_labels.shape
        if self._since.shape != shape or motion.state.relearned:
            self._since = np.full(shape, NEVER, np.float32)
            self._pending, self._taken_up = np.zeros(shape, bool), np.zeros(shape, bool)
        self._scale = motion.scale
        if motion.state.blind or not (motion.restless.any() or motion.changed.any() or self._pending.any()):
            return
        free = motion.arm_labels == 0
        differs = (motion.restless | motion.changed) & free
        begins = differs & ~self._pending
        self._since[begins] = motion.at
        self._taken_up[begins] = False
        self._pending |= differs
        self._taken_up |= motion.changed
        is_calm = free & ~differs
        # What went as it came, without becoming part of the table, was a shadow or the rim of a hand.
        self._since[is_calm & self._pending & ~self._taken_up] = NEVER
        self._pending &= ~is_calm

    def since(self, quad_px: Array, after: float, others_px: Sequence[Array] = ()) -> float | None:
        """
        Return when the card at a place (4, 2) was first seen without a hand over it, in seconds; None if it was not.

        ``after``: the place was empty then; earlier changes don't count. ``others_px``: cards on or under it, whose own
        coming says nothing.
        """
        if not self._since.size:
            return None
        place = fill(self._since.shape, quad_px, 1 / self._scale)
        whole = np.count_nonzero(place)
        for other in others_px:
            place[fill(place.shape, other, 1 / self._scale) > 0] = 0
        spots = self._since[place > 0]
        if len(spots) < OWN_SHARE * whole:
            return None
        seen = spots[spots > after]
        return float(np.median(seen)) if len(spots) and len(seen) >= SEEN_SHARE * len(spots) else None


class UnexplainedChange:
    """
    The changes that no card accounts for yet.

    Before the first change is added nothing is known, and anything may be new: ``is_known`` is False.
    """

    def __init__(self) -> None:
        self._flags: Flags | None = None
        self._calm_at: Times | None = None

    @property
    def is_known(self) -> bool:
        """Check whether any change has been added."""
        return self._flags is not None

    def add(self, changed: Flags, calm_at: Times | float, explain: bool) -> None:
        """
        Add changed spots.

        ``calm_at``: when each was last at rest before, in seconds. ``explain``: a card may have come there.
        """
        if self._flags is None or self._flags.shape != changed.shape:
            self._flags, self._calm_at = np.zeros(changed.shape, bool), np.zeros(changed.shape, np.float32)
        assert self._calm_at is not None
        if explain:
            new = changed & ~self._flags
            self._calm_at[new] = calm_at if isinstance(calm_at, float) else calm_at[new]
            self._flags |= changed

    def clear(self) -> None:
        """Account for all changes."""
        if self._flags is not None:
            self._flags[:] = False

    def account(self, place: Mask | Flags, spill: int = 0) -> None:
        """Account for the changes at a card's place, and within a rim of ``spill`` pixels round it."""
        if self._flags is None:
            return
        grown = cv2.dilate(place.astype(np.uint8), np.ones((2 * spill + 1, 2 * spill + 1), np.uint8))
        self._flags[grown > 0] = False

    def left(self, arms: Flags) -> Flags:
        """Return the changes not accounted for, where no arm hides them."""
        if self._flags is None or self._flags.shape != arms.shape:
            return np.zeros_like(arms)
        return self._flags & ~arms

    def share(self, place: Flags) -> float:
        """Return the share of a place, 0 to 1, that has changed; 1 while nothing is known."""
        if self._flags is None:
            return 1.0
        return float(self._flags[place].mean()) if place.any() else 0.0

    def own(self, place: Flags, arms: Flags, claimed: Flags, known: Flags) -> Flags:
        """Return a new card's own part of its place: no arm, no better detection, no known card without a change."""
        free = place & ~arms & ~claimed
        return free if self._flags is None else free & ~(known & ~self._flags)

    def unchanged_at(self, place: Flags, default: float) -> float:
        """Return when a place last was as before its change, in seconds; ``default`` if it has not changed."""
        if self._flags is None or self._calm_at is None or not self._flags[place].any():
            return default
        return max(0.0, float(np.median(self._calm_at[place & self._flags])))
