"""
A look round each found card: does another lie under it, does another lie on it, and where?

Of an attack under its defence a strip is in view, often with no more than one of its corners. A finder that looks at
the whole picture passes it over; beside a card that is found for sure it can be told quite exactly where the strip's
card lies, and from the light on the edges who lies on whom.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.detection.finder import is_card_shaped
from vision.detection.networks import Network, as_batch
from vision.detection.rectification import crops_at
from vision.detection.z_order import shared_areas
from vision.geometry.quads import iou

OVERLAP_PX = (144, 176)
"""Width and height of the crop in pixels; the network's weights are trained on this."""
ROUND_MARGIN = 0.3
"""Share of the crop's sides round the card: three quarters of a card on every side. The weights are trained on this."""
OVERLAP_REACH = 0.5
"""Share of the crop by which the network's output of 1 moves a corner; the weights are trained on this."""
UNDER, OVER = 0, 1


def round_frame() -> np.ndarray:
    """(4, 2) float32: where the card's own corners lie in the crop."""
    width, height = OVERLAP_PX
    x, y = width * ROUND_MARGIN, height * ROUND_MARGIN
    return np.array([[x, y], [width - x, y], [width - x, height - y], [x, height - y]], np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Overlaps:
    """
    For each of n cards the card that most lies under it (``UNDER``) and the one that most lies on it (``OVER``).

    share: (n, 2) float32, how surely there is one. corners_px: (n, 2, 4, 2) float32 px, where it would lie.
    """

    share: np.ndarray
    corners_px: np.ndarray


class OverlapNetwork:
    """Looks round cards whose corners are known."""

    def __init__(self, network: Network, batch: int = 16) -> None:
        self._network = network
        self._batch = batch

    def find(self, image_bgr: np.ndarray, corners_px: np.ndarray) -> Overlaps:
        """What lies under and on cards at (n, 4, 2) px of a (h, w, 3) uint8 picture."""
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


@dataclass(frozen=True, slots=True)
class OverlapSettings:
    """
    What is believed of a look round a card; ``_iou``: shared area over the area of both, 0..1. Chosen by hand on
    invented decks (``dev``), 2026-11.
    """

    somewhere: float = 0.3
    """
    What a card under (or on) another counts for a neighbour that it meets, however badly the place fits: of crossed
    cards the network knows that one lies there and not where. A better fit counts as much as it fits. Higher lets a
    third card tell of two, lower leaves the order of crossed cards to the readings.
    """
    new_iou: float = 0.6
    """
    A place that shares less than this with every card seen may be another card's, and of two places that share more one
    is enough. Higher looks at cards twice, lower misses cards that lie nearly on another.
    """
    unchanged_iou: float = 0.95
    """
    A place that shares more than this with the card seen there tells nothing new. Higher reads cards again for
    nothing. Lower keeps what was read before the card moved.
    """
    least_share: float = 0.3
    """Probability from which something is looked at. Higher misses covered cards, lower takes time and invents some."""
    order_share: float = 0.4
    """
    What two cards' looks at each other must come to together (0..2) to tell which lies on top. Higher leaves more to
    the readings, lower believes a guess.
    """


NOTHING_SEEN = 0.02
"""Added to what either of two cards saw of the other: where little was seen the order stays near even. Set by hand,
2026-11."""


def order_from_overlaps(around: Overlaps, corners_px: np.ndarray, settings: OverlapSettings) -> np.ndarray:
    """
    (n, n) float32, [i, j] how surely card i lies on card j by what both saw of the other; nan where they saw nothing.

    corners_px: (n, 4, 2), the cards looked round; of those that don't meet nothing is told.
    """
    n = len(corners_px)
    on = np.zeros((n, n), np.float32)
    for i, j in zip(*np.nonzero(shared_areas(corners_px)), strict=True):
        for side in (UNDER, OVER):
            match = max(settings.somewhere, iou(around.corners_px[i, side], corners_px[j]))
            on[(i, j) if side == UNDER else (j, i)] += around.share[i, side] * match
    both = on + on.T
    told: np.ndarray = np.where(both >= settings.order_share, (on + NOTHING_SEEN) / (both + 2 * NOTHING_SEEN), np.nan)
    return told.astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Hint:
    """By a look round card ``beside`` one may lie at ``corners_px`` (4, 2), on that ``side`` of it, this surely."""

    corners_px: np.ndarray
    beside: int
    side: int
    share: float


def hints(around: Overlaps, looked: list[int], settings: OverlapSettings) -> list[Hint]:
    """Where cards may lie by ``around``, a look round the cards of these indices; of one place the surest hint."""
    found = [
        Hint(around.corners_px[row, side], looked[row], int(side), float(around.share[row, side]))
        for row, side in zip(*np.nonzero(around.share >= settings.least_share), strict=True)
    ]
    kept: list[Hint] = []
    for hint in sorted(found, key=lambda hint: -hint.share):
        if all(iou(hint.corners_px, other.corners_px) < settings.new_iou for other in kept):
            kept.append(hint)
    return kept
