"""Classify cards: rectified crops of the full picture through the classifier network, a distribution for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.detection.detections import CLASS_NAMES, EVEN_ODDS, NOTHING_INDEX
from vision.detection.networks import FeatureNetwork, Network, as_batch
from vision.detection.rectification import Picture, crops_at, paint_occluders

CROP_PX = (96, 132)
"""Width and height of a crop in pixels; the classifier's weights are trained on this."""
MARGIN = 0.07
"""
Margin around the card as a share of the crop's sides, so that inexact corners cut nothing off. The weights are trained
on this.
"""
INDEX_ZONE = (3, 4, 28, 42)
"""
x, y, width and height in pixels of the region of a crop that holds the index of its upper left corner; the others are
symmetric. The weights are trained on this.
"""
ENLARGED_INDEX_PX = (48, 66)
"""
Width and height in pixels of each of the four enlarged indices beside the card: half a crop each way. The weights are
trained on this.
"""

LEAST_ANSWER = 1e-9
"""Lower bound of the network's outputs before their logarithm is taken."""


def crop_frame() -> np.ndarray:
    """Return the places of the card's corners in a crop, (4, 2) float32."""
    width, height = CROP_PX
    x, y = width * MARGIN, height * MARGIN
    return np.array([[x, y], [width - x, y], [width - x, height - y], [x, height - y]], np.float32)


def rectify(image_bgr: Picture, corners_px: np.ndarray) -> np.ndarray:
    """Return the crops of the cards at ``corners_px`` (n, 4, 2): (n, h, w, 3) uint8."""
    return crops_at(image_bgr, corners_px, crop_frame(), CROP_PX)


def with_indices(crops: np.ndarray) -> np.ndarray:
    """
    Append the four enlarged indices to each of (n, 132, 96, 3) crops: (n, 132, 192, 3) uint8.

    Each is rotated so that its index stands upright, the lower ones by half a turn. On the card itself an index is a
    few pixels high, and a network without the enlargement decides by the figure in the middle.
    """
    x, y, wide, tall = INDEX_ZONE
    shown = np.empty((len(crops), CROP_PX[1], 2 * CROP_PX[0], 3), np.uint8)
    shown[:, :, : CROP_PX[0]] = crops
    for row, crop in enumerate(crops):
        for down, side in enumerate((crop, crop[::-1, ::-1])):
            for along, left in enumerate((x, CROP_PX[0] - x - wide)):
                top, start = down * ENLARGED_INDEX_PX[1], CROP_PX[0] + along * ENLARGED_INDEX_PX[0]
                corner = cv2.resize(
                    side[y : y + tall, left : left + wide], ENLARGED_INDEX_PX, interpolation=cv2.INTER_LINEAR
                )
                shown[row, top : top + ENLARGED_INDEX_PX[1], start : start + ENLARGED_INDEX_PX[0]] = corner
    return shown


def without_indices(crops: np.ndarray) -> np.ndarray:
    """Return (n, 132, 96, 3) crops whose four indices are painted out with the median colour of their place."""
    x, y, wide, tall = INDEX_ZONE
    blank = crops.copy()
    for crop in blank:
        for side in (crop, crop[:, ::-1], crop[::-1], crop[::-1, ::-1]):
            zone = side[y : y + tall, x : x + wide]
            zone[:] = np.median(zone.reshape(-1, 3), axis=0)
    return blank


# How the classifier's outputs are processed.
CLASSIFIER_BATCH = 16
"""Crops per batch. Set by hand, 2026-11."""


@dataclass(frozen=True, slots=True)
class ClassifierSettings:
    """How the classifier's outputs are processed."""

    temperature: float = 1.0
    """
    Temperature: divides the logarithms of the distribution. The manifest's is fitted on dev photographs, so that 0.9
    means nine in ten (`models/classifier.md`); 1 changes nothing.
    """
    twice: float = 0.0
    """
    Share of the most likely class below which a card is classified again, rotated by half a turn and by the second
    network if there is one, and both readings are averaged; 0: never. The manifest gives it (`models/classifier.md`).
    Crops that are more likely no card are excluded: of 141 such crops of development tables two became a face when
    classified again, 2026-11.
    """
    indices: bool = False
    """Whether the network expects the enlarged indices (``with_indices``); the manifest gives it."""


