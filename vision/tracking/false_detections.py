"""
Claims that are no cards of their own: a back where a face lies open, and an outline that only takes up parts of cards
which read well.

In Durak no back ever comes to lie on a face of the bout; what reads as one there is a face that the classifier doesn't
know, or one outlined badly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from referee.cards import Card
from vision.detection.detections import BACK_INDEX, FACE_COUNT, FACES, NOTHING_INDEX, Detections
from vision.geometry.quads import Array, area, iou, overlap
from vision.tracking.track_settings import NO_CARD


@dataclass(frozen=True, slots=True)
class FalseDetectionSettings:
    """When a claim is none. Shares are from 0 to 1, of an area or of all probability. Set by hand, 2026-11."""

    open_face: float = 0.9
    """As surely a face must be read to lie open. Higher: more claims on faces stay; lower: a misread back takes true
    claims away."""
    back_on_face: float = 0.3
    """A back of which so much lies on open faces is none. Higher: badly outlined faces are backs; lower: a back laid
    close to a bout is a face."""
    poorly_read: float = 0.6
    """A face read less surely than this ..."""
    made_of: float = 0.8
    """... of which so much lies on open faces is a part of them seen once more. Higher: cards are seen double; lower:
    covered cards are lost."""
    shown: float = 0.5
    """A claim shows a known card if they share so much of what both cover. Higher: cards are seen double; lower: a card
    laid on another is lost until it is read well."""
    back_made_of: float = 0.75
    """The same of what reads as a back: a face that nobody can read shares less than this with those that are plain."""
    any_face: float = 0.1
    """A back that is none is a face that nobody can read, if so much speaks for any face at all. Higher: such faces are
    lost; lower: shadows are faces."""
    at_pile: float = 0.05
    """What shares more than this of its area with a pile, or a pile with it, may be a back of it. Higher: cards of the
    heap are lost; lower: badly outlined faces near it are backs."""


def without_false_detections(
    found: Detections,
    faces: Sequence[Array],
    piles: Sequence[Array],
    settings: FalseDetectionSettings,
    turnup: Card | None = None,
) -> Detections:
    """
    The claims but for those that are none; what reads as a back on a face and isn't surely one keeps its place.

    ``faces``: (4, 2) px, open cards of the bout that are known; ``piles``: talon, turn-up and heap. A face that nobody
    can read is a known card seen once more only where another claim shows that card; else it may be one laid on it.
    ``turnup``: the one that is said to lie there and was not made out yet; the talon lies on it.
    """
    if not len(found):
        return found
    s = settings
    best = found.probabilities.argmax(axis=1)
    surest = found.probabilities[:, :FACE_COUNT].max(axis=1)
    is_open = surest >= s.open_face
    if turnup is not None:
        is_open &= best != FACES.index(turnup)
    open_px = [*found.corners_px[is_open]]
    kept: list[int] = []
    probabilities = found.probabilities.copy()
    for k, quad in enumerate(found.corners_px):
        is_back = best[k] == BACK_INDEX
        doubtful = is_back or surest[k] < s.poorly_read
        if not doubtful or any(overlap(quad, pile) > s.at_pile for pile in piles):
            kept.append(k)
            continue
        others = [*found.corners_px[:k], *found.corners_px[k + 1 :]]
        known = [face for face in faces if is_back or any(iou(other, face) >= s.shown for other in others)]
        on_faces = covered_share(quad, [*open_px, *known])
        if is_back and on_faces >= s.back_on_face:
            names = probabilities[k]
            names[BACK_INDEX] = 0.0
            is_part = on_faces >= s.back_made_of
            if is_part or float(names[:FACE_COUNT].sum()) < s.any_face or names[NOTHING_INDEX] > NO_CARD:
                continue
            probabilities[k] = names / names.sum()
        if not is_back and on_faces >= s.made_of:
            continue
        kept.append(k)
    return Detections(found.corners_px[kept], found.confidence[kept], probabilities[kept])


def covered_share(quad: Array, others: Sequence[Array]) -> float:
    """How much of a card, (4, 2) px, lies within any of the others, 0 to 1."""
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


SHARE_RASTER_PX = 48.0
"""Shares are counted on a raster on which a card's area has a side of so many pixels. More: finer and dearer."""
