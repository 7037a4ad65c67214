"""
Estimate which card lies on which from one picture: the upper card's edge is visible inside the lower card, not vice
versa. From this follow the hidden share of each card and, for a bout, which defence covers which attack.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.detection.detections import EVEN_ODDS
from vision.geometry.quads import Array, Mask, area, boxes_meet, intersection_area

ONLY_TOUCHES = 0.04
"""Share of the smaller card below which two cards only touch: the error of the corners. Set by hand, 2026-11."""
LIES_ACROSS = 0.12
"""
Share of the smaller card from which one card was laid across the other; neighbours that touch share less. Set by hand,
2026-11.
"""


# How the edges of two overlapping cards are searched in the picture. Set by hand, 2026-11.
EDGE_SAMPLES = 24
"""Points sampled along each edge."""
EDGE_ENDS = 0.03
"""Share of an edge left out at either end: corners are rounded."""
EDGE_INSET = 0.06
"""Card sizes by which a point must lie inside the other card to be used: the error of the corners."""
LEAST_REACH_PX = 1.5
"""Pixels by which a point must lie inside the other card at least, for small cards."""
EDGE_STEPS = 9
"""Points sampled across the line."""
LEAST_POINTS = 3
"""Points inside the other card from which an edge is used."""
SEEN_LEVELS = 12.0
"""Brightness step in grey levels from which an edge counts as visible, if only one of two edges can be searched."""
IF_SEEN = 0.8
"""Probability that the card whose edge alone can be searched lies on top, if the edge is visible."""
IF_UNSEEN = 0.3
"""
Probability that the card whose edge alone can be searched lies on top, if the edge is not visible: two white cards may
show none.
"""
EDGE_NOISE_LEVELS = 2.0
"""Grey levels added to both steps before they are compared, so that noise does not decide."""

# How much of a card its defence covers, as shares of the smaller one, as people lay them. Set by hand, 2026-11.
PAIR_LEAST_SHARE = ONLY_TOUCHES
"""Share below which the two cards are neighbours."""
MOST_SHARE = 0.9
"""Share above which the two cards are a stack."""


EDGE_REACH = 0.035
"""Card sizes to either side of the line in which an edge is searched. Set by hand, 2026-11."""
RASTER_PX = 64
"""Pixels of the longer side of the mask on which hidden shares are counted. Set by hand, 2026-11."""


def edge_strength(grey: np.ndarray, corners: np.ndarray, inside: np.ndarray) -> tuple[float, int]:
    """
    Measure how visible the outline of ``corners`` is where it runs through the quad ``inside``.

    Returns the median brightness step across the line and the number of points used. grey: (h, w) float32.
    """
    size = float(np.sqrt(cv2.contourArea(corners)))
    reach = max(LEAST_REACH_PX, EDGE_REACH * size)
    centre = corners.mean(axis=0)
    steps = np.linspace(EDGE_ENDS, 1 - EDGE_ENDS, EDGE_SAMPLES, dtype=np.float32)
    # Corners are inexact: at each point the strongest step near the line counts.
    offsets = np.linspace(-reach, reach, EDGE_STEPS)
    best: list[float] = []
    height, width = grey.shape
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        along = end - start
        normal = np.array([along[1], -along[0]]) / (np.linalg.norm(along) + 1e-6)
        if normal @ (start - centre) < 0:
            normal = -normal
        points = start + steps[:, None] * along
        points = points[[cv2.pointPolygonTest(inside, at, True) >= EDGE_INSET * size for at in points.tolist()]]
        xs, ys = points[:, :1] + normal[0] * offsets, points[:, 1:] + normal[1] * offsets
        is_within = (xs.min(axis=1) >= 0) & (ys.min(axis=1) >= 0)
        is_within &= (xs.max(axis=1) < width - 1) & (ys.max(axis=1) < height - 1)
        profiles = grey[ys[is_within].astype(int), xs[is_within].astype(int)]
        best += np.abs(profiles[:, 2:] - profiles[:, :-2]).max(axis=1).tolist()
    return (float(np.median(best)), len(best)) if best else (0.0, 0)


def probability_above(grey: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    """Return the probability that ``a`` lies on ``b``; 0.5 if undecidable. Both (4, 2) px, overlapping."""
    a_strength, a_points = edge_strength(grey, a, b)
    b_strength, b_points = edge_strength(grey, b, a)
    a_decides, b_decides = a_points >= LEAST_POINTS, b_points >= LEAST_POINTS
    if not a_decides and not b_decides:
        return EVEN_ODDS
    if not a_decides or not b_decides:
        # Only one card has edges inside the other: decide by whether they are visible.
        seen = a_strength if a_decides else b_strength
        sure = IF_SEEN if seen > SEEN_LEVELS else IF_UNSEEN
        return sure if a_decides else 1 - sure
    return float((a_strength + EDGE_NOISE_LEVELS) / (a_strength + b_strength + 2 * EDGE_NOISE_LEVELS))


@dataclass(frozen=True, slots=True, eq=False)
class ZOrder:
    """
    The z-order of n cards.

    upper: (n, n) float32, [i, j] the probability that i lies on j, nan where they do not meet. shared: (n, n) float32
    px. covered: (n,) float32, share of each card hidden by the others.
    """

    upper: np.ndarray
    shared: np.ndarray
    covered: np.ndarray

    def among(self, chosen: list[int], corners_px: np.ndarray) -> ZOrder:
        """Return the z-order of the chosen cards; corners_px: (n, 4, 2) of all."""
        few = np.ix_(chosen, chosen)
        return ordered(self.upper[few], self.shared[few], corners_px[chosen])


def shared_areas(corners_px: np.ndarray) -> np.ndarray:
    """
    Return the area shared by every two of n quads (n, 4, 2): (n, n) float32 px; 0 with themselves and where they only
    touch.
    """
    n = len(corners_px)
    shared = np.zeros((n, n), np.float32)
    for i, j in zip(*np.nonzero(np.triu(boxes_meet(corners_px), 1)) if n else ((), ()), strict=True):
        common = intersection_area(corners_px[i], corners_px[j])
        if common > 1:
            shared[i, j] = shared[j, i] = common
    return shared


def ordered(upper: np.ndarray, shared: np.ndarray, corners_px: np.ndarray) -> ZOrder:
    """Build the z-order from the pairwise probabilities: compute the hidden share of each card."""
    n = len(corners_px)
    covered = np.zeros(n, np.float32)
    for i in range(n):
        covered[i] = hidden_share(corners_px[i], [corners_px[j] for j in range(n) if upper[j, i] > EVEN_ODDS])
    return ZOrder(upper, shared, covered)


class EdgeWitness:
    """
    Estimates the order of overlapping cards of a picture by their edges; computes the grey picture on the first call.
    """

    def __init__(self, image_bgr: np.ndarray) -> None:
        self._image_bgr = image_bgr
        self._grey: np.ndarray | None = None

    def __call__(self, one: np.ndarray, other: np.ndarray) -> float:
        """Return the probability that ``one`` lies on ``other``, both (4, 2) px; see ``probability_above``."""
        if self._grey is None:
            grey = cv2.cvtColor(self._image_bgr, cv2.COLOR_BGR2GRAY)
            self._grey = cv2.GaussianBlur(grey, (3, 3), 0).astype(np.float32)
        upper, lower = np.ascontiguousarray(one, np.float32), np.ascontiguousarray(other, np.float32)
        return probability_above(self._grey, upper, lower)


def z_order(image_bgr: np.ndarray, corners_px: np.ndarray) -> ZOrder:
    """Estimate the z-order of all cards that meet in a picture by their edges; corners_px (n, 4, 2)."""
    n = len(corners_px)
    edges = EdgeWitness(image_bgr)
    upper = np.full((n, n), np.nan, np.float32)
    shared = shared_areas(corners_px)
    for i, j in zip(*np.nonzero(np.triu(shared)), strict=True):
        upper[i, j] = edges(corners_px[i], corners_px[j])
        upper[j, i] = 1 - upper[i, j]
    return ordered(upper, shared, corners_px)


def hidden_share(card: np.ndarray, occluders: list[np.ndarray]) -> float:
    """Return the share of a card's outline (4, 2) that the occluders ``occluders`` (4, 2) hide."""
    if not occluders:
        return 0.0
    low = card.min(axis=0)
    scale = RASTER_PX / max(float((card.max(axis=0) - low).max()), 1.0)
    own = np.zeros((RASTER_PX + 2, RASTER_PX + 2), np.uint8)
    cv2.fillConvexPoly(own, np.round((card - low) * scale).astype(np.int32), 1)
    over = np.zeros_like(own)
    for lid in occluders:
        cv2.fillConvexPoly(over, np.round((lid - low) * scale).astype(np.int32), 1)
    return float((own & over).sum() / max(int(own.sum()), 1))


