"""Run all networks on one picture: the entry point of detection for the rest of vision."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np

from vision.detection.classifier import CardClassifier, ClassifierSettings
from vision.detection.crowding import CROWD_KNOWN_IOU
from vision.detection.detections import NOTHING_INDEX, Detections
from vision.detection.finder import (
    CERTAIN,
    DUPLICATE_SAME_IOU,
    CardFinder,
    CornerRefiner,
    FinderSettings,
    Proposals,
    classify_distinct,
    suppress_duplicates,
)
from vision.detection.networks import NETWORKS, WeightsError, find_manifest, open_network, read_manifest
from vision.detection.occluded_reading import with_whole_outlines
from vision.detection.overlap_network import OverlapNetwork
from vision.detection.rectification import Picture, levels_of
from vision.detection.result_cache import REREAD_BELOW, ClassCache, CornerCache
from vision.detection.segmentation import Segmenter
from vision.detection.turnup_search import TurnupSearch
from vision.geometry.amodal_completion import CompletionSettings
from vision.geometry.quads import Mask, iou

LARGE_SHARE = 0.35
"""
Longest edge of a card, as a share of the picture's longer side, up to which the finder's ordinary input shows it: all
cards of a table have one size, so one such card excludes cards that fill half of the picture. Chosen by hand, 2026-11.
"""


class CardDetector(Protocol):
    """Anything that detects cards in a picture."""

    def detect(self, image_bgr: np.ndarray) -> Detections:
        """Detect the cards of a (h, w, 3) uint8 picture."""
        ...


@runtime_checkable
class PlaceDetector(Protocol):
    """A detector that can classify given places where a card may lie."""

    def detect_at(
        self, image_bgr: np.ndarray, corners_px: np.ndarray, occluders_px: Sequence[Sequence[np.ndarray]]
    ) -> tuple[np.ndarray, np.ndarray]:
        """
        Refine and classify places at (n, 4, 2) px of a (h, w, 3) uint8 picture: (n, 4, 2) and (n, 54) float32.

        occluders_px: for each place the cards that lie over it, (4, 2) each.
        """
        ...


@runtime_checkable
class ArmDetector(Protocol):
    """A detector that also segments arms."""

    def label(self, image_bgr: np.ndarray) -> Mask | None:
        """
        Label the pixels of a (h, w, 3) uint8 picture as ``Segmenter`` does; None if the weights have no segmenter.
        """
        ...


@dataclass(frozen=True, slots=True, eq=False)
class PassedOver:
    """
    Proposals that an inference did not report. ``doubles``: refined, but dropped as duplicates or no card; ``faint``:
    confidence too low to be classified.
    """

    doubles: Proposals
    faint: Proposals


class NetworkCardDetector:
    """Finds cards, refines their corners and classifies them, each step at the resolution it needs."""

    def __init__(
        self,
        finder: CardFinder,
        refiner: CornerRefiner,
        classifier: CardClassifier,
        overlaps: OverlapNetwork,
        segmenter: Segmenter | None = None,
    ) -> None:
        self.finder = finder
        self._segmenter = segmenter
        self._set_networks(refiner, classifier)
        self.overlaps = overlaps
        self.completion = CompletionSettings()
        self.took_ms: dict[str, float] = {"detect": 0.0, "refine": 0.0, "read": 0.0}
        """Milliseconds of the last inference, by stage; for benchmarks."""

    @property
    def corner_refiner(self) -> CornerRefiner:
        """Return the corner refiner."""
        return self._corner_cache.corner_refiner

    @property
    def classifier(self) -> CardClassifier:
        """Return the classifier."""
        return self._class_cache.classifier

    @classifier.setter
    def classifier(self, classifier: CardClassifier) -> None:
        self._set_networks(self.corner_refiner, classifier)

    def forget(self) -> None:
        """Clear the caches: the next picture is processed like the first."""
        self._set_networks(self.corner_refiner, self.classifier)

    def _set_networks(self, refiner: CornerRefiner, classifier: CardClassifier) -> None:
        self._corner_cache, self._class_cache = CornerCache(refiner), ClassCache(classifier)
        self._turnup_search = TurnupSearch(refiner, classifier)

    def detect(self, image_bgr: np.ndarray) -> Detections:
        """Detect the cards of a (h, w, 3) uint8 picture, without those classified as no card."""
        return self.detect_from(image_bgr, self.finder.settings.confidence)[0]

    def detect_at(
        self, image_bgr: np.ndarray, corners_px: np.ndarray, occluders_px: Sequence[Sequence[np.ndarray]]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Refine and classify cards that the finder missed; see ``PlaceDetector``."""
        corners = self.corner_refiner.refine(image_bgr, corners_px.astype(np.float32))
        return corners, self.classifier.read(image_bgr, corners, [list(occluders) for occluders in occluders_px])

    def label(self, image_bgr: np.ndarray) -> Mask | None:
        """Label arms, cards and other pixels; see ``ArmDetector``."""
        return None if self._segmenter is None else self._segmenter(image_bgr)

    def detect_from(self, image_bgr: Picture, least: float, ordinary: float = 0.0) -> tuple[Detections, PassedOver]:
        """
        Return the detections, and the proposals with confidence from ``least`` on that were not reported.

        ``ordinary``: confidence of the finder from which a certain card excludes cards that fill half of the picture.
        """
        began = time.perf_counter()
        image_bgr = levels_of(image_bgr)
        proposals = self.finder.find(image_bgr.level(0), least)
        sure = self.finder.settings.confidence
        self.took_ms = {"detect": (time.perf_counter() - began) * 1e3, "refine": 0.0, "read": 0.0}
        readings: dict[bytes, np.ndarray] = {}
        doubles, seen = self._refine_and_classify(image_bgr, proposals.above(sure), readings)
        if not has_ordinary_card(seen, image_bgr.shape, ordinary):
            proposals = self.finder.find_large(image_bgr.level(0), proposals, least)
            doubles, seen = self._refine_and_classify(image_bgr, proposals.above(sure), readings)
        passed = PassedOver(doubles, proposals.up_to(sure))
        seen = self._with_whole_outlines(image_bgr, seen.beside(self._turnup_search.find(image_bgr, seen)))
        self.took_ms["read"] = (time.perf_counter() - began) * 1e3 - sum(self.took_ms.values())
        return seen, passed

    def detect_region(
        self,
        image_bgr: Picture,
        seen: Detections,
        passed: PassedOver,
        region: tuple[int, int, int, int],
        scale: float,
    ) -> tuple[Detections, PassedOver]:
        """
        Run inference on a crowded region of the picture enlarged by ``scale``; return all detections and all proposals
        not reported.
        """
        image_bgr = levels_of(image_bgr)
        sure = self.finder.settings.confidence
        found = self.finder.find_within(image_bgr.level(0), region, scale, sure)
        new = [
            k
            for k, quad in enumerate(found.corners_px)
            if all(iou(quad, card) < CROWD_KNOWN_IOU for card in seen.corners_px)
        ]
        fresh = self.refine_distinct(image_bgr, Proposals(found.corners_px[new], found.confidence[new]))
        both = seen.beside(
            Detections(fresh.corners_px, fresh.confidence, self.classifier.read(image_bgr, fresh.corners_px))
        )
        kept = suppress_duplicates(both.corners_px, both.confidence, both.probabilities)
        left = fresh.without(kept - len(seen))
        chosen = Detections(both.corners_px[kept], both.confidence[kept], both.probabilities[kept])
        return chosen, PassedOver(passed.doubles.beside(left), passed.faint)

    def _with_whole_outlines(self, image_bgr: Picture, seen: Detections) -> Detections:
        """Complete the outlines of partly covered cards, then drop duplicates: two ends of one card become one."""
        picture = (image_bgr.shape[1], image_bgr.shape[0])
        whole, moved = with_whole_outlines(
            seen, picture, lambda cards, occluders: self.classifier.read(image_bgr, cards, occluders), self.completion
        )
        if not moved:
            return seen
        kept = np.sort(suppress_duplicates(whole.corners_px, whole.confidence, whole.probabilities))
        return Detections(whole.corners_px[kept], whole.confidence[kept], whole.probabilities[kept])

    def _refine_and_classify(
        self, image_bgr: Picture, proposals: Proposals, readings: dict[bytes, np.ndarray]
    ) -> tuple[Proposals, Detections]:
        """
        Return the refined proposals that are dropped, as duplicates or no cards, and the detections.

        readings: those of this picture by the bytes of the corners, to which the new ones are added.
        """
        began = time.perf_counter()
        fresh = self.refine_distinct(image_bgr, proposals)
        self.took_ms["refine"] += (time.perf_counter() - began) * 1e3
        corners = fresh.corners_px

        def classify(asked: np.ndarray) -> np.ndarray:
            new = [k for k in asked.tolist() if corners[k].tobytes() not in readings]
            found = self._class_cache.read(image_bgr, corners[new])
            readings.update((corners[k].tobytes(), reading) for k, reading in zip(new, found, strict=True))
            return np.stack([readings[corners[k].tobytes()] for k in asked.tolist()])

        kept, probabilities = classify_distinct(corners, fresh.confidence, classify)
        self._corner_cache.forget(corners[probabilities.max(axis=1, initial=0.0) < REREAD_BELOW])
        return fresh.without(kept), Detections(corners[kept], fresh.confidence[kept], probabilities[kept])

    def refine_distinct(self, image_bgr: Picture, proposals: Proposals) -> Proposals:
        """Refine proposals and drop duplicates of one card where they can be recognised."""
        return self._corner_cache.refine_distinct(image_bgr, proposals, DUPLICATE_SAME_IOU)


