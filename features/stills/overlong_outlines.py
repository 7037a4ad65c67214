"""
Split outlines that are longer than a card: two or three cards of a stepped column that the finder outlined as one.

A card seen obliquely can be 2.2 times as long as wide, so the ratio of the edges alone proves nothing. An outline of a
suspicious ratio is tested: a card of ordinary shape is placed at each of its ends and moved by the corner refiner.
Around one true card the refiner returns to the whole outline; around several it stops at a card's own edges, and that
card is classified.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from features.stills.rigid_outlines import Refine
from vision.detection.detections import FACE_COUNT, NOTHING_INDEX, Detections
from vision.detection.occluded_reading import Read
from vision.geometry.card_chains import edges_of
from vision.geometry.quads import Array, iou

SUSPICIOUS = 1.7
"""Long edge over short edge from which an outline is tested. From above a card has 1.40 (poker) to 1.54 (bridge)."""
ORDINARY = 1.45
"""Ratio of the cards that are placed at the ends, between poker and bridge cards."""
SAME_OUTLINE = 0.8
"""Intersection over union from which the refiner has returned to the whole outline."""
SURE = 0.9
"""Class share from which the card at an end is accepted. Chosen by hand on 40 composed columns (`dev` decks)."""


def ratios(corners_px: Array) -> npt.NDArray[np.float64]:
    """Return the long edge over the short edge of (n, 4, 2) outlines, (n,)."""
    edges = np.array([edges_of(quad) for quad in corners_px], np.float64).reshape(-1, 2)
    found: npt.NDArray[np.float64] = edges.max(axis=1) / np.maximum(edges.min(axis=1), 1e-6)
    return found


def ends_of(quad: Array) -> Array:
    """
    Return the cards of ordinary shape at the two ends of a long outline: (2, 4, 2), corners in the outline's order.

    quad: (4, 2) px, corner 0 to 1 a short edge.
    """
    short, long = edges_of(quad)
    share = np.float32(ORDINARY * short / max(long, 1e-6))
    first = np.stack([quad[0], quad[1], quad[1] + share * (quad[2] - quad[1]), quad[0] + share * (quad[3] - quad[0])])
    last = np.stack([quad[3] + share * (quad[0] - quad[3]), quad[2] + share * (quad[1] - quad[2]), quad[2], quad[3]])
    return np.stack([first, last]).astype(np.float32)


def split_overlong(seen: Detections, refine: Refine, read: Read) -> Detections:
    """Replace each outline that spans several cards by the surer of the cards at its ends."""
    long = ratios(seen.corners_px)
    suspected = np.flatnonzero((long > SUSPICIOUS) & (seen.best < FACE_COUNT))
    if not len(suspected):
        return seen
    ends = refine(np.concatenate([ends_of(seen.corners_px[k]) for k in suspected]))
    readings = read(ends, [[] for _ in ends])
    corners, probabilities = seen.corners_px.copy(), seen.probabilities.copy()
    for place, k in enumerate(suspected):
        own = slice(2 * place, 2 * place + 2)
        apart = [iou(quad, seen.corners_px[k]) < SAME_OUTLINE for quad in ends[own]]
        sure = np.where(apart, readings[own, :FACE_COUNT].max(axis=1), 0.0)
        best = int(sure.argmax())
        if sure[best] >= SURE and readings[own][best, NOTHING_INDEX] < 1 - SURE:
            corners[k], probabilities[k] = ends[own][best], readings[own][best]
    return Detections(corners, seen.confidence, probabilities)
