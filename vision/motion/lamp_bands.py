"""
Bands of a lamp that flickers: a shutter that rolls down the picture sees its light rise and fall from row to row.

Each row's gain is the median ratio of the picture to the background, along the row. Rows that an arm or cards take up
say nothing of the lamp: their ratios differ much along the row, and the gains of their neighbours are taken.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.capture.image_files import Image
from vision.motion.motion_settings import LightSettings


class LampBands:
    """Takes bands out of picture after picture; where none are seen it looks for them only now and then."""

    def __init__(self, light: LightSettings) -> None:
        self._light = light
        self._number = 0
        self._seen_at = -PROBE_FRAMES

    def without(self, small: Image, background: npt.NDArray[np.float32]) -> Image:
        """The reduced picture (rows, columns, 3) with the lamp's bands taken out; itself where there are none."""
        self._number += 1
        if self._number % PROBE_FRAMES and self._number - self._seen_at > FLICKER_FRAMES:
            return small
        gain = row_gains(small, background, self._light)
        if gain is None:
            return small
        self._seen_at = self._number
        return np.asarray(np.clip(small / gain[:, None, None], 0, 255), np.uint8)


def row_gains(
    small: Image, background: npt.NDArray[np.float32], light: LightSettings
) -> npt.NDArray[np.float32] | None:
    """(rows,) by how much each row is brighter than all of them together, None where no bands are seen."""
    step = light.step_px
    now, before = small[:, ::step].astype(np.float32), background[:, ::step]
    told = (before > light.darkest) & (before < light.brightest) & (now < light.clipped)
    ratio = np.where(told, now / np.maximum(before, 1.0), np.inf).reshape(len(small), -1)
    count = np.count_nonzero(told.reshape(len(small), -1), axis=1)
    known = count >= ratio.shape[1] * light.row_told
    if known.sum() < light.row_told * len(known):
        return None
    # What can't be told sorts to the end of its row.
    ordered, each = np.sort(ratio[known], axis=1), np.arange(int(known.sum()))
    low, middle, high = (ordered[each, (count[known] * share).astype(int)] for share in (0.25, 0.5, 0.75))
    calm = high - low < light.row_spread * middle
    rows = np.flatnonzero(known)[calm]
    if len(rows) < light.row_told * len(known):
        return None
    gain = np.interp(np.arange(len(known)), rows, middle[calm]).astype(np.float32)
    gain = np.asarray(cv2.GaussianBlur(gain[:, None], (1, ROWS_PX), 0, sigmaY=light.row_blur_px)[:, 0], np.float32)
    gain /= float(np.median(gain))
    swing = float(np.abs(gain - 1).max())
    return gain if light.least_band < swing < light.most_band else None


ROWS_PX = 19
"""The smoothing looks at so many rows, three times ``row_blur_px`` to either side."""
PROBE_FRAMES, FLICKER_FRAMES = 5, 50
"""Bands are looked for in one frame of so many; seen once, in each of the so many that follow."""
