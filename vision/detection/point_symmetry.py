"""
Estimate which of two cards lies on the other from the print where they overlap, using the point symmetry of cards.

Rotated by half a turn about its centre a playing card shows the same indices and nearly the same pips or court figure.
So the overlap region is compared with the opposite region of each card: the upper card is the one that matches. This
needs no network and no visible edge, and works for two dark cards without rims as well.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from vision.detection.classifier import CROP_PX, crop_frame, rectify
from vision.detection.rectification import FARTHEST_OCCLUDER, Picture
from vision.geometry.quads import Array, Mask

# How the two ends of a card are compared, in pixels of its crop. Chosen on 249 pairs of development tables of
# photographed pairs, corners off by one hundredth: right in all 242 pairs that it decided, 2026-11.
LEAST_PX = 60
"""Pixels of the overlap whose opposite places are visible, below which nothing is decided."""
RIM_PX = 2
"""Pixels left out along the other card's outline: the error of the corners."""
SYMMETRY_BLUR_PX = 1.5
"""Pixels of blur before the comparison: the precision of printed pips."""
SHIFT_PX = 3
"""Pixels of shift tried in each direction, for inexact corners."""
SAMPLED_PX = 250
"""Number of pixels, evenly spread, on which all shifts are compared first."""
SHIFTS_KEPT = 6
"""Number of shifts, the best of these, that are compared on all pixels."""
SYMMETRY_NOISE_LEVELS = 4.0
"""Grey levels added to both differences, so that noise does not decide."""
SYMMETRY_SLOPE = 12.0
"""
Log-odds of the order if all the difference is on one side. The least certain of the 242 reached 0.1 of that, one in
ten 0.3.
"""


class SymmetryWitness:
    """Estimates the order of two cards of one picture."""

    def __init__(self, image_bgr: Picture) -> None:
        self._image_bgr = image_bgr

    def __call__(self, one: Array, other: Array, beside: Sequence[Array]) -> float:
        """
        Return the log-odds that ``one`` lies on ``other``, both (4, 2) px; 0 if too little is visible.

        beside: further cards (4, 2), which may hide the regions to compare.
        """
        crops = rectify(self._image_bgr, np.stack([one, other]))
        upper = self._difference(crops[0], one, other, beside)
        lower = self._difference(crops[1], other, one, beside)
        if upper is None or lower is None:
            return 0.0
        return SYMMETRY_SLOPE * (lower - upper) / (lower + upper + 2 * SYMMETRY_NOISE_LEVELS)

    def _difference(self, crop: Mask, card: Array, over: Array, beside: Sequence[Array]) -> float | None:
        """
        Return the mean difference in grey levels of the overlap and its opposite place; None if too little is visible.
        """
        onto = cv2.getPerspectiveTransform(np.ascontiguousarray(card, np.float32), crop_frame())
        rim = np.ones((2 * RIM_PX + 1, 2 * RIM_PX + 1), np.uint8)
        shared, hidden = _laid([over], onto), _laid(beside, onto)
        (x0, y0), (x1, y1) = np.ceil(crop_frame()[0]).astype(int), np.floor(crop_frame()[2]).astype(int)
        own = np.zeros(shared.shape, bool)
        own[y0 + SHIFT_PX : y1 - SHIFT_PX, x0 + SHIFT_PX : x1 - SHIFT_PX] = True
        own &= hidden == 0
        away = own & (cv2.dilate(shared, rim) == 0)
        use = own & (cv2.erode(shared, rim) > 0) & away[::-1, ::-1]
        if int(use.sum()) < LEAST_PX:
            return None
        seen = cv2.GaussianBlur(crop, (0, 0), SYMMETRY_BLUR_PX).astype(np.float32).reshape(-1, 3)
        places, width, shifts = np.flatnonzero(use), use.shape[1], range(-SHIFT_PX, SHIFT_PX + 1)
        # ``own`` leaves out a rim as wide as the largest shift, so no shifted place lies outside the crop.
        offsets = np.array([dy * width + dx for dy in shifts for dx in shifts])
        sampled = places[:: max(1, len(places) // SAMPLED_PX)]
        likely = np.argsort(_differences(seen, sampled, offsets), kind="stable")[:SHIFTS_KEPT]
        return float(_differences(seen, places, offsets[likely]).min())


def _differences(seen: Array, places: npt.NDArray[np.intp], offsets: npt.NDArray[np.intp]) -> Array:
    """
    Return the mean difference in grey levels of places and their opposite places, shifted by each of ``offsets``, (n,).

    seen: (pixels, 3), a crop. places, offsets: indices of its pixels.
    """
    opposite = len(seen) - 1 - places + offsets[:, None]
    gaps = np.ascontiguousarray((seen[places] - seen[opposite]).transpose(0, 2, 1))
    # Light falls off across a table; print does not.
    differences: Array = np.abs(gaps - np.median(gaps, axis=2, keepdims=True)).mean(axis=(1, 2))
    return differences


def _laid(quads: Sequence[Array], onto: cv2.typing.MatLike) -> Mask:
    """Return a mask of a crop with 1 where the cards (4, 2) px lie, mapped by ``onto``."""
    mask: Mask = np.zeros((CROP_PX[1], CROP_PX[0]), np.uint8)
    reach = FARTHEST_OCCLUDER * max(CROP_PX)
    for quad in quads:
        laid = cv2.perspectiveTransform(np.ascontiguousarray(quad, np.float32)[None], onto)[0]
        cv2.fillConvexPoly(mask, np.round(np.clip(laid, -reach, reach)).astype(np.int32), 1)
    return mask
