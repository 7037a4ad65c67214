"""
Cards that lie under others: what covers them is painted out before they are read a second time.

A classifier that sees a whole card's place reads the face which covers it. Told what lies on top, it reads what is
left: an index at the rim. That also helps to tell which of two cards lies on the other, for the true order reads better
than the false one; and a proposal that shares most of its outline with a card, and would pass for a second proposal of
it, turns out to be the card beneath (``docs/decisions/0006``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from vision.detection.detections import EVEN_ODDS, FACE_COUNT, NOTHING_INDEX, Detections
from vision.detection.z_order import ONLY_TOUCHES, ZOrder, hidden_share, ordered, shared_areas
from vision.geometry.amodal_completion import CompletionSettings, completed_outlines
from vision.geometry.quads import area, iou

Read = Callable[[np.ndarray, Sequence[list[np.ndarray]]], np.ndarray]
"""(n, 4, 2) cards and for each its occluders -> (n, 54) readings."""


Edges = Callable[[np.ndarray, np.ndarray], float]
"""Two cards (4, 2) that meet -> how surely the first lies on the second by whose outline is seen there."""
Symmetry = Callable[[np.ndarray, np.ndarray, Sequence[np.ndarray]], float]
"""The same two and further cards beside them -> log-odds that the first lies on the second by what is printed there."""


@dataclass(frozen=True, slots=True)
class OccludedReadingSettings:
    """
    When to look beneath a card and what to believe of it; ``_iou``: shared area over the area of both, 0..1. Chosen by
    hand on invented decks (``dev``), 2026-11 (``docs/decisions/0006``).
    """

    meets_share: float = ONLY_TOUCHES
    """
    Share of the smaller of two cards that they must have in common before it is asked which lies on top. Higher leaves
    orders open, lower asks about cards that only touch.
    """
    plain_order: float = 0.85
    """
    How surely a look round two cards must tell which lies on top for nothing else to be asked. Higher reads more cards
    twice, which takes time; lower believes a coin toss.
    """
    least_confidence: float = 0.12
    """
    The finder's confidence from which a proposal may be a card beneath another. Higher misses covered cards, lower
    takes time.
    """
    least_iou: float = 0.5
    """
    A proposal sharing less than this with every card is judged by itself. Higher misses covered cards. Lower asks
    of places where no card lies beneath.
    """
    most_iou: float = 0.88
    """
    A proposal sharing more than this with a card is a proposal of that card. Higher reads doubles as cards beneath.
    Lower misses cards that are covered squarely.
    """
    same_iou: float = 0.6
    """
    Two proposals beneath sharing this much are one card. Higher tells a covered card twice. Lower takes two covered
    cards for one.
    """
    most_hidden: float = 0.88
    """
    Share of a card that may be hidden for it to be read at all. Higher reads slivers, often wrongly. Lower leaves
    half-covered cards as first read.
    """
    double_iou: float = 0.25
    """
    Of two faces that share so much the less sure one may be the other, seen double. Higher tells doubles, lower asks
    about cards that only lie across.
    """
    never_double: float = 0.97
    """Share of a name from which a face is no double whatever it shares. Higher asks more, lower tells doubles."""
    face_sure: float = 0.7
    """
    Share of one face in what is left of a proposal from which a card is believed to lie beneath another. Higher misses
    covered cards, lower invents some.
    """
    unread_sure: float = 0.9
    """
    The same of an outline that nobody could read, laid under a neighbour. Higher leaves such cards untold, lower
    believes what is read at a place that was guessed.
    """
    touches_iou: float = 0.02
    """
    A card sharing more than this with a proposal beneath lies on it. Higher leaves it in view, to be misread. Lower
    blots out neighbours that cover nothing.
    """
    most_nothing: float = 0.2
    """
    Share of "no card" that may be left in the reading of a card beneath another. Higher invents cards. Lower misses
    cards of which little shows.
    """


EDGE_WEIGHT = 0.35
"""
What the edges' log-odds count beside the others': of 95 development pairs they were right by themselves in 81 of 100, a
look round the cards in 94 (the dark decks apart, all). Higher believes print, lower leaves two dark cards to chance.
Chosen 2026-11.
"""
ORDER_SLOPE = 2.0
"""
How fast the order of two cards grows sure with what their readings gain (natural logarithms), as a logistic curve.
Higher believes small gains. Set by hand, 2026-11.
"""
ADDED_SHARE = 1e-3
"""Added to a share before its logarithm is taken: what is nearly excluded counts no more than that. Set by hand,
2026-11."""


def order_by_evidence(
    corners_px: np.ndarray,
    whole: np.ndarray,
    around: np.ndarray,
    read: Read,
    edges: Edges,
    symmetry: Symmetry,
    settings: OccludedReadingSettings,
) -> ZOrder:
    """
    Who lies on whom among n cards (n, 4, 2), ``whole`` (n, 54) their readings with everything in view.

    around: (n, n), [i, j] how surely i lies on j by a look round the cards, nan where that tells nothing. Where it is
    not plain, further witnesses are heard, and their log-odds added: what is printed where the two overlap, and whose
    outline is drawn there; and where that is not plain either, whether each reads surer with the other painted out.
    """
    shared = shared_areas(corners_px)
    upper = np.where(shared > 0, around, np.nan).astype(np.float32)
    sizes = [area(quad) for quad in corners_px]
    odds: dict[tuple[int, int], float] = {}
    for i, j in zip(*np.nonzero(np.triu(shared)), strict=True):
        is_plain = max(upper[i, j], upper[j, i]) > settings.plain_order
        if is_plain or shared[i, j] < settings.meets_share * min(sizes[i], sizes[j]):
            continue
        beside = [corners_px[k] for k in np.flatnonzero((shared[i] > 0) | (shared[j] > 0)) if k not in (i, j)]
        told = 0.0 if np.isnan(upper[j, i]) else _log_odds(float(upper[j, i]))
        told += symmetry(corners_px[j], corners_px[i], beside)
        odds[int(i), int(j)] = told + EDGE_WEIGHT * _log_odds(edges(corners_px[j], corners_px[i]))
    asked = [pair for pair, told in odds.items() if abs(told) < _log_odds(settings.plain_order)]
    if asked:
        both = [pair for i, j in asked for pair in ((i, j), (j, i))]
        painted = read(corners_px[[under for under, _ in both]], [[corners_px[occluder]] for _, occluder in both])
        sure, sure_painted = _surety(whole), _surety(painted)
        for row, (i, j) in enumerate(asked):
            # Twice: j on i, i on j.
            odds[i, j] += ORDER_SLOPE * (sure[j] + sure_painted[2 * row] - sure[i] - sure_painted[2 * row + 1])
    for (i, j), told in odds.items():
        upper[j, i] = 1 / (1 + np.exp(-told))
        upper[i, j] = 1 - upper[j, i]
    return ordered(upper, shared, corners_px)


def _log_odds(share: float) -> float:
    return float(np.log((share + ADDED_SHARE) / (1 - share + ADDED_SHARE)))


def _surety(readings: np.ndarray) -> np.ndarray:
    sure: np.ndarray = np.log(readings[:, :NOTHING_INDEX].max(axis=1) + ADDED_SHARE)
    return sure


def occluders_of(order: ZOrder, corners_px: np.ndarray) -> list[list[np.ndarray]]:
    """For each of n cards (n, 4, 2) the quads that lie on it."""
    n = len(corners_px)
    return [[corners_px[j] for j in range(n) if order.upper[j, i] > EVEN_ODDS] for i in range(n)]


def surer(whole: np.ndarray, painted: np.ndarray) -> np.ndarray:
    """Of two readings (54,) of a covered card, with its occluders in view and without: the surer one of a face."""
    if painted[NOTHING_INDEX] >= EVEN_ODDS or painted[:FACE_COUNT].max() < whole[:NOTHING_INDEX].max():
        return whole
    return painted


def with_whole_outlines(
    seen: Detections, picture: tuple[int, int], read: Read, settings: CompletionSettings
) -> tuple[Detections, list[int]]:
    """
    Cards that were found only up to the edge of one lying on them, outlined whole, and which they are.

    picture: (width, height). An outline is completed only where what is left of the card, its neighbour painted out,
    reads at least as surely as before.
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
"""
Of an outline that nobody can read the shape proves nothing, and any neighbour is tried: what is read so must prove it.
"""


