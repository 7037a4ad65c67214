"""
Run the overlap network around each found card: does another lie under it or on it, and where?

Only a strip of an attack is visible under its defence, often with no more than one of its corners, and a finder that
runs on the whole picture misses it. Relative to a card that is found for sure the network locates the covered card
precisely, and estimates from the shading of the edges which card is on top.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.detection.finder import is_card_shaped
from vision.detection.networks import Network, as_batch
from vision.detection.rectification import Picture, crops_at
from vision.detection.z_order import shared_areas
from vision.geometry.quads import iou

OVERLAP_PX = (144, 176)
"""Width and height of the crop in pixels; the network's weights are trained on this."""
ROUND_MARGIN = 0.3
"""
Margin around the card as a share of the crop's sides: three quarters of a card on every side. The weights are trained
on this.
"""
OVERLAP_REACH = 0.5
"""Share of the crop by which an output of 1 moves a corner; the weights are trained on this."""
UNDER, OVER = 0, 1


def round_frame() -> np.ndarray:
    """Return the places of the card's own corners in the crop, (4, 2) float32."""
    width, height = OVERLAP_PX
    x, y = width * ROUND_MARGIN, height * ROUND_MARGIN
    return np.array([[x, y], [width - x, y], [width - x, height - y], [x, height - y]], np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Overlaps:
    """
    For each of n cards the most likely card under it (``UNDER``) and on it (``OVER``).

    share: (n, 2) float32, the probability that there is one. corners_px: (n, 2, 4, 2) float32 px, its corners.
    """

    share: np.ndarray
    corners_px: np.ndarray


class OverlapNetwork:
    """Runs the network around cards whose corners are known."""

    def __init__(self, network: Network, batch: int = 16) -> None:
        self._network = network
        self._batch = batch

    def find(self, image_bgr: Picture, corners_px: np.ndarray) -> Overlaps:
        """Return what lies under and on the cards at (n, 4, 2) px of a (h, w, 3) uint8 picture."""
        frame = round_frame()
        crops = crops_at(image_bgr, corners_px, frame, OVERLAP_PX)
        answers = [np.zeros((0, 18), np.float32)]
        for start in range(0, len(crops), self._batch):
            answers.append(self._network.run(as_batch(crops[start : start + self._batch])))
        answer = np.concatenate(answers)
        share = 1 / (1 + np.exp(-answer[:, :2]))
        shift = answer[:, 2:].reshape(-1, 2, 4, 2) * OVERLAP_REACH * np.array(OVERLAP_PX, np.float32)
        placed = np.zeros_like(shift)
        for index, quad in enumerate(corners_px):
            back = cv2.getPerspectiveTransform(frame, quad.astype(np.float32))
            where = (frame + shift[index]).reshape(1, 8, 2).astype(np.float32)
            placed[index] = cv2.perspectiveTransform(where, back)[0].reshape(2, 4, 2)
        for side in (UNDER, OVER):
            share[~is_card_shaped(placed[:, side]), side] = 0
        return Overlaps(share.astype(np.float32), placed.astype(np.float32))


# Which outputs of the overlap network are used; ``_iou``: intersection over union, 0..1. Chosen by hand on invented
# decks (``dev``), 2026-11.
SOMEWHERE = 0.3
"""
Smallest weight of an overlap output for a neighbour that meets the card, however badly its place fits: for crossed
cards the network detects the overlap but not the place. A better fit counts by its intersection over union.
"""
NEW_IOU = 0.6
"""A place below this overlap with every known card may be another card; places above it are duplicates."""
UNCHANGED_IOU = 0.95
"""A place above this overlap with a known card adds nothing to it."""
OVERLAP_LEAST_SHARE = 0.3
"""Probability from which an output is used."""
ORDER_SHARE = 0.4
"""Sum (0..2) that the outputs of two cards for each other must reach to decide which lies on top."""


NOTHING_SEEN = 0.02
"""
Added to both directions before their ratio is taken, so that weak outputs give an order near even. Set by hand,
2026-11.
"""


def order_from_overlaps(around: Overlaps, corners_px: np.ndarray) -> np.ndarray:
    """
    Return (n, n) float32, [i, j] the probability that card i lies on card j by both cards' outputs; nan where
    undecided.

    corners_px: (n, 4, 2), the cards of ``around``; pairs that do not meet stay undecided.
    """
    n = len(corners_px)
    on = np.zeros((n, n), np.float32)
    for i, j in zip(*np.nonzero(shared_areas(corners_px)), strict=True):
        for side in (UNDER, OVER):
            match = max(SOMEWHERE, iou(around.corners_px[i, side], corners_px[j]))
            on[(i, j) if side == UNDER else (j, i)] += around.share[i, side] * match
    both = on + on.T
    order: np.ndarray = np.where(both >= ORDER_SHARE, (on + NOTHING_SEEN) / (both + 2 * NOTHING_SEEN), np.nan)
    return order.astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Hint:
    """A card may lie at ``corners_px`` (4, 2) on the ``side`` of card ``beside``, with probability ``share``."""

    corners_px: np.ndarray
    beside: int
    side: int
    share: float


def hints(around: Overlaps, queried: list[int]) -> list[Hint]:
    """
    Return where cards may lie by ``around``, the outputs for the cards ``queried``; of one place the most probable
    hint.
    """
    found = [
        Hint(around.corners_px[row, side], queried[row], int(side), float(around.share[row, side]))
        for row, side in zip(*np.nonzero(around.share >= OVERLAP_LEAST_SHARE), strict=True)
    ]
    kept: list[Hint] = []
    for hint in sorted(found, key=lambda hint: -hint.share):
        if all(iou(hint.corners_px, other.corners_px) < NEW_IOU for other in kept):
            kept.append(hint)
    return kept
