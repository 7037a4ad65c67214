"""Card classifier: rectified upright crops, and distributions over the classes."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.detection.classifier import (
    CROP_PX,
    ENLARGED_INDEX_PX,
    CardClassifier,
    ClassifierSettings,
    crop_frame,
    rectify,
    with_indices,
)
from vision.detection.detections import CLASS_NAMES, NOTHING_INDEX
from vision.detection.rectification import PictureLevels


def painted(corners: np.ndarray, size: int = 600) -> np.ndarray:
    """Return a picture with a white card at ``corners``, red where its first corner is."""
    image = np.full((size, size, 3), 60, np.uint8)
    art = np.full((440, 315, 3), 255, np.uint8)
    art[:110, :80] = (0, 0, 255)
    source = np.array([[0, 0], [315, 0], [315, 440], [0, 440]], np.float32)
    matrix = cv2.getPerspectiveTransform(source, corners)
    mask = cv2.warpPerspective(np.full(art.shape[:2], 255, np.uint8), matrix, (size, size))
    image[mask > 127] = cv2.warpPerspective(art, matrix, (size, size))[mask > 127]
    return image


@pytest.mark.parametrize("scale", [0.2, 1.0, 1.8])
def test_crop_shows_the_card_upright_at_any_scale(scale: float) -> None:
    corners = np.array([[80, 40], [270, 90], [230, 330], [30, 290]], np.float32) * scale
    crop = rectify(painted(corners), corners[None])[0]
    assert crop.shape == (CROP_PX[1], CROP_PX[0], 3)
    x, y = crop_frame()[0].astype(int) + 8
    assert crop[y, x, 2] > 180
    assert crop[y, x, 1] < 90
    x, y = crop_frame()[2].astype(int) - 8
    assert crop[y, x].min() > 180


@pytest.mark.parametrize("size", [600, 601])
def test_crops_of_one_picture_share_its_reductions(size: int) -> None:
    corners = np.array([[60, 40], [570, 90], [530, 590], [30, 540]], np.float32)
    image = painted(corners, size)
    levels = PictureLevels(image)
    crops = [rectify(levels, corners[None] * scale) for scale in (1.0, 0.3, 1.0)]
    for crop, scale in zip(crops, (1.0, 0.3, 1.0), strict=True):
        assert np.array_equal(crop, rectify(image, corners[None] * scale))
    assert levels.shape == image.shape
    assert levels.level(2) is levels.level(2)


class Logits:
    """A network that is sure of one class."""

    def __init__(self, favourite: int, share: float) -> None:
        self.row = np.full(len(CLASS_NAMES), (1 - share) / (len(CLASS_NAMES) - 1), np.float32)
        self.row[favourite] = share

    def run(self, batch: np.ndarray) -> np.ndarray:
        return np.tile(self.row, (len(batch), 1))


def test_readings_are_distributions_and_temperature_flattens_them() -> None:
    quads = np.tile(np.array([[[10, 10], [70, 10], [70, 100], [10, 100]]], np.float32), (20, 1, 1))
    image = np.zeros((120, 120, 3), np.uint8)
    bold = CardClassifier(Logits(7, 0.9)).read(image, quads)
    humble = CardClassifier(Logits(7, 0.9), ClassifierSettings(temperature=2.0)).read(image, quads)
    assert bold.shape == (20, len(CLASS_NAMES))
    np.testing.assert_allclose(bold.sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_allclose(bold[:, 7], 0.9, rtol=1e-4)
    assert (humble[:, 7] < bold[:, 7]).all()
    assert (humble.argmax(axis=1) == 7).all()


class OneEnd:
    """Network that reads a card by a spot at its upper left: surely if bright, unsurely if dark or grey."""

    def __init__(self) -> None:
        self.asked = 0

    def run(self, batch: np.ndarray) -> np.ndarray:
        self.asked += len(batch)
        out = np.full((len(batch), len(CLASS_NAMES)), 0.01, np.float32)
        for row, picture in zip(out, batch, strict=True):
            spot = float(picture[:, :30, :30].mean())
            row[5], row[8] = (0.3, 0.25) if spot < 0.1 else (0.9, 0.01) if spot > 0.9 else (0.02, 0.7)
        return out / out.sum(axis=1, keepdims=True)


def test_unsure_card_is_read_again_half_turned() -> None:
    dark = np.zeros((CROP_PX[1], CROP_PX[0], 3), np.uint8)
    lit, other, clear = dark.copy(), dark.copy(), np.full_like(dark, 255)
    lit[-40:, -40:] = 255
    other[-40:, -40:] = 128
    once, network = CardClassifier(OneEnd()), OneEnd()
    crops = np.stack([dark, lit, other, clear])
    twice = CardClassifier(network, ClassifierSettings(twice=0.6)).name_crops(crops)
    before = once.name_crops(crops)
    assert before[:3].argmax(axis=1).tolist() == [5, 5, 5]
    assert twice.argmax(axis=1).tolist() == [5, 5, 8, 5]
    assert twice[1, 5] > before[1, 5]
    np.testing.assert_allclose(twice[3], before[3])
    np.testing.assert_allclose(twice.sum(axis=1), 1, rtol=1e-5)
    assert network.asked == 4 + 3, "what was read well is not read again"


def test_second_network_reads_cards_that_the_first_is_unsure_of() -> None:
    class Sure:
        asked = 0

        def run(self, batch: np.ndarray) -> np.ndarray:
            self.asked += len(batch)
            out = np.full((len(batch), len(CLASS_NAMES)), 0.001, np.float32)
            out[:, 8] = 1.0
            return out / out.sum(axis=1, keepdims=True)

    dark = np.zeros((CROP_PX[1], CROP_PX[0], 3), np.uint8)
    first, second = OneEnd(), Sure()
    crops = np.stack([dark, np.full_like(dark, 255)])
    named = CardClassifier(first, ClassifierSettings(twice=0.6), second).name_crops(crops)
    assert named.argmax(axis=1).tolist() == [8, 5]
    assert (first.asked, second.asked) == (2, 1)


def test_crop_that_reads_as_no_card_is_not_read_again() -> None:
    class Bare:
        asked = 0

        def run(self, batch: np.ndarray) -> np.ndarray:
            self.asked += len(batch)
            out = np.full((len(batch), len(CLASS_NAMES)), 0.3 / (len(CLASS_NAMES) - 1), np.float32)
            out[:, NOTHING_INDEX] = 0.7
            return out

    network = Bare()
    crops = np.zeros((2, CROP_PX[1], CROP_PX[0], 3), np.uint8)
    assert CardClassifier(network, ClassifierSettings(twice=0.97)).name_crops(crops).argmax() == NOTHING_INDEX
    assert network.asked == 2


def test_reading_no_cards_returns_an_empty_array() -> None:
    read = CardClassifier(Logits(0, 0.5)).read(np.zeros((50, 50, 3), np.uint8), np.zeros((0, 4, 2), np.float32))
    assert read.shape == (0, len(CLASS_NAMES))


def test_four_enlarged_upright_corners_are_added_beside_the_crop() -> None:
    crop = np.full((CROP_PX[1], CROP_PX[0], 3), 255, np.uint8)
    # A stroke under each index, as an upright classifier of that corner sees it: red above, blue below on the upper
    # ones.
    for corner, (left, top) in enumerate(((10, 12), (70, 12), (10, 104), (70, 104))):
        crop[top : top + 8, left : left + 16] = (0, 0, 255) if corner < 2 else (255, 0, 0)
        crop[top + 8 : top + 16, left : left + 16] = (255, 0, 0) if corner < 2 else (0, 0, 255)
    shown = with_indices(crop[None])[0]
    assert shown.shape == (CROP_PX[1], 2 * CROP_PX[0], 3)
    np.testing.assert_array_equal(shown[:, : CROP_PX[0]], crop)
    wide, tall = ENLARGED_INDEX_PX
    for down in range(2):
        for along in range(2):
            start = CROP_PX[0] + along * wide
            corner = shown[down * tall : (down + 1) * tall, start : start + wide].astype(int)
            is_red = (corner[..., 2] - corner[..., 0]) > 128
            is_blue = (corner[..., 0] - corner[..., 2]) > 128
            assert is_red.sum() > 1.8 * 8 * 16, "a corner is shown larger than it is"
            assert np.nonzero(is_red)[0].mean() < np.nonzero(is_blue)[0].mean(), "every index stands upright"


def test_enlarged_corners_are_added_only_if_the_weights_need_them() -> None:
    widths: list[int] = []

    class Wide(Logits):
        def run(self, batch: np.ndarray) -> np.ndarray:
            widths.append(batch.shape[3])
            return super().run(batch)

    image, quad = np.zeros((120, 120, 3), np.uint8), np.array([[[10, 10], [70, 10], [70, 100], [10, 100]]], np.float32)
    for indices in (False, True):
        CardClassifier(Wide(3, 0.9), ClassifierSettings(indices=indices)).read(image, quad)
    assert widths == [CROP_PX[0], 2 * CROP_PX[0]]
