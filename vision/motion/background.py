"""The background: the reduced picture of the table at rest, without arms, as the light and the camera change."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.capture.sources import Image
from vision.geometry.quads import Mask
from vision.motion.arm_regions import Flags, spread
from vision.motion.lighting import LampBands, follow_light
from vision.motion.motion_report import NEVER
from vision.motion.motion_settings import FOREIGN_LEVELS, PALE_LEVELS

# Shares are from 0 to 1, levels of 0..255, pixels those of the reduced picture. Chosen by hand, 2026-11.
PALE_FROM = 140.0
"""A cloth is pale if the median of its darkest colour is this bright."""
SPREAD_SHARE = 0.15
"""If something foreign touches so many of the picture's parts, the camera may have been bumped."""
BUMP_MOVING = 0.3
"""A bump is searched for if no more of what is foreign moves: the camera is at rest again."""
BUMP_EVERY_S = 0.3
"""Seconds between two searches, which take 7 ms."""
BUMP_GAIN = 0.5
"""A bump must leave at most this share of what was foreign."""
BUMP_PX = 20.0
"""A bump moves the picture's corners by at most this."""
KNOWN_SHARE = 0.2
"""If less is foreign, a picture shows the table that was remembered."""
LEVEL_STEP_PX = 4
"""One pixel in so many, across and down, is sampled for brightness."""
ECC_STEPS, ECC_PRECISION, ECC_BLUR_PX = 40, 1e-4, 5
"""Most steps, least gain and blur of the search for a bump (``findTransformECC``)."""
LEARNING_RATE = 0.03
"""Share by which the background follows each frame where nothing differs."""

_SMALL = np.ones((3, 3), np.uint8)
_LARGE = np.ones((5, 5), np.uint8)


class Background:
    """``picture``: (rows, columns, 3), empty before the first frame."""

    def __init__(self) -> None:
        self.picture = np.zeros((0, 0, 3), np.float32)
        self._levels = FOREIGN_LEVELS
        self._bands = LampBands()
        self._calm: tuple[npt.NDArray[np.float32], Flags] | None = None
        self._before: npt.NDArray[np.float32] | None = None
        self._bump_tried_at = NEVER

    def begin(self, small: Image) -> None:
        """Learn the background from a picture."""
        self.picture = small.astype(np.float32)
        is_pale = float(np.median(sampled(small).reshape(-1, 3), axis=0).min()) >= PALE_FROM
        self._levels = PALE_LEVELS if is_pale else FOREIGN_LEVELS

    def set_aside(self) -> None:
        """Remember the table as it was while little was foreign, before the background is learned again."""
        self._before = None if self._calm is None else self._calm[0]

    def was(self, small: Image) -> bool:
        """Check whether a picture shows the table that was set aside."""
        now, before = self.picture, self._before
        if before is None or small.shape != before.shape:
            return False
        self.picture = before
        is_known = float(self.foreign(small)[1].mean()) <= KNOWN_SHARE
        self.picture = now
        return is_known

    def take_back(self) -> None:
        """Take back the table that was set aside."""
        assert self._before is not None
        self.picture, self._before = self._before, None

    def without_bands(self, small: Image) -> Image:
        """Return a frame without the bands of a flickering lamp."""
        return self._bands.without(small, self.picture)

    def follow_light(self, small: Image) -> None:
        """Follow light that changes everywhere."""
        follow_light(self.picture, small)

    def learn(self, small: Image, calm: Flags) -> None:
        """Follow a frame slowly where nothing differs."""
        cv2.accumulateWeighted(small, self.picture, LEARNING_RATE, calm.astype(np.uint8))

    def foreign(self, small: Image) -> tuple[Image, Mask]:
        """Return the background as a picture, and (rows, columns) 1 where the frame differs from it."""
        background = np.asarray(cv2.convertScaleAbs(self.picture), np.uint8)
        difference = most_of(cv2.absdiff(small, background))
        foreign = (difference > self._levels).astype(np.uint8)
        foreign = np.asarray(cv2.morphologyEx(foreign, cv2.MORPH_OPEN, _SMALL), np.uint8)
        return background, np.asarray(cv2.morphologyEx(foreign, cv2.MORPH_CLOSE, _LARGE), np.uint8)

    def absorb(self, small: Image, where: Flags, changed: Flags) -> None:
        """Make a region part of the background, and mark it as changed."""
        grown = cv2.dilate(where.astype(np.uint8), _SMALL) > 0
        self.picture[grown] = small[grown]
        changed |= grown

    def is_bumped(self, small: Image, foreign: Mask, moved: Flags, arms: Flags, at: float) -> bool:
        """
        Search for a bump if much is foreign all over the picture; remember the background while little is.

        ``arms``: where arms were in the frame before.
        """
        if spread(foreign) < SPREAD_SHARE:
            self._calm = (self.picture.copy(), arms)
            return False
        is_at_rest = float(moved.mean()) < BUMP_MOVING * float(foreign.mean())
        if at - self._bump_tried_at < BUMP_EVERY_S or not is_at_rest:
            return False
        self._bump_tried_at = at
        return self._follow_bump(small, foreign, moved, arms)

    def _follow_bump(self, small: Image, foreign: Mask, moved: Flags, arms: Flags) -> bool:
        """Move the background as the camera was bumped, if that explains what is foreign."""
        now = self.picture
        # Regions at rest since then may have been learned where they are now; arms say nothing of the table.
        kept, arms = (now, arms) if self._calm is None else self._calm
        seen, known = (cv2.cvtColor(np.asarray(each, np.uint8), cv2.COLOR_BGR2GRAY) for each in (small, kept))
        reach = np.ones((2 * round(BUMP_PX / 2) + 1,) * 2, np.uint8)
        table = cv2.dilate(arms.astype(np.uint8), reach) == 0
        if not table.any():
            return False
        trusted = (table & (cv2.dilate(moved.astype(np.uint8), _LARGE) == 0)).astype(np.uint8)
        enough = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, ECC_STEPS, ECC_PRECISION)
        still = np.eye(2, 3, dtype=np.float32)
        try:
            _, turn = cv2.findTransformECC(seen, known, still, cv2.MOTION_AFFINE, enough, trusted, ECC_BLUR_PX)
        except cv2.error:  # it found no way to lay one over the other
            return False
        height, width = seen.shape
        corners = np.array([[0, 0, 1], [width, 0, 1], [width, height, 1], [0, height, 1]], np.float32)
        if float(np.linalg.norm(corners @ turn.T - corners[:, :2], axis=1).max()) > BUMP_PX:
            return False
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        self.picture = np.asarray(
            cv2.warpAffine(kept, turn, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE), np.float32
        )
        if float(self.foreign(small)[1][table].mean()) <= BUMP_GAIN * float(foreign[table].mean()):
            return True
        self.picture = now
        return False


def sampled(small: Image) -> Image:
    """Return a sample of the pixels."""
    return small[::LEVEL_STEP_PX, ::LEVEL_STEP_PX]


def most_of(difference: np.ndarray) -> Mask:
    """Return the largest of the three colour differences of each pixel."""
    blue, green, red = cv2.split(difference)
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)
