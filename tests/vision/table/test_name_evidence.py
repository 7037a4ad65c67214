"""Weight of a reading by the change of the card's picture."""

from __future__ import annotations

import cv2
import numpy as np

from vision.table.filter_model import FilterSettings
from vision.table.track import crop_of, novelty

ALIKE = FilterSettings().alike
CARD = np.array([[20, 20], [80, 20], [80, 104], [20, 104]], np.float32)


def print_of(seed: int) -> np.ndarray:
    """Return a picture (120, 100) with blobs like a card's print."""
    blobs = cv2.GaussianBlur(np.random.default_rng(seed).normal(0, 1, (120, 100)), (0, 0), 3)
    return np.clip(120 + 600 * blobs, 0, 255).astype(np.uint8)


def new_share(picture: np.ndarray, *before: np.ndarray) -> float:
    """Return the share of it that is new compared with the pictures before."""
    return novelty(crop_of(picture, CARD), [crop_of(earlier, CARD) for earlier in before], ALIKE)


def test_repeated_picture_or_other_light_has_no_new_share() -> None:
    card = print_of(1)
    darker = cv2.convertScaleAbs(card, alpha=0.7, beta=10)
    assert new_share(card, card) < 0.001
    assert new_share(darker, card) < 0.02
    assert new_share(card, print_of(2), card) < 0.001, "the most similar earlier picture counts"


def test_uncovered_card_counts_as_new() -> None:
    card = print_of(1)
    shaded = card.copy()
    shaded[20:70, 20:80] //= 3
    assert new_share(card, shaded) > 0.9
    assert new_share(print_of(2), card) > 0.9


def test_noise_increases_the_new_share() -> None:
    card = print_of(1)
    chance = np.random.default_rng(3)
    noisy = [np.clip(card + chance.normal(0, sigma, card.shape), 0, 255).astype(np.uint8) for sigma in (2, 20, 60)]
    shares = [new_share(picture, card) for picture in noisy]
    assert shares == sorted(shares)
    assert shares[0] < 0.05 < shares[-1]


def test_uniform_place_has_no_print() -> None:
    assert not crop_of(np.full((120, 100), 90, np.uint8), CARD).any()
