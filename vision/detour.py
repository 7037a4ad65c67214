"""
How far a hand went aside on its way home: who takes cards home goes straight, who puts them on a heap does not.
"""

from __future__ import annotations

import numpy as np

from referee.table import HandVisit


def detour_mm(visit: HandVisit, since: float, after_s: float = 0.0) -> float:
    """
    The farthest that a hand's finger tips were from the straight way home, in mm.

    The way leads from where the tips were at ``since`` (seconds) to where the arm leaves the picture; the first
    ``after_s`` on it don't count. 0 where nothing is known.
    """
    later = np.array([point for point in visit.trail if point[0] >= since], np.float64).reshape(-1, 3)
    on_way = later[later[:, 0] >= since + after_s, 1:]
    if not len(on_way):
        return 0.0
    start, home = later[0, 1:], np.array([visit.home.x_mm, visit.home.y_mm])
    length = max(float(np.linalg.norm(home - start)), 1.0)
    along = (home - start) / length
    steps = np.clip((on_way - start) @ along, 0.0, length)
    return float(np.linalg.norm(on_way - start - steps[:, None] * along, axis=1).max())
