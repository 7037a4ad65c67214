"""
Read what the finder claimed and did not report, as the scene of the found cards explains it.

A claim that overlaps several cards is refused as a double of one of them, or is too faint; and a card of a fan reads as
no card unless just those that lie on it are painted out. In a row these follow from its place: all cards nearer to the
row's top lie on it, the others under it. Where a table has rows, a card beside them may begin another one, so the place
one step beneath it is a claim too. Claims are read as cards of the deck's size on the table's plane, and where that
leaves a doubt as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from features.stills.chain_gaps import LEAST_CHAIN, directions_of
from features.stills.chain_search import CHAIN_SEARCH_MOST_HIDDEN
from features.stills.rigid_outlines import CardPlane, Refine, fitted_once, visible_weights
from vision.detection.crowding import group_sizes
from vision.detection.detections import EVEN_ODDS, FACE_COUNT
from vision.detection.finder import Proposals
from vision.detection.occluded_reading import OCCLUDED_READING_SAME_IOU, TOUCHES_IOU, Read
from vision.detection.z_order import hidden_share
from vision.geometry.amodal_completion import rigid_card
from vision.geometry.card_chains import MOST_TURN
from vision.geometry.quads import Array, iou, warp

# Chosen on development tables of columns and fans, 2026-11.
STEP_MM = (5.0, 60.0)
"""Smallest and largest distance of two cards that follow one another in a row."""
CLAIMED_CARDS = (0.6, 1.35)
"""Smallest and largest area of a claim, in whole cards."""
KNOWN_IOU = 0.85
"""Intersection over union from which a place is a known card's."""
ROW_SURE = 0.92
"""Class share from which a card of a row is accepted: its place and what lies on it follow from the others."""
ALONE_SURE = 0.97
"""Class share from which a claim that touches no card is accepted."""
LIKELY = 0.6
"""Class share from which an outline that is not accepted is fitted again."""
LATER_PASSES = 2
"""Passes of the corner refiner for it."""


@dataclass(frozen=True, slots=True, eq=False)
class RefusedClaim:
    """
    A possible card at ``quad`` (4, 2) px. over, under: the known cards on it and under it. least: the class share from
    which it is accepted.
    """

    quad: Array
    confidence: float
    over: tuple[int, ...]
    under: tuple[int, ...]
    least: float

    def occluders(self, known: Array) -> list[Array]:
        """Return the cards on it, of (n, 4, 2) px."""
        return [known[k] for k in self.over]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """
    The rows among n cards on the table. centres, turns, ways: (n,), in mm and radians; a way points from a card's row's
    top to its end, 0 where it lies in none. step: from a card to the next one in its own frame, None without a row.
    """

    centres: npt.NDArray[np.complex128]
    turns: npt.NDArray[np.float64]
    ways: npt.NDArray[np.complex128]
    step: complex | None


def poses(quads_mm: Array) -> tuple[npt.NDArray[np.complex128], npt.NDArray[np.float64]]:
    """Return the centres and the directions of the short edges of (n, 4, 2) cards, as complex numbers and radians."""
    return quads_mm.mean(axis=1) @ np.array([1, 1j]), np.angle(directions_of(quads_mm))


