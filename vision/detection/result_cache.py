"""
Cache results of networks by place: a card whose place and appearance are unchanged is not classified or refined again.

One inference finds a dozen cards of which one or two are new. Each is cropped at its earlier place and compared spot by
spot, relative to its own contrast. If any spot differs, the network runs again: for a classification where it differs
as much as one index from another; for corners, which take two passes of a network, wherever a card or its surroundings
were moved, covered or uncovered. Uncertain classifications, and the corners of such cards (``forget``), are not kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.detection.classifier import CardClassifier
from vision.detection.detections import CLASS_NAMES
from vision.detection.finder import CornerRefiner, Proposals, non_maximum_suppression
from vision.detection.rectification import Picture
from vision.geometry.quads import iou

# When a place counts as unchanged. Chosen by hand on the shipped recording and development clips, 2026-11.
GRID = (24, 33)
"""Columns and rows of the compared spots: four pixels of a crop each way, one or two strokes of an index."""
MOVED = 0.03
"""Share of a card's size by which its corners may have moved; proposals of cards at rest move by 0.01."""
CLASS_DIFFERS = 0.1
"""
Share of a card's contrast by which any spot may differ. The two most similar faces of five invented decks, flat and
a little blurred, differ by 0.17.
"""
CORNERS_DIFFER = 0.06
"""
Share of a card's contrast by which any spot of its corners may differ; noise and compression cause 0.02, a real change
0.3.
"""
LEAST_CONTRAST = 20.0
"""Contrast, of 255, below which the picture is too dark to compare."""
CARDS_KEPT, PROPOSALS_KEPT = 64, 96
"""Results kept, the most recent ones."""
REREAD_BELOW = 0.9
"""Share of the most likely class below which a card is classified in every inference."""


@dataclass(frozen=True, slots=True, eq=False)
class CachedResult:
    """A result for a card at ``place_px`` (4, 2), where the picture looked like ``spots``."""

    place_px: np.ndarray
    spots: np.ndarray
    result: np.ndarray


class PlaceCache:
    """
    Keeps results by place. ``crops``: crops cards at (n, 4, 2) px of a picture. ``differs``: share of the contrast by
    which a spot may differ. ``kept``: results kept.
    """

    def __init__(self, crops: Callable[[Picture, np.ndarray], np.ndarray], differs: float, kept: int) -> None:
        self._crops, self._differs, self._kept = crops, differs, kept
        self._known: list[CachedResult] = []
        self._picture: tuple[int, ...] = ()

    def find(self, image_bgr: Picture, places_px: np.ndarray) -> list[CachedResult | None]:
        """Return for each place, (n, 4, 2) px, the kept result if the picture looks as it did, else None."""
        if image_bgr.shape != self._picture:
            self._known, self._picture = [], image_bgr.shape
        if not self._known:
            return [None] * len(places_px)
        known_px = np.stack([known.place_px for known in self._known])
        return [self._same(image_bgr, quad, known_px) for quad in places_px]

    def keep(self, seen: Sequence[CachedResult | None], fresh: Sequence[CachedResult]) -> None:
        """Keep new results, and those that were found again before older ones."""
        newest = [*(cached for cached in seen if cached is not None), *fresh]
        left = [known for known in self._known if all(known is not other for other in newest)]
        self._known = (newest + left)[: self._kept]

    def forget(self, results: np.ndarray) -> None:
        """Drop these results."""
        self._known = [
            known for known in self._known if not any(np.array_equal(known.result, other) for other in results)
        ]

    def _same(self, image_bgr: Picture, quad: np.ndarray, known_px: np.ndarray) -> CachedResult | None:
        """Return the nearest result whose place looks as it did. ``known_px``: (n, 4, 2), the places of all results."""
        size = float(np.sqrt(abs(cv2.contourArea(quad.astype(np.float32)))))
        moved = np.abs(known_px - quad).max(axis=(1, 2))
        near = np.flatnonzero(moved <= MOVED * size)
        for index in near[np.argsort(moved[near], kind="stable")]:
            known = self._known[int(index)]
            now = spot_means(self._crops(image_bgr, known.place_px[None]))[0]
            if spots_match(now, known.spots, self._differs):
                return known
        return None


