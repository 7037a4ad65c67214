"""
A change of light, as lamps and a camera's exposure and white balance make it, taken out of what is remembered.

A camera bends what is bright: where the cloth loses a quarter of its blue, a white card beside it loses a tenth. So
each colour has one gain for the picture, the median ratio of now to before, arms and cards outvoted; and of what is
darker, brighter or in between each its own, which lies between that and no change at all. So much a card that comes or
goes can't be mistaken for light.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from vision.capture.image_files import Image
from vision.motion.motion_settings import LightSettings


def follow_light(background: npt.NDArray[np.float32], small: Image, light: LightSettings) -> None:
    """Bring a background (rows, columns, 3), in place, into the light of a picture (rows, columns, 3) uint8."""
    step = light.step_px
    now, before = (each[::step, ::step].reshape(-1, 3).astype(np.float32) for each in (small, background))
    for colour in range(3):
        is_told = (before[:, colour] > light.darkest) & (before[:, colour] < light.brightest)
        is_told &= now[:, colour] < light.clipped
        if is_told.sum() < light.least_pixels:
            continue
        gain = float(np.median(now[is_told, colour] / before[is_told, colour]))
        if abs(gain - 1) > light.least_change and light.least_ratio < gain < light.most_ratio:
            plane = background[:, :, colour]
            plane *= _gains(now[:, colour], before[:, colour], gain, light)[plane.astype(np.uint8)]


def _gains(
    now: npt.NDArray[np.float32], before: npt.NDArray[np.float32], gain: float, light: LightSettings
) -> npt.NDArray[np.float32]:
    """(256,) the gain of one colour for each level that it had before."""
    gains = np.full(256, gain, np.float32)
    bounds = (1, round(light.dark_below), round(light.bright_from), 256)
    for low, high in pairwise(bounds):
        tone = (before >= low) & (before < high)
        if np.count_nonzero(tone) >= light.least_tone:
            own = float(np.median(now[tone] / before[tone]))
            gains[low:high] = min(max(own, min(gain, 1.0)), max(gain, 1.0))
    return gains
