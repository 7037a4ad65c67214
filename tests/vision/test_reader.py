"""Crops: the right piece of the picture, upright, whatever its size; numbers: a distribution over the classes."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.detections import CLASS_NAMES
from vision.reader import CROP_PX, CardReader, ReaderSettings, crop_frame, rectify


def painted(corners: np.ndarray, size: int = 600) -> np.ndarray:
    """A picture with a white card at ``corners``, red where its first corner is."""
    image = np.full((size, size, 3), 60, np.uint8)
    art = np.full((440, 315, 3), 255, np.uint8)
    art[:110, :80] = (0, 0, 255)
    source = np.array([[0, 0], [315, 0], [315, 440], [0, 440]], np.float32)
    matrix = cv2.getPerspectiveTransform(source, corners)
    mask = cv2.warpPerspective(np.full(art.shape[:2], 255, np.uint8), matrix, (size, size))
    image[mask > 127] = cv2.warpPerspective(art, matrix, (size, size))[mask > 127]
    return image


@pytest.mark.parametrize("scale", [0.2, 1.0, 1.8])
def test_a_crop_shows_the_card_upright_at_any_size(scale: float) -> None:
    corners = np.array([[80, 40], [270, 90], [230, 330], [30, 290]], np.float32) * scale
    crop = rectify(painted(corners), corners[None])[0]
    assert crop.shape == (CROP_PX[1], CROP_PX[0], 3)
    x, y = crop_frame()[0].astype(int) + 8
    assert crop[y, x, 2] > 180
    assert crop[y, x, 1] < 90
    x, y = crop_frame()[2].astype(int) - 8
    assert crop[y, x].min() > 180


class Logits:
    """A network that is sure of one class."""

    def __init__(self, favourite: int, share: float) -> None:
        self.row = np.full(len(CLASS_NAMES), (1 - share) / (len(CLASS_NAMES) - 1), np.float32)
        self.row[favourite] = share

    def run(self, batch: np.ndarray) -> np.ndarray:
        return np.tile(self.row, (len(batch), 1))


def test_readings_are_distributions_and_temperature_makes_them_humbler() -> None:
    quads = np.tile(np.array([[[10, 10], [70, 10], [70, 100], [10, 100]]], np.float32), (20, 1, 1))
    image = np.zeros((120, 120, 3), np.uint8)
    bold = CardReader(Logits(7, 0.9)).read(image, quads)
    humble = CardReader(Logits(7, 0.9), ReaderSettings(temperature=2.0)).read(image, quads)
    assert bold.shape == (20, len(CLASS_NAMES))
    np.testing.assert_allclose(bold.sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_allclose(bold[:, 7], 0.9, rtol=1e-4)
    assert (humble[:, 7] < bold[:, 7]).all()
    assert (humble.argmax(axis=1) == 7).all()


def test_nothing_to_read_is_no_crop() -> None:
    read = CardReader(Logits(0, 0.5)).read(np.zeros((50, 50, 3), np.uint8), np.zeros((0, 4, 2), np.float32))
    assert read.shape == (0, len(CLASS_NAMES))
