"""Bands of a flickering lamp are removed and cause no change."""

from __future__ import annotations

import numpy as np

from vision.motion.background import LampBands, row_gains
from vision.motion.background_subtraction import MotionDetector

SHAPE = (180, 320)


def cloth(seed: int = 1) -> np.ndarray:
    """Return a cloth with some grain, (180, 320, 3) uint8."""
    grain = np.random.default_rng(seed).normal(0, 2, (*SHAPE, 3))
    return np.clip(np.array([90, 140, 110]) + grain, 0, 255).astype(np.uint8)


def banded(picture: np.ndarray, phase: float, depth: float = 0.12) -> np.ndarray:
    """Return the picture under a lamp that flickers."""
    rows = np.arange(SHAPE[0]) / SHAPE[0]
    wave = 1 - depth * (0.5 + 0.5 * np.sin(2 * np.pi * (2.6 * rows + phase)))
    return np.clip(picture * wave[:, None, None], 0, 255).astype(np.uint8)


def with_card(picture: np.ndarray) -> np.ndarray:
    """Return the picture with a pale card on it."""
    laid = picture.copy()
    laid[70:100, 150:172] = 225
    return laid


def test_bands_are_removed_and_a_card_stays() -> None:
    plain = cloth()
    bands = LampBands()
    for _ in range(5):
        seen = bands.without(banded(with_card(plain), 0.3), plain.astype(np.float32))
    level = float(np.median(seen[:, :100] / np.maximum(plain[:, :100].astype(float), 1)))
    off = np.abs(seen[:, :100] / level - plain[:, :100].astype(float))
    assert np.percentile(off, 95) < 8
    assert seen[85, 160].min() > 180


def test_steady_lamp_gives_no_bands() -> None:
    plain = cloth()
    assert row_gains(cloth(2), plain.astype(np.float32)) is None
    dark = np.full((*SHAPE, 3), 4, np.uint8)
    assert row_gains(dark, dark.astype(np.float32)) is None


def test_flickering_lamp_gives_only_the_change_of_a_card() -> None:
    detector, plain = MotionDetector(), cloth()
    changed = []
    for number in range(50):
        picture = with_card(plain) if number >= 25 else plain
        report = detector.feed(banded(picture, 0.37 * number), number / 25)
        # What comes from one frame to the next is taken for a hand at first.
        assert not report.arms or 25 <= number < 28
        changed.append(int(report.changed.sum()))
    assert sum(changed[1:25]) == 0
    assert 400 < sum(changed[25:]) < 1400
    assert max(changed[26:33]) > 400
