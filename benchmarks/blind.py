"""
A sight made worse on purpose: of a deck that it hardly knows it never sees some faces, and misreads others.

For developing: a referee that loses cards must ask, and must not accuse. Which faces are hit is drawn by a seed, so a
clip can be played under many such misfortunes.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vision.detections import FACE_COUNT, Detections
from vision.sight import Sight


@dataclass(frozen=True)
class Poor:
    """How much worse. ``unseen``, ``misread``: shares of the faces never seen, and taken for another one."""

    unseen: float
    misread: float
    seed: int

    def over(self, sight: Sight, clip: Path) -> PoorSight:
        """That sight made worse, for one clip."""
        return PoorSight(sight, clip, self)


class PoorSight:
    """Passes on what a sight sees, but for the faces it is blind to and those it takes for another."""

    def __init__(self, sight: Sight, clip: Path, poor: Poor) -> None:
        self.within = sight
        rng = np.random.default_rng([poor.seed, zlib.crc32(clip.stem.encode())])
        lot = rng.permutation(FACE_COUNT)
        hidden, wrong = round(poor.unseen * FACE_COUNT), round(poor.misread * FACE_COUNT)
        self._hidden = set(lot[:hidden].tolist())
        taken = lot[hidden : hidden + wrong]
        self._taken_for = dict(zip(taken.tolist(), np.roll(taken, 1).tolist(), strict=True))

    def look(self, image_bgr: np.ndarray) -> Detections:
        """As the sight within, worse."""
        seen = self.within.look(image_bgr)
        best = seen.probabilities.argmax(axis=1) if len(seen) else np.zeros(0, int)
        kept = [i for i, name in enumerate(best) if int(name) not in self._hidden]
        probabilities = seen.probabilities[kept].copy()
        for row, i in enumerate(kept):
            other = self._taken_for.get(int(best[i]))
            if other is not None:
                probabilities[row, [int(best[i]), other]] = probabilities[row, [other, int(best[i])]]
        return Detections(seen.corners_px[kept], seen.confidence[kept], probabilities)
