"""
A finder of indices instead of cards: its training labels, and the cards that follow from its claims.

A design for comparison (``models/evaluation/compare_finders.py``, ``docs/decisions/0002``); the program finds cards.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from datasets.scenes.scene import Scene
from models.evaluation.check_sets import INDEX_SIZE, owners
from vision.detection.detections import BACK
from vision.geometry.quads import iou

IN_VIEW = 0.8
"""Smallest visible share of an index that is labelled."""
ONE_CARD = 0.3
"""Two indices whose cards would share this much of their union are those of one card."""


def zones(quad: np.ndarray) -> np.ndarray:
    """
    Return (2, 4, 2) float32: where a card (4, 2) bears its upper left and its lower right index, short edges first.
    """
    wide, tall = INDEX_SIZE
    first = np.array([[0, 0], [wide, 0], [wide, tall], [0, tall]], np.float32)
    last = first + np.array([1 - wide, 1 - tall], np.float32)
    onto = cv2.getPerspectiveTransform(np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32), quad.astype(np.float32))
    return np.stack([cv2.perspectiveTransform(zone[None], onto)[0] for zone in (first, last)])


def index_scene(scene: Scene) -> Scene:
    """Return the same picture with the indices in view as labels, each under its card's name; backs have none."""
    height, width = scene.image.shape[:2]
    owner = owners(scene.corners_px, (width, height))
    labels = []
    for i, (quad, name) in enumerate(zip(scene.corners_px, scene.names, strict=True)):
        for zone in zones(quad) if name != BACK else ():
            mask = np.zeros(owner.shape, np.uint8)
            cv2.fillConvexPoly(mask, np.round(zone).astype(np.int32), 1)
            shown = float((owner[mask > 0] == i + 1).sum()) / max(float(cv2.contourArea(zone)), 1.0)
            if shown >= IN_VIEW:
                labels.append((zone, name, min(shown, 1.0)))
    quads = np.array([zone for zone, _, _ in labels], np.float32).reshape(-1, 4, 2)
    shares = np.array([share for _, _, share in labels], np.float32)
    return replace(scene, corners_px=quads, names=tuple(name for _, name, _ in labels), visible=shares)


def _cards_of(index: np.ndarray) -> np.ndarray:
    """
    Return (2, 4, 2): the card of which this box (4, 2) is the upper left index, and that of which it is the lower
    right.
    """
    wide, tall = INDEX_SIZE
    along, down = (index[1] - index[0]) / wide, (index[3] - index[0]) / tall
    first = np.stack([index[0], index[0] + along, index[0] + along + down, index[0] + down])
    second = np.stack([index[2] - along - down, index[2] - down, index[2], index[2] - along])
    return np.stack([first, second]).astype(np.float32)


def cards_from(indices: np.ndarray) -> list[np.ndarray]:
    """
    Return the cards of proposed indices (n, 4, 2), the surest first: (k, 4, 2) outlines each, of which one is right.

    Two indices that agree about their card give one outline, between what each says; one alone leaves two open.
    """
    could_be = [_cards_of(index) for index in indices]
    cards: list[np.ndarray] = []
    taken: set[int] = set()
    for i, mine in enumerate(could_be):
        if i in taken:
            continue
        agreeing = [
            (iou(mine[a], could_be[j][1 - a]), a, j)
            for j in range(i + 1, len(could_be))
            if j not in taken
            for a in (0, 1)
        ]
        share, way, other = max(agreeing, default=(0.0, 0, i))
        if share < ONE_CARD:
            cards.append(mine)
            continue
        taken.add(other)
        # Each knows its own corner best: the box spanned by both.
        near, far = (indices[i], indices[other]) if way == 0 else (indices[other], indices[i])
        across = far[2] - near[0]
        edge = mine[way][1] - mine[way][0] + could_be[other][1 - way][1] - could_be[other][1 - way][0]
        unit = edge / max(float(np.linalg.norm(edge)), 1e-6)
        along = unit * float(across @ unit)
        cards.append(np.stack([near[0], near[0] + along, far[2], far[2] - along])[None].astype(np.float32))
    return cards