def attack_defence_pairs(found: ZOrder, areas: np.ndarray, face_up: np.ndarray) -> list[tuple[int, int]]:
    """
    Return (attack, defence) index pairs: each defence lies on exactly one attack, the largest shared area first.

    areas: (n,) px of the whole cards; face_up: (n,) bool.
    """
    candidates = []
    for attack, defence in zip(*np.nonzero(found.shared), strict=True):
        if not (face_up[attack] and face_up[defence]) or not found.upper[defence, attack] > EVEN_ODDS:
            continue
        share = found.shared[attack, defence] / min(areas[attack], areas[defence])
        if PAIR_LEAST_SHARE <= share <= MOST_SHARE:
            candidates.append((float(share), int(attack), int(defence)))
    taken: set[int] = set()
    chosen = []
    for _, attack, defence in sorted(candidates, reverse=True):
        if attack not in taken and defence not in taken:
            taken |= {attack, defence}
            chosen.append((attack, defence))
    return sorted(chosen)


Grey = Callable[[], Mask]
"""Returns the full-size grey picture, computed on demand."""


def bottom_first(quads: Sequence[Array], grey: Grey) -> list[int]:
    """Return the indices of the quads (4, 2) from bottom to top: an upper card comes after the one below it."""
    ordered: list[int] = []
    picture: Mask | None = None
    for number, quad in enumerate(quads):
        place = len(ordered)
        for k, other in enumerate(ordered):
            if not _meet(quads[other], quad):
                continue
            picture = grey() if picture is None else picture
            if lies_on_top(quads[other], quad, picture):
                place = k
                break
        ordered.insert(place, number)
    return ordered


def lies_on_top(one: Array, other: Array, grey: Mask) -> bool:
    """Check whether ``one`` lies on ``other``, by the edges where they overlap."""
    return _meet(one, other) and probability_above(grey.astype(np.float32), one, other) > EVEN_ODDS


def _meet(one: Array, other: Array) -> bool:
    return intersection_area(one, other) >= ONLY_TOUCHES * min(area(one), area(other))
