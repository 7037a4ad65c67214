"""
What a hand carries, by its colours: after it was at the talon, does more of it look like a card's back than before?

Pointing at the talon, squaring it and putting a card back look like drawing one, but for this. Of twelve draws on five
development clips 0.34 to 0.94 of a card more was seen, of a finger that pointed 0.0, of a card put back -0.67.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.capture.sources import Image
from vision.geometry.quads import Array, Mask, fill
from vision.motion.background_subtraction import NEVER, MotionReport

STEPS = 8
"""Colours are told apart in so many steps each of blue, green and red. More: light that changes a little hides a card;
fewer: skin looks like a back. Set by hand, 2026-11."""
STAYS, SPILLS = 0.5, 0.25
"""A little light more or less, and a colour falls into the step before or after: so much of it counts where it is, and
so much in each of these."""


@dataclass(frozen=True, slots=True)
class BackColourSettings:
    """How the back's colours are learnt. Set by hand, 2026-11."""

    least: float = 0.02
    """A colour of less than this share of the back, 0 to 1, is none of its own. Higher: patterned backs are not known
    again; lower: sleeves look like them."""
    rate: float = 0.2
    """Share by which what is known follows what is seen, each time. Higher: a shadow is learnt; lower: a new lamp is
    learnt late."""
    every_s: float = 0.4
    """Seconds between two times. Longer: learnt late; shorter: dearer."""


class BackColours:
    """The colours of the talon's back, learnt while no hand is over it."""

    def __init__(self, settings: BackColourSettings = BackColourSettings()) -> None:
        self.settings = settings
        self._learnt_at = NEVER
        self._shares: npt.NDArray[np.float32] | None = None
        self.card_px = 0
        """Reduced pixels of one card, where the talon lies."""

    def learn(self, report: MotionReport, talon_px: Array) -> None:
        """See the talon, whose outline (4, 2) is in full-size pixels, in one frame."""
        if report.picture is None or report.blind or report.at - self._learnt_at < self.settings.every_s:
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
        self._shares += np.float32(self.settings.rate) * (now - self._shares)

    def like_it(self, report: MotionReport, arm: Mask) -> float | None:
        """How much of an arm (rows, columns; 1 where it is) has these colours, in cards; None if they aren't known."""
        if self._shares is None or report.picture is None or not self.card_px:
            return None
        colours = _steps(report.picture[arm > 0])
        return float((self._shares[colours] >= self.settings.least).sum()) / self.card_px


def _steps(pixels: Image) -> npt.NDArray[np.intp]:
    """(n, 3) uint8 -> (n,) number of each pixel's colour."""
    steps = pixels.astype(np.intp) * STEPS // 256
    return np.asarray((steps[:, 0] * STEPS + steps[:, 1]) * STEPS + steps[:, 2])
