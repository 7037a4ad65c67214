"""Geometry of cards in pictures: quads, overlaps, plane mappings, on plain arrays."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

SUBPIXEL_BITS = 4
"""Bits of sub-pixel position for OpenCV's anti-aliased drawing: sixteenths of a pixel."""
PARALLEL = 1e-9
"""Cross product of two diagonals, in square units, below which they count as parallel; smaller than any card's."""

Array = npt.NDArray[np.float32]
Mask = npt.NDArray[np.uint8]


def area(quad: Array) -> float:
    """
    Return the area of a convex polygon (k, 2), in the square of its unit.

    >>> area(np.array([[0, 0], [2, 0], [2, 3], [0, 3]], np.float32))
    6.0
    """
    return float(cv2.contourArea(np.ascontiguousarray(quad, dtype=np.float32)))


def centre(quad: Array) -> Array:
    """
    Return the crossing of the diagonals of a quad (4, 2): under perspective this, not the mean of the corners, is the
    card's centre.

    >>> centre(np.array([[0, 0], [4, 0], [4, 2], [0, 2]], np.float32)).tolist()
    [2.0, 1.0]
    """
    a, b, c, d = (quad[i].astype(np.float64) for i in range(4))
    along, across, gap = c - a, d - b, b - a
    cross = along[0] * across[1] - along[1] * across[0]
    if abs(cross) < PARALLEL:
        return np.asarray(quad.mean(axis=0), np.float32)
    t = (gap[0] * across[1] - gap[1] * across[0]) / cross
    return np.asarray(a + t * along, np.float32)


def gap(one: Array, other: Array) -> float:
    """
    Return the distance of the centres of two quads (4, 2).

    >>> card = np.array([[0, 0], [2, 0], [2, 3], [0, 3]], np.float32)
    >>> gap(card, card + np.float32([3, 4]))
    5.0
    """
    return float(np.linalg.norm(centre(one) - centre(other)))


def intersection_area(one: Array, other: Array) -> float:
    """
    Return the area shared by two convex polygons (k, 2).

    >>> card = np.array([[0, 0], [2, 0], [2, 3], [0, 3]], np.float32)
    >>> intersection_area(card, card + np.float32([1, 1])), intersection_area(card, card + np.float32([5, 0]))
    (2.0, 0.0)
    """
    one, other = np.ascontiguousarray(one, dtype=np.float32), np.ascontiguousarray(other, dtype=np.float32)
    # Integer bounding boxes, rounded outwards: far faster than numpy minima of small arrays.
    x, y, wide, tall = cv2.boundingRect(one)
    other_x, other_y, other_wide, other_tall = cv2.boundingRect(other)
    if x > other_x + other_wide or other_x > x + wide or y > other_y + other_tall or other_y > y + tall:
        return 0.0
    shared, _ = cv2.intersectConvexConvex(one, other)
    return max(0.0, float(shared))


def boxes_meet(quads: Array) -> npt.NDArray[np.bool_]:
    """
    Return (n, n), whether the bounding boxes of two of n quads (n, 4, 2) meet; if not, the quads share nothing.

    >>> card = np.array([[0, 0], [2, 0], [2, 3], [0, 3]], np.float32)
    >>> boxes_meet(np.stack([card, card + 1, card + 9])).tolist()
    [[True, True, False], [True, True, False], [False, False, True]]
    """
    low, high = quads.min(axis=1), quads.max(axis=1)
    meet = (low[:, None] < high[None]).all(axis=2)
    return np.asarray(meet & meet.T)


def overlap(one: Array, other: Array) -> float:
    """
    Return the shared area over the smaller of the two areas: 1 if one lies wholly inside the other.

    >>> card = np.array([[0, 0], [2, 0], [2, 3], [0, 3]], np.float32)
    >>> overlap(card, card + np.float32([1, 0]))
    0.5
    """
    smaller = min(area(one), area(other))
    return intersection_area(one, other) / smaller if smaller > 0 else 0.0


def iou(one: Array, other: Array) -> float:
    """
    Return the intersection over union of two convex polygons, 0..1.

    >>> card = np.array([[0, 0], [2, 0], [2, 3], [0, 3]], np.float32)
    >>> round(iou(card, card + np.float32([1, 0])), 3)
    0.333
    """
    shared = intersection_area(one, other)
    if shared == 0.0:
        return 0.0
    union = area(one) + area(other) - shared
    return shared / union if union > 0 else 0.0


