"""Which of several claims of one card is believed: the one that reads best. A card is seen once."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.detections import FACE_COUNT, NOTHING_INDEX
from vision.geometry import iou


@dataclass(frozen=True, slots=True)
class ClaimSettings:
    """When two claims speak of one card; fitted on `dev` photographs and invented decks (``models/detector.md``)."""

    same: float = 0.9
    """Two claims sharing this much of their union once they are put right are read as one."""
    named: float = 0.25
    """Claims that read as one face and share this much of their union are one card: no pack holds a face twice."""
    overlap: float = 0.6
    """Claims sharing this much of their union are one card: crossed cards share at most 0.56."""
    inside: float = 0.85
    """A claim of which this share lies within another (or the other way round) is a part mistaken for a card ..."""
    worse: float = 0.7
    """... if it reads worse than this much of the other; a card may truly lie within a heap."""


def choose(
    corners_px: np.ndarray, confidence: np.ndarray, probabilities: np.ndarray, settings: ClaimSettings
) -> np.ndarray:
    """
    Indices of the claims to believe, the best first; what the reader calls no card is left out.

    corners_px: (n, 4, 2); confidence: (n,), of the finder; probabilities: (n, 54) over ``CLASS_NAMES``.
    """
    score = probabilities[:, :NOTHING_INDEX].max(axis=1) * np.sqrt(confidence)
    best = probabilities.argmax(axis=1)
    areas = np.array([cv2.contourArea(quad) for quad in corners_px])
    low, high = corners_px.min(axis=1), corners_px.max(axis=1)
    kept: list[int] = []
    for index in np.argsort(-score):
        if probabilities[index, NOTHING_INDEX] >= 0.5:
            continue
        near = [k for k in kept if (low[index] < high[k]).all() and (low[k] < high[index]).all()]
        if not any(_is_another(corners_px, areas, score, best, int(index), k, settings) for k in near):
            kept.append(int(index))
    return np.array(kept, int)


def _is_another(
    corners: np.ndarray,
    areas: np.ndarray,
    score: np.ndarray,
    best: np.ndarray,
    index: int,
    kept: int,
    settings: ClaimSettings,
) -> bool:
    """Is this claim only another word for the card of the kept one?"""
    shared = iou(corners[index], corners[kept])
    is_same_face = best[index] == best[kept] and best[index] < FACE_COUNT
    if shared >= (settings.named if is_same_face else settings.overlap):
        return True
    common = shared / (1 + shared) * (areas[index] + areas[kept])
    is_within = common > settings.inside * min(areas[index], areas[kept])
    return bool(is_within and score[index] < settings.worse * score[kept])
