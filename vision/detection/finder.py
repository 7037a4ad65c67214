"""
Find cards: the finder network's proposals for the whole picture, their corners refined, without duplicates.

The finder's corners are exact to a tenth of a card's size; the refiner, run on a rectified crop with a wide margin, is
exact to a few hundredths. Classification depends on it. Of several proposals of one card the one with the best score
is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from vision.detection.detections import BACK_INDEX, EVEN_ODDS, FACE_COUNT, NOTHING_INDEX
from vision.detection.networks import Network, as_batch
from vision.detection.rectification import OUTSIDE, Picture, crops_at
from vision.geometry.quads import boxes_meet, iou

STRIDE = 32
"""Pixels: the sides of the network's input are multiples of it, by its architecture."""
CORNER_ROWS = 13
"""Rows of a network's output that encodes corners: box, confidence, four corners."""
THINNEST = 0.1
"""Shortest over longest edge of a valid proposal: flatter cards cannot be read. Set by hand, 2026-11."""
SHORTEST_PX = 3
"""Shortest edge of a valid proposal in pixels of the picture. Set by hand, 2026-11."""

MOST_CLAIMS = 2000
"""Outputs of the network that are examined: 52 cards in rows gave up to 900 above the lowest confidence in use."""
FEW_PROPOSALS = 120
"""Most proposals whose near-copies are left to ``non_maximum_suppression``."""
SAME_CORNERS = 0.04
"""Largest corner distance of near-copies over the square root of a card's area: about 3 mm on a card."""


# Thresholds of the finder.
FINDER_SAME_IOU = 0.85
"""
Intersection over union from which two proposals are duplicates; of less similar ones the classifier decides. Set by
hand, 2026-11.
"""
MOST_PROPOSALS = 300
"""
Largest number of distinct proposals kept per run of the network, the most confident first: two packs side by side
with two proposals a card fit in. Chosen by hand on tables of 52 cards, 2026-11.
"""


@dataclass(frozen=True, slots=True)
class FinderSettings:
    """Thresholds of the finder."""

    input_px: int = 640
    """
    Longer side of the network's input in pixels: cards of 5 % of the height are then about 18 px tall. The manifest
    gives it (`models/finder.md`).
    """
    far_px: int = 256
    """
    Longer side in pixels of a second, coarser input, for cards that fill half of the picture. Set by hand, 2026-11.
    """
    confidence: float = 0.3
    """
    Confidence below which a proposal is dropped; the classifier can still reject others as no card. The manifest gives
    it (`models/finder.md`).
    """


@dataclass(frozen=True, slots=True, eq=False)
class Proposals:
    """n cards: corners_px (n, 4, 2) float32 clockwise, 0-1 a short edge; confidence (n,) float32, falling."""

    corners_px: np.ndarray
    confidence: np.ndarray

    def above(self, least: float) -> Proposals:
        """Return the proposals with confidence above ``least``."""
        sure = self.confidence > least
        return Proposals(self.corners_px[sure], self.confidence[sure])

    def up_to(self, most: float) -> Proposals:
        """Return the proposals with confidence up to ``most``."""
        unsure = self.confidence <= most
        return Proposals(self.corners_px[unsure], self.confidence[unsure])

    def beside(self, others: Proposals) -> Proposals:
        """Return these proposals followed by the others."""
        return Proposals(
            np.concatenate([self.corners_px, others.corners_px]), np.concatenate([self.confidence, others.confidence])
        )

    def without(self, indices: np.ndarray) -> Proposals:
        """Return the proposals without those at ``indices``."""
        left = np.setdiff1d(np.arange(len(self.confidence)), indices)
        return Proposals(self.corners_px[left], self.confidence[left])


