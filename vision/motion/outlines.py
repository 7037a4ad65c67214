"""
Outlines that stay: a patch may flicker under a lamp, so that none of its pixels is ever quiet, and yet not move.

In: where something passes for an arm, frame by frame. Out: for how long the outline of a patch has stayed as it is.
"""

from __future__ import annotations

from collections import deque

import cv2
import numpy as np
import numpy.typing as npt

from vision.motion.motion_settings import MotionSettings
from vision.motion.patches import Flags

RIM = np.ones((3, 3), np.uint8)
"""An outline trembles by a pixel."""
NEAR = np.ones((13, 13), np.uint8)
"""What went so near to a patch may have been a part of it."""


class Outlines:
    """Remembers the arms of the last moments, (rows, columns) of the reduced picture."""

    def __init__(self, settings: MotionSettings) -> None:
        self._settings = settings
        self._seen: deque[tuple[float, Flags]] = deque()
        self._kept_since: npt.NDArray[np.float64] | None = None

    def note(self, arms: Flags, at: float) -> None:
        """Where arms are at the time ``at`` (seconds)."""
        self._seen.append((at, arms))
        while len(self._seen) > 1 and at - self._seen[1][0] >= self._settings.ask_s:
            self._seen.popleft()
        if self._kept_since is not None:
            self._kept_since[~arms] = np.inf

    def kept_for(self, patch: Flags, at: float) -> npt.NDArray[np.float64]:
        """For how many seconds the outline of ``patch`` has stayed, for each of its pixels; 0 while it moves."""
        if self._kept_since is None:
            self._kept_since = np.full(patch.shape, np.inf)
        if not self._stays(patch, at):
            self._kept_since[patch] = np.inf
            return np.zeros(int(patch.sum()))
        self._kept_since[patch] = np.minimum(self._kept_since[patch], self._seen[0][0])
        return np.asarray(at - self._kept_since[patch])

    def _stays(self, patch: Flags, at: float) -> bool:
        """Was it the same ``ask_s`` ago, and half-way since?"""
        if not self._seen or at - self._seen[0][0] < self._settings.ask_s:
            return False
        now = patch.astype(np.uint8)
        grown, near = cv2.dilate(now, RIM) > 0, cv2.dilate(now, NEAR) > 0
        for _, before in (self._seen[0], self._seen[len(self._seen) // 2]):
            came = patch & (cv2.dilate(before.astype(np.uint8), RIM) == 0)
            went = before & near & ~grown
            if int(came.sum()) + int(went.sum()) > self._settings.outline_px:
                return False
        return True
