"""
Which card lies on which, told from one picture: the upper card's edge can be seen inside the lower card, not the other
way round. From that the hidden share of each card and, for a bout, which defence covers which attack.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.geometry.quads import Array, Mask, area, boxes_meet, intersection_area

SAMPLES = 24
"""Points tried along each edge."""
INSET = 0.06
"""Card sizes by which a point must lie inside the other card to tell anything: corners are found that exactly."""


@dataclass(frozen=True, slots=True)
class PairRule:
    """How much of a card its defence covers, as people lay them: less is a neighbour, more is a stack."""

    least: float = 0.04
    most: float = 0.9


def edge_strength(grey: np.ndarray, corners: np.ndarray, inside: np.ndarray) -> tuple[float, int]:
    """
    How visible the outline of ``corners`` is where it runs through the quad ``inside``.

    Returns the median step of brightness across the line, and how many points told. grey: (h, w) float32.
    """
    size = float(np.sqrt(cv2.contourArea(corners)))
    reach = max(1.5, 0.035 * size)
    centre = corners.mean(axis=0)
    steps = np.linspace(0.03, 0.97, SAMPLES, dtype=np.float32)
    best: list[float] = []
    height, width = grey.shape
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        along = end - start
        normal = np.array([along[1], -along[0]]) / (np.linalg.norm(along) + 1e-6)
        if normal @ (start - centre) < 0:
            normal = -normal
        for t in steps:
            point = start + t * along
            if cv2.pointPolygonTest(inside, (float(point[0]), float(point[1])), True) < INSET * size:
                continue
            # The corner may be found a little off: take the strongest step near the line.
            offsets = np.linspace(-reach, reach, 9)
            xs, ys = point[0] + normal[0] * offsets, point[1] + normal[1] * offsets
            if xs.min() < 0 or ys.min() < 0 or xs.max() >= width - 1 or ys.max() >= height - 1:
                continue
            profile = grey[ys.astype(int), xs.astype(int)]
            best.append(float(np.abs(profile[2:] - profile[:-2]).max()))
    return (float(np.median(best)), len(best)) if best else (0.0, 0)


def upper_of(grey: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    """How surely ``a`` lies on ``b``: 1 surely, 0 surely under it, 0.5 can't tell. Both (4, 2) px, overlapping."""
    a_strength, a_points = edge_strength(grey, a, b)
    b_strength, b_points = edge_strength(grey, b, a)
    if a_points < 3 and b_points < 3:
        return 0.5
    if a_points < 3 or b_points < 3:
        # One card's corner pokes into the other: its edges there are seen or they are not.
        seen = a_strength if a_points >= 3 else b_strength
        sure = 0.8 if seen > 12 else 0.3
        return sure if a_points >= 3 else 1 - sure
    return float((a_strength + 2) / (a_strength + b_strength + 4))


@dataclass(frozen=True, slots=True, eq=False)
class ZOrder:
    """
    Who lies on whom among n cards.

    upper: (n, n) float32, [i, j] how surely i lies on j, nan where they don't meet. shared: (n, n) float32 px.
    covered: (n,) float32, share of each card hidden by the others.
    """

    upper: np.ndarray
    shared: np.ndarray
    covered: np.ndarray

    def among(self, chosen: list[int], corners_px: np.ndarray) -> ZOrder:
        """The same for some of the cards; corners_px (n, 4, 2) of all."""
        few = np.ix_(chosen, chosen)
        return ordered(self.upper[few], self.shared[few], corners_px[chosen])


def shared_areas(corners_px: np.ndarray) -> np.ndarray:
    """(n, n) float32 px shared by every two of n quads (n, 4, 2): 0 with themselves and where they only touch."""
    n = len(corners_px)
    shared = np.zeros((n, n), np.float32)
    for i, j in zip(*np.nonzero(np.triu(boxes_meet(corners_px), 1)) if n else ((), ()), strict=True):
        common = intersection_area(corners_px[i], corners_px[j])
        if common > 1:
            shared[i, j] = shared[j, i] = common
    return shared


def ordered(upper: np.ndarray, shared: np.ndarray, corners_px: np.ndarray) -> ZOrder:
    """An order of which it is known who lies on whom: what of each card is hidden follows."""
    n = len(corners_px)
    covered = np.zeros(n, np.float32)
    for i in range(n):
        covered[i] = hidden_share(corners_px[i], [corners_px[j] for j in range(n) if upper[j, i] > 0.5])
    return ZOrder(upper, shared, covered)


def z_order(image_bgr: np.ndarray, corners_px: np.ndarray) -> ZOrder:
    """Compare every two cards that meet on a picture, by their edges; corners_px (n, 4, 2)."""
    n = len(corners_px)
    grey = cv2.GaussianBlur(cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY), (3, 3), 0).astype(np.float32)
    upper = np.full((n, n), np.nan, np.float32)
    shared = shared_areas(corners_px)
    quads = [np.ascontiguousarray(quad, np.float32) for quad in corners_px]
    for i, j in zip(*np.nonzero(np.triu(shared)), strict=True):
        upper[i, j] = upper_of(grey, quads[i], quads[j])
        upper[j, i] = 1 - upper[i, j]
    return ordered(upper, shared, corners_px)


def hidden_share(card: np.ndarray, lids: list[np.ndarray]) -> float:
    """Share of a card's outline (4, 2) that lids (4, 2) hide."""
    if not lids:
        return 0.0
    low = card.min(axis=0)
    scale = 64 / max(float((card.max(axis=0) - low).max()), 1.0)
    own = np.zeros((66, 66), np.uint8)
    cv2.fillConvexPoly(own, np.round((card - low) * scale).astype(np.int32), 1)
    over = np.zeros_like(own)
    for lid in lids:
        cv2.fillConvexPoly(over, np.round((lid - low) * scale).astype(np.int32), 1)
    return float((own & over).sum() / max(int(own.sum()), 1))


def pairs(found: ZOrder, areas: np.ndarray, face_up: np.ndarray, rule: PairRule | None = None) -> list[tuple[int, int]]:
    """
    (attack, defence) index pairs: a defence lies on just one attack, the largest shared area first.

    areas: (n,) px of the whole cards; face_up: (n,) bool.
    """
    rule = rule or PairRule()
    candidates = []
    for attack, defence in zip(*np.nonzero(found.shared), strict=True):
        if not (face_up[attack] and face_up[defence]) or not found.upper[defence, attack] > 0.5:
            continue
        share = found.shared[attack, defence] / min(areas[attack], areas[defence])
        if rule.least <= share <= rule.most:
            candidates.append((float(share), int(attack), int(defence)))
    taken: set[int] = set()
    chosen = []
    for _, attack, defence in sorted(candidates, reverse=True):
        if attack not in taken and defence not in taken:
            taken |= {attack, defence}
            chosen.append((attack, defence))
    return sorted(chosen)


Grey = Callable[[], Mask]
"""Gives the full-size picture in grey, made only when somebody asks."""

MEETING = 0.04
"""Cards that share less of the smaller one only touch."""


def bottom_first(quads: Sequence[Array], grey: Grey) -> list[int]:
    """The places of the quads (4, 2) in such an order that whichever lies on top of another comes after it."""
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
    """Does ``one`` lie on ``other``, judged by whose outline is drawn where they overlap?"""
    return _meet(one, other) and upper_of(grey.astype(np.float32), one, other) > 0.5


def _meet(one: Array, other: Array) -> bool:
    return intersection_area(one, other) >= MEETING * min(area(one), area(other))
