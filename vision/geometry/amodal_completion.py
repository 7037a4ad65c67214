"""
Complete the outlines of cards of which only a part was found: up to a covering card's edge, or up to the picture's.

All cards of one table have one size on one plane. An edge that coincides with a neighbour's edge is the neighbour's,
and an outline shorter than the others continues underneath. So a rigid card is fitted twice to the found outline, by
its three degrees of freedom: as a fully visible card, and as a card partly hidden by the neighbour. The outline is
completed only if the second fit is clearly better. Where the picture's edge cuts a card, the edge inside the picture is
the card's own, so its place and rotation are known, and its length shows whether it is a short or a long one. Lengths
are millimetres of the table.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.geometry.quads import (
    CARD_HEIGHT_MM,
    CARD_WIDTH_MM,
    Array,
    TableFit,
    area,
    fit_table,
    intersection_area,
    warp,
)

# When an outline is completed. Fits are intersections over union, 0..1. Chosen on the development tables of
# photographed pairs (``models.evaluation.evaluate --split dev --set "photographed pairs"``), 2026-11.
LEAST_FILLED = 0.2
"""Smallest area, as the same share: a smaller strip fits anywhere."""
COMPLETION_SMALLER = 0.92
"""Largest area of a cut outline in the picture, as a share of the neighbour's."""
PLANES_TRIED = 4
"""Number of cards each tried as the one whole card that fixes the plane."""


@dataclass(frozen=True, slots=True)
class CompletionSettings:
    """
    When an outline is completed. Fits are intersections over union, 0..1. Chosen on the development tables of
    photographed pairs (``models.evaluation.evaluate --split dev --set "photographed pairs"``), 2026-11.
    """

    most_shared: float = 0.25
    """Largest share of the found outline that the neighbour overlaps already."""
    most_filled: float = 0.87
    """Largest area of a cut outline, as a share of a whole card's."""
    least_fit: float = 0.86
    """Smallest fit of the card without its hidden part."""
    least_gain: float = 0.15
    """Smallest gain of that fit over the fit of a whole card."""
    same_size: float = 0.1
    """Share by which the sides and diagonals of a whole card may differ from a card's size."""


@dataclass(frozen=True, slots=True, eq=False)
class Completed:
    """The outline ``which`` continues under ``under``. corners_px: (4, 2) float32, clockwise, 0-1 a short edge."""

    which: int
    under: int
    corners_px: Array
    fit: float


REACH = 0.12
"""Gap in card sizes up to which two outlines touch: the error of the corners. Set by hand, 2026-11."""
_STEPS = ((4.0, 0.06), (2.0, 0.03), (1.0, 0.015), (0.5, 0.007))
"""Steps of the fit in millimetres and radians, from coarse to fine."""
_STARTS = 2
"""Start places that are refined, of eight tried."""


def rigid_card(x: float, y: float, turn: float, size_mm: tuple[float, float]) -> Array:
    """
    Return the corners (4, 2) of a card with (short, long) edges at (x, y), short edge along ``turn``, clockwise for y
    down.

    >>> rigid_card(0, 0, 0, (2, 4)).tolist()
    [[-1.0, -2.0], [1.0, -2.0], [1.0, 2.0], [-1.0, 2.0]]
    """
    short, long = size_mm
    cos, sin = np.cos(turn), np.sin(turn)
    ax, ay, bx, by = short / 2 * cos, short / 2 * sin, -long / 2 * sin, long / 2 * cos
    return np.array(
        [
            [x - ax - bx, y - ay - by],
            [x + ax - bx, y + ay - by],
            [x + ax + bx, y + ay + by],
            [x - ax + bx, y - ay + by],
        ],
        np.float32,
    )


def explained(card: Array, found: Array, over: Array | None) -> float:
    """
    Return the intersection over union of a found outline (4, 2) and a card (4, 2) without the part that ``over`` (4, 2)
    hides.

    >>> card, over = rigid_card(0, 0, 0, (2, 4)), rigid_card(0, 2, 0, (4, 2))
    >>> explained(card, rigid_card(0, -0.5, 0, (2, 3)), over)
    1.0
    """
    shown, common = area(card), intersection_area(card, found)
    if over is not None:
        shared, hidden = cv2.intersectConvexConvex(card, over)
        if shared > 0 and hidden is not None:
            shown -= shared
            common -= intersection_area(np.asarray(hidden[:, 0], np.float32), found)
    # Where outlines nearly coincide OpenCV may return a larger intersection than either area.
    common = min(common, shown, area(found))
    union = shown + area(found) - common
    return common / union if union > 0 else 0.0


def best_card(found: Array, over: Array | None, size_mm: tuple[float, float]) -> tuple[Array, float]:
    """Fit a rigid card to a found outline (4, 2); return its corners and fit; ``over`` as in ``explained``."""
    starts = []
    for k in range(4):
        corner, after, before = found[k], found[(k + 1) % 4] - found[k], found[k - 1] - found[k]
        # Both edges at a corner give the rotation; the longer one is more exact.
        turn = float(np.arctan2(after[1], after[0]))
        if np.linalg.norm(before) > np.linalg.norm(after):
            turn = float(np.arctan2(before[1], before[0]) - np.pi / 2)
        along, across = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
        for wide, tall, turned in ((*size_mm, 0.0), (*size_mm[::-1], np.pi / 2)):
            middle = corner + along * wide / 2 + across * tall / 2
            at = (float(middle[0]), float(middle[1]), turn + turned)
            starts.append((explained(rigid_card(*at, size_mm), found, over), at))
    starts.sort(key=lambda start: -start[0])
    best, at = max((_climbed(start, found, over, size_mm) for start in starts[:_STARTS]), key=lambda end: end[0])
    return rigid_card(*at, size_mm), best


