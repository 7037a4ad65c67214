"""
Refine the corners of each card: the finder's corners are exact to a tenth of a card's size; this network, run on a
rectified crop with a wide margin, is exact to a few hundredths. Classification depends on it.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.detection.finder import is_card_shaped
from vision.detection.networks import Network, as_batch
from vision.detection.rectification import Picture, crops_at

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
