"""
Complete the outlines of cards that the picture's edge cuts: only the part inside the picture is found.

The edge inside the picture is the card's own, so its place and rotation are known, and its length shows whether it is a
short or a long one; all cards of one table have one size on one plane.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from vision.geometry.plane_homography import CARD_HEIGHT_MM, CARD_WIDTH_MM
from vision.geometry.quads import Array, warp

AT_EDGE = 0.012
"""Distance from the picture's edge, in picture widths, within which a corner lies on it. Set by hand, 2026-11."""
SAME_LENGTH = 0.13
"""Largest deviation of the inner edge from a card's width or height, as a share of it. Set by hand, 2026-11."""
CUT = 0.93
"""Share of a card's length inside the picture from which it is whole. Set by hand, 2026-11."""
SIDES_DEG = 8.0
"""Degrees by which the two sides of a cut card may differ for their direction to be used. Set by hand, 2026-11."""
LEAST_SEEN = 0.25
"""Share of a card's length inside the picture below which it is not completed. Set by hand, 2026-11."""


def beyond_the_edge(quad_px: Array, to_mm: npt.NDArray[np.float64], picture: tuple[int, int]) -> Array | None:
    """
    Return the whole outline (4, 2) px of a card found as ``quad_px`` (4, 2), its corners in the same order; None if the
    edge of the ``picture`` (width, height) does not cut it, or its direction is unknown.

    ``to_mm``: (3, 3), from pixels to millimetres of the table.

    >>> quad = np.array([[30, 60], [93, 60], [93, 100], [30, 100]], np.float32)
    >>> beyond_the_edge(quad, np.eye(3), (200, 100)).tolist()
    [[30.0, 60.0], [93.0, 60.0], [93.0, 148.0], [30.0, 148.0]]
    >>> beyond_the_edge(quad - [0, 20], np.eye(3), (200, 100)) is None
    True
    """
    cut = _cut_corners(quad_px, picture)
    if cut is None:
        return None
    # Corners 0 and 1 of the turned quad are the inner edge.
    turned = np.roll(quad_px, -((cut + 2) % 4), axis=0)
    corners = warp(to_mm, turned).astype(np.float64)
    inner = corners[1] - corners[0]
    length = float(np.linalg.norm(inner))
    wide, tall = CARD_WIDTH_MM, CARD_HEIGHT_MM
    own, other = (wide, tall) if abs(length / wide - 1) < abs(length / tall - 1) else (tall, wide)
    if abs(length / own - 1) > SAME_LENGTH:
        return None
    along = inner / length
    out = _outward(corners, along)
    depth = float((corners[2:].mean(axis=0) - corners[:2].mean(axis=0)) @ out)
    if not LEAST_SEEN * other <= depth <= CUT * other:
        return None
    middle = corners[:2].mean(axis=0)
    first, second = middle - along * own / 2, middle + along * own / 2
    whole = np.stack([first, second, second + out * other, first + out * other])
    return np.roll(warp(np.asarray(np.linalg.inv(to_mm), np.float64), whole), (cut + 2) % 4, axis=0)


def _outward(corners: npt.NDArray[np.float64], along: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """
    Return the unit vector in which a card continues beyond the edge: that of its two sides if they agree, since a plane
    from few cards is inexact; else perpendicular to the inner edge, which lies ``along``.
    """
    sides = np.stack([corners[3] - corners[0], corners[2] - corners[1]])
    sides /= np.maximum(np.linalg.norm(sides, axis=1, keepdims=True), 1e-9)
    mean = sides.mean(axis=0) / max(float(np.linalg.norm(sides.mean(axis=0))), 1e-9)
    square = np.array([-along[1], along[0]])
    square = square if float(square @ mean) > 0 else -square
    agree = float(sides[0] @ sides[1]) >= np.cos(np.radians(SIDES_DEG))
    return mean if agree and float(mean @ square) >= np.cos(np.radians(2 * SIDES_DEG)) else square


def is_cut(quad_px: Array, picture: tuple[int, int]) -> bool:
    """Check whether a corner of a quad (4, 2) px lies on or beyond the edge of the ``picture`` (width, height)."""
    low, high = quad_px.min(axis=0), np.array(picture) - quad_px.max(axis=0)
    return float(min(low.min(), high.min())) < AT_EDGE * picture[0]


def _cut_corners(quad_px: Array, picture: tuple[int, int]) -> int | None:
    """
    Return the first corner of the edge of a quad that lies on one side of the picture; None: none, or more than one
    side.
    """
    near = AT_EDGE * picture[0]
    x, y = quad_px[:, 0], quad_px[:, 1]
    at_side = np.stack([x < near, x > picture[0] - near, y < near, y > picture[1] - near])
    if int(at_side.any(axis=0).sum()) != 2:
        return None
    for side in at_side:
        for k in range(4):
            if side[k] and side[(k + 1) % 4]:
                return k
    return None
