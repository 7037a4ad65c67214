"""Cards in the gaps of columns and fans, of which little more than a corner shows: where to look, what to believe."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from vision.detection.detections import EVEN_ODDS, FACE_COUNT, Detections
from vision.detection.z_order import ZOrder, hidden_share
from vision.geometry.amodal_completion import CompletionSettings, plane_of_whole_cards
from vision.geometry.card_chains import ChainSettings, gaps_of_chains
from vision.geometry.quads import Array, iou, warp


@dataclass(frozen=True, slots=True)
class GapSearchSettings:
    """How gaps are looked into. Set by hand on development tables of fans and columns, 2026-11."""

    rounds: int = 3
    """
    How often, each time with what was found before. More find the lower cards of long chains
    and take time, fewer miss them.
    """
    known_iou: float = 0.9
    """
    A place that shares more than this with a card seen is that card's. Higher reads cards twice, lower
    misses cards of narrow fans.
    """
    sure: float = 0.8
    """Share of one face from which a card is believed to lie in a gap. Higher misses some, lower misreads some."""
    confidence: float = 0.5
    """
    What such a card is worth beside the finder's proposals, 0..1. Higher: of two readings of one card it
    is believed; lower: it is not.
    """
    most_hidden: float = 0.93
    """
    Share of a card in a gap that may be hidden: of a fan a strip shows, with the index. Higher reads slivers,
    lower misses cards.
    """
    chains: ChainSettings = field(default_factory=ChainSettings)
    plane: CompletionSettings = field(default_factory=CompletionSettings)


@dataclass(frozen=True, slots=True, eq=False)
class GapPlace:
    """
    Where a card may lie. corners_px: (4, 2). on_it: indices of the cards seen that would lie on it. lids_px: their
    corners, (4, 2) each, and those of other places of the same gap that would.
    """

    corners_px: Array
    on_it: tuple[int, ...]
    lids_px: tuple[Array, ...]


def gap_places(
    seen: Detections, order: ZOrder, picture: tuple[int, int], settings: GapSearchSettings
) -> list[GapPlace]:
    """The places of the gaps in every chain of faces seen; picture: (width, height)."""
    faces = np.flatnonzero((seen.best < FACE_COUNT) & (seen.probabilities.max(axis=1, initial=0.0) >= EVEN_ODDS))
    upper = order.upper[np.ix_(faces, faces)]
    if not (upper > EVEN_ODDS).any():
        return []
    plane = plane_of_whole_cards(seen.corners_px[faces], picture, settings.plane)
    if plane is None:
        return []
    to_px = np.asarray(np.linalg.inv(plane.to_mm), np.float64)
    found = []
    for gap in gaps_of_chains(warp(plane.to_mm, seen.corners_px[faces]), upper, settings.chains):
        quad, above = warp(to_px, gap.corners_mm), int(faces[gap.above])
        on_it = (above, *(k for k in range(len(seen)) if order.upper[k, above] > EVEN_ODDS))
        lids = (*(seen.corners_px[k] for k in on_it), *warp(to_px, gap.between_mm))
        is_known = any(iou(quad, card) >= settings.known_iou for card in seen.corners_px)
        if not is_known and hidden_share(quad, list(lids)) <= settings.most_hidden:
            found.append(GapPlace(quad, on_it, lids))
    return found


def believed_in_gaps(readings: np.ndarray, names: set[int], settings: GapSearchSettings) -> list[int]:
    """Which of n places with readings (n, 54) hold a card: sure of a face, each face once, none of ``names``."""
    taken, kept = set(names), []
    for i in np.argsort(-readings.max(axis=1)):
        best = int(readings[i].argmax())
        if best < FACE_COUNT and best not in taken and readings[i, best] >= settings.sure:
            taken.add(best)
            kept.append(int(i))
    return kept
