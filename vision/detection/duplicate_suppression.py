"""Suppress duplicates: of several proposals of one card keep the one with the best score."""

from __future__ import annotations

import cv2
import numpy as np

from vision.detection.detections import BACK_INDEX, EVEN_ODDS, FACE_COUNT, NOTHING_INDEX
from vision.geometry.quads import boxes_meet, iou

# When two proposals count as one card; ``_iou``: intersection over union, 0..1. Fitted on `dev` photographs and
# invented decks, 2026-11 (``models/finder.md``).
DUPLICATE_SAME_IOU = 0.9
"""Intersection over union from which two refined proposals are classified only once."""
DUPLICATE_SAME_FACE_IOU = 0.25
"""Intersection over union from which two proposals with the same face are one card: a pack holds each face once."""
SAME_CARD_IOU = 0.6
"""Intersection over union from which proposals are one card; crossed cards have at most 0.56."""
BACK_AND_FACE_IOU = 0.8
"""
The same if one is surely a back and the other surely a face: a talon seen at a low angle hides most of its turn-up.
"""
BACK_AND_FACE_SURE = 0.9
"""Class share from which each of these two counts as sure."""
PART_SHARE = 0.85
"""
Share of the smaller proposal inside the larger one from which it is a part of that card, if its score is worse.
"""
PART_SCORE = 0.7
"""A part's score is below this multiple of the other proposal's score."""


def suppress_duplicates(corners_px: np.ndarray, confidence: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """
    Return the indices of the proposals to keep, the best first, without those classified as no card.

    corners_px: (n, 4, 2); confidence: (n,), of the finder; probabilities: (n, 54) over ``CLASS_NAMES``.
    """
    score = probabilities[:, :NOTHING_INDEX].max(axis=1) * np.sqrt(confidence)
    areas = np.array([cv2.contourArea(quad) for quad in corners_px])
    meet = boxes_meet(corners_px)
    kept: list[int] = []
    for index in np.argsort(-score):
        if probabilities[index, NOTHING_INDEX] >= EVEN_ODDS:
            continue
        near = [k for k in kept if meet[index, k]]
        limits = [_limit(probabilities[index], probabilities[k]) for k in near]
        if not any(
            _is_another(corners_px, areas, score, int(index), k, limit) for k, limit in zip(near, limits, strict=True)
        ):
            kept.append(int(index))
    return np.array(kept, int)


def _limit(one: np.ndarray, other: np.ndarray) -> float:
    """Return the intersection over union from which two proposals (54,) are one card."""
    faces = [int(reading.argmax()) < FACE_COUNT for reading in (one, other)]
    if all(faces):
        return DUPLICATE_SAME_FACE_IOU if one.argmax() == other.argmax() else SAME_CARD_IOU
    is_sure = min(float(one.max()), float(other.max())) >= BACK_AND_FACE_SURE
    backs = [int(reading.argmax()) == BACK_INDEX for reading in (one, other)]
    return BACK_AND_FACE_IOU if any(faces) and any(backs) and is_sure else SAME_CARD_IOU


def _is_another(
    corners: np.ndarray,
    areas: np.ndarray,
    score: np.ndarray,
    index: int,
    kept: int,
    limit: float,
) -> bool:
    """Check whether this proposal is a duplicate or a part of the kept one."""
    shared = iou(corners[index], corners[kept])
    if shared >= limit:
        return True
    common = shared / (1 + shared) * (areas[index] + areas[kept])
    is_within = common > PART_SHARE * min(areas[index], areas[kept])
    return bool(is_within and score[index] < PART_SCORE * score[kept])
