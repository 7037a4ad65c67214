"""What of the picture is new: where it has changed and come to rest, and no card accounts for the change yet."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from vision.geometry.quads import Array, Mask, area, centre, fill, size
from vision.motion.background_subtraction import MotionReport
from vision.motion.patches import Flags

Times = npt.NDArray[np.float32]


class RestTimes:
    """When each spot of the reduced picture was last seen at rest and free of arms."""

    def __init__(self) -> None:
        self.calm_at: Times = np.zeros((0, 0), np.float32)
        """(rows, columns) in seconds, 0 where it never was."""

    def feed(self, report: MotionReport) -> None:
        """See one frame."""
        if self.calm_at.shape != report.changed.shape:
            self.calm_at = np.zeros(report.changed.shape, np.float32)
        self.calm_at[~(report.changed | report.restless | (report.arm_labels > 0))] = report.at


class UnexplainedChange:
    """
    The changes that are still to be accounted for, on the reduced picture.

    Before the first change is noted nothing is known, and anything may be new: ``is_known`` is False.
    """

    def __init__(self) -> None:
        self._flags: Flags | None = None
        self._calm_at: Times | None = None

    @property
    def is_known(self) -> bool:
        """Has any change been noted?"""
        return self._flags is not None

    def note(self, changed: Flags, calm_at: Times | float, explain: bool) -> None:
        """
        Spots changed. ``calm_at``: when each was last at rest before, in seconds. ``explain``: a card may have come.
        """
        if self._flags is None or self._flags.shape != changed.shape:
            self._flags, self._calm_at = np.zeros(changed.shape, bool), np.zeros(changed.shape, np.float32)
        assert self._calm_at is not None
        if explain:
            new = changed & ~self._flags
            self._calm_at[new] = calm_at if isinstance(calm_at, float) else calm_at[new]
            self._flags |= changed

    def settle(self) -> None:
        """All is accounted for."""
        if self._flags is not None:
            self._flags[:] = False

    def account(self, place: Mask | Flags, spill: int = 0) -> None:
        """A card accounts for what changed at its place, and for a rim of ``spill`` pixels round it."""
        if self._flags is None:
            return
        grown = cv2.dilate(place.astype(np.uint8), np.ones((2 * spill + 1, 2 * spill + 1), np.uint8))
        self._flags[grown > 0] = False

    def left(self, arms: Flags) -> Flags:
        """What is still to be accounted for, where no arm hides it."""
        if self._flags is None or self._flags.shape != arms.shape:
            return np.zeros_like(arms)
        return self._flags & ~arms

    def share(self, place: Flags) -> float:
        """How much of a place is new, 0 to 1; all of it while nothing is known."""
        if self._flags is None:
            return 1.0
        return float(self._flags[place].mean()) if place.any() else 0.0

    def own(self, place: Flags, arms: Flags, claimed: Flags, known: Flags) -> Flags:
        """A new card's own part of its place: no arm, no better claim, and no known card where nothing changed."""
        free = place & ~arms & ~claimed
        return free if self._flags is None else free & ~(known & ~self._flags)

    def unchanged_at(self, place: Flags, default: float) -> float:
        """When a place was last as it had been, before it began to change; ``default`` where it hasn't."""
        if self._flags is None or self._calm_at is None or not self._flags[place].any():
            return default
        return max(0.0, float(np.median(self._calm_at[place & self._flags])))

    def has_patch(
        self, cards: Sequence[Array], piles: Sequence[Array], arms: Flags, scale: float, share: float
    ) -> bool:
        """
        Is there a patch to be accounted for as large as ``share`` of a card, next to one of the ``cards``?

        Not where ``piles`` lie: those slip at every touch.
        """
        left = self.left(arms)
        if not cards or not left.any():
            return False
        shape = (arms.shape[0], arms.shape[1])
        near = np.zeros(shape, np.uint8)
        for quad in cards:
            middle, reach = centre(quad) / scale, size(quad) / scale
            cv2.circle(near, (int(middle[0]), int(middle[1])), int(reach), 255, -1)
        for pile in piles:
            near[cv2.dilate(fill(shape, pile, 1 / scale), _PILE_RIM) > 0] = 0
        patches = cv2.morphologyEx((left & (near > 0)).astype(np.uint8), cv2.MORPH_OPEN, _LEAST_PATCH)
        count, _, stats, _ = cv2.connectedComponentsWithStats(patches, connectivity=8)
        card_px = float(np.median([area(quad) for quad in cards])) / scale**2
        return bool((stats[1:count, cv2.CC_STAT_AREA] >= share * card_px).any())


PILE_RIM_PX = 3
"""So far round a pile, on the reduced picture, changes are the pile's own: it slips at every touch. More: a card laid
beside it is not missed; fewer: every draw leaves something unexplained. Set by hand, 2026-11."""
LEAST_PATCH_PX = 7
"""What is narrower than this, on the reduced picture, is an edge and no patch. Higher: a strip of a card is overlooked;
lower: shadows' rims are patches. Set by hand, 2026-11."""
_PILE_RIM = np.ones((2 * PILE_RIM_PX + 1, 2 * PILE_RIM_PX + 1), np.uint8)
_LEAST_PATCH = np.ones((LEAST_PATCH_PX, LEAST_PATCH_PX), np.uint8)
