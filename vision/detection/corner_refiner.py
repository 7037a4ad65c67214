"""
A second look at each card's corners: the finder says where a card lies to a tenth of its size, this network, looking at
a rectified crop with a wide margin, says it to a few hundredths. Reading depends on it.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.detection.finder import is_card_shaped
from vision.detection.networks import Network
from vision.detection.rectification import crops_at

REFINE_PX = (96, 128)
"""Width and height of the crop."""
WIDE_MARGIN = 0.2
"""Share of the crop's sides round the card as claimed: the true corners lie inside it."""
REACH = 0.25
"""The network's output of 1 moves a corner by this share of the crop."""


def wide_frame() -> np.ndarray:
    """(4, 2) float32: where the claimed corners lie in the crop."""
    width, height = REFINE_PX
    x, y = width * WIDE_MARGIN, height * WIDE_MARGIN
    return np.array([[x, y], [width - x, y], [width - x, height - y], [x, height - y]], np.float32)


@dataclass(frozen=True, slots=True)
class RefineSettings:
    """How often and how far corners are moved."""

    passes: int = 2
    """The second pass sees a better crop than the first."""
    batch: int = 16
    """Crops in one pass, a bound on memory."""
    farthest: float = 0.35
    """A corner moved further than this share of the card is not believed; the claim stays."""


class CornerRefiner:
    """Moves claimed corners onto the card's own."""

    def __init__(self, network: Network, settings: RefineSettings | None = None) -> None:
        self._network = network
        self.settings = settings or RefineSettings()

    def refine(self, image_bgr: np.ndarray, corners_px: np.ndarray) -> np.ndarray:
        """(n, 4, 2) float32 claimed corners -> (n, 4, 2) float32 better ones, in the same order."""
        corners = corners_px
        for _ in range(self.settings.passes):
            corners = self.once(image_bgr, corners)
        return corners

    def crops(self, image_bgr: np.ndarray, corners_px: np.ndarray) -> np.ndarray:
        """(n, 128, 96, 3) uint8: claims (n, 4, 2) with what surrounds them, as the network sees them."""
        return crops_at(image_bgr, corners_px, wide_frame(), REFINE_PX)

    def once(self, image_bgr: np.ndarray, corners: np.ndarray) -> np.ndarray:
        """One pass: (n, 4, 2) float32 -> (n, 4, 2) float32."""
        if not len(corners):
            return corners
        frame = wide_frame()
        crops = self.crops(image_bgr, corners)
        moves = []
        for start in range(0, len(crops), self.settings.batch):
            batch = crops[start : start + self.settings.batch, :, :, ::-1].transpose(0, 3, 1, 2).astype(np.float32)
            batch /= 255
            moves.append(self._network.run(np.ascontiguousarray(batch)))
        shift = np.concatenate(moves).reshape(-1, 4, 2) * REACH * np.array(REFINE_PX, np.float32)
        better = corners.copy()
        for index, quad in enumerate(corners):
            back = cv2.getPerspectiveTransform(frame, quad.astype(np.float32))
            better[index] = cv2.perspectiveTransform((frame + shift[index])[None].astype(np.float32), back)[0]
        size = np.sqrt(np.array([max(cv2.contourArea(quad), 1.0) for quad in corners]))
        moved = np.linalg.norm(better - corners, axis=2).max(axis=1) / size
        believed = is_card_shaped(better) & (moved < self.settings.farthest)
        return np.where(believed[:, None, None], better, corners).astype(np.float32)
