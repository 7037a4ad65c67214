"""
Changes of light, taken out of the pictures that motion detection compares.

* **Exposure and white balance.** A camera bends bright levels: where the cloth loses a quarter of its blue, a white
  card beside it loses a tenth. So each colour has one gain for the picture, the median ratio of now to before, which
  arms and cards can't outvote; dark, middle and bright levels have their own, which lies between that gain and 1.
* **Bands.** A shutter that rolls down the picture sees the light of a flickering lamp rise and fall from row to row.
  Each row's gain is the median ratio along the row. Rows of an arm or of cards, along which the ratio differs much,
  take the gain of their neighbours.
"""

from __future__ import annotations

from itertools import pairwise

import cv2
import numpy as np
import numpy.typing as npt

from vision.capture.image_files import Image

# Levels are of 0..255; pixels those of the reduced picture. Chosen by hand, 2026-11.
STEP_PX = 8
"""One pixel in so many is sampled, across and down."""
DARKEST, BRIGHTEST, CLIPPED = 20.0, 235.0, 250.0
"""Background levels outside the first two, and levels above the third, say nothing: noise, or clipped."""
LEAST_PIXELS = 60
"""With fewer samples nothing is measured."""
LEAST_CHANGE = 0.015
"""A smaller change of the ratio is noise."""
LEAST_RATIO, MOST_RATIO = 0.2, 5.0
"""A ratio outside these is no change of light but a hand before the lens."""
DARK_BELOW, BRIGHT_FROM = 85.0, 170.0
"""Bounds of dark, middle and bright levels."""
LEAST_TONE = 6
"""With fewer samples dark, middle or bright levels take the picture's gain."""
ROW_KNOWN = 0.4
"""Least share of a row that is known, and of rows, for bands to be measured."""
ROW_SPREAD = 0.15
"""Most spread of the middle half of a row's ratios, relative to their median."""
ROW_BLUR_PX, ROWS_PX = 3.0, 19
"""Sigma of the smoothing over rows, and rows that it takes in: three times sigma to either side."""
LEAST_BAND, MOST_BAND = 0.02, 0.35
"""Bands weaker than the first are noise, stronger than the second a shadow."""
PROBE_FRAMES, FLICKER_FRAMES = 5, 50
"""Bands are searched for in one frame of so many; once found, in each of the so many that follow."""


def follow_light(background: npt.NDArray[np.float32], small: Image) -> None:
    """Bring a background (rows, columns, 3), in place, into the light of a picture (rows, columns, 3) uint8."""
    now, before = (each[::STEP_PX, ::STEP_PX].reshape(-1, 3).astype(np.float32) for each in (small, background))
    for colour in range(3):
        is_known = (before[:, colour] > DARKEST) & (before[:, colour] < BRIGHTEST)
        is_known &= now[:, colour] < CLIPPED
        if is_known.sum() < LEAST_PIXELS:
            continue
        gain = float(np.median(now[is_known, colour] / before[is_known, colour]))
        if abs(gain - 1) > LEAST_CHANGE and LEAST_RATIO < gain < MOST_RATIO:
            plane = background[:, :, colour]
            plane *= _gains(now[:, colour], before[:, colour], gain)[plane.astype(np.uint8)]


def _gains(now: npt.NDArray[np.float32], before: npt.NDArray[np.float32], gain: float) -> npt.NDArray[np.float32]:
    """Return the gain (256,) of one colour for each level that it had before."""
    gains = np.full(256, gain, np.float32)
    bounds = (1, round(DARK_BELOW), round(BRIGHT_FROM), 256)
    for low, high in pairwise(bounds):
        tone = (before >= low) & (before < high)
        if np.count_nonzero(tone) >= LEAST_TONE:
            own = float(np.median(now[tone] / before[tone]))
            gains[low:high] = min(max(own, min(gain, 1.0)), max(gain, 1.0))
    return gains


class LampBands:
    """Takes bands out of picture after picture; while none are found it searches for them only now and then."""

    def __init__(self) -> None:
        self._number = 0
        self._found_at = -PROBE_FRAMES

    def without(self, small: Image, background: npt.NDArray[np.float32]) -> Image:
        """Return the reduced picture (rows, columns, 3) without bands; itself if there are none."""
        self._number += 1
        if self._number % PROBE_FRAMES and self._number - self._found_at > FLICKER_FRAMES:
            return small
        gain = row_gains(small, background)
        if gain is None:
            return small
        self._found_at = self._number
        return np.asarray(np.clip(small / gain[:, None, None], 0, 255), np.uint8)


def row_gains(small: Image, background: npt.NDArray[np.float32]) -> npt.NDArray[np.float32] | None:
    """Return how much brighter each row (rows,) is than all rows together, None if there are no bands."""
    now, before = small[:, ::STEP_PX].astype(np.float32), background[:, ::STEP_PX]
    is_known = (before > DARKEST) & (before < BRIGHTEST) & (now < CLIPPED)
    ratio = np.where(is_known, now / np.maximum(before, 1.0), np.inf).reshape(len(small), -1)
    count = np.count_nonzero(is_known.reshape(len(small), -1), axis=1)
    known = count >= ratio.shape[1] * ROW_KNOWN
    if known.sum() < ROW_KNOWN * len(known):
        return None
    # Unknown ratios sort to the end of their row.
    ordered, each = np.sort(ratio[known], axis=1), np.arange(int(known.sum()))
    low, middle, high = (ordered[each, (count[known] * share).astype(int)] for share in (0.25, 0.5, 0.75))
    calm = high - low < ROW_SPREAD * middle
    rows = np.flatnonzero(known)[calm]
    if len(rows) < ROW_KNOWN * len(known):
        return None
    gain = np.interp(np.arange(len(known)), rows, middle[calm]).astype(np.float32)
    gain = np.asarray(cv2.GaussianBlur(gain[:, None], (1, ROWS_PX), 0, sigmaY=ROW_BLUR_PX)[:, 0], np.float32)
    gain /= float(np.median(gain))
    swing = float(np.abs(gain - 1).max())
    return gain if LEAST_BAND < swing < MOST_BAND else None
