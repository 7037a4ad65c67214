"""Crowded regions: where many cards overlap, inference runs once more."""

from __future__ import annotations

import numpy as np
import pytest

from vision.detection.crowding import CROWD_LEAST, LONGEST_PX, TALLEST_INPUT_PX, crowded_region, finer_scale
from vision.detection.detections import CLASS_NAMES, Detections


def seen(*places: tuple[float, float]) -> Detections:
    quads = [np.array([[x, y], [x + 60, y], [x + 60, y + 84], [x, y + 84]], np.float32) for x, y in places]
    n = len(places)
    corners = np.stack(quads) if quads else np.zeros((0, 4, 2), np.float32)
    return Detections(corners, np.full(n, 0.9, np.float32), np.full((n, len(CLASS_NAMES)), 1 / 54, np.float32))


FAN = [(300 + 20 * k, 200) for k in range(CROWD_LEAST)]


def test_crowded_region_covers_a_fan_only() -> None:
    region = crowded_region(seen((900, 600), *FAN, (40, 40)))
    assert region is not None
    x0, y0, x1, y1 = region
    assert 200 < x0 < 300
    assert 100 < y0 < 200
    assert 60 + FAN[-1][0] < x1 < 600
    assert 284 < y1 < 400


def test_pairs_rows_and_empty_table_are_not_crowded() -> None:
    pairs = [(100 * k, 200 + 30 * side) for k in range(6) for side in range(2)]
    assert crowded_region(seen(*pairs)) is None
    assert crowded_region(seen(*((61 * k, 0) for k in range(12)))) is None
    assert crowded_region(seen()) is None


def test_crowded_region_stays_within_the_picture() -> None:
    region = crowded_region(seen(*((10 * k, 5) for k in range(CROWD_LEAST))))
    assert region is not None
    assert region[:2] == (0, 0)


def test_finer_inference_shows_no_card_larger_than_the_finder_knows() -> None:
    fan = seen(*FAN)
    assert finer_scale(fan, 1280, 640) == 1.0, "cards of 84 px at the finest scale"
    assert finer_scale(fan, 3200, 640) == LONGEST_PX / 3200
    large = Detections(4 * fan.corners_px, fan.confidence, fan.probabilities)
    assert finer_scale(large, 1280, 640) == pytest.approx(TALLEST_INPUT_PX / 336)
    huge = Detections(6 * fan.corners_px, fan.confidence, fan.probabilities)
    assert finer_scale(huge, 1280, 640) is None


def test_a_small_picture_is_not_enlarged() -> None:
    assert finer_scale(seen(*FAN), 640, 640) is None
