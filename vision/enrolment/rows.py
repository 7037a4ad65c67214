"""Find rows of cards laid side by side."""

from __future__ import annotations

import numpy as np

from vision.geometry.quads import Array

NEXT_FROM, NEXT_TO = 0.3, 2.2
"""Distance between the centres of a card and its right neighbour, in card widths. Set by hand, 2026-11."""
MOST_ASIDE = 0.35
"""Largest vertical offset of that neighbour, in card heights. Set by hand, 2026-11."""
LEAST_AREA = 1e-3
"""Area of an outline in square pixels below which it has no left and right."""


def find_rows(corners_px: Array) -> tuple[tuple[int, ...], ...]:
    """
    Return the rows of (n, 4, 2) quads as indices, each from left to right, the topmost row first.

    Left and right are as in the picture; each card is in one row, alone if it has no neighbour. A row is a chain: each
    card's right neighbour is the nearest card whose centre lies straight to its right.
    """
    if not len(corners_px):
        return ()
    middles = corners_px.mean(axis=1)
    across = (corners_px[:, 1] - corners_px[:, 0] + corners_px[:, 2] - corners_px[:, 3]) / 2
    down = (corners_px[:, 3] - corners_px[:, 0] + corners_px[:, 2] - corners_px[:, 1]) / 2
    # Cards may lie upside down, so which short edge comes first is arbitrary; a row still has one direction.
    flip = np.where(across @ across[0] < 0, -1.0, 1.0)
    if (across * flip[:, None]).mean(axis=0)[0] < 0:
        flip = -flip
    across, down = across * flip[:, None], down * flip[:, None]
    following: dict[int, int] = {}
    for i in range(len(middles)):
        frame = np.column_stack([across[i], down[i]])
        if abs(np.linalg.det(frame)) < LEAST_AREA:
            continue
        local = np.linalg.solve(frame, (middles - middles[i]).T).T
        near = [(float(x), j) for j, (x, y) in enumerate(local) if NEXT_FROM < x < NEXT_TO and abs(y) < MOST_ASIDE]
        if near:
            following[i] = min(near)[1]
    followed = set(following.values())
    rows, placed = [], set()
    for start in sorted(range(len(middles)), key=lambda i: (i in followed, i)):
        if start in placed:
            continue
        row = [start]
        placed.add(start)
        while (after := following.get(row[-1])) is not None and after not in placed:
            row.append(after)
            placed.add(after)
        rows.append(tuple(row))
    below = down.mean(axis=0)
    return tuple(sorted(rows, key=lambda row: float(middles[list(row)].mean(axis=0) @ below)))
