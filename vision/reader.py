"""Which card it is: rectified crops of the full picture through the reading network, a distribution for each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vision.rectify import crops_at
from vision.weights import Network

CROP_PX = (96, 132)
"""Width and height of a crop."""
MARGIN = 0.07
"""Share of the crop's sides left round the card, so that corners found a little off cut nothing away."""


def crop_frame() -> np.ndarray:
    """(4, 2) float32: where the card's corners come to lie in a crop."""
    width, height = CROP_PX
    x, y = width * MARGIN, height * MARGIN
    return np.array([[x, y], [width - x, y], [width - x, height - y], [x, height - y]], np.float32)


def rectify(image_bgr: np.ndarray, corners_px: np.ndarray) -> np.ndarray:
    """Crops of the cards at ``corners_px`` (n, 4, 2): (n, h, w, 3) uint8."""
    return crops_at(image_bgr, corners_px, crop_frame(), CROP_PX)


@dataclass(frozen=True, slots=True)
class ReaderSettings:
    """How the reader's numbers are used."""

    temperature: float = 1.0
    """Divides the logarithms of its distribution: fitted on dev photos, so that 0.9 means nine in ten."""
    batch: int = 16
    """Crops in one pass, a bound on memory."""


class CardReader:
    """Names cards whose corners are known."""

    def __init__(self, network: Network, settings: ReaderSettings | None = None) -> None:
        self._network = network
        self.settings = settings or ReaderSettings()

    def read(self, image_bgr: np.ndarray, corners_px: np.ndarray) -> np.ndarray:
        """(n, 54) float32 over ``CLASS_NAMES`` for cards at (n, 4, 2) px of the picture."""
        crops = rectify(image_bgr, corners_px)
        parts = []
        for start in range(0, len(crops), self.settings.batch):
            batch = crops[start : start + self.settings.batch, :, :, ::-1].transpose(0, 3, 1, 2).astype(np.float32)
            batch /= 255
            parts.append(self._network.run(np.ascontiguousarray(batch)))
        if not parts:
            return np.zeros((0, 54), np.float32)
        logits = np.log(np.maximum(np.concatenate(parts), 1e-9)) / self.settings.temperature
        logits -= logits.max(axis=1, keepdims=True)
        weights = np.exp(logits)
        named: np.ndarray = (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)
        return named
