"""Cards under others: who lies on whom, what is painted out, what is believed of what is left."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision.detection.classifier import crop_frame, rectify
from vision.detection.detections import CLASS_NAMES, NOTHING_INDEX
from vision.detection.occluded_reading import (
    OccludedReadingSettings,
    believed_beneath,
    occluders_of,
    occluders_over,
    order_by_reading,
    surer,
    with_beneath,
)
from vision.detection.rectification import OUTSIDE, paint_occluders

SETTINGS = OccludedReadingSettings()


def card_at(x: float, y: float) -> np.ndarray:
    return np.array([[x, y], [x + 60, y], [x + 60, y + 84], [x, y + 84]], np.float32)


def reading(index: int, share: float) -> np.ndarray:
    row = np.zeros(len(CLASS_NAMES), np.float32)
    row[NOTHING_INDEX] = 1 - share
    row[index] += share
    return row


ATTACK, DEFENCE = card_at(100, 100), card_at(120, 130)


def read(cards: np.ndarray, occluders: Sequence[list[np.ndarray]]) -> np.ndarray:
    """A classifier that knows the truth: the attack (7) reads well without the defence (20) on it, not the reverse."""
    answers = []
    for card, above in zip(cards, occluders, strict=True):
        is_attack = np.allclose(card, ATTACK)
        answers.append(reading(7 if is_attack else 20, (0.9 if is_attack else 0.3) if above else 0.5))
    return np.array(answers)


def test_the_order_that_reads_better_is_the_true_one() -> None:
    corners = np.stack([ATTACK, DEFENCE])
    order = order_by_reading(corners, np.stack([reading(20, 0.5), reading(20, 0.98)]), read, SETTINGS)
    assert order.upper[1, 0] > 0.9
    assert order.upper[0, 1] < 0.1
    assert order.covered[1] == 0
    assert abs(order.covered[0] - 40 * 54 / (60 * 84)) < 0.05
    occluders = occluders_of(order, corners)
    assert [len(above) for above in occluders] == [1, 0]
    assert np.allclose(occluders[0][0], DEFENCE)


def test_cards_that_hardly_touch_have_no_order() -> None:
    corners = np.stack([card_at(100, 100), card_at(158, 100)])
    order = order_by_reading(corners, np.stack([reading(7, 0.9), reading(20, 0.9)]), read, SETTINGS)
    assert np.isnan(order.upper).all()
    assert not order.covered.any()


def test_a_proposal_that_shares_much_of_a_card_may_be_the_card_beneath_it() -> None:
    cards = np.stack([card_at(100, 100), card_at(300, 100)])
    assert occluders_over(card_at(110, 108), cards, SETTINGS) == [0]


def test_a_proposal_that_is_nearly_the_card_itself_is_not_nor_one_that_shares_little() -> None:
    cards = card_at(100, 100)[None]
    assert occluders_over(card_at(101, 101), cards, SETTINGS) == []
    assert occluders_over(card_at(140, 140), cards, SETTINGS) == []


def test_a_proposal_hidden_by_two_cards_is_not_read() -> None:
    cards = np.stack([card_at(100, 100), card_at(114, 100)])
    assert occluders_over(card_at(107, 100), cards, SETTINGS) == []


def test_a_face_read_for_sure_is_believed_once() -> None:
    proposals = np.stack([card_at(100, 100), card_at(104, 100), card_at(300, 100), card_at(500, 100)])
    readings = np.stack([reading(7, 0.9), reading(8, 0.95), reading(9, 0.5), reading(3, 0.99)])
    assert believed_beneath(proposals, readings, {3}, SETTINGS) == [1]


def test_of_two_readings_of_a_covered_card_the_surer_counts_and_a_painted_one_that_shows_nothing_does_not() -> None:
    assert surer(reading(7, 0.6), reading(9, 0.9)).argmax() == 9
    assert surer(reading(7, 0.9), reading(9, 0.6)).argmax() == 7
    whole = reading(7, 0.3)
    assert surer(whole, reading(9, 0.4)) is whole


def test_a_card_found_beneath_lies_under_its_occluders() -> None:
    order = order_by_reading(DEFENCE[None], reading(20, 0.98)[None], read, SETTINGS)
    order = with_beneath(order, np.stack([DEFENCE, ATTACK]), [[0]])
    assert order.upper[0, 1] == 1.0
    assert order.covered[0] == 0
    assert order.covered[1] > 0.3


def test_a_occluder_is_painted_out_of_the_crop_and_the_rest_is_left() -> None:
    picture = np.full((300, 300, 3), 255, np.uint8)
    card, occluder = card_at(100, 100), card_at(100, 142)
    crop = rectify(picture, card[None])[0]
    paint_occluders(crop, card, crop_frame(), [occluder])
    middle = crop.shape[1] // 2
    assert (crop[crop.shape[0] // 4, middle] == 255).all()
    assert tuple(crop[3 * crop.shape[0] // 4, middle]) == OUTSIDE