def is_part_of(quad: Array, whole: Array, share: float, shrunk: float) -> bool:
    """
    Check whether an outline (4, 2) is the visible part of a ``whole`` one: inside it to ``share``, and smaller by
    ``shrunk``.

    >>> card = np.array([[0, 0], [60, 0], [60, 90], [0, 90]], np.float32)
    >>> is_part_of(card * [1, 0.8], card, 0.93, 0.95), is_part_of(card + 9, card, 0.93, 0.95)
    (True, False)
    """
    own = area(quad)
    return own < shrunk * area(whole) and intersection_area(quad, whole) >= share * own


def size(quad: Array) -> float:
    """
    Return the mean length of the diagonals of a quad (4, 2): its size independent of rotation.

    >>> size(np.array([[0, 0], [3, 0], [3, 4], [0, 4]], np.float32))
    5.0
    """
    return float((np.linalg.norm(quad[2] - quad[0]) + np.linalg.norm(quad[3] - quad[1])) / 2)


def card_shaped(quad: Array, width: float, height: float, bent: float) -> Array:
    """
    Fit a card to an inexact quad (4, 2), 0-1 and 2-3 its short edges; all lengths in one unit.

    Fitted to all four corners, or to the three that agree if the fourth is off by more than ``bent``.

    >>> quad = np.array([[0, 0], [63, 0], [50, 70], [0, 88]], np.float32)
    >>> card_shaped(quad, 63, 88, 5).round(1).tolist()[2]
    [63.0, 88.0]
    """
    model = np.array([0, width, width + 1j * height, 1j * height])
    corners = quad[:, 0].astype(np.float64) + 1j * quad[:, 1].astype(np.float64)

    def fitted(use: list[int]) -> tuple[float, npt.NDArray[np.complex128]]:
        middle, target = model[use].mean(), corners[use].mean()
        turn = np.vdot(model[use] - middle, corners[use] - target)
        placed = (model - middle) * (turn / max(abs(turn), 1e-9)) + target
        return float(np.abs(placed[use] - corners[use]).max()), placed

    miss, placed = fitted([0, 1, 2, 3])
    if miss > bent:
        least, trimmed = min((fitted([k for k in range(4) if k != out]) for out in range(4)), key=lambda fit: fit[0])
        if least < bent / 2:
            placed = trimmed
    return np.stack([placed.real, placed.imag], axis=1).astype(np.float32)


def warp(matrix: npt.NDArray[np.float64], points: npt.ArrayLike) -> Array:
    """
    Map points (..., 2) by a 3x3 homography.

    >>> warp(np.array([[2, 0, 1], [0, 2, 0], [0, 0, 1.0]]), [[1, 1], [2, 0]]).tolist()
    [[3.0, 2.0], [5.0, 0.0]]
    """
    given = np.asarray(points, np.float64)
    flat = given.reshape(-1, 2)
    mapped = np.c_[flat, np.ones(len(flat))] @ matrix.T
    return np.asarray((mapped[:, :2] / mapped[:, 2:3]).reshape(given.shape), np.float32)


def turn_deg(quad: Array) -> float:
    """
    Return the direction of the long side in degrees, 0 <= turn < 180.

    >>> turn_deg(np.array([[0, 0], [2, 0], [2, 3], [0, 3]], np.float32))
    90.0
    """
    along = (quad[3] - quad[0]) + (quad[2] - quad[1])
    return float(np.degrees(np.arctan2(along[1], along[0])) % 180.0)


def align(quad: Array, like: Array) -> Array:
    """
    Return the quad, started at the opposite corner if that fits ``like`` better: half a turn gives the same rectangle.

    >>> card = np.array([[0, 0], [2, 0], [2, 3], [0, 3]], np.float32)
    >>> align(card[[2, 3, 0, 1]], card).tolist() == card.tolist()
    True
    """
    turned = np.roll(quad, 2, axis=0)
    return turned if np.abs(turned - like).sum() < np.abs(quad - like).sum() else quad


def fill(shape: tuple[int, int], quad: Array, scale: float) -> Mask:
    """
    Return a mask (rows, columns) with 255 inside the quad (4, 2), its border included, its pixels scaled by ``scale``.

    >>> fill((3, 4), np.array([[2, 2], [6, 2], [6, 4], [2, 4]], np.float32), 0.5).tolist()
    [[0, 0, 0, 0], [0, 255, 255, 255], [0, 255, 255, 255]]
    """
    mask = np.zeros(shape, np.uint8)
    cv2.fillConvexPoly(mask, np.round(quad * scale).astype(np.int32), 255)
    return mask
