"""
Cache refined corners: a proposal whose place and surroundings are unchanged keeps its refined corners.

One inference finds a dozen cards of which one or two are new, and refinement takes two passes of a network over each.
The proposal's crop is compared spot by spot, including the rim of cloth or other cards that the network sees; where a
card was moved, covered or uncovered, its corners are refined again. So are those of a card whose classification is
uncertain (``forget``): it is refined in every inference.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.detection.corner_refiner import CornerRefiner
from vision.detection.crop_similarity import crops_match, spot_means
from vision.detection.finder import Proposals, non_maximum_suppression
from vision.detection.rectification import Picture
from vision.geometry.quads import iou

# When a proposal counts as unchanged. Chosen by hand on the shipped recording and development clips, 2026-11.
CORNER_CACHE_MOVED = 0.03
"""Share of a card's size by which its proposed corners may have moved; proposals of cards at rest move by 0.01."""
CORNER_CACHE_DIFFERS = 0.06
"""Share of the contrast by which any spot may differ; noise and compression cause 0.02, a real change 0.3."""
CORNER_CACHE_LEAST_CONTRAST = 20.0
"""Contrast, of 255, below which the picture is too dark to compare."""


@dataclass(frozen=True, slots=True)
class CornerCacheSettings:
    """When a proposal counts as unchanged. Chosen by hand on the shipped recording and development clips, 2026-11."""

    kept: int = 96
    """Proposals kept in the cache, the most recent ones."""


@dataclass(frozen=True, slots=True, eq=False)
class _Traced:
    proposal_px: np.ndarray
    spots: np.ndarray
    corners_px: np.ndarray


class CornerCache:
    """Refines corners with ``refiner``, reusing the results for unchanged proposals."""

    def __init__(self, refiner: CornerRefiner, settings: CornerCacheSettings = CornerCacheSettings()) -> None:
        self.corner_refiner = refiner
        self.settings = settings
        self._known: list[_Traced] = []
        self._picture: tuple[int, ...] = ()

    def refine(self, image_bgr: Picture, corners_px: np.ndarray) -> np.ndarray:
        """Refine proposed corners: (n, 4, 2) float32 -> (n, 4, 2) float32, in the same order."""
        return self._trace(image_bgr, corners_px, None)[0]

    def refine_distinct(self, image_bgr: Picture, proposals: Proposals, same: float) -> Proposals:
        """
        Refine proposals, the surest first, and drop duplicates.

        After each pass the less sure of two proposals with an intersection over union of at least ``same`` is dropped:
        refined proposals of one card mostly coincide.
        """
        corners, left = self._trace(image_bgr, proposals.corners_px, (proposals.confidence, same))
        return Proposals(corners[left], proposals.confidence[left])

    def forget(self, corners_px: np.ndarray) -> None:
        """
        Drop the cached corners of cards at (n, 4, 2) px with uncertain classification: they are refined again next
        time.
        """
        self._known = [
            traced for traced in self._known if not any(np.array_equal(traced.corners_px, quad) for quad in corners_px)
        ]

    def _trace(
        self, image_bgr: Picture, proposals_px: np.ndarray, distinct: tuple[np.ndarray, float] | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """
        Return the corners of all proposals, (n, 4, 2) float32, and the indices left; a dropped one has the corners of
        the proposal that replaced it.
        """
        if image_bgr.shape != self._picture:
            self._known, self._picture = [], image_bgr.shape
        before = [self._same(image_bgr, quad) for quad in proposals_px]
        corners = proposals_px.astype(np.float32)
        for index, traced in enumerate(before):
            if traced is not None:
                corners[index] = traced.corners_px
        left = np.arange(len(proposals_px))
        for _ in range(self.corner_refiner.settings.passes if len(left) else 0):
            fresh = np.array([index for index in left if before[index] is None], int)
            corners[fresh] = self.corner_refiner.once(image_bgr, corners[fresh])
            if distinct is not None:
                confidence, same = distinct
                left = left[non_maximum_suppression(corners[left], confidence[left], same)]
        for index in np.setdiff1d(np.arange(len(proposals_px)), left):
            corners[index] = corners[max(left, key=lambda other: iou(corners[index], corners[other]))]
        self._remember(image_bgr, proposals_px, corners, before)
        return corners, left

    def _remember(
        self, image_bgr: Picture, proposals_px: np.ndarray, corners: np.ndarray, before: list[_Traced | None]
    ) -> None:
        fresh = [index for index, traced in enumerate(before) if traced is None]
        spots = spot_means(self.corner_refiner.crops(image_bgr, proposals_px[fresh]))
        seen = [traced for traced in before if traced is not None]
        seen += [
            _Traced(proposals_px[index].copy(), spots[row], corners[index].copy()) for row, index in enumerate(fresh)
        ]
        left = [traced for traced in self._known if all(traced is not other for other in seen)]
        self._known = (seen + left)[: self.settings.kept]

    def _same(self, image_bgr: Picture, proposal_px: np.ndarray) -> _Traced | None:
        """Return the cached proposal at this place if its surroundings are unchanged, else None."""
        if not self._known:
            return None
        size = float(np.sqrt(abs(cv2.contourArea(proposal_px.astype(np.float32)))))
        moved = np.abs(np.stack([traced.proposal_px for traced in self._known]) - proposal_px).max(axis=(1, 2))
        for index in np.argsort(moved, kind="stable"):
            if moved[index] > CORNER_CACHE_MOVED * size:
                return None
            traced = self._known[int(index)]
            now = spot_means(self.corner_refiner.crops(image_bgr, traced.proposal_px[None]))[0]
            if crops_match(now, traced.spots, CORNER_CACHE_DIFFERS, CORNER_CACHE_LEAST_CONTRAST):
                return traced
        return None
