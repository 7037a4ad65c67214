"""Overlap network: predicted places in picture pixels, and the z-order of two cards."""

from __future__ import annotations

import numpy as np
import pytest

from vision.detection.overlap_network import (
    OVER,
    OVERLAP_PX,
    OVERLAP_REACH,
    UNDER,
    OverlapNetwork,
    Overlaps,
    hints,
    order_from_overlaps,
    round_frame,
)


def card_at(x: float, y: float) -> np.ndarray:
    return np.array([[x, y], [x + 60, y], [x + 60, y + 84], [x, y + 84]], np.float32)


class Sees:
    """Network that returns the same output for every card."""

    def __init__(self, logits: tuple[float, float], moves_px: np.ndarray) -> None:
        self.row = np.concatenate([logits, (moves_px / (OVERLAP_REACH * np.array(OVERLAP_PX))).ravel()]).astype(
            np.float32
        )
        self.batches: list[int] = []

    def run(self, batch: np.ndarray) -> np.ndarray:
        assert batch.shape[1:] == (3, OVERLAP_PX[1], OVERLAP_PX[0])
        self.batches.append(len(batch))
        return np.tile(self.row, (len(batch), 1))


def test_predicted_place_is_in_picture_pixels() -> None:
    own = round_frame()
    wide = float(own[1, 0] - own[0, 0])
    moves = np.stack([np.tile([wide / 2, 0], (4, 1)), np.zeros((4, 2))])
    around = OverlapNetwork(Sees((4, -4), moves)).find(np.zeros((300, 300, 3), np.uint8), card_at(100, 100)[None])
    assert around.share[0] == pytest.approx([0.982, 0.018], abs=1e-3)
    # Half a card's width in the crop is half a card's width on the picture.
    assert around.corners_px[0, UNDER] == pytest.approx(card_at(130, 100), abs=0.1)
    assert around.corners_px[0, OVER] == pytest.approx(card_at(100, 100), abs=0.1)


def test_folded_place_has_probability_zero() -> None:
    own = round_frame()
    folded = own[[0, 2, 1, 3]] - own
    around = OverlapNetwork(Sees((4, 4), np.stack([folded, folded]))).find(
        np.zeros((300, 300, 3), np.uint8), card_at(100, 100)[None]
    )
    assert around.share.tolist() == [[0, 0]]


def test_cards_are_processed_in_batches_and_no_cards_need_no_network() -> None:
    network = Sees((0, 0), np.zeros((2, 4, 2)))
    finder = OverlapNetwork(network, batch=4)
    picture = np.zeros((300, 300, 3), np.uint8)
    assert finder.find(picture, np.zeros((0, 4, 2), np.float32)).corners_px.shape == (0, 2, 4, 2)
    assert network.batches == []
    assert finder.find(picture, np.stack([card_at(i, 50) for i in range(10)])).share.shape == (10, 2)
    assert network.batches == [4, 4, 2]


def around_pair(sure: float, seen_back: float = 0.9) -> tuple[np.ndarray, Overlaps]:
    """Return an attack, a defence on it, and the overlap outputs of each: the defence this surely on an attack."""
    corners = np.stack([card_at(100, 100), card_at(120, 130)])
    share = np.array([[0.02, seen_back], [sure, 0.02]], np.float32)
    places = np.stack([np.stack([corners[1], corners[1]]), np.stack([corners[0], corners[0]])])
    return corners, Overlaps(share, places)


def test_overlap_outputs_of_two_cards_give_their_order() -> None:
    corners, around = around_pair(0.95)
    upper = order_from_overlaps(around, corners)
    assert upper[1, 0] > 0.9
    assert upper[0, 1] == pytest.approx(1 - upper[1, 0], abs=1e-6)
    assert np.isnan(upper[0, 0])


def test_cards_without_overlap_output_have_no_order() -> None:
    corners, around = around_pair(0.05, seen_back=0.1)
    assert np.isnan(order_from_overlaps(around, corners)).all()


def test_crossed_cards_have_an_order_if_the_predicted_places_fit_neither() -> None:
    corners, around = around_pair(0.9, seen_back=0.8)
    elsewhere = Overlaps(around.share, around.corners_px + np.float32(45))
    upper = order_from_overlaps(elsewhere, corners)
    assert upper[1, 0] > 0.9


def test_of_three_cards_the_one_at_the_predicted_place_counts_most() -> None:
    corners, around = around_pair(0.95)
    beside = card_at(150, 60)
    share = np.concatenate([around.share, [[0.02, 0.02]]]).astype(np.float32)
    places = np.concatenate([around.corners_px, np.stack([corners[0], corners[0]])[None]])
    upper = order_from_overlaps(Overlaps(share, places), np.stack([*corners, beside]))
    assert upper[1, 0] > 0.9
    assert np.isnan(upper[2, 0]) or 0.05 < upper[2, 0] < 0.95


def test_separate_cards_have_no_order_whatever_the_outputs() -> None:
    _, around = around_pair(0.95)
    apart = np.stack([card_at(100, 100), card_at(300, 100)])
    assert np.isnan(order_from_overlaps(around, apart)).all()


def test_surer_of_two_hints_at_one_place_stays() -> None:
    _, around = around_pair(0.95, seen_back=0.2)
    twice = Overlaps(np.repeat(around.share, 2, 0), np.repeat(around.corners_px, 2, 0))
    twice.share[3] = [0.5, 0]
    found = hints(twice, [7, 8, 9, 10])
    assert [(hint.beside, hint.side) for hint in found] == [(9, UNDER)]
