"""
Fill the gaps of columns, rows and fans: cards that must lie between or beyond those that were found.

Neighbours of one hand differ by nearly the same rigid motion on the table. So the found cards are numbered by their
distances, the motion is fitted to those near a missing number, and the card is read at the place that follows. Steps
that differ only a little are allowed for by reading it a part of a step off as well.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from features.stills.chain_search import (
    CHAIN_SEARCH_KNOWN_IOU,
    CHAIN_SEARCH_MOST_HIDDEN,
    CHAIN_SEARCH_SURE,
    ChainReader,
)
from features.stills.rigid_outlines import CardPlane, fitted_once, visible_weights
from vision.detection.crowding import group_labels
from vision.detection.detections import EVEN_ODDS, FACE_COUNT, Detections
from vision.detection.occluded_reading import FACE_SURE
from vision.detection.z_order import hidden_share
from vision.geometry.amodal_completion import rigid_card
from vision.geometry.card_chains import MOST_TURN
from vision.geometry.quads import Array, iou, warp

# Chosen on development tables of fans and columns, 2026-11.
LEAST_STEP_MM = 7.0
"""Largest movement of a corner below which two outlines are one card."""
LEAST_CHAIN = 3
"""Cards from which their common step is known."""
MOST_CARDS = 14
"""Largest number of cards in a chain."""
BEYOND = 2
"""Places searched beyond the last card."""
OFF_STEP = (-0.3, 0.3)
"""Shares of a step by which a card between others is searched off its predicted place, too."""
MOST_OFF = 0.35
"""Median distance of the found cards from the fitted motion, in steps, up to which a group is a chain and no heap."""
NEAR = 3.0
"""Cards within which a chain's step is taken as constant (standard deviation of the weights)."""


@dataclass(frozen=True, slots=True, eq=False)
class MissingCard:
    """
    A missing card. places: (n, 4, 2) px, where it may lie. above, below: the found cards of its chain. lids: the
    predicted places of all cards on it.
    """

    places: Array
    above: tuple[int, ...]
    below: tuple[int, ...]
    occluders: list[Array]


def chains_of(quads_mm: Array, upper: Array, shared: Array) -> list[list[int]]:
    """
    Return the groups of n cards (n, 4, 2) that lie on one another at about the same angle, each from top to bottom.
    """
    along = directions_of(quads_mm)
    turns = np.abs(np.angle(along[:, None] / along[None]))
    labels = group_labels((shared > 0) & (np.minimum(turns, np.pi - turns) <= MOST_TURN))
    chains = []
    for label in np.unique(labels):
        group = np.flatnonzero(labels == label)
        if len(group) < 2:
            continue
        centres = quads_mm[group].mean(axis=1)
        _, _, axes = np.linalg.svd(centres - centres.mean(axis=0))
        ordered = group[np.argsort(centres @ axes[0])].tolist()
        votes = [upper[a, b] - 0.5 for a, b in itertools.pairwise(ordered) if not np.isnan(upper[a, b])]
        chains.append(ordered if sum(votes) >= 0 else ordered[::-1])
    return chains if max(map(len, chains), default=0) >= LEAST_CHAIN else []


def directions_of(quads_mm: Array) -> npt.NDArray[np.complex128]:
    """Return the directions of the short edges of (n, 4, 2) cards as complex numbers of length 1, (n,)."""
    edges = quads_mm[:, 1] - quads_mm[:, 0] + quads_mm[:, 2] - quads_mm[:, 3]
    along = edges[:, 0].astype(np.complex128) + 1j * edges[:, 1]
    return np.asarray(along / np.maximum(np.abs(along), 1e-9), np.complex128)


def lies_between(quad: Array, one: Array, other: Array) -> bool:
    """
    Check whether a card (4, 2) lies in one row with two others, (4, 2) each, and between them.

    >>> card = np.array([[0, 0], [60, 0], [60, 84], [0, 84]], np.float32)
    >>> [lies_between(card + shift, card, card + [24, 4]) for shift in ([12, 2], [12, 30], [-12, 0])]
    [True, False, False]
    """
    along = directions_of(np.stack([one, quad, other]))
    if max(abs(np.angle((along[1] / along[k]) ** 2)) for k in (0, 2)) > 2 * MOST_TURN:
        return False
    start, middle, end = (card.mean(axis=0) @ np.array([1, 1j]) for card in (one, quad, other))
    at = (middle - start) / (end - start)
    return bool(0 < at.real < 1 and abs(at.imag) < 0.5)


