"""Duplicate suppression: of several proposals of one card, the one with the surest reading stays."""

from __future__ import annotations

import numpy as np
import pytest

from vision.detection.detections import BACK_INDEX, CLASS_NAMES, FACE_COUNT, NOTHING_INDEX
from vision.detection.finder import classify_distinct, suppress_duplicates
from vision.geometry.quads import area, iou


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


def kept_of_all(corners: np.ndarray, confidence: np.ndarray, named: np.ndarray) -> list[int]:
    """Suppress duplicates among classified proposals, the best first, by the rules in words."""
    score = named[:, :NOTHING_INDEX].max(axis=1) * np.sqrt(confidence)
    kept: list[int] = []
    for index in np.argsort(-score, kind="stable").tolist():
        if named[index, NOTHING_INDEX] >= 0.5:
            continue
        for other in kept:
            best = {int(named[index].argmax()), int(named[other].argmax())}
            both_faces = max(best) < FACE_COUNT
            sure = min(named[index].max(), named[other].max()) >= 0.9
            a_back_and_a_face = BACK_INDEX in best and min(best) < FACE_COUNT
            limit = (0.25 if len(best) == 1 else 0.6) if both_faces else 0.8 if a_back_and_a_face and sure else 0.6
            sizes = [area(quad) for quad in (corners[index], corners[other])]
            shared = iou(corners[index], corners[other])
            is_part = shared / (1 + shared) * sum(sizes) > 0.85 * min(sizes) and score[index] < 0.7 * score[other]
            if shared >= limit or is_part:
                break
        else:
            kept.append(index)
    return kept


@pytest.mark.parametrize("seed", range(60))
def test_the_same_cards_are_kept_whatever_is_left_unclassified(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cards = rng.uniform(80, 320, (int(rng.integers(1, 9)), 2))
    quads, names = [], []
    for _ in range(40):
        which = int(rng.integers(len(cards)))
        size = rng.choice([1.0, 1.0, 1.0, 0.5]) * (1 + rng.normal(0, 0.05))
        quads.append(card_at(*(cards[which] + rng.normal(0, rng.choice([2, 8, 20]), 2)), 60 * size, 84 * size))
        names.append(which if rng.random() < 0.8 else int(rng.choice([BACK_INDEX, NOTHING_INDEX, 20])))
    shares = rng.choice([0.999, 0.98, 0.92, 0.7, 0.4], 40)
    named = np.full((40, len(CLASS_NAMES)), 1e-6, np.float32)
    named[:, NOTHING_INDEX] = 1 - shares
    named[np.arange(40), names] = shares
    corners, confidence = np.stack(quads).astype(np.float32), rng.uniform(0.3, 0.97, 40).astype(np.float32)
    asked: list[int] = []

    def classify(which: np.ndarray) -> np.ndarray:
        asked.extend(which.tolist())
        return named[which]

    kept, readings = classify_distinct(corners, confidence, classify)
    assert kept.tolist() == kept_of_all(corners, confidence, named)
    assert kept.tolist() == suppress_duplicates(corners, confidence, named).tolist()
    assert np.array_equal(readings[kept], named[kept])
    assert len(asked) == len(set(asked)), "nothing is classified twice"


def test_proposals_that_a_certain_card_suppresses_are_not_classified() -> None:
    corners = np.stack([card_at(100 + shift, 100) for shift in (0, 2, 5, 14, 60)])
    named = readings((7, 0.999), (8, 0.9), (7, 0.9), (BACK_INDEX, 0.95), (9, 0.9))
    asked: list[int] = []

    def classify(which: np.ndarray) -> np.ndarray:
        asked.extend(which.tolist())
        return named[which]

    confidence = np.array([0.95, 0.8, 0.8, 0.8, 0.8], np.float32)
    kept, _ = classify_distinct(corners, confidence, classify)
    assert kept.tolist() == [0, 3, 4], "a talon may hide most of its turn-up"
    assert sorted(asked) == [0, 3, 4]