class ClassCache:
    """Classifies cards with ``classifier``, reusing the results for unchanged cards."""

    def __init__(self, classifier: CardClassifier, kept: int = CARDS_KEPT) -> None:
        self.classifier = classifier
        self._cache = PlaceCache(classifier.crops, CLASS_DIFFERS, kept)

    def read(self, image_bgr: Picture, corners_px: np.ndarray) -> np.ndarray:
        """Classify the cards at (n, 4, 2) px of the picture: (n, 54) float32 over ``CLASS_NAMES``."""
        shares = np.zeros((len(corners_px), len(CLASS_NAMES)), np.float32)
        seen = self._cache.find(image_bgr, corners_px)
        for index, same in enumerate(seen):
            if same is not None:
                shares[index] = same.result
        fresh = [index for index, same in enumerate(seen) if same is None]
        found: list[CachedResult] = []
        if fresh:
            crops = self.classifier.crops(image_bgr, corners_px[fresh])
            shares[fresh] = self.classifier.name_crops(crops)
            found = [
                CachedResult(corners_px[index].copy(), spots, shares[index].copy())
                for index, spots in zip(fresh, spot_means(crops), strict=True)
                if shares[index].max() >= REREAD_BELOW
            ]
        self._cache.keep(seen, found)
        return shares


class CornerCache:
    """Refines corners with ``refiner``, reusing the results for unchanged proposals."""

    def __init__(self, refiner: CornerRefiner, kept: int = PROPOSALS_KEPT) -> None:
        self.corner_refiner = refiner
        self._cache = PlaceCache(refiner.crops, CORNERS_DIFFER, kept)

    def refine(self, image_bgr: Picture, corners_px: np.ndarray) -> np.ndarray:
        """Refine proposed corners: (n, 4, 2) float32 -> (n, 4, 2) float32, in the same order."""
        return self._refined(image_bgr, corners_px, None)[0]

    def refine_distinct(self, image_bgr: Picture, proposals: Proposals, same: float) -> Proposals:
        """
        Refine proposals, the surest first, and drop duplicates.

        After each pass the less sure of two proposals with an intersection over union of at least ``same`` is dropped:
        refined proposals of one card mostly coincide.
        """
        corners, left = self._refined(image_bgr, proposals.corners_px, (proposals.confidence, same))
        return Proposals(corners[left], proposals.confidence[left])

    def forget(self, corners_px: np.ndarray) -> None:
        """Drop the corners of cards at (n, 4, 2) px with uncertain classification: they are refined again next time."""
        self._cache.forget(corners_px)

    def _refined(
        self, image_bgr: Picture, proposals_px: np.ndarray, distinct: tuple[np.ndarray, float] | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """
        Return the corners of all proposals, (n, 4, 2) float32, and the indices left; a dropped one has the corners of
        the proposal that replaced it.
        """
        before = self._cache.find(image_bgr, proposals_px)
        corners = proposals_px.astype(np.float32)
        for index, known in enumerate(before):
            if known is not None:
                corners[index] = known.result
        left = np.arange(len(proposals_px))
        for _ in range(self.corner_refiner.settings.passes if len(left) else 0):
            fresh = np.array([index for index in left if before[index] is None], int)
            corners[fresh] = self.corner_refiner.once(image_bgr, corners[fresh])
            if distinct is not None:
                confidence, same = distinct
                left = left[non_maximum_suppression(corners[left], confidence[left], same)]
        for index in np.setdiff1d(np.arange(len(proposals_px)), left):
            corners[index] = corners[max(left, key=lambda other: iou(corners[index], corners[other]))]
        new = [index for index, known in enumerate(before) if known is None]
        spots = spot_means(self.corner_refiner.crops(image_bgr, proposals_px[new]))
        found = [CachedResult(proposals_px[k].copy(), spots[row], corners[k].copy()) for row, k in enumerate(new)]
        self._cache.keep(before, found)
        return corners, left


def spot_means(crops: np.ndarray) -> np.ndarray:
    """Return the mean colours of (n, h, w, 3) uint8 crops: (n, rows, columns, 3) float32."""
    columns, rows = GRID
    means = np.zeros((len(crops), rows, columns, 3), np.float32)
    for index, crop in enumerate(crops):
        means[index] = cv2.resize(crop, GRID, interpolation=cv2.INTER_AREA)
    return means


def spots_match(now: np.ndarray, before: np.ndarray, differs: float) -> bool:
    """Check whether two crops, as (rows, columns, 3) spots, show the same: ``differs`` is a share of their contrast."""
    contrast = min(float(spots.max() - spots.min()) for spots in (before, now))
    return contrast >= LEAST_CONTRAST and float(np.abs(now - before).max()) < differs * contrast
