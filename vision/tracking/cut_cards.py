"""
Cards that the picture's edge cuts, named by the whole card that they are.

What is found of such a card is its part in the picture; laid into a card's shape that part is stretched, and a ten
reads as a nine. Laid into the whole outline its print is in proportion.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from vision.detection.detections import FACE_COUNT, Detections
from vision.geometry.quads import overlap

SAME_LIES_THERE = 0.1
"""A claim that shares so much of the smaller of both, 0 to 1, with a card may be what its whole outline shows.
Higher: a covered card is read as the one on it; lower: neighbours of one name keep a stretched reading. Set by hand,
2026-11."""


def read_whole(found: Detections, named: Mapping[int, np.ndarray]) -> Detections:
    """
    The claims, those of ``named`` (index of a claim -> (54,) what its whole outline reads as) as that says, where it
    is the surer reading of a face.

    Of two cards that overlap the lower one's outline shows the upper one's print: a face that is read as surely where
    the other lies is that one's.
    """
    probabilities = found.probabilities.copy()
    surest = found.probabilities[:, :FACE_COUNT].max(axis=1, initial=0.0)
    for k, names in named.items():
        name = int(names[:FACE_COUNT].argmax())
        if names[name] < surest[k]:
            continue
        beside = [
            max(float(quad_names[name]), float(named[other][name]) if other in named else 0.0)
            for other, quad_names in enumerate(found.probabilities)
            if other != k and overlap(found.corners_px[other], found.corners_px[k]) > SAME_LIES_THERE
        ]
        if max(beside, default=0.0) < names[name]:
            probabilities[k] = names
    return Detections(found.corners_px, found.confidence, probabilities)
