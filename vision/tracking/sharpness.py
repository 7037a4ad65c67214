"""
How sharp a card looks, compared with itself at another time.

A webcam hunts for its focus after a hand has been in the picture, and its compression draws what has just moved in
coarse blocks: for up to a second a card looks blurred, and small ones are read as their look-alikes.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.geometry.quads import Array, Mask
from vision.tracking.track import Track
from vision.tracking.track_settings import TrackSettings


def sharpness(grey: Mask, quad_px: Array) -> float:
    """
    Energy of the gradients in the box round a card (4, 2), per variance: blur lowers it, light and contrast don't.

    ``grey``: (rows, columns) uint8. 0 where nothing of the card is in the picture, or nothing on it differs.

    >>> card = np.array([[8, 8], [40, 8], [40, 40], [8, 40]], np.float32)
    >>> print_ = np.zeros((48, 48), np.uint8)
    >>> print_[20:28, 20:28] = 200
    >>> bool(sharpness(print_, card) > 1.5 * sharpness(cv2.GaussianBlur(print_, (0, 0), 2), card))
    True
    """
    rows, columns = grey.shape
    left, top = np.floor(quad_px.min(axis=0)).astype(int)
    right, bottom = np.ceil(quad_px.max(axis=0)).astype(int)
    part = grey[max(top, 0) : min(bottom, rows), max(left, 0) : min(right, columns)]
    if min(part.shape) < LEAST_PX:
        return 0.0
    across, down = cv2.Sobel(part, cv2.CV_32F, 1, 0), cv2.Sobel(part, cv2.CV_32F, 0, 1)
    variance = float(part.var())
    return 0.0 if variance < 1.0 else float((across**2 + down**2).mean()) / variance


def is_look_blurred(matched: Sequence[tuple[Track, float]], settings: TrackSettings) -> bool:
    """Are most cards, each with how sharp this look shows it, blurred beside what was seen of them before?"""
    known = [sharp / track.sharpest for track, sharp in matched if track.sharpest and track.looks > 1]
    return bool(known) and float(np.median(known)) < settings.blurred


def weighed_by_sharpness(
    track: Track, sharp: float, weight: float, settings: TrackSettings, *, is_blurred: bool
) -> float:
    """
    What a look counts that saw a card so ``sharp``: as the first one did if it is clearly the sharpest so far, and
    those before then count for less; less if it is blurred beside them. ``is_blurred``: the whole look is. The track
    remembers it.
    """
    best = track.sharpest
    track.sharpest = max(best, sharp)
    is_sharpest = bool(best) and sharp >= settings.sharper * best
    track.is_blurred = is_sharpest or is_blurred or sharp < settings.blurred * best
    if is_sharpest:
        track.fade((best / sharp) ** settings.blur_power)
        return 1.0
    return weight * min(sharp / best, 1.0) ** settings.blur_power if best else weight


LEAST_PX = 5
"""A box with a side of fewer pixels has no sharpness."""
