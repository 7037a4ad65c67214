"""Detections of one inference, and the proposals that the detector drops."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from vision.detection.card_detector import NetworkCardDetector, has_ordinary_card
from vision.detection.detections import CLASS_NAMES, Detections
from vision.detection.finder import CornerRefiner, FinderSettings, Proposals, RefineSettings

QUEEN = CLASS_NAMES.index("Qs")
PICTURE = np.zeros((400, 400, 3), np.uint8)


class Queens:
    """Reads every crop as a queen, surely."""

    def crops(self, image_bgr: np.ndarray, corners_px: np.ndarray, occluders_px: object = None) -> np.ndarray:
        rng = np.random.default_rng(0)
        return rng.integers(0, 255, (len(corners_px), 132, 96, 3)).astype(np.uint8)

    def name_crops(self, crops: np.ndarray) -> np.ndarray:
        shares = np.zeros((len(crops), len(CLASS_NAMES)), np.float32)
        shares[:, QUEEN] = 1.0
        return shares


def detector_of(proposals: Proposals, classifier: Queens) -> NetworkCardDetector:
    finder = SimpleNamespace(find=lambda image, least: proposals, settings=FinderSettings())
    refiner = CornerRefiner(cast(Any, None), RefineSettings(passes=0))
    return NetworkCardDetector(*cast(list[Any], [finder, refiner, classifier, None]))


def test_dropped_proposals_are_reported_as_duplicates_and_faint_ones() -> None:
    card = np.array([[40, 40], [100, 40], [100, 124], [40, 124]], np.float32)
    quads = np.stack([card, card + np.float32([12, 0]), card + np.float32([200, 0])])
    detector = detector_of(Proposals(quads, np.array([0.9, 0.8, 0.2], np.float32)), Queens())
    seen, passed = detector.detect_from(PICTURE, 0.12)
    assert len(seen) == 1
    assert passed.doubles.corners_px.tolist() == quads[1:2].tolist()
    assert passed.faint.corners_px.tolist() == quads[2:].tolist()


def test_large_cards_are_searched_where_no_card_of_ordinary_size_is_certain() -> None:
    card = np.array([[40, 40], [100, 40], [100, 124], [40, 124]], np.float32)
    faces, sure = np.eye(len(CLASS_NAMES), dtype=np.float32)[[QUEEN]], np.ones(1, np.float32)
    assert has_ordinary_card(Detections(card[None], sure, faces), PICTURE.shape, 0.6)
    assert not has_ordinary_card(Detections(card[None], 0.5 * sure, faces), PICTURE.shape, 0.6)
    assert not has_ordinary_card(Detections(3 * card[None], sure, faces), PICTURE.shape, 0.6)
    assert not has_ordinary_card(Detections(card[None], sure, 0.9 * faces), PICTURE.shape, 0.6)
    assert not has_ordinary_card(Detections.none(), PICTURE.shape, 0.6)


def test_finer_inference_on_a_region_adds_new_cards() -> None:
    card = np.array([[40, 40], [100, 40], [100, 124], [40, 124]], np.float32)
    detector = detector_of(Proposals(card[None], np.array([0.9], np.float32)), Queens())
    seen, passed = detector.detect_from(PICTURE, 0.12)
    finer = Proposals(np.stack([card + 1, card + np.float32([150, 0])]), np.array([0.95, 0.9], np.float32))
    asked: list[tuple[tuple[int, int, int, int], float]] = []

    def find_within(image_bgr: np.ndarray, region: tuple[int, int, int, int], scale: float, least: float) -> Proposals:
        asked.append((region, scale))
        return finer

    cast(Any, detector.finder).find_within = find_within
    cast(Any, detector.classifier).read = lambda image_bgr, corners: np.eye(54, dtype=np.float32)[: len(corners)]
    more, left = detector.detect_region(PICTURE, seen, passed, (0, 0, 400, 200), 1.25)
    assert asked == [((0, 0, 400, 200), 1.25)]
    assert sorted(more.corners_px[:, 0, 0].tolist()) == [40, 190]
    assert len(left.doubles.confidence) == len(passed.doubles.confidence)


def test_forget_makes_the_detector_classify_again() -> None:
    rng = np.random.default_rng(2)
    picture = rng.integers(0, 255, PICTURE.shape).astype(np.uint8)
    card = np.array([[40, 40], [100, 40], [100, 124], [40, 124]], np.float32)
    classifier = Queens()
    asked: list[int] = []
    name_crops = classifier.name_crops
    classifier.name_crops = lambda crops: (asked.append(len(crops)), name_crops(crops))[1]  # type: ignore[method-assign]
    detector = detector_of(Proposals(card[None], np.array([0.9], np.float32)), classifier)
    detector.detect(picture)
    detector.detect(picture)
    assert asked == [1]
    detector.forget()
    detector.detect(picture)
    assert asked == [1, 1]
