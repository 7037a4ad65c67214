"""
Cards that lie under others: what covers them is painted out before they are read a second time.

A classifier that sees a whole card's place reads the face which covers it. Told what lies on top, it reads what is
left: an
index at the rim. That also tells which of two cards lies on the other, for the true order reads better than the false
one; and a claim that shares most of its outline with a card, and would pass for a second claim of it, turns out to be
the card beneath (``docs/decisions/0006``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from vision.detection.detections import FACE_COUNT, NOTHING_INDEX
from vision.detection.z_order import ZOrder, hidden_share, ordered, shared_areas
from vision.geometry.quads import area, iou

Read = Callable[[np.ndarray, Sequence[list[np.ndarray]]], np.ndarray]
"""(n, 4, 2) cards and for each its lids -> (n, 54) readings."""


@dataclass(frozen=True, slots=True)
class OccludedReadingSettings:
    """When to look beneath a card and what to believe of it; chosen on invented decks (``dev``)."""

    meets: float = 0.04
    """Share of the smaller of two cards that they must have in common before it is asked which lies on top."""
    claim: float = 0.12
    """A claim beneath a card may be as unsure as this."""
    farthest: float = 0.5
    """A claim sharing less than this of its union with a card is judged by itself."""
    nearest: float = 0.88
    """A claim sharing more than this with a card is a claim of that card."""
    apart: float = 0.6
    """Two claims beneath sharing this much are one card."""
    hidden: float = 0.88
    """A card hidden more than this is not read."""
    echo: float = 0.25
    """Of two faces that share so much of their union the less sure one may be the other, seen double, unless ..."""
    echo_sure: float = 0.97
    """... it is read as surely as this."""
    face: float = 0.7
    """As sure one face must be read of what is left of a claim before a card is believed to lie beneath another."""


def order_by_reading(
    corners_px: np.ndarray,
    whole: np.ndarray,
    read: Read,
    settings: OccludedReadingSettings,
    known: np.ndarray | None = None,
) -> ZOrder:
    """
    Who lies on whom among n cards (n, 4, 2), ``whole`` (n, 54) their readings with everything in view.

    Each of two that meet is read with the other painted out; the surer two readings tell the order. ``known``: (n, n),
    [i, j] how surely i lies on j where that is known already, else nan.
    """
    shared = shared_areas(corners_px)
    upper = np.full(shared.shape, np.nan, np.float32)
    if known is not None:
        upper[shared > 0] = known[shared > 0]
    sizes = [area(quad) for quad in corners_px]
    met = [
        (int(i), int(j))
        for i, j in zip(*np.nonzero(np.triu(shared)), strict=True)
        if shared[i, j] >= settings.meets * min(sizes[i], sizes[j]) and np.isnan(upper[i, j])
    ]
    if met:
        both = [pair for i, j in met for pair in ((i, j), (j, i))]
        painted = read(corners_px[[under for under, _ in both]], [[corners_px[lid]] for _, lid in both])
        sure, sure_painted = _surety(whole), _surety(painted)
        for row, (i, j) in enumerate(met):
            # Twice: j on i, i on j.
            gain = sure[j] + sure_painted[2 * row] - sure[i] - sure_painted[2 * row + 1]
            upper[j, i] = 1 / (1 + np.exp(-2 * gain))
            upper[i, j] = 1 - upper[j, i]
    return ordered(upper, shared, corners_px)


def _surety(readings: np.ndarray) -> np.ndarray:
    sure: np.ndarray = np.log(readings[:, :NOTHING_INDEX].max(axis=1) + 1e-3)
    return sure


def lids_of(order: ZOrder, corners_px: np.ndarray) -> list[list[np.ndarray]]:
    """For each of n cards (n, 4, 2) the quads that lie on it."""
    n = len(corners_px)
    return [[corners_px[j] for j in range(n) if order.upper[j, i] > 0.5] for i in range(n)]


def surer(whole: np.ndarray, painted: np.ndarray) -> np.ndarray:
    """Of two readings (54,) of a covered card, with its lids in view and without: the one that is surer of a face."""
    if painted[NOTHING_INDEX] >= 0.5 or painted[:FACE_COUNT].max() < whole[:NOTHING_INDEX].max():
        return whole
    return painted


def lids_over(claim_px: np.ndarray, cards_px: np.ndarray, settings: OccludedReadingSettings) -> list[int]:
    """Which of the cards (n, 4, 2) would lie on a claim (4, 2) if it were a card beneath; none if it can't be one."""
    shares = [iou(claim_px, card) for card in cards_px]
    if not shares or not settings.farthest <= max(shares) <= settings.nearest:
        return []
    lids = [i for i, share in enumerate(shares) if share > 0.02]
    return lids if hidden_share(claim_px, [cards_px[i] for i in lids]) <= settings.hidden else []


def believed_beneath(
    claims_px: np.ndarray, readings: np.ndarray, names: set[int], settings: OccludedReadingSettings
) -> list[int]:
    """
    Which of n claims (n, 4, 2) with readings (n, 54) are cards: sure of a face, each place and each face once.

    ``names``: classes of the cards that are seen already.
    """
    taken = set(names)
    kept: list[int] = []
    for i in np.argsort(-readings.max(axis=1)):
        best = int(readings[i].argmax())
        is_clear = best < FACE_COUNT and readings[i, best] >= settings.face and readings[i, NOTHING_INDEX] < 0.2
        if is_clear and best not in taken and all(iou(claims_px[i], claims_px[k]) < settings.apart for k in kept):
            taken.add(best)
            kept.append(int(i))
    return kept


def with_beneath(
    order: ZOrder, corners_px: np.ndarray, over: Sequence[list[int]], under: Sequence[list[int]] | None = None
) -> ZOrder:
    """``order`` with further cards at the end of ``corners_px``: for each which cards lie on it, and which under it."""
    n = len(order.covered)
    upper = np.full((len(corners_px), len(corners_px)), np.nan, np.float32)
    upper[:n, :n] = order.upper
    for extra, above in enumerate(over, start=n):
        for lid in above:
            upper[lid, extra], upper[extra, lid] = 1.0, 0.0
    for extra, below in enumerate(under or (), start=n):
        for card in below:
            upper[extra, card], upper[card, extra] = 1.0, 0.0
    return ordered(upper, shared_areas(corners_px), corners_px)
