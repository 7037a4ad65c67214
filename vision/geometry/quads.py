"""
Geometry of cards in pictures: quads, overlaps, plane mappings, on plain arrays.

Every card is 63 x 88 mm, so a few of them fix plane and scale of the table. The mapping from picture to table is a
homography. It is fitted robustly so that all cards become rectangles of the right size (sides and diagonals), whatever
their rotation; if the fit fails or too few cards are visible, a plain scale is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

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


CARD_WIDTH_MM = 63.0
CARD_HEIGHT_MM = 88.0
"""
A poker-size card, the size of most decks. Bridge and Russian cards are up to 6 mm narrower: the scale is then off by a
twentieth at most.
"""

_FROM, _TO = [0, 2, 1, 3, 0, 1], [1, 3, 2, 0, 2, 3]
"""Pairs of corners whose distances are compared: sides and diagonals."""
_DIAGONAL_MM = float(np.hypot(CARD_WIDTH_MM, CARD_HEIGHT_MM))
_LENGTHS = np.array(
    [CARD_WIDTH_MM, CARD_WIDTH_MM, CARD_HEIGHT_MM, CARD_HEIGHT_MM, _DIAGONAL_MM, _DIAGONAL_MM], np.float64
)

Matrix = npt.NDArray[np.float64]

_MOST_STEPS = 60
"""Largest number of steps of the fit; it mostly takes ten. Set by hand, 2026-11, as the two below."""
_LEAST_GAIN = 1e-6
"""Relative decrease of the squared error below which the fit stops."""
_MOST_DAMPING = 1e6
"""Damping from which the fit stops."""


# How far the fit is trusted. Set by hand, 2026-11.
HUBER_MM = 4.0
"""Millimetres above which an error counts linearly, so that a badly found corner does not distort the plane."""
TILT_PRIOR = 0.02
"""Prior towards no perspective, in mm per unit of tilt: it matters only with one or two cards."""
WORST_MM = 9.0
"""Largest accepted median error of the cards' lengths in millimetres; beyond it the plain scale is used."""
FITS_KEPT = 64
"""Number of fits kept; a picture of a fan makes about twenty."""
NEAREST_HORIZON = 0.15
"""Smallest accepted distance of a picture corner from the horizon (1: no perspective, 0: on it)."""


@dataclass(frozen=True, slots=True, eq=False)
class TableFit:
    """A fitted plane. ``to_mm``: 3x3, picture pixels to table mm. ``cards``: the number of cards it was fitted to."""

    to_mm: Matrix
    cards: int


def fit_table(quads_px: Array, picture: tuple[int, int]) -> TableFit:
    """
    Fit the table plane to cards (n, 4, 2) in a picture of (width, height); raise ``ValueError`` without any card.

    The origin of the millimetres is the centre of the picture, x to the right there. The last fits are kept: one
    picture asks for the plane of the same cards several times.
    """
    if len(quads_px) == 0:
        raise ValueError("expected at least one card to measure the table by, got none")
    return _fitted(np.asarray(quads_px, np.float64).tobytes(), picture)


@lru_cache(maxsize=FITS_KEPT)
def _fitted(quads_px: bytes, picture: tuple[int, int]) -> TableFit:
    """Fit the table plane to cards given as the bytes of (n, 4, 2) float64 px."""
    width, height = picture
    unit = width / 2
    middle = np.array([width / 2, height / 2])
    quads = (np.frombuffer(quads_px).reshape(-1, 4, 2) - middle) / unit
    typical = float(np.median([area(quad) for quad in quads.astype(np.float32)]))
    scale = float(np.sqrt(CARD_WIDTH_MM * CARD_HEIGHT_MM / max(typical, 1e-9)))
    plain = np.array([scale, 0.0, 0.0, scale, 0.0, 0.0])
    best = _refine(plain, quads)
    corners = np.array([[x, y] for x in (-1, 1) for y in (-height / width, height / width)])
    nearest = float((1 + corners @ best[4:]).min())
    if _error(best, quads) > WORST_MM or nearest < NEAREST_HORIZON or not np.isfinite(best).all():
        best = plain
    table = np.array([[best[0], best[1], 0.0], [best[2], best[3], 0.0], [best[4], best[5], 1.0]])
    turn = np.arctan2(best[2], best[0])
    upright = np.array([[np.cos(turn), np.sin(turn), 0.0], [-np.sin(turn), np.cos(turn), 0.0], [0.0, 0.0, 1.0]])
    to_unit = np.array([[1 / unit, 0, -middle[0] / unit], [0, 1 / unit, -middle[1] / unit], [0, 0, 1.0]])
    to_mm = upright @ table @ to_unit
    to_mm.setflags(write=False)
    return TableFit(to_mm, len(quads))


def _misses(params: Matrix, quads: Matrix) -> Matrix:
    """Return measured minus true lengths of n quads under each of k mappings (k, 6): (k, n * 6) mm."""
    x, y = quads[None, :, :, 0], quads[None, :, :, 1]
    a, b, c, d, e, f = params.T[:, :, None, None]
    below = 1 + x * e + y * f
    below = np.where(np.abs(below) < 1e-3, 1e-3, below)
    placed = (x * a + y * b + 1j * (x * c + y * d)) / below
    lengths = np.abs(placed[..., _FROM] - placed[..., _TO])
    misses: Matrix = (lengths - _LENGTHS).reshape(len(params), -1)
    return misses


def _error(params: Matrix, quads: Matrix) -> float:
    return float(np.median(np.abs(_misses(params[None], quads))))


def _refine(start: Matrix, quads: Matrix) -> Matrix:
    """
    Refine the mapping by Levenberg-Marquardt with Huber weights; the table's rotation is free and held by the damping.
    """
    params = start.copy()
    steps = np.array([start[0], start[0], start[0], start[0], 1.0, 1.0]) * 1e-5
    aside = np.diag(steps)
    prior = TILT_PRIOR * _DIAGONAL_MM

    def residuals(at: Matrix) -> Matrix:
        misses = _misses(at, quads)
        size = np.maximum(np.abs(misses), 1e-9)
        weights = np.where(size > HUBER_MM, np.sqrt(HUBER_MM / size), 1.0)
        result: Matrix = np.concatenate([misses * weights, at[:, 4:] * prior], axis=1)
        return result

    damping = 1e-2
    now = residuals(params[None])[0]
    for _ in range(_MOST_STEPS):
        slope = ((residuals(params + aside) - now) / steps[:, None]).T
        normal = slope.T @ slope
        try:
            step = np.linalg.solve(normal + damping * np.diag(np.diag(normal) + 1e-9), -slope.T @ now)
        except np.linalg.LinAlgError:
            break
        tried = residuals((params + step)[None])[0]
        if tried @ tried < now @ now:
            gained = 1 - (tried @ tried) / (now @ now)
            params, now, damping = params + step, tried, max(damping / 3, 1e-7)
            if gained < _LEAST_GAIN:
                break
        else:
            damping *= 4
            if damping > _MOST_DAMPING:
                break
    return params
