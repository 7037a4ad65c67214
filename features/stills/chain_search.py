"""
Find the cards of columns and fans by stepping down from the top card.

The finder detects only a few cards of such a hand, some outlined half by one card and half by its neighbour. The top
card is fully visible. The next card must lie one step beneath it: the corner refiner finds it from there, and with all
its occluders painted out it is classified as well as if it lay alone. It replaces earlier detections at its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from features.stills.rigid_outlines import Refine
from vision.detection.crowding import group_sizes
from vision.detection.detections import EVEN_ODDS, FACE_COUNT, Detections
from vision.detection.finder import DUPLICATE_SAME_FACE_IOU
from vision.detection.occluded_reading import Read
from vision.detection.z_order import ZOrder, hidden_share
from vision.geometry.card_chains import (
    ChainSettings,
    edges_of,
    next_beneath,
    rigid_by,
    same_step,
    stepped,
)
from vision.geometry.quads import Array, Matrix, iou, warp

# How chains are followed downwards. Chosen on development tables of fans and columns, 2026-11.
ON_TOP = 0.1
"""Largest hidden share of a top card; chains are followed from top cards first."""
CHAIN_SEARCH_KNOWN_IOU = 0.8
"""Intersection over union from which a place is a known card."""
GIVES_WAY_IOU = 0.7
"""Intersection over union from which a chain's card replaces a covered detection."""
CHAIN_SEARCH_SAME_FACE_IOU = DUPLICATE_SAME_FACE_IOU
"""Intersection over union from which two outlines are one card if both read as the same face."""
CHAIN_SEARCH_SURE = 0.8
"""Class share from which a card of a chain is accepted."""
CHAIN_SEARCH_MOST_HIDDEN = 0.93
"""Largest hidden share of such a card: in a fan a strip with the index is visible."""


@dataclass(frozen=True, slots=True)
class ChainSearchSettings:
    """How chains are followed downwards. Chosen on development tables of fans and columns, 2026-11."""

    least_cards: int = 3
    """Cards that lie together from which they are searched as a chain; two are a pair."""
    most: int = 13
    """Largest number of steps: a hand's cards."""
    unread: int = 1
    """Consecutive unidentified cards after which a chain ends."""
    confidence: float = 0.5
    """Confidence assigned to such a card relative to the finder's proposals, 0..1."""
    chains: ChainSettings = field(default_factory=ChainSettings)


@dataclass(slots=True, eq=False)
class Chain:
    """
    Cards beneath one another. lids: indices of the detected cards that lie on all of the chain, its first card
    included. places: (4, 2) each, the first card's first. readings: (54,) of the later places, None if unidentified.
    """

    occluders: tuple[int, ...]
    way: tuple[int, int]
    places: list[Array]
    readings: list[Array | None] = field(default_factory=list)

    def next_place(self, settings: ChainSettings) -> Array:
        """Return the predicted place of the next card, (4, 2)."""
        if len(self.places) > 1:
            return same_step(self.places[-2], self.places[-1])
        return stepped(self.places[-1], self.way, settings)


def chains_from(seen: Detections, order: ZOrder, asked: Sequence[int], settings: ChainSearchSettings) -> list[Chain]:
    """
    Return the chains that begin at the cards ``asked`` and whose next card is not known; groups below ``least_cards``
    are skipped.
    """
    faces = np.flatnonzero((seen.best < FACE_COUNT) & (seen.probabilities.max(axis=1, initial=0.0) >= EVEN_ODDS))
    rows = {int(card): row for row, card in enumerate(faces)}
    corners, upper = seen.corners_px[faces], order.upper[np.ix_(faces, faces)]
    together = group_sizes(order.shared > 0)
    found = []
    for card in asked:
        if card not in rows or together[card] < settings.least_cards:
            continue
        way = next_beneath(rows[card], corners, upper, settings.chains)
        if way is not None:
            occluders = (card, *(k for k in range(len(seen)) if order.upper[k, card] > EVEN_ODDS))
            found.append(Chain(occluders, way, [seen.corners_px[card]]))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class ChainReader:
    """The networks of one picture, and ``to_mm``: from the picture to the table, where cards are rigid."""

    refine: Refine
    read: Read
    to_mm: Matrix


def follow(
    chains: list[Chain], seen: Detections, known: Sequence[int], reader: ChainReader, settings: ChainSearchSettings
) -> None:
    """
    Follow all chains down in parallel until none continues.

    known: the detected cards that are kept as they are.
    """
    names = {int(seen.best[k]) for k in known}
    taken = [seen.corners_px[k] for k in known]
    going = list(chains)
    for _ in range(settings.most):
        if not going:
            break
        quads = reader.refine(np.stack([chain.next_place(settings.chains) for chain in going]))
        occluders = [[*(seen.corners_px[k] for k in chain.occluders), *chain.places[1:]] for chain in going]
        quads = np.stack([_rigid(*outline, reader.to_mm) for outline in zip(quads, occluders, going, strict=True)])
        open_ = [
            i
            for i, quad in enumerate(quads)
            if all(iou(quad, card) < CHAIN_SEARCH_KNOWN_IOU for card in taken)
            and hidden_share(quad, occluders[i]) <= CHAIN_SEARCH_MOST_HIDDEN
        ]
        if not open_:
            break
        readings = reader.read(quads[open_], [occluders[i] for i in open_])
        left = []
        for i, reading in sorted(zip(open_, readings, strict=True), key=lambda pair: -float(pair[1].max())):
            chain, best = going[i], int(reading.argmax())
            is_card = best < FACE_COUNT and best not in names and reading[best] >= CHAIN_SEARCH_SURE
            if is_card:
                names.add(best)
                taken.append(quads[i])
            chain.places.append(quads[i])
            chain.readings.append(reading if is_card else None)
            if any(reading is not None for reading in chain.readings[-1 - settings.unread :]):
                left.append(chain)
        going = left


def _rigid(quad: Array, occluders: list[Array], chain: Chain, to_mm: Matrix) -> Array:
    """
    Fit a card of the size of the chain's first one to the visible corners of ``quad``; return its corners (4, 2) px.
    """
    shown = np.array(
        [all(cv2.pointPolygonTest(lid, corner, False) < 0 for lid in occluders) for corner in quad.tolist()]
    )
    if shown.sum() < 2:
        return quad
    laid = rigid_by(warp(to_mm, quad), shown, edges_of(warp(to_mm, chain.places[0])))
    return warp(np.asarray(np.linalg.inv(to_mm), np.float64), laid)


def given_way(seen: Detections, chains: list[Chain]) -> list[int]:
    """
    Return the detected cards to keep beside those of the chains: without the covered ones that were parts of these.
    """
    walked = [
        (quad, int(reading.argmax()))
        for chain in chains
        for quad, reading in zip(chain.places[1:], chain.readings, strict=True)
        if reading is not None
    ]
    tops = {chain.occluders[0] for chain in chains}

    def was_part(card: int) -> bool:
        limits = [CHAIN_SEARCH_SAME_FACE_IOU if seen.best[card] == name else GIVES_WAY_IOU for _, name in walked]
        shares = [iou(seen.corners_px[card], quad) for quad, _ in walked]
        return any(share >= limit for share, limit in zip(shares, limits, strict=True))

    return [k for k in range(len(seen)) if k in tops or not was_part(k)]
