"""
Search for a covered card that the overlap network detects but does not locate well.

The overlap network detects surely whether a card lies beneath another, but its place overlaps the true one by about a
half only, and from there the corner refiner seldom finds it. So refinement starts at a dozen places around the
predicted one, with a rigid fit after each pass (``features/stills/rigid_outlines.py``). Starts near the card converge
to it; the others do not converge or end where no face is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from features.stills.rigid_outlines import RIGID_PASSES, CardPlane, Refine, fitted_once
from vision.detection.detections import FACE_COUNT, Detections
from vision.detection.occluded_reading import Read
from vision.detection.z_order import hidden_share
from vision.geometry.amodal_completion import is_convex, rigid_card
from vision.geometry.quads import Array, iou, warp

# Start places and acceptance. Chosen on 45 covered cards of development tables of photographed pairs, 2026-11: from
# the predicted place alone 25 were read correctly, from twelve places 38, none wrongly.
BENEATH_SHARE = 0.6
"""Probability of the overlap network from which a covered card is searched."""
AWAY_MM = (-8.0, 8.0, 24.0)
"""
Offsets of the start places in millimetres from the predicted one, away from the covering card: predictions are too
near to it.
"""
BENEATH_TURNS = (0.0, 0.5, -0.5, float(np.pi / 2))
"""Rotations of the start places in radians from the predicted one."""
MOST_MOVED = 0.12
"""Largest movement in the last pass (1 less the intersection over union) of an accepted result."""
BENEATH_SAME_IOU = 0.9
"""Intersection over union from which two results are one."""
MOST_READ = 6
"""Results classified, those that moved least in the last pass."""
BENEATH_MOST_HIDDEN = 0.88
"""Largest hidden share of a card that is classified."""
BENEATH_SURE = 0.9
"""Class share from which a face is accepted."""


@dataclass(frozen=True, slots=True, eq=False)
class Beneath:
    """A card that was found. corners_px: (4, 2). reading: (54,)."""

    corners_px: Array
    reading: Array


def starts(predicted: Array, lid: Array, plane: CardPlane) -> Array:
    """Return the start places around the ``predicted`` place (4, 2) beneath ``lid`` (4, 2): (n, 4, 2) px."""
    card = warp(plane.to_mm, plane.laid(predicted, np.ones(4, np.float32)))
    middle = card.mean(axis=0)
    away = middle - warp(plane.to_mm, lid).mean(axis=0)
    away = away / max(float(np.linalg.norm(away)), 1e-6)
    turn = float(np.arctan2(*(card[1] - card[0])[::-1]))
    at = [(middle + far * away, turn + turned) for far in AWAY_MM for turned in BENEATH_TURNS]
    cards = [rigid_card(float(x), float(y), angle, plane.size_mm) for (x, y), angle in at]
    return warp(plane.to_px, np.stack(cards))


def search_beneath(
    predicted: Array,
    occluders: Sequence[Array],
    known: Detections,
    refine: Refine,
    read: Read,
    plane: CardPlane,
) -> Beneath | None:
    """
    Return the card near the predicted place ``predicted`` (4, 2) px, or None if no face is read surely.

    lids: the cards (4, 2) on it, first the one whose overlap output predicted it. known: the surely read cards.
    """
    ends = starts(predicted, occluders[0], plane)
    for _ in range(RIGID_PASSES):
        ends, moved = fitted_once(ends, [list(occluders)] * len(ends), refine, plane)
        # Where the refiner finds no card it never will; and most starts lead to few places, or to known cards.
        kept: list[int] = []
        for k in np.argsort(moved, kind="stable"):
            others = [*known.corners_px, *ends[kept]]
            if moved[k] < 1 and all(iou(ends[k], other) < BENEATH_SAME_IOU for other in others):
                kept.append(int(k))
        ends, moved = ends[kept], moved[kept]
        if not kept:
            return None
    kept = [
        k
        for k, quad in enumerate(ends)
        if moved[k] <= MOST_MOVED and is_convex(quad) and hidden_share(quad, list(occluders)) <= BENEATH_MOST_HIDDEN
    ][:MOST_READ]
    if not kept:
        return None
    readings = read(ends[kept], [list(occluders)] * len(kept))
    found = [
        (float(reading.max()), k, reading)
        for k, reading in zip(kept, readings, strict=True)
        if int(reading.argmax()) < FACE_COUNT and int(reading.argmax()) not in known.best
    ]
    sure, k, reading = max(found, key=lambda reading: reading[0], default=(0.0, -1, readings[0]))
    return Beneath(ends[k], reading) if sure >= BENEATH_SURE else None
