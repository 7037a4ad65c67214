"""Z-order by point symmetry: the upper card's print is symmetric in the overlap."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.detection.point_symmetry import SymmetryWitness

TALL, WIDE = 176, 126


def face(seed: int) -> np.ndarray:
    """Return a black card without a rim, its pips the same from both ends."""
    rng = np.random.default_rng(seed)
    card = np.full((TALL, WIDE, 3), 12, np.uint8)
    for x, y in rng.integers((14, 14), (WIDE - 14, TALL - 14), (14, 2)).tolist():
        cv2.circle(card, (x, y), 6, tuple(int(v) for v in rng.integers(90, 255, 3)), -1)
    return np.maximum(card, card[::-1, ::-1])


def laid(x: float, y: float, turn: float) -> np.ndarray:
    corners = np.array([[-WIDE, -TALL], [WIDE, -TALL], [WIDE, TALL], [-WIDE, TALL]]) / 2
    cos, sin = np.cos(turn), np.sin(turn)
    return (corners @ np.array([[cos, sin], [-sin, cos]]) + (x, y)).astype(np.float32)


def table(*cards: tuple[np.ndarray, int]) -> np.ndarray:
    """Return cards on a grey table, the last on top."""
    picture = np.full((480, 640, 3), 120, np.uint8)
    flat = np.array([[0, 0], [WIDE, 0], [WIDE, TALL], [0, TALL]], np.float32)
    for quad, seed in cards:
        onto = cv2.getPerspectiveTransform(flat, quad)
        cv2.warpPerspective(face(seed), onto, (640, 480), picture, borderMode=cv2.BORDER_TRANSPARENT)
    return cv2.GaussianBlur(picture, (0, 0), 0.8)


LOWER, UPPER = laid(260, 220, 0.1), laid(330, 270, 1.2)


@pytest.mark.parametrize("seed", range(6))
def test_print_symmetry_identifies_the_upper_card(seed: int) -> None:
    symmetry = SymmetryWitness(table((LOWER, 2 * seed), (UPPER, 2 * seed + 1)))
    assert symmetry(UPPER, LOWER, []) > 2
    assert symmetry(LOWER, UPPER, []) == pytest.approx(-symmetry(UPPER, LOWER, []))


def test_print_symmetry_tolerates_corner_noise() -> None:
    symmetry = SymmetryWitness(table((LOWER, 1), (UPPER, 2)))
    rng = np.random.default_rng(3)
    off = [card + rng.normal(0, 1.5, (4, 2)).astype(np.float32) for card in (UPPER, LOWER)]
    assert symmetry(off[0], off[1], []) > 1


def test_covered_opposite_place_gives_no_evidence() -> None:
    opposite = laid(200, 190, 0.1)
    symmetry = SymmetryWitness(table((LOWER, 1), (UPPER, 2), (opposite, 3)))
    assert symmetry(UPPER, LOWER, []) != 0
    assert symmetry(UPPER, LOWER, [opposite, laid(400, 300, 1.2)]) == 0


def test_touching_cards_give_no_evidence() -> None:
    beside = laid(260 + WIDE, 220, 0.1)
    assert SymmetryWitness(table((LOWER, 1), (beside, 2)))(beside, LOWER, []) == 0
