"""Duplicate suppression: of several proposals of one card, the one with the surest reading stays."""

from __future__ import annotations

import numpy as np

from vision.detection.detections import BACK_INDEX, CLASS_NAMES, NOTHING_INDEX
from vision.detection.finder import suppress_duplicates


def card_at(x: float, y: float, width: float = 60.0, height: float = 84.0) -> np.ndarray:
    return np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height]], np.float32)


def crosswise(x: float, y: float) -> np.ndarray:
    return np.roll(card_at(x, y, 84.0, 60.0), 1, axis=0)


def readings(*named: tuple[int, float]) -> np.ndarray:
    """Return (n, 54): for each proposal the class and its share; the rest goes to "nothing"."""
    rows = np.zeros((len(named), len(CLASS_NAMES)), np.float32)
    for row, (index, share) in zip(rows, named, strict=True):
        row[NOTHING_INDEX] = 1 - share
        row[index] = share
    return rows


def chosen(quads: list[np.ndarray], confidence: list[float], named: np.ndarray) -> list[int]:
    return suppress_duplicates(np.array(quads), np.array(confidence, np.float32), named).tolist()


def test_proposal_with_the_surer_reading_stays_whatever_its_confidence() -> None:
    quads = [card_at(100, 100), card_at(104, 98)]
    assert chosen(quads, [0.9, 0.6], readings((7, 0.6), (8, 0.99))) == [1]


def test_part_of_a_card_is_dropped() -> None:
    quads = [card_at(100, 100), card_at(105, 105, 34, 48)]
    assert chosen(quads, [0.8, 0.8], readings((7, 0.98), (20, 0.55))) == [0]


def test_small_proposal_with_the_surer_reading_stays() -> None:
    quads = [card_at(90, 90, 110, 154), card_at(100, 100)]
    assert chosen(quads, [0.8, 0.8], readings((20, 0.4), (7, 0.98)))[0] == 1


def test_crossed_defence_and_attack_both_stay() -> None:
    quads = [card_at(100, 100), crosswise(88, 112)]
    assert sorted(chosen(quads, [0.9, 0.9], readings((7, 0.98), (20, 0.97)))) == [0, 1]


def test_nested_cards_with_equally_sure_readings_both_stay() -> None:
    quads = [card_at(100, 100), card_at(108, 106, 45, 63)]
    assert sorted(chosen(quads, [0.9, 0.9], readings((7, 0.9), (20, 0.88)))) == [0, 1]


def test_overlapping_proposals_of_one_face_are_merged() -> None:
    quads = [card_at(100, 100), card_at(118, 112), card_at(400, 100)]
    assert chosen(quads, [0.9, 0.8, 0.7], readings((7, 0.98), (7, 0.95), (7, 0.9))) == [0, 2]
    assert chosen(quads, [0.9, 0.8, 0.7], readings((7, 0.98), (8, 0.95), (9, 0.9))) == [0, 1, 2]


def test_no_card_readings_are_dropped_and_backs_stay() -> None:
    quads = [card_at(100, 100), card_at(300, 100)]
    assert chosen(quads, [0.9, 0.9], readings((BACK_INDEX, 0.95), (3, 0.3))) == [0]


def test_no_proposals_give_no_cards() -> None:
    none = suppress_duplicates(np.zeros((0, 4, 2), np.float32), np.zeros(0, np.float32), readings())
    assert none.tolist() == []


def test_turn_up_under_the_talon_stays_if_both_are_read_surely() -> None:
    quads = [card_at(100, 100), card_at(100, 118)]  # three fifths and more of their union
    assert chosen(quads, [0.8, 0.7], readings((BACK_INDEX, 0.99), (7, 0.95))) == [0, 1]
    assert chosen(quads, [0.8, 0.7], readings((BACK_INDEX, 0.99), (7, 0.6))) == [0]
    assert chosen(quads, [0.8, 0.7], readings((9, 0.99), (7, 0.95))) == [0]
