"""
Measure by colours whether a hand carries a card away from the talon: more of it looks like a card's back than before.

Pointing at the talon, squaring it and putting a card back otherwise look like drawing. In twelve draws on five
development clips the area of back grew by 0.34 to 0.94 of a card, for a pointing finger by 0.0, for a card put back by
-0.67.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from vision.capture.sources import Image
from vision.geometry.quads import Array, Mask, fill
from vision.motion.motion_report import NEVER, MotionReport

# Chosen by hand, 2026-11.
STEPS = 8
"""Steps into which each of blue, green and red is divided."""
STAYS, SPILLS = 0.5, 0.25
"""A little light more or less moves a colour by a step: so much counts where it is, and so much in either neighbour."""
LEAST_SHARE = 0.02
"""A colour of less than this share of the back, 0 to 1, is none of its own."""
RATE = 0.2
"""Share by which the known colours follow the picture, each time."""
EVERY_S = 0.4
"""Seconds between two times."""


class BackColours:
    """The colours of the talon's back, learnt while no hand is over it."""

    def __init__(self) -> None:
        self._learnt_at = NEVER
        self._shares: npt.NDArray[np.float32] | None = None
        self.card_px = 0
        """Reduced pixels of one card, where the talon lies."""

    def learn(self, report: MotionReport, talon_px: Array) -> None:
        """Learn the colours of the talon, (4, 2) in full-size pixels, from one frame."""
        if report.picture is None or report.state.blind or report.at - self._learnt_at < EVERY_S:
            return
        place = fill(report.arm_labels.shape, talon_px, 1 / report.scale) > 0
        if not place.any() or report.arm_labels[place].any() or report.restless[place].any():
            return
        self._learnt_at = report.at
        self.card_px = int(place.sum())
        counted = np.bincount(_steps(report.picture[place]), minlength=STEPS**3).astype(np.float32)
        spread = counted.reshape(STEPS, STEPS, STEPS)
        for axis in range(3):
            edge = np.pad(spread, [(1, 1) if k == axis else (0, 0) for k in range(3)])
            before, after = np.take(edge, range(STEPS), axis), np.take(edge, range(2, STEPS + 2), axis)
            spread = STAYS * spread + SPILLS * (before + after)
        now = (spread.ravel() / self.card_px).astype(np.float32)
        if self._shares is None:
            self._shares = now
        self._shares += np.float32(RATE) * (now - self._shares)

    def like_it(self, report: MotionReport, arm: Mask) -> float | None:
        """Return the area of an arm (rows, columns; 1 within it) with these colours, in cards; None if unknown."""
        if self._shares is None or report.picture is None or not self.card_px:
            return None
        colours = _steps(report.picture[arm > 0])
        return float((self._shares[colours] >= LEAST_SHARE).sum()) / self.card_px


def _steps(pixels: Image) -> npt.NDArray[np.intp]:
    """Return the number (n,) of each pixel's colour, of (n, 3) uint8."""
    steps = pixels.astype(np.intp) * STEPS // 256
    return np.asarray((steps[:, 0] * STEPS + steps[:, 1]) * STEPS + steps[:, 2])
