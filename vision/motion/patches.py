"""
What is told of one patch of the reduced picture that differs from the background: where it meets the picture's edge,
how far it reaches in, which parts of it lie still, whether something has left there.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.capture.sources import Image
from vision.motion.motion_settings import MotionSettings

Flags = npt.NDArray[np.bool_]
PixelPoint = tuple[float, float]

TIP_PART = 50
"""Finger tips are the mean of one pixel in so many of an arm, the ones farthest from where it comes in. More: one
outlying pixel leads; fewer: the tip lies in the palm."""

_SMALL = np.ones((3, 3), np.uint8)


def nearest_edge(part: Flags) -> PixelPoint:
    """The point of the picture's edge nearest to a patch that touches none."""
    rows, columns = np.nonzero(part)
    x, y = float(columns.mean()), float(rows.mean())
    height, width = part.shape
    edges = ((x, (0.0, y)), (width - x, (width - 1.0, y)), (y, (x, 0.0)), (height - y, (x, height - 1.0)))
    return min(edges)[1]


def tip_of(part: Flags, contact: PixelPoint) -> PixelPoint:
    """Mean of the few pixels of a patch that are farthest from where it comes in."""
    rows, columns = np.nonzero(part)
    far = (columns - contact[0]) ** 2 + (rows - contact[1]) ** 2
    keep = max(1, len(far) // TIP_PART)
    farthest = np.argpartition(far, len(far) - keep)[-keep:]
    return float(columns[farthest].mean()), float(rows[farthest].mean())


def is_ghost(small: Image, background: Image, where: Flags, settings: MotionSettings) -> bool:
    """Is the patch's outline drawn in the background rather than in the picture: has something left that was
    learned?"""
    mask = where.astype(np.uint8)
    rim = (cv2.dilate(mask, _SMALL) - cv2.erode(mask, _SMALL)) > 0
    rim[[0, -1], :] = False
    rim[:, [0, -1]] = False
    if rim.sum() < settings.ghost_rim_px:
        return False

    def drawn(picture: Image) -> float:
        grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        across, down = cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1)
        return float((np.abs(across) + np.abs(down))[rim].mean())

    return drawn(background) > settings.ghost_drawn * drawn(small)


def still_parts(where: Flags, quiet_s: npt.NDArray[np.float32], least_s: float, least_px: int) -> list[Flags]:
    """
    The parts of a patch whose every spot has lain still for ``least_s``, each joined and of ``least_px`` at least:
    whatever flickers beside them.
    """
    still = cv2.morphologyEx((where & (quiet_s >= least_s)).astype(np.uint8), cv2.MORPH_OPEN, _SMALL)
    count, numbered, stats, _ = cv2.connectedComponentsWithStats(still, connectivity=8)
    return [np.asarray(numbered == k) for k in range(1, count) if stats[k, cv2.CC_STAT_AREA] >= least_px]