def gaps_of(chain: Sequence[int], corners_px: Array, plane: CardPlane) -> list[MissingCard]:
    """Return the gaps between and beyond the cards of a chain, given from top to bottom; corners_px: (n, 4, 2)."""
    found = corners_px[list(chain)]
    shown = visible_weights(found, [list(found[:k]) for k in range(len(found))])
    quads = warp(plane.to_mm, np.stack([plane.laid(*seen) for seen in zip(found, shown, strict=True)]))
    along = directions_of(quads)
    for k in range(1, len(quads)):  # A card may be found upside down.
        if (along[k] / along[k - 1]).real < 0:
            along[k], quads[k] = -along[k], np.roll(quads[k], 2, axis=0)
    far = np.linalg.norm(quads[1:] - quads[:-1], axis=2).max(axis=1)
    steps = far[far >= LEAST_STEP_MM]
    if not len(steps):
        return []
    step = float(np.quantile(steps, 0.5, method="lower"))
    at = np.concatenate([[0], np.cumsum(np.round(far / step))])
    if at[-1] > MOST_CARDS:
        return []
    centres = quads.mean(axis=1) @ np.array([1, 1j])
    turns = np.concatenate([[0.0], np.cumsum(np.angle(along[1:] / along[:-1]))]) + np.angle(along[0])
    laid = np.stack([_predicted(t, at, centres, turns, plane.size_mm) for t in at])
    if float(np.median(np.linalg.norm(laid - quads, axis=2).max(axis=1))) > MOST_OFF * step:
        return []
    numbers = np.arange(at[-1] + 1 + BEYOND)[:, None] + np.array([0.0, *OFF_STEP])
    cards = np.stack([_predicted(t, at, centres, turns, plane.size_mm) for t in numbers.ravel()])
    places = warp(plane.to_px, cards).reshape(*numbers.shape, 4, 2)
    gaps = []
    for t in range(len(numbers)):
        above = int((at < t).sum())
        where = places[t] if above < len(chain) else places[t, :1]
        if t not in at:
            gaps.append(MissingCard(where, tuple(chain[:above]), tuple(chain[above:]), list(places[:t, 0])))
    return gaps


def _predicted(
    t: float,
    at: npt.NDArray[np.float64],
    centres: npt.NDArray[np.complex128],
    turns: npt.NDArray[np.float64],
    size_mm: tuple[float, float],
) -> Array:
    """
    Return the card (4, 2) mm at the number ``t`` of a chain whose n known cards have the numbers ``at``, (n,).

    Near t all steps are taken as one rigid motion: turns (n,) grow evenly, centres (n,) move on an arc.
    """
    weights = np.exp(-(((at - t) / NEAR) ** 2) / 2)
    turn, start = np.polyfit(at - t, turns, 1, w=weights)
    run = at - t
    arc = run * np.exp(0.5j * turn * run) * np.sinc(turn * run / (2 * np.pi))
    (centre, _), *_ = np.linalg.lstsq(weights[:, None] * np.stack([np.ones_like(arc), arc], 1), weights * centres)
    return rigid_card(centre.real, centre.imag, start, size_mm)


def fill(
    gaps: Sequence[MissingCard], seen: Detections, reader: ChainReader, plane: CardPlane
) -> list[tuple[MissingCard, Array, Array]]:
    """
    Return the gaps in which a face is read surely, with its place (4, 2) px and its reading (54,), each face once.

    It is read at the gap's places and where one pass of the corner refiner with a rigid fit moves the first of them.
    """
    if not gaps:
        return []
    refined, _ = fitted_once(
        np.stack([gap.places[0] for gap in gaps]), [gap.occluders for gap in gaps], reader.refine, plane
    )
    known = seen.corners_px[(seen.best < FACE_COUNT) & (seen.probabilities.max(axis=1) >= FACE_SURE)]
    tried = [
        (which, quad)
        for which, gap in enumerate(gaps)
        for quad in (*gap.places, refined[which])
        if hidden_share(quad, gap.occluders) <= CHAIN_SEARCH_MOST_HIDDEN
        and all(iou(quad, card) < CHAIN_SEARCH_KNOWN_IOU for card in known)
    ]
    if not tried:
        return []
    readings = reader.read(np.stack([quad for _, quad in tried]), [gaps[which].occluders for which, _ in tried])
    names = set(seen.best[seen.probabilities.max(axis=1) >= EVEN_ODDS].tolist())
    found: dict[int, tuple[MissingCard, Array, Array]] = {}
    for k in np.argsort(-readings.max(axis=1)):
        (which, quad), best = tried[k], int(readings[k].argmax())
        if readings[k, best] >= CHAIN_SEARCH_SURE and best < FACE_COUNT and best not in names and which not in found:
            names.add(best)
            found[which] = (gaps[which], quad, readings[k])
    return [found[which] for which in sorted(found)]
