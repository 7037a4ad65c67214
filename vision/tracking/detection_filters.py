"""
Corrections of detections before they are tracked.

* A back on an open face, and an outline that only takes up parts of well-read cards, are dropped: no back comes to lie
  on a face of the bout. Such a "back" is a face that the classifier doesn't know, or one outlined badly.
* A card that the picture's edge cuts is named by its whole outline. Of its part in the picture the classifier gets a
  stretched crop, in which a ten reads as a nine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np

from referee.cards import Card
from vision.detection.detections import BACK_INDEX, FACE_COUNT, FACES, NOTHING_INDEX, Detections
from vision.geometry.quads import Array, area, iou, overlap
from vision.tracking.track import NO_CARD

# Shares from 0 to 1, of an area or of all probability. Chosen by hand, 2026-11.
OPEN_FACE = 0.9
"""Probability of the name from which a face lies open."""
BACK_ON_FACE = 0.3
"""A back with more of its area on open faces is no back."""
POORLY_READ, MADE_OF_FACES = 0.6, 0.8
"""A face read with less, and with more of its area on open faces, is a part of them."""
SHOWN = 0.5
"""A detection shows a known card if their intersection over union is at least this."""
BACK_MADE_OF_FACES = 0.75
"""A back with more of its area on open faces is a part of them rather than an unread face."""
ANY_FACE = 0.1
"""A back that is no back is an unread face if all faces together have this probability."""
AT_PILE = 0.05
"""A detection that shares more with a pile may be a back of it."""
SHARE_RASTER_PX = 48.0
"""Side of a card's area on the raster on which shares are counted."""
SAME_LIES_THERE = 0.1
"""A detection that overlaps more with a cut card may be what the card's whole outline shows."""


def without_false_detections(
    found: Detections, faces: Sequence[Array], piles: Sequence[Array], turnup: Card | None = None
) -> Detections:
    """
    Return the detections without those that are no cards of their own; an unread face taken for a back is kept.

    ``faces``: (4, 2) px, open cards of the bout. ``piles``: outlines of talon, turn-up and discard pile. ``turnup``:
    the announced one that was not found yet; the talon lies on it. An unread face is a second detection of a known
    card only if another detection shows that card, else it may lie on it.
    """
    if not len(found):
        return found
    best = found.probabilities.argmax(axis=1)
    surest = found.probabilities[:, :FACE_COUNT].max(axis=1)
    is_open = surest >= OPEN_FACE
    if turnup is not None:
        is_open &= best != FACES.index(turnup)
    open_px = [*found.corners_px[is_open]]
    kept: list[int] = []
    probabilities = found.probabilities.copy()
    for k, quad in enumerate(found.corners_px):
        is_back = best[k] == BACK_INDEX
        is_certain = not is_back and surest[k] >= POORLY_READ
        if is_certain or any(overlap(quad, pile) > AT_PILE for pile in piles):
            kept.append(k)
            continue
        others = [*found.corners_px[:k], *found.corners_px[k + 1 :]]
        known = [face for face in faces if is_back or any(iou(other, face) >= SHOWN for other in others)]
        on_faces = covered_share(quad, [*open_px, *known])
        if is_back and on_faces >= BACK_ON_FACE:
            names = _as_face(probabilities[k])
            if on_faces >= BACK_MADE_OF_FACES or names is None:
                continue
            probabilities[k] = names
        if is_back or on_faces < MADE_OF_FACES:
            kept.append(k)
    return Detections(found.corners_px[kept], found.confidence[kept], probabilities[kept])


def _as_face(names: np.ndarray) -> np.ndarray | None:
    """Return the probabilities (54,) of a card that is no back, None if no face is likely."""
    names = names.copy()
    names[BACK_INDEX] = 0.0
    if float(names[:FACE_COUNT].sum()) < ANY_FACE or names[NOTHING_INDEX] > NO_CARD:
        return None
    return np.asarray(names / names.sum())


def covered_share(quad: Array, others: Sequence[Array]) -> float:
    """Return the share, 0 to 1, of a card, (4, 2) px, that lies within any of the others."""
    near = [other for other in others if overlap(quad, other) > 0]
    if not near:
        return 0.0
    scale = SHARE_RASTER_PX / max(np.sqrt(area(quad)), 1.0)
    low = quad.min(axis=0)
    width, height = (np.ceil((quad.max(axis=0) - low) * scale) + 1).astype(int)
    place, lids = np.zeros((height, width), np.uint8), np.zeros((height, width), np.uint8)
    cv2.fillConvexPoly(place, np.round((quad - low) * scale).astype(np.int32), 1)
    for other in near:
        cv2.fillConvexPoly(lids, np.round((other - low) * scale).astype(np.int32), 1)
    return float(lids[place > 0].mean())


def with_whole_readings(found: Detections, whole: Mapping[int, np.ndarray]) -> Detections:
    """
    Return the detections, those in ``whole`` with the reading of the whole outline if that is the surer face.

    ``whole``: index of a detection -> (54,) probabilities. Of two cards that overlap the lower one's outline shows the
    upper one's print: a face that is read as surely where the other lies is the other's.
    """
    probabilities = found.probabilities.copy()
    surest = found.probabilities[:, :FACE_COUNT].max(axis=1, initial=0.0)
    for k, names in whole.items():
        name = int(names[:FACE_COUNT].argmax())
        if names[name] < surest[k]:
            continue
        beside = [
            max(float(other_names[name]), float(whole[other][name]) if other in whole else 0.0)
            for other, other_names in enumerate(found.probabilities)
            if other != k and overlap(found.corners_px[other], found.corners_px[k]) > SAME_LIES_THERE
        ]
        if max(beside, default=0.0) < names[name]:
            probabilities[k] = names
    return Detections(found.corners_px, found.confidence, probabilities)