def fit_input(image_bgr: np.ndarray, longest_px: int) -> tuple[np.ndarray, float]:
    """
    Return the network's input, (1, 3, h, w) float32 RGB 0..1, padded to its stride, and the scale from picture to
    input.
    """
    height, width = image_bgr.shape[:2]
    scale = longest_px / max(height, width)
    w, h = max(1, round(width * scale)), max(1, round(height * scale))
    small = cv2.resize(image_bgr, (w, h), interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    padded = np.full((-(-h // STRIDE) * STRIDE, -(-w // STRIDE) * STRIDE, 3), OUTSIDE, np.uint8)
    padded[:h, :w] = small
    return as_batch(padded[None]), scale


def non_maximum_suppression(corners: np.ndarray, confidence: np.ndarray, overlap: float) -> np.ndarray:
    """Return the indices of the proposals to keep, the most confident first."""
    kept: list[int] = []
    meet = boxes_meet(corners)
    for index in np.argsort(-confidence):
        if all(iou(corners[index], corners[k]) < overlap for k in kept if meet[index, k]):
            kept.append(int(index))
    return np.array(kept, int)


def distinct_proposals(corners: np.ndarray, same_corners: float) -> np.ndarray:
    """
    Return the indices of the proposals that are not near-copies of a more confident one.

    The network proposes an uncovered card up to fifteen times. This test costs less than ``non_maximum_suppression``
    and is stricter: it compares corners only, so it never drops a card that lies across another.

    Args:
        corners: (n, 4, 2) float32 px, the most confident first, corner 0 to 1 a short edge.
        same_corners: largest distance between corresponding corners of near-copies, as a share of the square root of
            the card's area. A proposal turned by half a turn corresponds too.
    """
    turned = np.roll(corners, 2, axis=1)
    sizes = np.sqrt(np.maximum(_areas(corners), 1.0))
    is_left = np.ones(len(corners), bool)
    kept: list[int] = []
    for index in range(len(corners)):
        if not is_left[index]:
            continue
        kept.append(index)
        apart = np.minimum(
            np.abs(corners[index] - corners).max(axis=(1, 2)), np.abs(corners[index] - turned).max(axis=(1, 2))
        )
        is_left &= apart > same_corners * sizes[index]
    return np.array(kept, int)


def _areas(corners: np.ndarray) -> np.ndarray:
    """Return the areas of (n, 4, 2) quads, (n,), in square px."""
    x, y = corners[..., 0], corners[..., 1]
    doubled = (x * np.roll(y, -1, axis=1) - np.roll(x, -1, axis=1) * y).sum(axis=1)
    areas: np.ndarray = np.abs(doubled) / 2
    return areas


def is_card_shaped(corners: np.ndarray) -> np.ndarray:
    """Check which quads are valid proposals, (n,) bool: convex, clockwise, no edge far shorter than another."""
    edges = np.roll(corners, -1, axis=1) - corners
    following = np.roll(edges, -1, axis=1)
    turns = edges[..., 0] * following[..., 1] - edges[..., 1] * following[..., 0]
    lengths = np.linalg.norm(edges, axis=2)
    shortest, longest = lengths.min(axis=1), lengths.max(axis=1)
    shaped: np.ndarray = (turns > 0).all(axis=1) & (shortest > THINNEST * longest) & (shortest > SHORTEST_PX)
    return shaped


def proposed_quads(proposals: np.ndarray) -> np.ndarray:
    """
    Decode a network's proposals (rows, n): (n, 4, 2) float32 outlines in px of its input, clockwise, 0-1 a short edge.

    6 rows encode oriented boxes: x, y, width, height, confidence, angle, the width along the card's short edge. 13 rows
    encode corners: an upright box and confidence in the first five, then x and y of each corner.
    """
    if proposals.shape[0] == CORNER_ROWS:
        return np.ascontiguousarray(proposals[5:].T.reshape(-1, 4, 2), np.float32)
    x, y, wide, tall, _, turn = proposals
    along = np.stack([np.cos(turn), np.sin(turn)], 1) * wide[:, None] / 2
    across = np.stack([-np.sin(turn), np.cos(turn)], 1) * tall[:, None] / 2
    quads = np.stack([-along - across, along - across, along + across, across - along], axis=1)
    boxes: np.ndarray = (quads + np.stack([x, y], 1)[:, None]).astype(np.float32)
    return boxes


class CardFinder:
    """Finds whole cards, hidden parts included, in a picture of any size."""

    def __init__(self, network: Network, settings: FinderSettings | None = None) -> None:
        self._network = network
        self.settings = settings or FinderSettings()

    def find(self, image_bgr: np.ndarray, least: float | None = None) -> Proposals:
        """
        Return proposals of cards in a (h, w, 3) uint8 picture; there may be several of one card.

        ``least``: confidence below which a proposal is dropped; None: the settings' one.
        """
        return self._distinct(self._proposals(image_bgr, self.settings.input_px, self._least(least)))

    def find_large(self, image_bgr: np.ndarray, others: Proposals, least: float | None = None) -> Proposals:
        """Return proposals of cards that fill half of the picture together with the ``others`` found by ``find``."""
        large = self._proposals(image_bgr, self.settings.far_px, self._least(least))
        return self._distinct(others.beside(large))

    def _least(self, least: float | None) -> float:
        return self.settings.confidence if least is None else least

    def _distinct(self, found: Proposals) -> Proposals:
        kept = non_maximum_suppression(found.corners_px, found.confidence, FINDER_SAME_IOU)
        return Proposals(found.corners_px[kept], found.confidence[kept])

    def find_within(
        self, image_bgr: np.ndarray, region: tuple[int, int, int, int], scale: float, least: float
    ) -> Proposals:
        """
        Return proposals in a part of a picture, which is enlarged (or reduced) by ``scale``.

        region: x0, y0, x1, y1 in px. ``least``: confidence below which a proposal is dropped.
        """
        x0, y0, x1, y1 = region
        part = image_bgr[y0:y1, x0:x1]
        found = self._proposals(part, max(STRIDE, round(scale * max(part.shape[:2]))), least)
        return self._distinct(Proposals(found.corners_px + np.array([x0, y0], np.float32), found.confidence))

    def _proposals(self, image_bgr: np.ndarray, longest_px: int, least: float) -> Proposals:
        """Return the network's proposals for the picture at one size, duplicates included."""
        batch, scale = fit_input(image_bgr, longest_px)
        proposals = self._network.run(batch)[0]
        confidence = proposals[4]
        likely = np.flatnonzero(confidence > least)
        likely = likely[np.argsort(-confidence[likely])][:MOST_CLAIMS]
        corners = proposed_quads(proposals[:, likely])
        shaped = is_card_shaped(corners)
        corners, confidence = corners[shaped] / np.float32(scale), confidence[likely][shaped].astype(np.float32)
        if len(corners) > FEW_PROPOSALS:
            kept = distinct_proposals(corners, SAME_CORNERS)[:MOST_PROPOSALS]
            corners, confidence = corners[kept], confidence[kept]
        return Proposals(corners, confidence)


# When two proposals count as one card; ``_iou``: intersection over union, 0..1. Fitted on `dev` photographs and
# invented decks, 2026-11 (``models/finder.md``).
DUPLICATE_SAME_IOU = 0.9
"""Intersection over union from which two refined proposals are classified only once."""
DUPLICATE_SAME_FACE_IOU = 0.25
"""Intersection over union from which two proposals with the same face are one card: a pack holds each face once."""
SAME_CARD_IOU = 0.6
"""Intersection over union from which proposals are one card; crossed cards have at most 0.56."""
BACK_AND_FACE_IOU = 0.8
"""
Intersection over union from which two proposals are one card if one is surely a back and the other surely a face: a
talon seen at a low angle hides most of its turn-up.
"""
BACK_AND_FACE_SURE = 0.9
"""Class share from which each of these two counts as sure."""
CERTAIN = 0.97
"""Class share from which a card is certain, so that its size tells which cards the picture may hold."""
PART_SHARE = 0.85
"""
Share of the smaller proposal inside the larger one from which it is a part of that card, if its score is worse.
"""
PART_SCORE = 0.7
"""A part's score is below this multiple of the other proposal's score."""


def suppress_duplicates(corners_px: np.ndarray, confidence: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """
    Return the indices of the proposals to keep, the best first, without those classified as no card.

    corners_px: (n, 4, 2); confidence: (n,), of the finder; probabilities: (n, 54) over ``CLASS_NAMES``.
    """
    return classify_distinct(corners_px, confidence, probabilities.__getitem__, probabilities)[0]


def classify_distinct(
    corners_px: np.ndarray,
    confidence: np.ndarray,
    classify: Callable[[np.ndarray], np.ndarray],
    known: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """
    Return the indices of the proposals that ``suppress_duplicates`` keeps, the best first, and all readings (n, 54).

    Proposals are classified in rounds. One that a kept card suppresses whatever the proposal reads as is not
    classified; its reading is "no card". The kept cards are those that would be kept if all were classified.

    classify: (k,) indices -> (k, 54). known: (n, 54), all readings, where they are known already.
    """
    count = len(corners_px)
    unread = np.zeros((count, NOTHING_INDEX + 1), np.float32)
    unread[:, NOTHING_INDEX] = 1.0
    probabilities = unread if known is None else known
    is_read, is_gone = np.full(count, known is not None), np.zeros(count, bool)
    shared, parts = _shared_areas(corners_px)
    while True:
        surest = np.where(is_read, probabilities[:, :NOTHING_INDEX].max(axis=1, initial=0.0), 1.0)
        score = surest * np.sqrt(confidence)
        kept: list[int] = []
        undecided: list[int] = []  # Unread, or within reach of such a proposal with a better score.
        asked: list[int] = []
        for index in np.argsort(-score, kind="stable").tolist():
            if is_gone[index] or (is_read[index] and probabilities[index, NOTHING_INDEX] >= EVEN_ODDS):
                continue
            own = probabilities[index] if is_read[index] else None
            if any(
                shared[index, k] >= _limit(own, probabilities[k])
                or (parts[index, k] and score[index] < PART_SCORE * score[k])
                for k in kept
            ):
                is_gone[index] = True
                continue
            in_reach = [k for k in undecided if shared[index, k] >= DUPLICATE_SAME_FACE_IOU or parts[index, k]]
            if is_read[index] and not in_reach:
                kept.append(index)
                continue
            undecided.append(index)
            # One that shares much with an undecided one waits: it is often suppressed in the next round.
            if not is_read[index] and all(shared[index, k] < SAME_CARD_IOU for k in in_reach):
                asked.append(index)
        if not asked:
            return np.array(kept, int), probabilities
        probabilities[asked] = classify(np.array(asked))
        is_read[asked] = True


def _shared_areas(corners_px: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return for n quads (n, 4, 2) the intersections over union, (n, n), and whether one is a part of the other."""
    count = len(corners_px)
    shared, parts = np.zeros((count, count)), np.zeros((count, count), bool)
    areas = np.array([cv2.contourArea(quad) for quad in corners_px])
    for i, j in zip(*np.nonzero(np.triu(boxes_meet(corners_px), 1)), strict=True) if count else ():
        shared[i, j] = shared[j, i] = iou(corners_px[i], corners_px[j])
        common = shared[i, j] / (1 + shared[i, j]) * (areas[i] + areas[j])
        parts[i, j] = parts[j, i] = common > PART_SHARE * min(areas[i], areas[j])
    return shared, parts


def _limit(one: np.ndarray | None, other: np.ndarray) -> float:
    """
    Return the intersection over union from which two proposals (54,) are one card; if the reading of one is unknown,
    that from which they are one whatever it is.
    """
    if one is None:
        return BACK_AND_FACE_IOU if float(other.max()) >= BACK_AND_FACE_SURE else SAME_CARD_IOU
    faces = [int(reading.argmax()) < FACE_COUNT for reading in (one, other)]
    if all(faces):
        return DUPLICATE_SAME_FACE_IOU if one.argmax() == other.argmax() else SAME_CARD_IOU
    is_sure = min(float(one.max()), float(other.max())) >= BACK_AND_FACE_SURE
    backs = [int(reading.argmax()) == BACK_INDEX for reading in (one, other)]
    return BACK_AND_FACE_IOU if any(faces) and any(backs) and is_sure else SAME_CARD_IOU


REFINE_PX = (96, 128)
"""Width and height of the crop in pixels. The network's weights are trained on this."""
WIDE_MARGIN = 0.2
"""
Margin around the proposed card as a share of the crop's sides; the true corners lie inside it. The weights are trained
on this.
"""
REFINER_REACH = 0.25
"""Share of the crop by which an output of 1 moves a corner; the weights are trained on this."""


def wide_frame() -> np.ndarray:
    """Return the places of the proposed corners in the crop, (4, 2) float32."""
    width, height = REFINE_PX
    x, y = width * WIDE_MARGIN, height * WIDE_MARGIN
    return np.array([[x, y], [width - x, y], [width - x, height - y], [x, height - y]], np.float32)


# How often and how far corners are moved. Set by hand, 2026-11.
REFINE_BATCH = 16
"""Crops per batch."""
FARTHEST = 0.35
"""Share of the card's size by which a corner may move; beyond it the proposal is kept unchanged."""


@dataclass(frozen=True, slots=True)
class RefineSettings:
    """How often and how far corners are moved. Set by hand, 2026-11."""

    passes: int = 2
    """Passes over each card; the second uses a better crop than the first."""


class CornerRefiner:
    """Moves proposed corners to the card's true corners."""

    def __init__(self, network: Network, settings: RefineSettings | None = None) -> None:
        self._network = network
        self.settings = settings or RefineSettings()

    def refine(self, image_bgr: Picture, corners_px: np.ndarray) -> np.ndarray:
        """Refine proposed corners: (n, 4, 2) float32 -> (n, 4, 2) float32, in the same order."""
        corners = corners_px
        for _ in range(self.settings.passes):
            corners = self.once(image_bgr, corners)
        return corners

    def crops(self, image_bgr: Picture, corners_px: np.ndarray) -> np.ndarray:
        """
        Return the crops of proposals (n, 4, 2) with their surroundings, as the network's input: (n, 128, 96, 3) uint8.
        """
        return crops_at(image_bgr, corners_px, wide_frame(), REFINE_PX)

    def once(self, image_bgr: Picture, corners: np.ndarray) -> np.ndarray:
        """Run one pass: (n, 4, 2) float32 -> (n, 4, 2) float32."""
        if not len(corners):
            return corners
        frame = wide_frame()
        crops = self.crops(image_bgr, corners)
        moves = []
        for start in range(0, len(crops), REFINE_BATCH):
            moves.append(self._network.run(as_batch(crops[start : start + REFINE_BATCH])))
        shift = np.concatenate(moves).reshape(-1, 4, 2) * REFINER_REACH * np.array(REFINE_PX, np.float32)
        better = corners.copy()
        for index, quad in enumerate(corners):
            back = cv2.getPerspectiveTransform(frame, quad.astype(np.float32))
            better[index] = cv2.perspectiveTransform((frame + shift[index])[None].astype(np.float32), back)[0]
        size = np.sqrt(np.array([max(cv2.contourArea(quad), 1.0) for quad in corners]))
        moved = np.linalg.norm(better - corners, axis=2).max(axis=1) / size
        believed = is_card_shaped(better) & (moved < FARTHEST)
        return np.where(believed[:, None, None], better, corners).astype(np.float32)
