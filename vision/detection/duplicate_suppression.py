"""Suppress duplicates: of several proposals of one card keep the one with the best score."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.detection.detections import BACK_INDEX, EVEN_ODDS, FACE_COUNT, NOTHING_INDEX
from vision.geometry.quads import boxes_meet, iou


@dataclass(frozen=True, slots=True)
class DuplicateSettings:
    """
    When two proposals count as one card; ``_iou``: intersection over union, 0..1. Fitted on `dev` photographs and
    invented decks, 2026-11 (``models/finder.md``).
    """

    same_iou: float = 0.9
    """Intersection over union from which two refined proposals are classified only once."""
    same_face_iou: float = 0.25
    """Intersection over union from which two proposals with the same face are one card: a pack holds each face once."""
    same_card_iou: float = 0.6
    """Intersection over union from which proposals are one card; crossed cards have at most 0.56."""
    back_and_face_iou: float = 0.8
    """
    The same if one is surely a back and the other surely a face: a talon seen at a low angle hides most of its turn-up.
    """
    back_and_face_sure: float = 0.9
    """Class share from which each of these two counts as sure."""
    part_share: float = 0.85
    """
    Share of the smaller proposal inside the larger one from which it is a part of that card, if its score is worse.
    """
    part_score: float = 0.7
    """A part's score is below this multiple of the other proposal's score."""


def suppress_duplicates(
    corners_px: np.ndarray, confidence: np.ndarray, probabilities: np.ndarray, settings: DuplicateSettings
) -> np.ndarray:
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
        limits = [_limit(probabilities[index], probabilities[k], settings) for k in near]
        if not any(
            _is_another(corners_px, areas, score, int(index), k, limit, settings)
            for k, limit in zip(near, limits, strict=True)
        ):
            kept.append(int(index))
    return np.array(kept, int)


def _limit(one: np.ndarray, other: np.ndarray, settings: DuplicateSettings) -> float:
    """Return the intersection over union from which two proposals (54,) are one card."""
    faces = [int(reading.argmax()) < FACE_COUNT for reading in (one, other)]
    if all(faces):
        return settings.same_face_iou if one.argmax() == other.argmax() else settings.same_card_iou
    is_sure = min(float(one.max()), float(other.max())) >= settings.back_and_face_sure
    backs = [int(reading.argmax()) == BACK_INDEX for reading in (one, other)]
    return settings.back_and_face_iou if any(faces) and any(backs) and is_sure else settings.same_card_iou


def _is_another(
    corners: np.ndarray,
    areas: np.ndarray,
    score: np.ndarray,
    index: int,
    kept: int,
    limit: float,
    settings: DuplicateSettings,
) -> bool:
    """Check whether this proposal is a duplicate or a part of the kept one."""
    shared = iou(corners[index], corners[kept])
    if shared >= limit:
        return True
    common = shared / (1 + shared) * (areas[index] + areas[kept])
    is_within = common > settings.part_share * min(areas[index], areas[kept])
    return bool(is_within and score[index] < settings.part_score * score[kept])