def has_ordinary_card(seen: Detections, picture: tuple[int, ...], least: float) -> bool:
    """
    Check whether a card is certain and does not fill a great part of the picture, (h, w, ...).

    ``least``: confidence of the finder that it has.
    """
    edges = np.linalg.norm(np.roll(seen.corners_px, -1, axis=1) - seen.corners_px, axis=2).max(axis=1, initial=0.0)
    is_certain = seen.probabilities[:, :NOTHING_INDEX].max(axis=1, initial=0.0) >= CERTAIN
    is_certain &= seen.confidence >= least
    return bool((is_certain & (edges < LARGE_SHARE * max(picture[:2]))).any())


def load_card_detector(weights: Path | None = None) -> NetworkCardDetector:
    """
    Load the networks shipped with the program, or others.

    ``weights``: a manifest (.toml), or a finder's .onnx or .pt file; then the other networks lie beside it as
    ``corner_refiner``, ``classifier`` and ``overlap_network`` with the same ending. Raises ``WeightsError`` if any is
    missing or damaged.
    """
    if weights is None or weights.suffix == ".toml":
        manifest = read_manifest(weights or find_manifest())
        files = [manifest.file(section) for section in manifest.networks]
    else:
        files = [weights, *(weights.with_name(name + weights.suffix) for name in NETWORKS[1:])]
        if not weights.is_file():
            raise WeightsError(f"expected weights at {weights}, found none; check the path given with --weights")
        manifest = read_manifest(find_manifest())
        for file in files[1:]:
            if not file.is_file():
                raise WeightsError(
                    f"expected the {file.stem}'s weights beside {weights.name} as {file.name}, found none"
                )
    finding = FinderSettings(
        input_px=int(manifest.finder.get("input_px", FinderSettings().input_px)),
        confidence=float(manifest.finder.get("confidence", FinderSettings().confidence)),
    )
    reading = ClassifierSettings(
        temperature=float(manifest.classifier.get("temperature", ClassifierSettings().temperature)),
        twice=float(manifest.classifier.get("twice", ClassifierSettings().twice)),
        indices=bool(manifest.classifier.get("indices", ClassifierSettings().indices)),
    )
    segmenter, second = (
        None if section is None else open_network(manifest.file(section))
        for section in (manifest.segmenter, manifest.second_classifier)
    )
    return NetworkCardDetector(
        CardFinder(open_network(files[0]), finding),
        CornerRefiner(open_network(files[1])),
        CardClassifier(open_network(files[2]), reading, second),
        OverlapNetwork(open_network(files[3])),
        None if segmenter is None else Segmenter(segmenter),
    )
