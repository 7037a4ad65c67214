"""
What a look at a card says that the looks before it have not: by how much its crop differs from theirs.

A classifier errs by what it is shown: shown the same pixels again it makes the same error again. So a repeat counts for
nothing, and noise, light and cover count for as much as they change the picture of the card.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from vision.geometry.quads import Array, Mask

Crop = npt.NDArray[np.float32]

SPOTS = (24, 33)
"""Columns and rows of spots of a crop: a stroke of an index or two. More see grain, fewer blur an index away."""
PIXELS_EACH_WAY = 4
"""Pixels of the picture laid into a spot each way. Fewer see single pixels; more take time."""


def crop_of(grey: Mask, quad_px: Array) -> Crop:
    """
    The card at (4, 2) px of a picture as (n,) spots of mean 0 and length 1: light and contrast as a whole are none of
    it. All 0 where nothing on it differs.
    """
    columns, rows = (PIXELS_EACH_WAY * count for count in SPOTS)
    corners = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], np.float32)
    whole = cv2.warpPerspective(grey, cv2.getPerspectiveTransform(quad_px.astype(np.float32), corners), (columns, rows))
    spots = cv2.resize(whole, SPOTS, interpolation=cv2.INTER_AREA).astype(np.float32).ravel()
    spots -= spots.mean()
    length = float(np.linalg.norm(spots))
    return spots / length if length > 1 else np.zeros_like(spots)


def novelty(crop: Crop, known: Sequence[Crop], alike: float) -> float:
    """
    Share of what a look says that those with the crops ``known`` have not said, 0 to 1.

    ``alike``: distance of two crops (0 the same, 1.4 nothing in common) at which the errors of their looks agree to
    exp(-1). What is said anew is what such an error leaves unexplained.

    >>> card, other = np.eye(2, dtype=np.float32)
    >>> novelty(card, [other, card], 0.17), round(novelty(card, [other], 0.17), 3), novelty(card, [], 0.17)
    (0.0, 1.0, 1.0)
    """
    if not known:
        return 1.0
    nearest = min(float(np.square(crop - other).sum()) for other in known)
    return 1.0 - float(np.exp(-2 * nearest**2 / alike**4))


@dataclass(slots=True)
class SeenCrops:
    """How a followed card has looked, cut out where it has lain since it moved last: ``cut_px`` (4, 2)."""

    cut_px: Array | None = None
    crops: list[Crop] = field(default_factory=list)

    def novelty(self, grey: Mask, quad_px: Array, alike: float, kept: int, *, has_moved: bool) -> float:
        """
        The same of a look that finds the card at (4, 2) px; it is remembered. ``kept``: so many looks are, the newest.
        """
        if has_moved or self.cut_px is None:
            self.cut_px, self.crops = quad_px, []
        crop = crop_of(grey, self.cut_px)
        share = novelty(crop, self.crops, alike)
        self.crops = [*self.crops, crop][-kept:]
        return share
