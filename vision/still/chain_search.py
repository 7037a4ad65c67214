"""
Cards of columns and fans of which little more than a corner shows: followed down from the card on top, step by step.

The finder sees such a hand as a few cards, some of them outlined half by one card and half by its neighbour. The card
on top is seen whole. One step beneath it the next must lie: the corner refiner finds it from there, and with all that
lies on it painted out it is read as well as if it lay alone. What was claimed there before gives way to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from vision.detection.crowding import group_sizes
from vision.detection.detections import EVEN_ODDS, FACE_COUNT, Detections
from vision.detection.duplicate_suppression import DuplicateSettings
from vision.detection.z_order import ZOrder, hidden_share
from vision.geometry.card_chains import (
    ChainSettings,
    edges_of,
    next_beneath,
    rigid_by,
    same_step,
    stepped,
)
from vision.geometry.plane_homography import Matrix
from vision.geometry.quads import Array, iou, warp

Refine = Callable[[Array], Array]
"""(n, 4, 2) proposed corners -> (n, 4, 2) better ones."""
Read = Callable[[Array, Sequence[list[Array]]], Array]
"""(n, 4, 2) cards and for each its occluders -> (n, 54) readings."""


@dataclass(frozen=True, slots=True)
class ChainSearchSettings:
    """How chains are followed downwards. Chosen on development tables of fans and columns, 2026-11."""

    least_cards: int = 3
    """Cards that lie together for there to be a chain: two are a pair."""
    on_top: float = 0.1
    """Share of a card that may be hidden for it to be on top: chains are followed from those first."""
    most: int = 13
    """Steps down at most: a hand's cards."""
    unread: int = 1
    """Cards that nobody can read in a row before a chain is given up."""
    known_iou: float = 0.8
    """A place that shares more than this with a card known is that card's."""
    gives_way_iou: float = 0.7
    """A covered card that was seen before and shares so much with one of a chain gives way to it."""
    same_face_iou: float = DuplicateSettings().same_face_iou
    """The same where both read as one face."""
    sure: float = 0.8
    """Share of one face from which a card is believed to lie there."""
    confidence: float = 0.5
    """What such a card is worth beside the finder's proposals, 0..1."""
    most_hidden: float = 0.93
    """Share of such a card that may be hidden: of a fan a strip shows, with the index."""
    chains: ChainSettings = field(default_factory=ChainSettings)


@dataclass(slots=True, eq=False)
class Chain:
    """
    Cards beneath one another. lids: indices of the cards seen that lie on all of it, its first card among them.
    places: (4, 2) each, the first card's first. readings: (54,) of the places after it, None: nobody could read it.
    """

    lids: tuple[int, ...]
    way: tuple[int, int]
    places: list[Array]
    readings: list[Array | None] = field(default_factory=list)

    def next_place(self, settings: ChainSettings) -> Array:
        """Where the next one should lie."""
        if len(self.places) > 1:
            return same_step(self.places[-2], self.places[-1])
        return stepped(self.places[-1], self.way, settings)


def chains_from(seen: Detections, order: ZOrder, asked: Sequence[int], settings: ChainSearchSettings) -> list[Chain]:
    """Chains that begin at the cards ``asked`` and whose next card isn't known; of pairs nothing is asked."""
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
            lids = (card, *(k for k in range(len(seen)) if order.upper[k, card] > EVEN_ODDS))
            found.append(Chain(lids, way, [seen.corners_px[card]]))
    return found


def follow(
    chains: list[Chain],
    seen: Detections,
    known: Sequence[int],
    refine: Refine,
    read: Read,
    settings: ChainSearchSettings,
    to_mm: Matrix,
) -> None:
    """
    Follow the chains down, all at once, until none goes on.

    known: the cards seen that stand as they are. to_mm: from the picture to the table, where cards are rigid.
    """
    names = {int(seen.best[k]) for k in known}
    taken = [seen.corners_px[k] for k in known]
    going = list(chains)
    for _ in range(settings.most):
        if not going:
            break
        quads = refine(np.stack([chain.next_place(settings.chains) for chain in going]))
        lids = [[*(seen.corners_px[k] for k in chain.lids), *chain.places[1:]] for chain in going]
        quads = np.stack([_rigid(*each, to_mm) for each in zip(quads, lids, going, strict=True)])
        open_ = [
            i
            for i, quad in enumerate(quads)
            if all(iou(quad, card) < settings.known_iou for card in taken)
            and hidden_share(quad, lids[i]) <= settings.most_hidden
        ]
        if not open_:
            break
        readings = read(quads[open_], [lids[i] for i in open_])
        left = []
        for i, reading in sorted(zip(open_, readings, strict=True), key=lambda each: -float(each[1].max())):
            chain, best = going[i], int(reading.argmax())
            is_card = best < FACE_COUNT and best not in names and reading[best] >= settings.sure
            if is_card:
                names.add(best)
                taken.append(quads[i])
            chain.places.append(quads[i])
            chain.readings.append(reading if is_card else None)
            if any(each is not None for each in chain.readings[-1 - settings.unread :]):
                left.append(chain)
        going = left


def _rigid(quad: Array, lids: list[Array], chain: Chain, to_mm: Matrix) -> Array:
    """The same place as a card as large as the chain's first one, by the corners that show."""
    shown = np.array([all(cv2.pointPolygonTest(lid, corner, False) < 0 for lid in lids) for corner in quad.tolist()])
    if shown.sum() < 2:
        return quad
    laid = rigid_by(warp(to_mm, quad), shown, edges_of(warp(to_mm, chain.places[0])))
    return warp(np.asarray(np.linalg.inv(to_mm), np.float64), laid)


def given_way(seen: Detections, chains: list[Chain], settings: ChainSearchSettings) -> list[int]:
    """Which of the cards seen stay beside those of the chains: not the covered ones that were parts of these."""
    walked = [
        (quad, int(reading.argmax()))
        for chain in chains
        for quad, reading in zip(chain.places[1:], chain.readings, strict=True)
        if reading is not None
    ]
    tops = {chain.lids[0] for chain in chains}

    def was_part(card: int) -> bool:
        limits = [settings.same_face_iou if seen.best[card] == name else settings.gives_way_iou for _, name in walked]
        shares = [iou(seen.corners_px[card], quad) for quad, _ in walked]
        return any(share >= limit for share, limit in zip(shares, limits, strict=True))

    return [k for k in range(len(seen)) if k in tops or not was_part(k)]
