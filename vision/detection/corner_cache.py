"""
Corners that the last looks put right: a card proposed where it was, and looking as it looked, has those it had.

A look at a table finds a dozen cards of which one or two are new, and putting corners right takes two passes of a
network over each. What surrounds the proposal is compared spot by spot, with the rim of cloth (or of other cards) that
the network would see: where a card was moved, covered or bared, its corners are put right anew. So are those of a card
that could not be read surely (``forget``): what is in doubt deserves a look of its own each time.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.detection.corner_refiner import CornerRefiner
from vision.detection.crop_similarity import crops_match, spot_means
from vision.detection.finder import Proposals, non_maximum_suppression
from vision.geometry.quads import iou


@dataclass(frozen=True, slots=True)
class CornerCacheSettings:
    """
    From when on a proposal is taken to be the one it was. Chosen by hand on the shipped recording and clips for
    developing, 2026-11.
    """

    kept: int = 96
    """Proposals remembered, those last made. More take memory, fewer put corners right again at every look."""
    moved: float = 0.03
    """
    Share of a card's size by which its proposed corners may lie elsewhere: proposals of cards at rest move by 0.01.
    Higher may keep the corners of a card pushed aside, lower puts right what trembles.
    """
    differs: float = 0.06
    """
    Share of the contrast by which a spot may differ: grain and coding make 0.02 of it, whatever is new 0.3. Higher
    overlooks what has come, lower puts right again for grain.
    """
    least_contrast: float = 20.0
    """
    Contrast, of 255, below which the light is too bad to tell what is the same. Higher puts right more often, lower
    trusts dark pictures.
    """


@dataclass(frozen=True, slots=True, eq=False)
class _Traced:
    proposal_px: np.ndarray
    spots: np.ndarray
    corners_px: np.ndarray


class CornerCache:
    """Puts corners right by ``refiner`` (which it keeps), but not those it has just put right."""

    def __init__(self, refiner: CornerRefiner, settings: CornerCacheSettings = CornerCacheSettings()) -> None:
        self.corner_refiner = refiner
        self.settings = settings
        self._known: list[_Traced] = []
        self._picture: tuple[int, ...] = ()

    def refine(self, image_bgr: np.ndarray, corners_px: np.ndarray) -> np.ndarray:
        """(n, 4, 2) float32 proposed corners -> (n, 4, 2) float32 better ones, in the same order."""
        return self._trace(image_bgr, corners_px, None)[0]

    def refine_distinct(self, image_bgr: np.ndarray, proposals: Proposals, same: float) -> Proposals:
        """
        The same for proposals several of which may be of one card, the surest first.

        After each pass the less sure of two that share ``same`` of their union is struck out: proposals of one card
        mostly lie together once they were put right.
        """
        corners, left = self._trace(image_bgr, proposals.corners_px, (proposals.confidence, same))
        return Proposals(corners[left], proposals.confidence[left])

    def forget(self, corners_px: np.ndarray) -> None:
        """Cards at (n, 4, 2) px that could not be read surely: next time their corners are put right anew."""
        self._known = [
            traced for traced in self._known if not any(np.array_equal(traced.corners_px, quad) for quad in corners_px)
        ]

    def _trace(
        self, image_bgr: np.ndarray, proposals_px: np.ndarray, distinct: tuple[np.ndarray, float] | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Corners of all proposals, (n, 4, 2) float32, and which are left; a struck one has its rival's corners."""
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
        self, image_bgr: np.ndarray, proposals_px: np.ndarray, corners: np.ndarray, before: list[_Traced | None]
    ) -> None:
        fresh = [index for index, traced in enumerate(before) if traced is None]
        spots = spot_means(self.corner_refiner.crops(image_bgr, proposals_px[fresh]))
        seen = [traced for traced in before if traced is not None]
        seen += [
            _Traced(proposals_px[index].copy(), spots[row], corners[index].copy()) for row, index in enumerate(fresh)
        ]
        left = [traced for traced in self._known if all(traced is not other for other in seen)]
        self._known = (seen + left)[: self.settings.kept]

    def _same(self, image_bgr: np.ndarray, proposal_px: np.ndarray) -> _Traced | None:
        """The proposal remembered here round which all looks as it looked, if there is one."""
        if not self._known:
            return None
        s = self.settings
        size = float(np.sqrt(abs(cv2.contourArea(proposal_px.astype(np.float32)))))
        moved = np.abs(np.stack([traced.proposal_px for traced in self._known]) - proposal_px).max(axis=(1, 2))
        for index in np.argsort(moved, kind="stable"):
            if moved[index] > s.moved * size:
                return None
            traced = self._known[int(index)]
            now = spot_means(self.corner_refiner.crops(image_bgr, traced.proposal_px[None]))[0]
            if crops_match(now, traced.spots, s.differs, s.least_contrast):
                return traced
        return None
