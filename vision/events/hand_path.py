"""
Measure how far aside a hand went with the cards it took: a hand that takes them home goes straight.

On 32 development clips 54 of 55 bouts that went home went at most 74 mm aside (the other was pushed across), those to a
discard pile off the way 96 mm and more. A pile on the way home is known by its own change alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision.observation import HandVisit, Pose


def detour_mm(visit: HandVisit, since: float, cards: Sequence[Pose]) -> float:
    """
    Return the largest distance, in mm, of a hand's finger tips from the ``cards`` that it took and from the straight
    ways home from there, from the time ``since`` (seconds) on.

    Home is where its arm leaves the picture. 0 if nothing is known.
    """
    tips = np.array([point[1:] for point in visit.trail if point[0] >= since], np.float64).reshape(-1, 2)
    if not len(tips) or not cards:
        return 0.0
    home = np.array([visit.home.x_mm, visit.home.y_mm])
    aside = np.full(len(tips), np.inf)
    for card in cards:
        start = np.array([card.x_mm, card.y_mm])
        length = max(float(np.linalg.norm(home - start)), 1.0)
        along = (home - start) / length
        steps = np.clip((tips - start) @ along, 0.0, length)
        aside = np.minimum(aside, np.linalg.norm(tips - start - steps[:, None] * along, axis=1))
    return float(aside.max())


def last_near(visit: HandVisit, cards: Sequence[Pose], reach_mm: float) -> float:
    """
    Return when the hand's finger tips were last within ``reach_mm`` of the middle of all ``cards``, in seconds;
    ``NEVER`` if they never were.
    """
    if not cards:
        return NEVER
    x_mm, y_mm = np.mean([[card.x_mm, card.y_mm] for card in cards], axis=0)
    near = (at for at, x, y in reversed(visit.trail) if np.hypot(x - x_mm, y - y_mm) <= reach_mm)
    return next(near, NEVER)


NEVER = -1e9
"""A time in seconds that is long before any other."""
