"""Which of several claims of one card is believed: the one that reads best. A card is seen once."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.detection.detections import BACK_INDEX, FACE_COUNT, NOTHING_INDEX
from vision.geometry.quads import boxes_meet, iou


@dataclass(frozen=True, slots=True)
class DuplicateSettings:
    """When two claims speak of one card; fitted on `dev` photographs and invented decks (``models/finder.md``)."""

    same: float = 0.9
    """Two claims sharing this much of their union once they are put right are read as one."""
    named: float = 0.25
    """Claims that read as one face and share this much of their union are one card: no pack holds a face twice."""
    overlap: float = 0.6
    """Claims sharing this much of their union are one card: crossed cards share at most 0.56."""
    turned: float = 0.8
    """The same where one is surely read as a back and the other as a face: a talon seen from far aside hides most of
    its turn-up."""
    sure: float = 0.9
    """As surely each must be read."""
    inside: float = 0.85
    """A claim of which this share lies within another (or the other way round) is a part mistaken for a card ..."""
    worse: float = 0.7
    """... if it reads worse than this much of the other; a card may truly lie within a heap."""


def choose(
    corners_px: np.ndarray, confidence: np.ndarray, probabilities: np.ndarray, settings: DuplicateSettings
) -> np.ndarray:
    """
    Indices of the claims to believe, the best first; what the classifier calls no card is left out.

    corners_px: (n, 4, 2); confidence: (n,), of the finder; probabilities: (n, 54) over ``CLASS_NAMES``.
    """
    score = probabilities[:, :NOTHING_INDEX].max(axis=1) * np.sqrt(confidence)
    areas = np.array([cv2.contourArea(quad) for quad in corners_px])
    meet = boxes_meet(corners_px)
    kept: list[int] = []
    for index in np.argsort(-score):
        if probabilities[index, NOTHING_INDEX] >= 0.5:
            continue
        near = [k for k in kept if meet[index, k]]
        limits = [_limit(probabilities[index], probabilities[k], settings) for k in near]
        if not any(
            _is_another(corners_px, areas, score, int(index), k, limit, settings)
            for k, limit in zip(near, limits, strict=True)
        ):
            kept.append(int(index))
    return np.array(kept, int)


def _limit(one: np.ndarray, other: np.ndarray, settings: DuplicateSettings) -> float:
    """How much of their union two claims (54,) may share before they are one card."""
    faces = [int(reading.argmax()) < FACE_COUNT for reading in (one, other)]
    if all(faces):
        return settings.named if one.argmax() == other.argmax() else settings.overlap
    is_sure = min(float(one.max()), float(other.max())) >= settings.sure
    backs = [int(reading.argmax()) == BACK_INDEX for reading in (one, other)]
    return settings.turned if any(faces) and any(backs) and is_sure else settings.overlap


def _is_another(
    corners: np.ndarray,
    areas: np.ndarray,
    score: np.ndarray,
    index: int,
    kept: int,
    limit: float,
    settings: DuplicateSettings,
) -> bool:
    """Is this claim only another word for the card of the kept one?"""
    shared = iou(corners[index], corners[kept])
    if shared >= limit:
        return True
    common = shared / (1 + shared) * (areas[index] + areas[kept])
    is_within = common > settings.inside * min(areas[index], areas[kept])
    return bool(is_within and score[index] < settings.worse * score[kept])
