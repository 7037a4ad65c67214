"""
Find crowded regions: cards that are many and close, of which the finder, whose input is much reduced, misses some. A
second inference at a finer scale pays off only there; elsewhere it finds print and parts of cards.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from vision.detection.detections import Detections
from vision.geometry.quads import boxes_meet, overlap

# When a crowd of cards gets a second, finer inference. Chosen on development fans, columns and heaps, 2026-11.
CROWD_MEETS = 0.15
"""Shared area of two cards, as a share of the smaller one, from which they lie together."""
LONGEST_PX = 1600
"""Longer side in pixels that the whole picture would have at the finer scale; only the crowd is processed."""
CROWD_MARGIN = 0.5
"""Margin around the crowd in card sizes."""
CROWD_KNOWN_IOU = 0.93
"""Intersection over union from which a proposal of the finer inference is a known card."""


CROWD_LEAST = 5
"""Cards that lie together from which they are a crowd and get a second, finer inference."""
TALLEST_INPUT_PX = 240.0
"""
Height in pixels of the finder's input up to which it finds cards: of 117 large cards on `dev` tables it found 113 where
they were 105 px tall, 112, 110, 108, 48 and 1 at 162, 202, 243, 324 and 404 px. 2026-11.
"""
LEAST_FINER = 1.15
"""Scale relative to the ordinary input from which a finer inference adds anything. Chosen by hand."""


def group_sizes(together: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """
    Return for each of n cards the size of its connected group, itself included, (n,); together: (n, n).

    >>> group_sizes(np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]], bool)).tolist()
    [2, 2, 1]
    """
    _, which, counts = np.unique(group_labels(together), return_inverse=True, return_counts=True)
    return counts[which]


def group_labels(together: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """Return for each of n cards a number of its connected group, (n,); together: (n, n)."""
    group = np.arange(len(together))
    for i, j in zip(*np.nonzero(together), strict=True):
        group[group == group[j]] = group[i]
    return group


def crowded_region(seen: Detections) -> tuple[int, int, int, int] | None:
    """Return the region around all crowded cards, x0, y0, x1, y1 in px; None if the table is not crowded."""
    n = len(seen)
    together = boxes_meet(seen.corners_px) if n else np.zeros((0, 0), bool)
    for i, j in zip(*np.nonzero(np.triu(together, 1)), strict=True):
        together[i, j] = overlap(seen.corners_px[i], seen.corners_px[j]) >= CROWD_MEETS
    crowded = seen.corners_px[group_sizes(np.triu(together, 1)) >= CROWD_LEAST]
    if not len(crowded):
        return None
    low, high = crowded.min(axis=1), crowded.max(axis=1)
    rim = CROWD_MARGIN * float(np.median((high - low).max(axis=1)))
    x0, y0 = np.floor(low.min(axis=0) - rim).astype(int)
    x1, y1 = np.ceil(high.max(axis=0) + rim).astype(int)
    return max(int(x0), 0), max(int(y0), 0), int(x1), int(y1)


def finer_scale(seen: Detections, longest_px: int, input_px: int) -> float | None:
    """
    Return the scale for the finer inference by the size of the cards in ``seen``, at most the picture's own, since
    enlarged pixels show nothing new; None if the ordinary inference is about as fine.

    longest_px: the picture's longer side. input_px: that of the ordinary inference.
    """
    edges = np.linalg.norm(np.roll(seen.corners_px, -1, axis=1) - seen.corners_px, axis=2)
    tall_px = float(np.median(edges.max(axis=1))) if len(seen) else 1.0
    scale = min(LONGEST_PX / longest_px, 1.0, TALLEST_INPUT_PX / tall_px)
    return scale if scale >= LEAST_FINER * input_px / longest_px else None
