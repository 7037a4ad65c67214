"""Which card it is: rectified crops of the full picture through the reading network, a distribution for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from vision.detections import CLASS_NAMES
from vision.rectify import crops_at, paint_lids
from vision.weights import FeatureNetwork, Network

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
        self.network = network
        self.settings = settings or ReaderSettings()

    @property
    def has_features(self) -> bool:
        """Can it tell by what it knows a card? Weights exported without them can not."""
        return isinstance(self.network, FeatureNetwork) and self.network.has_features

    @property
    def checksum(self) -> str:
        """Of the weights; empty where the network doesn't tell."""
        return self.network.checksum if isinstance(self.network, FeatureNetwork) else ""

    def read(
        self, image_bgr: np.ndarray, corners_px: np.ndarray, lids_px: Sequence[list[np.ndarray]] | None = None
    ) -> np.ndarray:
        """
        (n, 54) float32 over ``CLASS_NAMES`` for cards at (n, 4, 2) px of the picture.

        lids_px: for each card the cards that lie on it, (4, 2) each, to be painted out.
        """
        return self.name_crops(self.crops(image_bgr, corners_px, lids_px))

    def name_crops(self, crops: np.ndarray) -> np.ndarray:
        """The same for (n, 132, 96, 3) uint8 crops."""
        parts = [self.network.run(batch) for batch in self._batches(crops)]
        return self._shares(np.concatenate(parts)) if parts else np.zeros((0, len(CLASS_NAMES)), np.float32)

    def crops(
        self, image_bgr: np.ndarray, corners_px: np.ndarray, lids_px: Sequence[list[np.ndarray]] | None = None
    ) -> np.ndarray:
        """(n, 132, 96, 3) uint8: the cards as they are read."""
        crops = rectify(image_bgr, corners_px)
        for crop, corners, lids in zip(crops, corners_px, lids_px or (), strict=False):
            paint_lids(crop, corners, crop_frame(), lids)
        return crops

    def read_crops(self, crops: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n, 132, 96, 3) uint8 crops -> (n, 54) shares as ``read`` gives them, and (n, d) float32 features."""
        assert isinstance(self.network, FeatureNetwork), "ask has_features first"
        parts = [self.network.run_with_features(batch) for batch in self._batches(crops)]
        if not parts:
            return np.zeros((0, len(CLASS_NAMES)), np.float32), np.zeros((0, 1), np.float32)
        return self._shares(np.concatenate([p for p, _ in parts])), np.concatenate([f for _, f in parts])

    def _batches(self, crops: np.ndarray) -> Iterator[np.ndarray]:
        for start in range(0, len(crops), self.settings.batch):
            batch = crops[start : start + self.settings.batch, :, :, ::-1].transpose(0, 3, 1, 2).astype(np.float32)
            batch /= 255
            yield np.ascontiguousarray(batch)

    def _shares(self, answers: np.ndarray) -> np.ndarray:
        logits = np.log(np.maximum(answers, 1e-9)) / self.settings.temperature
        logits -= logits.max(axis=1, keepdims=True)
        weights = np.exp(logits)
        named: np.ndarray = (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)
        return named
