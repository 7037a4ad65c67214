"""Cache of class readings: an unchanged card is read once; a new, moved, changed or unsure card is read again."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.detection.classifier import CardClassifier
from vision.detection.detections import CLASS_NAMES
from vision.detection.result_cache import REREAD_BELOW, ClassCache

CARD = np.array([[100, 80], [200, 80], [200, 220], [100, 220]], np.float32)
OTHER = CARD + np.float32([180, 20])


class Counting:
    """Network that is sure of one class and counts the crops it receives."""

    def __init__(self, share: float = 0.99) -> None:
        self.share = share
        self.asked = 0

    def run(self, batch: np.ndarray) -> np.ndarray:
        self.asked += len(batch)
        row = np.full(len(CLASS_NAMES), (1 - self.share) / (len(CLASS_NAMES) - 1), np.float32)
        row[self.asked % 52] = self.share
        return np.tile(row, (len(batch), 1))


def table(index: str = "6", light: float = 1.0) -> np.ndarray:
    """Return a green cloth with two white cards, the first with an index."""
    image = np.full((300, 480, 3), (60, 110, 50), np.uint8)
    for quad in (CARD, OTHER):
        cv2.fillConvexPoly(image, quad.astype(np.int32), (245, 245, 245))
    cv2.putText(image, index, (106, 104), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (20, 20, 30), 2)
    dimmed: np.ndarray = (image * light).astype(np.uint8)
    return dimmed


def crops_of_second_inference(first: np.ndarray, second: np.ndarray, share: float = 0.99, moved: float = 0.0) -> int:
    """Return for how many crops the second inference called the network."""
    network = Counting(share)
    recall = ClassCache(CardClassifier(network))
    quads = np.stack([CARD, OTHER])
    before = recall.read(first, quads)
    asked = network.asked
    after = recall.read(second, quads + np.float32(moved))
    if network.asked == asked:
        np.testing.assert_array_equal(after, before)
    return network.asked - asked


def test_unchanged_table_is_read_once() -> None:
    assert crops_of_second_inference(table(), table()) == 0


def test_noise_and_small_corner_shifts_keep_the_cached_reading() -> None:
    rng = np.random.default_rng(3)
    grainy = np.clip(table() + rng.normal(0, 6, (300, 480, 3)), 0, 255).astype(np.uint8)
    assert crops_of_second_inference(table(), grainy, moved=1.5) == 0


@pytest.mark.parametrize("index", ["9", "8", ""])
def test_changed_index_is_read_again(index: str) -> None:
    assert crops_of_second_inference(table(), table(index)) == 1


def test_moved_card_is_read_again() -> None:
    assert crops_of_second_inference(table(), table(), moved=9.0) == 2


def test_unsure_reading_is_repeated() -> None:
    assert crops_of_second_inference(table(), table(), share=REREAD_BELOW - 0.05) == 2


def test_dark_picture_is_always_read_again() -> None:
    assert crops_of_second_inference(table(light=0.06), table(light=0.06)) == 2


def test_picture_of_another_size_is_read_again() -> None:
    assert crops_of_second_inference(table(), cv2.copyMakeBorder(table(), 0, 20, 0, 0, cv2.BORDER_REPLICATE)) == 2


def test_returned_card_is_read_from_the_cache_up_to_its_capacity() -> None:
    network = Counting()
    recall = ClassCache(CardClassifier(network), kept=2)
    image = table()
    recall.read(image, CARD[None])
    recall.read(image, OTHER[None])
    recall.read(image, CARD[None])
    assert network.asked == 2
    far = np.stack([CARD + np.float32([0, 70]), OTHER + np.float32([0, 60])])
    recall.read(image, far)
    recall.read(image, CARD[None])
    assert network.asked == 5


def test_reading_no_cards_returns_an_empty_array() -> None:
    assert ClassCache(CardClassifier(Counting())).read(table(), np.zeros((0, 4, 2), np.float32)).shape == (
        0,
        len(CLASS_NAMES),
    )
