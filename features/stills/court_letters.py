"""
Tell whether a court was named by its letter: jacks, queens and kings of an unknown deck can't be told by their figures.

A court whose corners are painted out reads as any of the three. Where painting them out changes little, no letter was
seen there, and the three become equally probable.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from features.stills.pip_count import COURTS, PLAIN_VIEW
from vision.detection.classifier import without_indices
from vision.detection.detections import FACE_COUNT, Detections
from vision.detection.rectification import Picture

SURE = 0.97
"""Share of a rank from which its letter was seen. Chosen by hand."""
LETTER_ODDS = 10.0
"""
Factor by which a letter raises the odds of its rank: of three unsure courts in plain view on `dev` tables the least was
19, of four without letters the most was 6.8. 2026-11.
"""


class CropClassifier(Protocol):
    """What is used of ``CardClassifier``."""

    def crops(self, image_bgr: Picture, corners_px: np.ndarray) -> np.ndarray:
        """Return the crops of cards at (n, 4, 2) px."""
        ...

    def name_crops(self, crops: np.ndarray) -> np.ndarray:
        """Classify crops: (n, 54)."""
        ...


def without_unlettered_courts(
    classifier: CropClassifier, image_bgr: Picture, seen: Detections, covered: np.ndarray
) -> Detections:
    """
    Return the detections with the shares of jack, queen and king even on cards in plain view that show no letter.

    covered: (n,), the hidden share of each card.
    """
    ranks = seen.probabilities[:, COURTS].sum(axis=2)
    is_court = (seen.best < FACE_COUNT) & np.isin(seen.best, COURTS)
    asked = np.flatnonzero(is_court & (ranks.max(axis=1, initial=0.0) < SURE) & (covered <= PLAIN_VIEW))
    if not len(asked):
        return seen
    blank = classifier.name_crops(without_indices(classifier.crops(image_bgr, seen.corners_px[asked])))
    probabilities = seen.probabilities.copy()
    for card, reading in zip(asked, blank, strict=True):
        rank = int(ranks[card].argmax())
        if _odds(float(ranks[card, rank])) < LETTER_ODDS * _odds(float(reading[COURTS[rank]].sum())):
            probabilities[card, COURTS] = probabilities[card, COURTS].mean(axis=0)
    return Detections(seen.corners_px, seen.confidence, probabilities)


def _odds(share: float) -> float:
    return share / max(1.0 - share, 1e-6)
