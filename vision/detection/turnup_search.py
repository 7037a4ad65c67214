"""
Where a turn-up would lie: crosswise under a face-down stack, a good third of it in view on one side.

So little of it shows that the finder often passes it over. But it can lie in few places only, and the refiner and the
classifier tell whether a card is really there.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.detection.detections import BACK_INDEX, FACE_COUNT, NOTHING_INDEX
from vision.geometry.plane_homography import CARD_HEIGHT_MM, CARD_WIDTH_MM
from vision.geometry.quads import iou


@dataclass(frozen=True, slots=True)
class TurnupSearchSettings:
    """When a card under a stack is believed. Set by hand, 2026-11."""

    backs: int = 4
    """
    Backs tried: a table has a talon and a heap, of which a few cards show. More take time. Fewer may leave out the
    talon.
    """
    back_share: float = 0.8
    """Share of "back" from which one is tried. Higher misses turn-ups under worn backs, lower takes time."""
    shift_lengths: float = 0.38
    """
    Card lengths from the stack's middle to the turn-up's: people leave the index in view. It is where most of them
    are found. Farther looks for more of the card in view, nearer for less.
    """
    agree_iou: float = 0.5
    """
    Intersection over union of the refined card with where it was looked for, or with a card that is known. Higher
    misses turn-ups that lie askew, lower takes a neighbour for one.
    """
    face_share: float = 0.6
    """
    Share of one face from which it is read there, the stack's own back left out of account. Higher misses turn-ups,
    lower names them wrongly.
    """
    sure_faces: float = 0.9
    """
    Or share of all faces together: a card lies there for certain, and its name may be told by later looks. Lower
    finds turn-ups where there are none. Higher misses turn-ups whose name is in doubt.
    """
    least_faces: float = 0.2
    """
    Share of all faces together that is needed in any case: less is a stack with nothing under it. Higher misses
    turn-ups; lower finds some under bare stacks.
    """
    most_nothing: float = 0.15
    """
    Share of "no card" that is allowed: a table top reads so. Higher finds turn-ups where there are none. Lower
    misses turn-ups of which little shows.
    """
    confidence: float = 0.5
    """
    What such a card is worth beside the finder's proposals, 0..1. Lower lets the tracker pass it over. Higher lets
    it push out what the finder claims there.
    """


def turnup_places(backs_px: np.ndarray, settings: TurnupSearchSettings) -> np.ndarray:
    """(n, 4, 2) quads of backs -> (2n, 4, 2) quads where a turn-up would lie, to either side of each."""
    width, height = CARD_WIDTH_MM, CARD_HEIGHT_MM
    frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    out = []
    for quad in backs_px:
        onto = cv2.getPerspectiveTransform(frame, quad.astype(np.float32))
        for side in (-1, 1):
            x, y = width / 2 + side * settings.shift_lengths * height, height / 2
            # Its short edges stand where the stack's long edges run.
            corners = [
                [x + height / 2, y - width / 2],
                [x + height / 2, y + width / 2],
                [x - height / 2, y + width / 2],
                [x - height / 2, y - width / 2],
            ]
            out.append(cv2.perspectiveTransform(np.array([corners], np.float32), onto)[0])
    return np.array(out, np.float32).reshape(-1, 4, 2)


def backs_to_search(corners_px: np.ndarray, probabilities: np.ndarray, settings: TurnupSearchSettings) -> np.ndarray:
    """Indices of the backs worth trying, the surest first."""
    share = probabilities[:, BACK_INDEX]
    order = np.argsort(-share)[: settings.backs]
    return order[share[order] >= settings.back_share]


def without_back(probabilities: np.ndarray) -> np.ndarray:
    """(n, 54) readings of places that a back is known to cover: the back is no news, what else speaks counts."""
    rest = probabilities.copy()
    rest[:, BACK_INDEX] = 0
    named: np.ndarray = (rest / np.maximum(rest.sum(axis=1, keepdims=True), 1e-6)).astype(np.float32)
    return named


def stayed(sought: np.ndarray, refined: np.ndarray, known: np.ndarray, settings: TurnupSearchSettings) -> list[int]:
    """Which of n places (n, 4, 2) a card may lie at that stayed there when put right, and is none of ``known``."""
    return [
        i
        for i, quad in enumerate(refined)
        if iou(quad, sought[i]) >= settings.agree_iou and all(iou(quad, other) <= settings.agree_iou for other in known)
    ]


def accepted_turnups(probabilities: np.ndarray, settings: TurnupSearchSettings) -> list[int]:
    """Which of n places with readings (n, 54) hold a card."""
    kept = []
    rest = without_back(probabilities)
    for i, reading in enumerate(probabilities):
        faces = float(reading[:FACE_COUNT].sum())
        is_face = rest[i, :FACE_COUNT].max() >= settings.face_share or faces >= settings.sure_faces
        if faces >= settings.least_faces and is_face and reading[NOTHING_INDEX] <= settings.most_nothing:
            kept.append(i)
    return kept
