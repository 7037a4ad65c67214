"""
A detector made worse on purpose: it never finds some faces of a deck and misreads others.

For development: a referee that loses cards must ask and must not accuse. The seed decides which faces are affected, so
one clip gives many test runs.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vision.detection.card_detector import CardDetector, PlaceDetector
from vision.detection.detections import FACE_COUNT, Detections


@dataclass(frozen=True)
class Poor:
    """The degradation. ``unseen``, ``misread``: shares of the faces never found, and read as another one."""

    unseen: float
    misread: float
    seed: int

    def over(self, detector: CardDetector, clip: Path) -> DegradedDetector:
        """Return ``detector`` made worse for one clip."""
        return DegradedDetector(detector, clip, self)


class DegradedDetector:
    """Passes on a detector's results without the hidden faces and with the misread ones replaced."""

    def __init__(self, detector: CardDetector, clip: Path, poor: Poor) -> None:
        self.within = detector
        rng = np.random.default_rng([poor.seed, zlib.crc32(clip.stem.encode())])
        lot = rng.permutation(FACE_COUNT)
        hidden, wrong = round(poor.unseen * FACE_COUNT), round(poor.misread * FACE_COUNT)
        self._hidden = set(lot[:hidden].tolist())
        self._unreadable = set(lot[: hidden // 2].tolist())
        taken = lot[hidden : hidden + wrong]
        self._taken_for = dict(zip(taken.tolist(), np.roll(taken, 1).tolist(), strict=True))

    def detect(self, image_bgr: np.ndarray) -> Detections:
        """Run the inner detector and degrade its result."""
        seen = self.within.detect(image_bgr)
        best = seen.probabilities.argmax(axis=1) if len(seen) else np.zeros(0, int)
        kept = [i for i, name in enumerate(best) if int(name) not in self._hidden]
        probabilities = seen.probabilities[kept].copy()
        for names in probabilities:
            self._mistake(names)
        return Detections(seen.corners_px[kept], seen.confidence[kept], probabilities)

    def detect_at(
        self, image_bgr: np.ndarray, corners_px: np.ndarray, occluders_px: Sequence[Sequence[np.ndarray]]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Classify given places: a hidden face is found as a card, and half of them are named."""
        assert isinstance(self.within, PlaceDetector)
        corners, probabilities = self.within.detect_at(image_bgr, corners_px, occluders_px)
        probabilities = probabilities.copy()
        for names in probabilities:
            if int(names.argmax()) in self._unreadable:
                names[:FACE_COUNT] = names[:FACE_COUNT].sum() / FACE_COUNT
            else:
                self._mistake(names)
        return corners, probabilities

    def _mistake(self, names: np.ndarray) -> None:
        """Replace a misread face by another, in place."""
        best = int(names.argmax())
        other = self._taken_for.get(best)
        if other is not None:
            names[[best, other]] = names[[other, best]]
