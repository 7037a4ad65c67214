"""
Model chains of cards: in a column, a row or a fan each card lies one step beneath the next, at the same angle.

An index of each lower card stays visible, so the step is about as wide (or as tall) as an index. Coordinates are those
of one card's frame, its width 1: for its neighbours the plane through its four corners is exact enough.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.geometry.quads import CARD_HEIGHT_MM, CARD_WIDTH_MM, Array, Matrix, boxes_meet, warp

TALL = CARD_HEIGHT_MM / CARD_WIDTH_MM
"""Height of a card in card widths."""
_UPRIGHT = np.array([[0, 0], [1, 0], [1, TALL], [0, TALL]], np.float32)


# What counts as a chain; lengths in card widths. Chosen on development tables of fans and columns, 2026-11.
MOST_TURN = 0.6
"""Largest rotation in radians of a card against the one it lies on."""
CHAIN_LEAST = 0.08
"""Distance below which two outlines are one card."""
NEXT_WITHIN = 1.5
"""Distance in steps up to which a card is the next one, so that none is searched between."""
CHAIN_ASIDE = 0.5
"""Offset from the chain's direction from which a card is not part of the chain."""


@dataclass(frozen=True, slots=True)
class ChainSettings:
    """What counts as a chain; lengths in card widths. Chosen on development tables of fans and columns, 2026-11."""

    across: float = 0.25
    """
    Step to the next card across the card, where fans leave their indices visible. The corner refiner corrects a third
    of it, more or less: of 156 true steps of 13 to 20 mm it found 94 in 100.
    """
    along: float = 0.42
    """Step to the next card along the card, as columns lie; of 138 true steps it found 95 in 100."""


@dataclass(frozen=True, slots=True, eq=False)
class Neighbour:
    """A card at about the same angle as another that meets it; shift (4, 2): its corners relative to the other's."""

    which: int
    shift: Array

    @property
    def far(self) -> float:
        """Return the largest distance of corresponding corners in card widths: fans are narrow at one end."""
        return float(np.linalg.norm(self.shift, axis=1).max())

    def ahead(self, way: tuple[int, int]) -> float:
        """Return how far it reaches beyond the other card's edge in that direction, at most."""
        return float((self.shift @ np.array(way, np.float32)).max())

    def direction(self) -> tuple[int, int]:
        """Return the edge beyond which it mostly lies, as a direction."""
        x, y = self.shift.mean(axis=0)
        if abs(x) >= abs(y):
            return (1, 0) if x > 0 else (-1, 0)
        return (0, 1) if y > 0 else (0, -1)


def to_card(card_px: Array) -> Matrix:
    """Return the homography from the picture to the frame of a card (4, 2)."""
    return np.asarray(cv2.getPerspectiveTransform(np.ascontiguousarray(card_px, np.float32), _UPRIGHT), np.float64)


def from_card(card_px: Array) -> Matrix:
    """Return the inverse of ``to_card``."""
    return np.asarray(cv2.getPerspectiveTransform(_UPRIGHT, np.ascontiguousarray(card_px, np.float32)), np.float64)


def stepped(card_px: Array, direction: tuple[int, int], settings: ChainSettings) -> Array:
    """
    Return the card (4, 2) one step further than this one.

    >>> card = np.array([[0, 0], [20, 0], [20, 28], [0, 28]], np.float32)
    >>> stepped(card, (-1, 0), ChainSettings(across=0.25)).round(3).tolist()[0]
    [-5.0, 0.0]
    """
    shift = np.array(direction, np.float32) * np.array([settings.across, settings.along], np.float32)
    return warp(from_card(card_px), _UPRIGHT + shift)


def neighbours(which: int, corners_px: Array) -> list[Neighbour]:
    """Return those of n cards (n, 4, 2) that meet card ``which`` at about its angle, the nearest first."""
    onto = to_card(corners_px[which])
    found = []
    for other in np.flatnonzero(boxes_meet(corners_px)[which]):
        if other == which:
            continue
        laid = warp(onto, corners_px[other])
        edge = (laid[1] - laid[0]) + (laid[2] - laid[3])
        if edge[0] < 0:
            laid, edge = np.roll(laid, 2, axis=0), -edge
        near = Neighbour(int(other), laid - _UPRIGHT)
        if abs(np.arctan2(edge[1], edge[0])) <= MOST_TURN and near.far >= CHAIN_LEAST:
            found.append(near)
    return sorted(found, key=lambda near: near.far)


def rigid_by(quad: Array, weights: Array, size: tuple[float, float]) -> Array:
    """
    Fit a card of (short, long) edges to the corners of a quad (4, 2), all in one unit of the table.

    weights: (4,) of the corners, at least two above zero; hidden corners are inexact.

    >>> quad = np.array([[0, 0], [50, 9], [70, 80], [0, 88]], np.float32)
    >>> rigid_by(quad, np.array([1, 0, 0, 1], np.float32), (63, 88)).tolist()[2]
    [63.0, 88.0]
    """
    short, long = size
    model = np.array([0, short, short + 1j * long, 1j * long])
    corners = quad[:, 0].astype(np.float64) + 1j * quad[:, 1].astype(np.float64)
    counts = weights.astype(np.float64) / float(weights.sum())
    middle, target = counts @ model, counts @ corners
    turn = np.vdot(model - middle, counts * (corners - target))
    placed = (model - middle) * (turn / max(abs(turn), 1e-9)) + target
    return np.stack([placed.real, placed.imag], axis=1).astype(np.float32)


def edges_of(quad: Array) -> tuple[float, float]:
    """Return the mean lengths of a card's short and long edges."""
    lengths = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    return float(lengths[0] + lengths[2]) / 2, float(lengths[1] + lengths[3]) / 2


def same_step(one: Array, other: Array) -> Array:
    """
    Return the card (4, 2) that follows ``other`` as that follows ``one``: the same motion in the card's own frame.

    >>> card = np.array([[0, 0], [20, 0], [20, 28], [0, 28]], np.float32)
    >>> same_step(card, card + np.float32([5, 1])).round(3).tolist()[0]
    [10.0, 2.0]
    """
    return warp(from_card(other), warp(to_card(one), other))


def next_beneath(which: int, corners_px: Array, upper: Array, settings: ChainSettings) -> tuple[int, int] | None:
    """
    Return the direction in which an unknown next card may lie beneath card ``which`` of n (n, 4, 2); None: in none.

    upper: (n, n), [i, j] the probability that i lies on j. A chain continues away from the cards above and towards
    those beneath. Each neighbour votes, weighted by the inverse distance, since the order of two distant cards of a fan
    is random.
    """
    near = neighbours(which, corners_px)
    beneath = [other for other in near if upper[which, other.which] > 0.5]
    votes: dict[tuple[int, int], float] = {}
    for other in near:
        x, y = other.direction()
        if upper[other.which, which] > 0.5:
            votes[-x, -y] = votes.get((-x, -y), 0.0) + 1 / other.far
        elif other in beneath:
            votes[x, y] = votes.get((x, y), 0.0) + 1 / other.far
    if not votes:
        return None
    way = max(votes, key=lambda vote: votes[vote])
    return None if any(_is_next(other, way, settings) for other in beneath) else way


def _is_next(near: Neighbour, way: tuple[int, int], settings: ChainSettings) -> bool:
    """Check whether this neighbour is the next card in that direction."""
    step = settings.across if way[0] else settings.along
    aside = abs(float(near.shift.mean(axis=0) @ np.array(way[::-1], np.float32)))
    return CHAIN_LEAST <= near.ahead(way) <= NEXT_WITHIN * step and aside <= CHAIN_ASIDE
