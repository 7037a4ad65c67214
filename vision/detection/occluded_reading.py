"""
Classify cards that lie under others: paint out their occluders before a second classification.

A classifier that sees a whole card's place reads the face which covers it. With the occluder painted out it reads what
is left: an index at the rim. That also helps to decide which of two cards lies on the other, since the true order gives
the surer readings; and a proposal that overlaps a card like a duplicate may turn out to be the card beneath it
(``docs/decisions/0006``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from vision.detection.detections import EVEN_ODDS, FACE_COUNT, NOTHING_INDEX, Detections
from vision.detection.z_order import ONLY_TOUCHES, ZOrder, ordered, shared_areas
from vision.geometry.amodal_completion import CompletionSettings, completed_outlines
from vision.geometry.quads import area, iou

Read = Callable[[np.ndarray, Sequence[list[np.ndarray]]], np.ndarray]
"""Classifies (n, 4, 2) cards, each without its given occluders: (n, 54) readings."""


Edges = Callable[[np.ndarray, np.ndarray], float]
"""Returns the probability that the first of two cards (4, 2) that meet lies on the second, by their edges."""
Symmetry = Callable[[np.ndarray, np.ndarray, Sequence[np.ndarray]], float]
"""
Returns the log-odds that the first card lies on the second, by their print; the third argument: further cards beside
them.
"""


# When occluded cards are classified again and which readings are used; ``_iou``: intersection over union, 0..1.
# Chosen by hand on invented decks (``dev``), 2026-11 (``docs/decisions/0006``).
MEETS_SHARE = ONLY_TOUCHES
"""Shared area of two cards, as a share of the smaller one, from which their order is estimated."""
PLAIN_ORDER = 0.85
"""Probability from which the overlap network alone decides the order of two cards."""
OCCLUDED_READING_LEAST_CONFIDENCE = 0.12
"""Finder confidence from which a proposal may be a card beneath another."""
LEAST_IOU = 0.5
"""A proposal below this overlap with every card is not a covered card."""
MOST_IOU = 0.88
"""A proposal above this overlap with a card is a duplicate of it."""
OCCLUDED_READING_SAME_IOU = 0.6
"""Two covered proposals from this overlap on are one card."""
OCCLUDED_READING_MOST_HIDDEN = 0.88
"""Largest hidden share of a card that is classified."""
DOUBLE_IOU = 0.25
"""Overlap of two faces from which the less sure one may be a duplicate."""
NEVER_DOUBLE = 0.97
"""Class share from which a face is never a duplicate."""
FACE_SURE = 0.7
"""Class share from which a face is accepted as a card beneath another."""
UNREAD_SURE = 0.9
"""Class share from which an unidentified outline that was extended under a neighbour is accepted as a card."""
TOUCHES_IOU = 0.02
"""A card above this overlap with a covered proposal lies on it."""
OCCLUDED_READING_MOST_NOTHING = 0.2
"""Largest share of "no card" in the reading of a card beneath another."""


EDGE_WEIGHT = 0.35
"""
Weight of the edges' log-odds relative to the other evidence: of 95 development pairs the edges alone were right in 81
of 100, the overlap network in 94 (dark decks excepted, all). Chosen 2026-11.
"""
ORDER_SLOPE = 2.0
"""Slope of the logistic curve from gain in log share to the order of two cards. Set by hand, 2026-11."""
ADDED_SHARE = 1e-3
"""Added to a share before its logarithm is taken, which limits the weight of small shares. Set by hand, 2026-11."""


def order_by_evidence(
    corners_px: np.ndarray,
    whole: np.ndarray,
    around: np.ndarray,
    read: Read,
    edges: Edges,
    symmetry: Symmetry,
) -> ZOrder:
    """
    Estimate the z-order of n cards (n, 4, 2); ``whole``: (n, 54), their readings with everything visible.

    around: (n, n), [i, j] the probability by the overlap network that i lies on j, nan where undecided. Where it is
    below ``PLAIN_ORDER``, the log-odds of the print where the two overlap and of the edges there are added; where the
    sum is still undecided, also whether each card reads surer with the other painted out.
    """
    shared = shared_areas(corners_px)
    upper = np.where(shared > 0, around, np.nan).astype(np.float32)
    sizes = [area(quad) for quad in corners_px]
    odds: dict[tuple[int, int], float] = {}
    for i, j in zip(*np.nonzero(np.triu(shared)), strict=True):
        is_plain = max(upper[i, j], upper[j, i]) > PLAIN_ORDER
        if is_plain or shared[i, j] < MEETS_SHARE * min(sizes[i], sizes[j]):
            continue
        beside = [corners_px[k] for k in np.flatnonzero((shared[i] > 0) | (shared[j] > 0)) if k not in (i, j)]
        log_odds = 0.0 if np.isnan(upper[j, i]) else _log_odds(float(upper[j, i]))
        log_odds += symmetry(corners_px[j], corners_px[i], beside)
        odds[int(i), int(j)] = log_odds + EDGE_WEIGHT * _log_odds(edges(corners_px[j], corners_px[i]))
    asked = [pair for pair, log_odds in odds.items() if abs(log_odds) < _log_odds(PLAIN_ORDER)]
    if asked:
        both = [pair for i, j in asked for pair in ((i, j), (j, i))]
        painted = read(corners_px[[under for under, _ in both]], [[corners_px[occluder]] for _, occluder in both])
        sure, sure_painted = _surety(whole), _surety(painted)
        for row, (i, j) in enumerate(asked):
            # Two readings each: j on i, i on j.
            odds[i, j] += ORDER_SLOPE * (sure[j] + sure_painted[2 * row] - sure[i] - sure_painted[2 * row + 1])
    for (i, j), log_odds in odds.items():
        upper[j, i] = 1 / (1 + np.exp(-log_odds))
        upper[i, j] = 1 - upper[j, i]
    return ordered(upper, shared, corners_px)


def _log_odds(share: float) -> float:
    return float(np.log((share + ADDED_SHARE) / (1 - share + ADDED_SHARE)))


def _surety(readings: np.ndarray) -> np.ndarray:
    sure: np.ndarray = np.log(readings[:, :NOTHING_INDEX].max(axis=1) + ADDED_SHARE)
    return sure


def occluders_of(order: ZOrder, corners_px: np.ndarray) -> list[list[np.ndarray]]:
    """Return for each of n cards (n, 4, 2) the quads that lie on it."""
    n = len(corners_px)
    return [[corners_px[j] for j in range(n) if order.upper[j, i] > EVEN_ODDS] for i in range(n)]


def surer(whole: np.ndarray, painted: np.ndarray) -> np.ndarray:
    """Return the surer of two readings (54,) of a covered card: with its occluders visible and painted out."""
    if painted[NOTHING_INDEX] >= EVEN_ODDS or painted[:FACE_COUNT].max() < whole[:NOTHING_INDEX].max():
        return whole
    return painted


def with_whole_outlines(
    seen: Detections, picture: tuple[int, int], read: Read, settings: CompletionSettings
) -> tuple[Detections, list[int]]:
    """
    Complete outlines that end at the edge of a covering card; return the detections and the indices of changed cards.

    picture: (width, height). An outline is completed only if the card's visible part, its neighbour painted out, reads
    at least as surely as before.
    """
    completed = completed_outlines(seen.corners_px, picture, settings)
    if not completed:
        return seen, []
    corners, probabilities = seen.corners_px.copy(), seen.probabilities.copy()
    readings = read(
        np.stack([card.corners_px for card in completed]), [[seen.corners_px[card.under]] for card in completed]
    )
    moved = []
    for card, reading in zip(completed, readings, strict=True):
        if surer(probabilities[card.which], reading) is reading:
            corners[card.which], probabilities[card.which] = card.corners_px, reading
            moved.append(card.which)
    return Detections(corners, seen.confidence, probabilities), moved


UNREAD_COMPLETION = CompletionSettings(most_shared=1.0, most_filled=1.0, least_fit=0.0, least_gain=-1.0)
"""For an unidentified outline the shape proves nothing, and any neighbour is tried: the reading must prove it."""


def with_unread_completed(seen: Detections, picture: tuple[int, int], read: Read) -> Detections:
    """
    Extend the outlines of unidentified cards under a neighbour where a face is then read surely.

    A card that lies straight across another may be outlined as a strip that is half the other's; the best-fitting rigid
    card still lies within a tenth of the true one.
    """
    unread = np.flatnonzero(seen.probabilities.max(axis=1, initial=0.0) < FACE_SURE).tolist()
    completed = completed_outlines(seen.corners_px, picture, UNREAD_COMPLETION, unread) if unread else []
    if not completed:
        return seen
    corners, probabilities = seen.corners_px.copy(), seen.probabilities.copy()
    occluders = [[seen.corners_px[card.under]] for card in completed]
    for card, reading in zip(completed, read(np.stack([c.corners_px for c in completed]), occluders), strict=True):
        names = set(seen.best[seen.probabilities.max(axis=1) >= EVEN_ODDS].tolist()) - {int(seen.best[card.which])}
        best = int(reading.argmax())
        if best < FACE_COUNT and best not in names and reading[best] >= UNREAD_SURE:
            corners[card.which], probabilities[card.which] = card.corners_px, reading
    return Detections(corners, seen.confidence, probabilities)


def meeting(proposal_px: np.ndarray, cards_px: np.ndarray) -> list[int]:
    """
    Return the indices of the cards (n, 4, 2) that meet a proposal (4, 2); empty if it cannot be a covered card.
    """
    shares = [iou(proposal_px, card) for card in cards_px]
    if not shares or not LEAST_IOU <= max(shares) <= MOST_IOU:
        return []
    return [i for i, share in enumerate(shares) if share > TOUCHES_IOU]


def believed_beneath(proposals_px: np.ndarray, readings: np.ndarray, names: set[int]) -> list[int]:
    """
    Return the indices of n proposals (n, 4, 2) with readings (n, 54) that are sure faces, each place and face once.

    ``names``: classes of the cards that are already detected.
    """
    taken = set(names)
    kept: list[int] = []
    for i in np.argsort(-readings.max(axis=1)):
        best = int(readings[i].argmax())
        is_clear = (
            best < FACE_COUNT
            and readings[i, best] >= FACE_SURE
            and readings[i, NOTHING_INDEX] < OCCLUDED_READING_MOST_NOTHING
        )
        if (
            is_clear
            and best not in taken
            and all(iou(proposals_px[i], proposals_px[k]) < OCCLUDED_READING_SAME_IOU for k in kept)
        ):
            taken.add(best)
            kept.append(int(i))
    return kept


def with_beneath(
    order: ZOrder, corners_px: np.ndarray, over: Sequence[list[int]], under: Sequence[list[int]] | None = None
) -> ZOrder:
    """
    Extend ``order`` by the cards at the end of ``corners_px``; ``over``, ``under``: which cards lie on and under each.
    """
    n = len(order.covered)
    upper = np.full((len(corners_px), len(corners_px)), np.nan, np.float32)
    upper[:n, :n] = order.upper
    for extra, above in enumerate(over, start=n):
        for occluder in above:
            upper[occluder, extra], upper[extra, occluder] = 1.0, 0.0
    for extra, below in enumerate(under or (), start=n):
        for card in below:
            upper[extra, card], upper[card, extra] = 1.0, 0.0
    return ordered(upper, shared_areas(corners_px), corners_px)
