"""Detect the cards of a single picture thoroughly: the networks, bound to the picture, and their analysis (`study`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from features.stills.chain_search import ChainSearchSettings
from features.stills.court_letters import without_unlettered_courts
from features.stills.ink_colours import with_shapes_of_one_ink
from features.stills.pip_count import with_counted_pips, with_uncut_outlines
from features.stills.reflections import without_reflections
from features.stills.study import PrintSettings, Studied, Study
from vision.detection.card_detector import NetworkCardDetector
from vision.detection.crowding import crowded_region, finer_scale
from vision.detection.detections import Detections
from vision.detection.occluded_reading import (
    OCCLUDED_READING_LEAST_CONFIDENCE,
    Read,
    occluders_of,
)
from vision.detection.point_symmetry import SymmetryWitness
from vision.detection.rectification import PictureLevels
from vision.detection.z_order import EdgeWitness


@runtime_checkable
class ThoroughDetector(Protocol):
    """A card detector with a thorough analysis for single pictures."""

    def study(self, image_bgr: np.ndarray) -> Studied:
        """Detect the cards of a (h, w, 3) uint8 picture, covered ones included, and their z-order."""
        ...


class ReadOnce:
    """Classifies cards of one picture, with a cache by place and occluders."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._known: dict[bytes, np.ndarray] = {}

    def __call__(self, cards: np.ndarray, occluders: Sequence[list[np.ndarray]]) -> np.ndarray:
        """Classify cards as ``Read`` describes."""
        keys = [
            np.concatenate([card[None], *(lid[None] for lid in occluders)]).tobytes()
            for card, occluders in zip(cards, occluders, strict=True)
        ]
        fresh = [i for i, key in enumerate(keys) if key not in self._known]
        if fresh:
            readings = self._read(cards[fresh], [occluders[i] for i in fresh])
            self._known |= {keys[i]: reading for i, reading in zip(fresh, readings, strict=True)}
        return np.stack([self._known[key] for key in keys])


class StillDetector:
    """
    Detects cards in single pictures: searches around each card and classifies covered cards without their occluders.

    The vision pipeline does not need this: it detected a card before another came to lie on it.
    """

    def __init__(self, networks: NetworkCardDetector) -> None:
        self.networks = networks
        self.chain_settings = ChainSearchSettings()
        self.settings = PrintSettings()

    def detect(self, image_bgr: np.ndarray) -> Detections:
        """Detect the cards by one inference, as the vision pipeline does."""
        return self.networks.detect(image_bgr)

    def study(self, image_bgr: np.ndarray) -> Studied:
        """Detect the cards of a (h, w, 3) uint8 picture, covered ones included, and their z-order."""
        networks, picture = self.networks, PictureLevels(image_bgr)
        read = ReadOnce(lambda cards, occluders: networks.classifier.read(picture, cards, occluders))
        networks.forget()  # The caches hold results of similar pictures, which differ a little.
        study = Study(
            lambda proposals: networks.corner_refiner.refine(picture, proposals),
            lambda proposals: networks.corner_refiner.once(picture, proposals),
            lambda proposals: networks.refine_distinct(picture, proposals),
            read,
            lambda cards: networks.overlaps.find(picture, cards),
            EdgeWitness(image_bgr),
            SymmetryWitness(picture),
            self.chain_settings,
            self.settings,
            networks.completion,
            (image_bgr.shape[1], image_bgr.shape[0]),
        )
        seen, passed = networks.detect_from(
            picture, OCCLUDED_READING_LEAST_CONFIDENCE, self.settings.ordinary_confidence
        )
        region = crowded_region(seen)
        scale = finer_scale(seen, max(image_bgr.shape[:2]), networks.finder.settings.input_px)
        if region is not None and scale is not None:
            seen, passed = networks.detect_region(picture, seen, passed, region, scale)
        seen = without_reflections(picture, seen)
        seen = with_uncut_outlines(picture, seen, passed.doubles.corners_px, read)
        studied = study.study(seen, passed)
        occluders = occluders_of(studied.order, studied.seen.corners_px)
        named = with_shapes_of_one_ink(networks.classifier, picture, studied.seen, occluders)
        named = with_counted_pips(picture, named, studied.order.covered)
        named = without_unlettered_courts(networks.classifier, picture, named, studied.order.covered)
        return Studied(named, studied.order)