def between(one: npt.ArrayLike, other: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return how far cards are turned against each other, in radians; half a turn makes no difference."""
    return np.asarray((np.asarray(other) - np.asarray(one) + np.pi / 2) % np.pi - np.pi / 2, np.float64)


def rows_of(quads_mm: Array, upper: Array) -> Rows:
    """Find the rows among n cards (n, 4, 2); upper: (n, n), [i, j] the probability that i lies on j."""
    centres, turns = poses(quads_mm)
    away = centres[None] - centres[:, None]
    follows = (upper > EVEN_ODDS) & (np.abs(between(turns[:, None], turns[None])) <= MOST_TURN)
    follows &= (np.abs(away) > STEP_MM[0]) & (np.abs(away) < STEP_MM[1])
    far = np.where(follows, np.abs(away), np.inf)
    in_row = group_sizes(follows | follows.T) >= LEAST_CHAIN
    ways = np.zeros(len(centres), np.complex128)
    steps = []
    for k in np.flatnonzero(in_row):
        above, beneath = int(far[:, k].argmin()), int(far[k].argmin())
        if np.isfinite(far[above, k]):
            steps.append(complex(away[above, k] * np.exp(-1j * turns[above])))
        nearest = (above, k) if far[above, k] <= far[k, beneath] else (k, beneath)
        ways[k] = away[nearest] / far[nearest]
    steps.sort(key=abs)
    return Rows(centres, turns, ways, steps[len(steps) // 2] if len(steps) > 1 else None)


def next_places(rows: Rows, refine: Refine, known: Array, plane: CardPlane) -> list[tuple[int, Array]]:
    """Return the places (4, 2) px one step either way from each card that lies in no row, each with that card."""
    if rows.step is None:
        return []
    alone, places = [], []
    for card in np.flatnonzero(rows.ways == 0):
        for step in (rows.step, -rows.step):
            at = rows.centres[card] + step * np.exp(1j * rows.turns[card])
            quad = warp(plane.to_px, rigid_card(at.real, at.imag, float(rows.turns[card]), plane.size_mm))
            if all(iou(quad, other) < KNOWN_IOU for other in known):
                alone.append(int(card))
                places.append(quad)
    if not places:
        return []
    fitted, _ = fitted_once(np.stack(places), [[known[card]] for card in alone], refine, plane)
    return list(zip(alone, fitted, strict=True))


def claims_of(
    proposals: Proposals, beside: Sequence[tuple[int, Array]], known: Array, rows: Rows, plane: CardPlane
) -> list[list[RefusedClaim]]:
    """
    Place proposals, and places ``beside`` known cards (n, 4, 2), in the scene: each as a card of the deck, then as it
    is. Those that cross cards without lying in their row are left out: what lies on them is not known.
    """
    every = [(None, quad, float(sure)) for quad, sure in zip(proposals.corners_px, proposals.confidence, strict=True)]
    claims = []
    for own, quad, confidence in [*every, *((card, quad, EVEN_ODDS) for card, quad in beside)]:
        if not CLAIMED_CARDS[0] < plane.cards(quad) < CLAIMED_CARDS[1]:
            continue
        centres, turns = poses(warp(plane.to_mm, quad)[None])
        over: list[int] = []
        under: list[int] = []
        is_in_row = own is not None
        for k, other in enumerate(known):
            if iou(quad, other) <= TOUCHES_IOU:
                continue
            ahead = float(((centres[0] - rows.centres[k]) * rows.ways[k].conjugate()).real)
            follows = k != own and ahead != 0 and bool(abs(between(rows.turns[k], turns[0])) <= MOST_TURN)
            is_in_row |= follows
            (under if follows and ahead < 0 else over).append(k)
        if over and not is_in_row:
            continue
        claim = RefusedClaim(quad, confidence, tuple(over), tuple(under), ROW_SURE if is_in_row else ALONE_SURE)
        laid = plane.laid(quad, visible_weights(quad[None], [claim.occluders(known)])[0])
        forms = [form for form in (replace(claim, quad=laid), claim) if is_open(form, known)]
        claims += [forms] if forms else []
    return claims


def is_open(claim: RefusedClaim, known: Array) -> bool:
    """Check whether no known card lies there and enough of it is visible."""
    if any(iou(claim.quad, other) >= KNOWN_IOU for other in known):
        return False
    return hidden_share(claim.quad, claim.occluders(known)) <= CHAIN_SEARCH_MOST_HIDDEN


def believed(
    claims: list[list[RefusedClaim]], known: Array, names: set[int], refine: Refine, read: Read, plane: CardPlane
) -> list[tuple[RefusedClaim, Array]]:
    """
    Return the claims that read as a face that none of the n ``known`` cards (n, 4, 2) has, each place and face once.

    claims: of each its forms, of which the later ones are read only if the first reads as such a face or as nothing
    likely. names: the classes of the known cards. Those that are likely, but not sure enough are fitted and read once
    more.
    """

    def readings_of(asked: list[RefusedClaim]) -> list[tuple[RefusedClaim, Array]]:
        if not asked:
            return []
        readings = read(np.stack([claim.quad for claim in asked]), [claim.occluders(known) for claim in asked])
        return list(zip(asked, readings, strict=True))

    def is_new_face(reading: Array) -> bool:
        return int(reading.argmax()) < FACE_COUNT and int(reading.argmax()) not in names

    first = readings_of([forms[0] for forms in claims])
    doubtful = [
        form
        for forms, (_, reading) in zip(claims, first, strict=True)
        if is_new_face(reading) or reading.max() < EVEN_ODDS
        for form in forms[1:]
    ]
    named = [(claim, reading) for claim, reading in [*first, *readings_of(doubtful)] if is_new_face(reading)]
    likely = [claim for claim, reading in named if LIKELY <= reading.max() < claim.least]
    if likely:
        quads = np.stack([claim.quad for claim in likely])
        for _ in range(LATER_PASSES):
            quads, _ = fitted_once(quads, [claim.occluders(known) for claim in likely], refine, plane)
        again = [replace(claim, quad=quad) for claim, quad in zip(likely, quads, strict=True)]
        again = [claim for claim in again if is_open(claim, known)]
        named += [(claim, reading) for claim, reading in readings_of(again) if is_new_face(reading)]
    taken: set[int] = set()
    found: list[tuple[RefusedClaim, Array]] = []
    for claim, reading in sorted(named, key=lambda pair: -float(pair[1].max())):
        is_new = all(iou(claim.quad, other.quad) <= OCCLUDED_READING_SAME_IOU for other, _ in found)
        if is_new and reading.max() >= claim.least and int(reading.argmax()) not in taken:
            taken.add(int(reading.argmax()))
            found.append((claim, reading))
    return found