def with_unread_completed(
    seen: Detections, picture: tuple[int, int], read: Read, settings: OccludedReadingSettings
) -> Detections:
    """
    Cards that nobody could read, outlined as if they went on under a neighbour where a face is read surely so.

    Of a card that lies straight across another a strip is outlined that is half the other's; the rigid card that fits
    best lies within a tenth of the true one all the same.
    """
    unread = np.flatnonzero(seen.probabilities.max(axis=1, initial=0.0) < settings.face_sure).tolist()
    completed = completed_outlines(seen.corners_px, picture, UNREAD_COMPLETION, unread) if unread else []
    if not completed:
        return seen
    corners, probabilities = seen.corners_px.copy(), seen.probabilities.copy()
    occluders = [[seen.corners_px[card.under]] for card in completed]
    for card, reading in zip(completed, read(np.stack([c.corners_px for c in completed]), occluders), strict=True):
        names = set(seen.best[seen.probabilities.max(axis=1) >= EVEN_ODDS].tolist()) - {int(seen.best[card.which])}
        best = int(reading.argmax())
        if best < FACE_COUNT and best not in names and reading[best] >= settings.unread_sure:
            corners[card.which], probabilities[card.which] = card.corners_px, reading
    return Detections(corners, seen.confidence, probabilities)


def occluders_over(proposal_px: np.ndarray, cards_px: np.ndarray, settings: OccludedReadingSettings) -> list[int]:
    """Which of the cards (n, 4, 2) would lie on a proposal (4, 2) if that were a card beneath; none if it can't be."""
    shares = [iou(proposal_px, card) for card in cards_px]
    if not shares or not settings.least_iou <= max(shares) <= settings.most_iou:
        return []
    occluders = [i for i, share in enumerate(shares) if share > settings.touches_iou]
    return occluders if hidden_share(proposal_px, [cards_px[i] for i in occluders]) <= settings.most_hidden else []


def believed_beneath(
    proposals_px: np.ndarray, readings: np.ndarray, names: set[int], settings: OccludedReadingSettings
) -> list[int]:
    """
    Which of n proposals (n, 4, 2) with readings (n, 54) are cards: sure of a face, each place and each face once.

    ``names``: classes of the cards that are seen already.
    """
    taken = set(names)
    kept: list[int] = []
    for i in np.argsort(-readings.max(axis=1)):
        best = int(readings[i].argmax())
        is_clear = (
            best < FACE_COUNT
            and readings[i, best] >= settings.face_sure
            and readings[i, NOTHING_INDEX] < settings.most_nothing
        )
        if (
            is_clear
            and best not in taken
            and all(iou(proposals_px[i], proposals_px[k]) < settings.same_iou for k in kept)
        ):
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
        for occluder in above:
            upper[occluder, extra], upper[extra, occluder] = 1.0, 0.0
    for extra, below in enumerate(under or (), start=n):
        for card in below:
            upper[extra, card], upper[card, extra] = 1.0, 0.0
    return ordered(upper, shared_areas(corners_px), corners_px)