def _climbed(
    start: tuple[float, tuple[float, float, float]], found: Array, over: Array | None, size_mm: tuple[float, float]
) -> tuple[float, tuple[float, float, float]]:
    """Climb from a start to the local optimum by moving and rotating in ever smaller steps."""
    best, at = start
    for move, turn in _STEPS:
        for _ in range(8):
            x, y, angle = at
            tried = [
                (explained(rigid_card(*to, size_mm), found, over), to)
                for side in (-1, 1)
                for to in ((x + side * move, y, angle), (x, y + side * move, angle), (x, y, angle + side * turn))
            ]
            better = max(tried, key=lambda fit: fit[0])
            if better[0] <= best:
                break
            best, at = better
    return best, at


def is_whole(quad_mm: Array, settings: CompletionSettings) -> bool:
    """Check whether a quad (4, 2) of the table has the size of a card, in either orientation."""
    edges = np.linalg.norm(np.roll(quad_mm, -1, axis=0) - quad_mm, axis=1)
    diagonals = np.linalg.norm(quad_mm[2:] - quad_mm[:2], axis=1)
    sides = sorted(((edges[0] + edges[2]) / 2, (edges[1] + edges[3]) / 2))
    measured = np.array([*sides, *diagonals])
    true = np.array([CARD_WIDTH_MM, CARD_HEIGHT_MM, *[np.hypot(CARD_WIDTH_MM, CARD_HEIGHT_MM)] * 2])
    return bool((np.abs(measured / true - 1) < settings.same_size).all())


def plane_of_whole_cards(corners_px: Array, picture: tuple[int, int], settings: CompletionSettings) -> TableFit | None:
    """
    Estimate the table's plane from all whole cards among (n, 4, 2) in a picture of (width, height); None without cards.

    Partly found cards would distort it. So some of the larger half are each assumed to be whole, and the plane in which
    most others have the size of a card is used.
    """
    if not len(corners_px):
        return None
    by_size = np.argsort([-area(quad) for quad in corners_px])
    larger = by_size[: (len(by_size) + 1) // 2]
    best: list[int] = []
    for seed in larger[:: -(-len(larger) // PLANES_TRIED)]:
        plane = fit_table(corners_px[[seed]], picture)
        laid = warp(plane.to_mm, corners_px)
        whole = [k for k, quad in enumerate(laid) if k == seed or is_whole(quad, settings)]
        if len(whole) > len(best):
            best = whole
        if 2 * len(best) > len(corners_px):
            break
    return fit_table(corners_px[best], picture)


def completed_outlines(
    corners_px: Array, picture: tuple[int, int], settings: CompletionSettings, among: Sequence[int] | None = None
) -> list[Completed]:
    """
    Return which of n outlines (n, 4, 2), or of those ``among`` them, continue under a neighbour, and how.

    picture: (width, height). If two neighbours would explain an outline, the better fit is returned.
    """
    beside = [pair for pair in _smaller_beside(corners_px) if among is None or pair[0] in among]
    if not beside:
        return []
    plane = plane_of_whole_cards(corners_px, picture, settings)
    if plane is None:
        return []
    size_mm = (CARD_WIDTH_MM, CARD_HEIGHT_MM)
    laid = np.ascontiguousarray(warp(plane.to_mm, corners_px))
    to_px = np.asarray(np.linalg.inv(plane.to_mm), np.float64)
    best: dict[int, Completed] = {}
    for which, under in beside:
        found, over = laid[which], laid[under]
        if not LEAST_FILLED <= area(found) / (size_mm[0] * size_mm[1]) <= settings.most_filled:
            continue
        if not is_whole(over, settings) or intersection_area(found, over) > settings.most_shared * area(found):
            continue
        card, fit = best_card(found, over, size_mm)
        if fit < settings.least_fit or (which in best and best[which].fit >= fit):
            continue
        if fit - best_card(found, None, size_mm)[1] >= settings.least_gain:
            best[which] = Completed(which, under, _clockwise(warp(to_px, card)), fit)
    return list(best.values())


def _smaller_beside(corners_px: Array) -> list[tuple[int, int]]:
    """Return the pairs (which, under) of outlines that may continue under a larger one within reach."""
    if not len(corners_px):
        return []
    low, high = corners_px.min(axis=1), corners_px.max(axis=1)
    reach = REACH * (high - low).max(axis=1)
    areas = np.array([area(quad) for quad in corners_px])
    return [
        (i, j)
        for i, j in itertools.permutations(range(len(corners_px)), 2)
        if areas[i] < COMPLETION_SMALLER * areas[j]
        and (low[i] - reach[i] <= high[j]).all()
        and (low[j] - reach[i] <= high[i]).all()
        and is_convex(corners_px[i])
        and is_convex(corners_px[j])
    ]


def is_convex(quad: Array) -> bool:
    """Check whether a quad (4, 2) is convex; refined corners may not be."""
    return bool(cv2.isContourConvex(np.ascontiguousarray(quad, np.float32)))


def _clockwise(quad: Array) -> Array:
    """Return the same card with its corners clockwise in the picture, 0-1 still a short edge."""
    return quad if cv2.contourArea(quad, oriented=True) > 0 else quad[[1, 0, 3, 2]]


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
