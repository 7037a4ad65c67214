"""Detections: the output of the networks for one picture, as arrays whose shapes are checked when constructed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from referee.cards import Card, pack

BACK = "back"
NOTHING = "none"

CLASS_NAMES: tuple[str, ...] = (*(str(card) for card in pack(52)), BACK, NOTHING)
"""The classes of the classifier in the order of its output: 52 faces, a face-down card, not a card at all."""

FACE_COUNT = 52
BACK_INDEX = CLASS_NAMES.index(BACK)
NOTHING_INDEX = CLASS_NAMES.index(NOTHING)
FACES: tuple[Card, ...] = pack(52)
"""The 52 cards, in class order."""

EVEN_ODDS = 0.5
"""A probability above this is more likely than not. Not tunable."""


@dataclass(frozen=True, slots=True, eq=False)
class Detections:
    """
    Cards found on one picture of ``n`` cards.

    corners_px: (n, 4, 2) float32, the whole card, hidden parts included, clockwise in the picture; 0-1 and 2-3 are
    the short edges. confidence: (n,) float32, that a card lies there. probabilities: (n, 54) float32, which one,
    over ``CLASS_NAMES``; each row sums to 1.
    """

    corners_px: np.ndarray
    confidence: np.ndarray
    probabilities: np.ndarray

    def __post_init__(self) -> None:
        n = len(self.corners_px)
        expected = ((n, 4, 2), (n,), (n, len(CLASS_NAMES)))
        came = (self.corners_px.shape, self.confidence.shape, self.probabilities.shape)
        if came != expected:
            raise ValueError(f"expected corners, confidence, probabilities of shapes {expected}, got {came}")

    @classmethod
    def none(cls) -> Detections:
        """Return the detections of an empty table."""
        return cls(
            np.zeros((0, 4, 2), np.float32), np.zeros(0, np.float32), np.zeros((0, len(CLASS_NAMES)), np.float32)
        )

    def only(self, keep: Sequence[bool]) -> Detections:
        """Return the detections for which ``keep`` (n) is true."""
        kept = np.asarray(keep, bool)
        return Detections(self.corners_px[kept], self.confidence[kept], self.probabilities[kept])

    def beside(self, others: Detections) -> Detections:
        """Return these detections followed by the others."""
        if not len(others):
            return self
        return Detections(
            np.concatenate([self.corners_px, others.corners_px]),
            np.concatenate([self.confidence, others.confidence]),
            np.concatenate([self.probabilities, others.probabilities]),
        )

    def __len__(self) -> int:
        return len(self.corners_px)

    @property
    def best(self) -> npt.NDArray[np.intp]:
        """Return the index into ``CLASS_NAMES`` of each card's most likely class, (n,) int."""
        best: npt.NDArray[np.intp] = np.argmax(self.probabilities, axis=1)
        return best
