"""Decks that print all suits in one red ink."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from features.stills.ink_colours import probability_of_one_ink, with_shapes_of_one_ink
from vision.detection.detections import CLASS_NAMES, Detections
from vision.detection.rectification import Picture

PICTURE = np.zeros((100, 100, 3), np.uint8)


def shares(name: str, share: float = 0.98) -> np.ndarray:
    reading = np.zeros(len(CLASS_NAMES), np.float32)
    reading[CLASS_NAMES.index(name)] = share
    reading[CLASS_NAMES.index("none")] = 1.0 - share
    return reading


class ShapeReader:
    """Reads these shapes, in the order of the cards."""

    def __init__(self, shapes: Sequence[str]) -> None:
        self.shapes = shapes
        self.occluders: list[int] = []

    def crops(
        self, image_bgr: Picture, corners_px: np.ndarray, occluders_px: Sequence[list[np.ndarray]] | None = None
    ) -> np.ndarray:
        self.occluders = [len(lying) for lying in occluders_px or ()]
        return np.zeros((len(corners_px), 132, 96, 3), np.uint8)

    def name_shapes(self, crops: np.ndarray) -> np.ndarray:
        return np.stack([shares(shape) for shape in self.shapes])


def named(read: Sequence[str], shapes: Sequence[str]) -> list[tuple[str, float]]:
    quads = np.array([[[10 * k, 0], [10 * k + 8, 0], [10 * k + 8, 12], [10 * k, 12]] for k in range(len(read))])
    seen = Detections(
        quads.astype(np.float32), np.ones(len(read), np.float32), np.stack([shares(name) for name in read])
    )
    found = with_shapes_of_one_ink(ShapeReader(shapes), PICTURE, seen, [[] for _ in read])
    return [
        (CLASS_NAMES[best], float(reading.max())) for best, reading in zip(found.best, found.probabilities, strict=True)
    ]


def test_two_black_shapes_among_red_cards_are_read_by_their_shapes() -> None:
    found = named(["7d", "Ad", "3d", "Ah"], ["7c", "As", "3s", "Ah"])
    assert [name for name, _ in found] == ["7c", "As", "3s", "Ah"]
    assert all(share > 0.95 for _, share in found)


def test_one_black_shape_leaves_the_name_unsure() -> None:
    ((name, share),) = named(["7d"], ["7c"])
    assert name == "7d"
    assert 0.6 < share < 0.9


def test_red_shapes_leave_red_cards_as_they_are() -> None:
    assert named(["7d", "Ah"], ["7d", "Ah"]) == [("7d", pytest.approx(0.98)), ("Ah", pytest.approx(0.98))]


def test_black_card_shows_that_there_are_two_inks() -> None:
    assert [name for name, _ in named(["7d", "Ad", "Kc"], ["7c", "As", "Kc"])] == ["7d", "Ad", "Kc"]


def test_unread_shapes_say_nothing_about_the_ink() -> None:
    unread = np.stack([shares("7c", share=0.2), shares("As", share=0.3)])
    assert probability_of_one_ink(unread) == pytest.approx(0.01)
