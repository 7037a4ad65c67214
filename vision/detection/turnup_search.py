"""
Search for a turn-up: crosswise under a face-down stack, with about a third of it visible on one side.

The finder often misses it, since little of it is visible. But it can lie in few places only, and the refiner and the
classifier decide whether a card is there. Most backs have none under them: such a back is not searched again before
its surroundings change.
"""

from __future__ import annotations

import cv2
import numpy as np

from vision.detection.classifier import CardClassifier
from vision.detection.detections import BACK_INDEX, FACE_COUNT, NOTHING_INDEX, Detections
from vision.detection.finder import CornerRefiner
from vision.detection.rectification import Picture, crops_at
from vision.detection.result_cache import (
    CORNERS_DIFFER,
    REREAD_BELOW,
    CachedResult,
    ClassCache,
    CornerCache,
    PlaceCache,
    spot_means,
)
from vision.geometry.quads import CARD_HEIGHT_MM, CARD_WIDTH_MM, iou

# When a card under a stack is accepted. Set by hand, 2026-11.
TURNUP_SEARCH_BACKS = 4
"""Backs searched: a table has a talon and a discard pile, of which a few cards show."""
BACK_SHARE = 0.8
"""Class share of "back" from which a back is searched."""
SHIFT_LENGTHS = 0.38
"""Distance in card lengths from the stack's centre to the turn-up's: people leave the index visible."""
AGREE_IOU = 0.5
"""Intersection over union of the refined card with the searched place, or with a known card."""
FACE_SHARE = 0.6
"""Class share from which a face is accepted, the stack's own back left out of account."""
SURE_FACES = 0.9
"""Share of all faces together from which a card lies there for certain, which later inferences may identify."""
LEAST_FACES = 0.2
"""Share of all faces together that is required in any case; below it a stack lies there with nothing under it."""
TURNUP_SEARCH_MOST_NOTHING = 0.15
"""Largest share of "no card": bare table reaches more."""


TURNUP_CONFIDENCE = 0.5
"""Confidence assigned to a card under a stack relative to the finder's proposals, 0..1. Set by hand, 2026-11."""


AROUND_PX = (120, 64)
"""Width and height in pixels of the crop of a back's surroundings: the places at both its sides fill it."""


class TurnupSearch:
    """Searches the turn-up under the backs of picture after picture."""

    def __init__(self, refiner: CornerRefiner, classifier: CardClassifier) -> None:
        self._corners, self._classes = CornerCache(refiner), ClassCache(classifier)
        self._without = PlaceCache(_surroundings, CORNERS_DIFFER, 2 * TURNUP_SEARCH_BACKS)

    def find(self, image_bgr: Picture, seen: Detections) -> Detections:
        """Return the turn-ups that the finder missed; none if a face that it found lies where a turn-up would."""
        backs = seen.corners_px[backs_to_search(seen.probabilities)]
        # An unidentified card at the place does not prevent the search for a turn-up there.
        faces = seen.corners_px[seen.probabilities[:, :FACE_COUNT].max(axis=1, initial=0.0) > FACE_SHARE]
        if any(iou(place, face) > AGREE_IOU for place in turnup_places(backs) for face in faces):
            return Detections.none()
        known = self._without.find(image_bgr, backs)
        backs = backs[[result is None for result in known]]
        sought = turnup_places(backs)
        refined = self._corners.refine(image_bgr, sought)
        left = stayed(sought, refined, faces)
        named = self._classes.read(image_bgr, refined[left])
        self._corners.forget(refined[left][named.max(axis=1, initial=0.0) < REREAD_BELOW])
        is_unclear = np.zeros(len(sought), bool)
        is_unclear[left] = named[:, :FACE_COUNT].sum(axis=1) >= LEAST_FACES
        bare = backs[~is_unclear.reshape(-1, 2).any(axis=1)]
        spots = spot_means(_surroundings(image_bgr, bare))
        self._without.keep(known, [CachedResult(*spot, np.zeros(0)) for spot in zip(bare, spots, strict=True)])
        kept = accepted_turnups(named)
        return Detections(
            refined[left][kept], np.full(len(kept), TURNUP_CONFIDENCE, np.float32), without_back(named[kept])
        )


def _surroundings(image_bgr: Picture, backs_px: np.ndarray) -> np.ndarray:
    """Return crops of backs (n, 4, 2) px with the places of a turn-up at both sides: (n, h, w, 3) uint8."""
    width, height = AROUND_PX
    scale = width / (2 * SHIFT_LENGTHS + 1) / CARD_HEIGHT_MM
    x, y, half_x, half_y = width / 2, height / 2, CARD_WIDTH_MM * scale / 2, CARD_HEIGHT_MM * scale / 2
    left, right, top, bottom = x - half_x, x + half_x, y - half_y, y + half_y
    frame = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)
    return crops_at(image_bgr, backs_px, frame, AROUND_PX)


def turnup_places(backs_px: np.ndarray) -> np.ndarray:
    """Return the places where a turn-up would lie, to either side of each back: (n, 4, 2) -> (2n, 4, 2) quads."""
    width, height = CARD_WIDTH_MM, CARD_HEIGHT_MM
    frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    out = []
    for quad in backs_px:
        onto = cv2.getPerspectiveTransform(frame, quad.astype(np.float32))
        for side in (-1, 1):
            x, y = width / 2 + side * SHIFT_LENGTHS * height, height / 2
            # The turn-up's short edges are parallel to the stack's long edges.
            corners = [
                [x + height / 2, y - width / 2],
                [x + height / 2, y + width / 2],
                [x - height / 2, y + width / 2],
                [x - height / 2, y - width / 2],
            ]
            out.append(cv2.perspectiveTransform(np.array([corners], np.float32), onto)[0])
    return np.array(out, np.float32).reshape(-1, 4, 2)


def backs_to_search(probabilities: np.ndarray) -> np.ndarray:
    """Return the indices of the backs to search, the surest first."""
    share = probabilities[:, BACK_INDEX]
    order = np.argsort(-share)[:TURNUP_SEARCH_BACKS]
    return order[share[order] >= BACK_SHARE]


def without_back(probabilities: np.ndarray) -> np.ndarray:
    """
    Return the (n, 54) readings without the class "back", renormalised: these places are known to be covered by a back.
    """
    rest = probabilities.copy()
    rest[:, BACK_INDEX] = 0
    named: np.ndarray = (rest / np.maximum(rest.sum(axis=1, keepdims=True), 1e-6)).astype(np.float32)
    return named


def stayed(sought: np.ndarray, refined: np.ndarray, known: np.ndarray) -> list[int]:
    """Return the indices of n places (n, 4, 2) that stayed in place when refined and match no ``known`` card."""
    return [
        i
        for i, quad in enumerate(refined)
        if iou(quad, sought[i]) >= AGREE_IOU and all(iou(quad, other) <= AGREE_IOU for other in known)
    ]


def accepted_turnups(probabilities: np.ndarray) -> list[int]:
    """Return the indices of n places with readings (n, 54) that hold a card."""
    kept = []
    rest = without_back(probabilities)
    for i, reading in enumerate(probabilities):
        faces = float(reading[:FACE_COUNT].sum())
        is_face = rest[i, :FACE_COUNT].max() >= FACE_SHARE or faces >= SURE_FACES
        if faces >= LEAST_FACES and is_face and reading[NOTHING_INDEX] <= TURNUP_SEARCH_MOST_NOTHING:
            kept.append(i)
    return kept
