"""Segmentation into arms and cards: shape and labels of the map for any frame size."""

from __future__ import annotations

import numpy as np
import pytest

from vision.detection.segmentation import ARM, CARD, MAP_PX, OTHER, SEEN_PX, Segmenter


class ByColour:
    """Fake network: red is an arm, green a card, anything else neither."""

    def __init__(self) -> None:
        self.seen: list[np.ndarray] = []

    def run(self, batch: np.ndarray) -> np.ndarray:
        self.seen.append(batch)
        red, green = batch[:, 0, ::2, ::2], batch[:, 1, ::2, ::2]
        return np.stack([np.full_like(red, 0.5), green, red], axis=1)


@pytest.mark.parametrize("size", [(720, 1280), (360, 640), (388, 414), (1280, 720)])
def test_frame_of_any_size_gives_one_map(size: tuple[int, int]) -> None:
    frame = np.zeros((*size, 3), np.uint8)
    frame[: size[0] // 2, :, 2] = 255
    frame[size[0] // 2 :, : size[1] // 2, 1] = 255
    network = ByColour()
    labels = Segmenter(network)(frame)
    assert labels.shape == MAP_PX[::-1]
    assert labels.dtype == np.uint8
    assert network.seen[0].shape == (1, 3, *SEEN_PX[::-1])
    assert network.seen[0].dtype == np.float32
    assert network.seen[0].max() <= 1.0
    assert (labels[:35] == ARM).all()
    assert (labels[37:, :63] == CARD).all()
    assert (labels[37:, 66:] == OTHER).all()
