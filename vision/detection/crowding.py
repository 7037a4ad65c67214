"""
Where a table is crowded: cards so many and so close that the finder, which sees the picture much reduced, passes some
over. There a second, finer look is worth its time; elsewhere it finds print and parts of cards.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.detection.detections import Detections
from vision.geometry.quads import boxes_meet, overlap


@dataclass(frozen=True, slots=True)
class CrowdSettings:
    """When and how a crowd of cards is looked at once more. Chosen on development fans and columns, 2026-11."""

    least_cards: int = 5
    """Cards that lie together for it to be a crowd. Higher misses small fans, lower takes time over every bout."""
    meets: float = 0.15
    """
    Share of the smaller of two cards that they must have in common to lie together. Higher sees fewer crowds, lower
    more.
    """
    longest_px: int = 1280
    """
    Longer side in pixels that the whole picture would have at the finer look; only the crowd is looked at. More finds
    smaller cards and takes longer by its square, less misses cards.
    """
    most_enlarged: float = 1.25
    """
    Times that the picture is enlarged at most. Higher takes time and shows nothing new, lower
    misses cards of small pictures.
    """
    margin: float = 0.5
    """Card sizes round the crowd that are looked at with it. Higher takes time, lower cuts cards off."""
    known_iou: float = 0.93
    """
    A finer claim that shares more than this with a card seen is that card's. Higher takes time, lower misses cards.
    """


def group_sizes(together: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """
    (n,) how many cards lie together with each of n, itself and cards beyond others among them; together: (n, n).

    >>> group_sizes(np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]], bool)).tolist()
    [2, 2, 1]
    """
    group = np.arange(len(together))
    for i, j in zip(*np.nonzero(together), strict=True):
        group[group == group[j]] = group[i]
    _, which, counts = np.unique(group, return_inverse=True, return_counts=True)
    return counts[which]


def crowded_region(seen: Detections, settings: CrowdSettings) -> tuple[int, int, int, int] | None:
    """x0, y0, x1, y1 in px round all cards that lie in crowds; None where the table is not crowded."""
    n = len(seen)
    together = boxes_meet(seen.corners_px) if n else np.zeros((0, 0), bool)
    for i, j in zip(*np.nonzero(np.triu(together, 1)), strict=True):
        together[i, j] = overlap(seen.corners_px[i], seen.corners_px[j]) >= settings.meets
    crowded = seen.corners_px[group_sizes(np.triu(together, 1)) >= settings.least_cards]
    if not len(crowded):
        return None
    low, high = crowded.min(axis=1), crowded.max(axis=1)
    rim = settings.margin * float(np.median((high - low).max(axis=1)))
    x0, y0 = np.floor(low.min(axis=0) - rim).astype(int)
    x1, y1 = np.ceil(high.max(axis=0) + rim).astype(int)
    return max(int(x0), 0), max(int(y0), 0), int(x1), int(y1)