class CardClassifier:
    """
    Classifies cards whose corners are known.

    ``second``: the network that classifies unsure cards again; by default the same one.
    """

    def __init__(
        self, network: Network, settings: ClassifierSettings | None = None, second: Network | None = None
    ) -> None:
        self.network = network
        self.second = second or network
        self.settings = settings or ClassifierSettings()

    @property
    def has_features(self) -> bool:
        """Check whether the weights export features."""
        return isinstance(self.network, FeatureNetwork) and self.network.has_features

    @property
    def checksum(self) -> str:
        """Return the checksum of the weights; empty if the network has none."""
        return self.network.checksum if isinstance(self.network, FeatureNetwork) else ""

    def read(
        self, image_bgr: Picture, corners_px: np.ndarray, occluders_px: Sequence[list[np.ndarray]] | None = None
    ) -> np.ndarray:
        """
        Classify the cards at (n, 4, 2) px of the picture: (n, 54) float32 over ``CLASS_NAMES``.

        occluders_px: for each card the cards that lie on it, (4, 2) each, to be painted out.
        """
        return self.name_crops(self.crops(image_bgr, corners_px, occluders_px))

    def name_crops(self, crops: np.ndarray) -> np.ndarray:
        """Classify (n, 132, 96, 3) uint8 crops: (n, 54) float32."""
        if not len(crops):
            return np.zeros((0, len(CLASS_NAMES)), np.float32)
        answers = self._answers(self.network, crops)
        shares = self._shares(answers)
        is_card = shares[:, NOTHING_INDEX] < EVEN_ODDS
        unsure = np.flatnonzero(is_card & (shares.max(axis=1) < self.settings.twice))
        if len(unsure):
            # A card is point-symmetric, but glare, a finger or an occluder is not.
            turned = self._answers(self.second, np.ascontiguousarray(crops[unsure, ::-1, ::-1]))
            shares[unsure] = self._shares(np.sqrt(answers[unsure] * turned))
        return shares

    def name_shapes(self, crops: np.ndarray) -> np.ndarray:
        """
        Classify (n, 132, 96, 3) uint8 crops by what is printed, without its colours: (n, 54) float32.

        The second network reads them: of 331 cards of invented decks (`dev`) that are named surely and rightly the
        first one reads five differently in grey, this one none, 2026-11.
        """
        if not len(crops):
            return np.zeros((0, len(CLASS_NAMES)), np.float32)
        grey = [cv2.cvtColor(cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR) for crop in crops]
        return self._shares(self._answers(self.second, np.stack(grey)))

    def _answers(self, network: Network, crops: np.ndarray) -> np.ndarray:
        return np.concatenate([network.run(batch) for batch in self._batches(crops)])

    def crops(
        self, image_bgr: Picture, corners_px: np.ndarray, occluders_px: Sequence[list[np.ndarray]] | None = None
    ) -> np.ndarray:
        """Return the classifier's crops of the cards, (n, 132, 96, 3) uint8."""
        crops = rectify(image_bgr, corners_px)
        for crop, corners, occluders in zip(crops, corners_px, occluders_px or (), strict=False):
            paint_occluders(crop, corners, crop_frame(), occluders)
        return crops

    def read_crops(self, crops: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """
        Classify (n, 132, 96, 3) uint8 crops and return (n, 54) shares, as ``read`` does, and (n, d) float32 features.
        """
        assert isinstance(self.network, FeatureNetwork), "ask has_features first"
        parts = [self.network.run_with_features(batch) for batch in self._batches(crops)]
        if not parts:
            return np.zeros((0, len(CLASS_NAMES)), np.float32), np.zeros((0, 1), np.float32)
        return self._shares(np.concatenate([p for p, _ in parts])), np.concatenate([f for _, f in parts])

    def _batches(self, crops: np.ndarray) -> Iterator[np.ndarray]:
        for start in range(0, len(crops), CLASSIFIER_BATCH):
            part = crops[start : start + CLASSIFIER_BATCH]
            yield as_batch(with_indices(part) if self.settings.indices else part)

    def _shares(self, answers: np.ndarray) -> np.ndarray:
        logits = np.log(np.maximum(answers, LEAST_ANSWER)) / self.settings.temperature
        logits -= logits.max(axis=1, keepdims=True)
        weights = np.exp(logits)
        named: np.ndarray = (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)
        return named
