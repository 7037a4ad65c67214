"""Which of several proposals of one card is believed: the one that reads best. A card is seen once."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.detection.detections import BACK_INDEX, EVEN_ODDS, FACE_COUNT, NOTHING_INDEX
from vision.geometry.quads import boxes_meet, iou


@dataclass(frozen=True, slots=True)
class DuplicateSettings:
    """
    When two proposals speak of one card; ``_iou``: shared area over the area of both, 0..1. Fitted on `dev` photographs
    and invented decks, 2026-11 (``models/finder.md``).
    """

    same_iou: float = 0.9
    """
    Two proposals sharing this much once they are put right are read as one. Higher reads more of them, lower may take
    the wrong one of two.
    """
    same_face_iou: float = 0.25
    """
    Proposals that read as one face and share this much are one card: no pack holds a face twice. Higher tells cards
    twice, lower strikes out a neighbour misread.
    """
    same_card_iou: float = 0.6
    """
    Proposals sharing this much are one card: crossed cards share at most 0.56. Higher tells cards twice, lower loses
    the card under another.
    """
    back_and_face_iou: float = 0.8
    """
    The same where one is surely read as a back and the other as a face: a talon seen from far aside hides most of its
    turn-up.
    """
    back_and_face_sure: float = 0.9
    """
    Share from which each of these two counts as surely read. Higher loses turn-ups, lower makes two cards of a back
    read badly.
    """
    part_share: float = 0.85
    """
    Share of the smaller that lies within the other from which it is a part mistaken for a card, if it reads worse.
    Higher tells parts as cards, lower loses cards in a heap.
    """
    part_score: float = 0.7
    """
    So many times the other's score a part must read worse than. Higher loses cards that truly lie within a heap, lower
    tells parts as cards.
    """


def suppress_duplicates(
    corners_px: np.ndarray, confidence: np.ndarray, probabilities: np.ndarray, settings: DuplicateSettings
) -> np.ndarray:
    """
    Indices of the proposals to believe, the best first; what the classifier calls no card is left out.

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
    """How much of their union two proposals (54,) may share before they are one card."""
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
    """Is this proposal only another word for the card of the kept one?"""
    shared = iou(corners[index], corners[kept])
    if shared >= limit:
        return True
    common = shared / (1 + shared) * (areas[index] + areas[kept])
    is_within = common > settings.part_share * min(areas[index], areas[kept])
    return bool(is_within and score[index] < settings.part_score * score[kept])
