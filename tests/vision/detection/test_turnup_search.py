"""Search for the turn-up beneath a stack: possible places, and acceptance only of a new face."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from vision.detection.classifier import CardClassifier
from vision.detection.detections import BACK_INDEX, CLASS_NAMES, NOTHING_INDEX, Detections
from vision.detection.finder import CornerRefiner, RefineSettings, is_card_shaped
from vision.detection.turnup_search import (
    TurnupSearch,
    accepted_turnups,
    backs_to_search,
    stayed,
    turnup_places,
)
from vision.geometry.quads import iou

STACK = np.array([[100, 100], [163, 100], [163, 188], [100, 188]], np.float32)


def read_as(*classes: int) -> np.ndarray:
    rows = np.full((len(classes), len(CLASS_NAMES)), 0.001, np.float32)
    rows[np.arange(len(classes)), classes] = 1
    return rows / rows.sum(axis=1, keepdims=True)


def test_turn_up_is_searched_on_both_sides_of_a_stack() -> None:
    left, right = turnup_places(STACK[None])
    assert is_card_shaped(np.stack([left, right])).all()
    for quad in (left, right):
        size = quad.max(axis=0) - quad.min(axis=0)
        np.testing.assert_allclose(size, [88, 63], atol=0.01)
        assert np.linalg.norm(quad[1] - quad[0]) < np.linalg.norm(quad[2] - quad[1]), "0-1 is a short edge"
    assert left[:, 0].mean() < 131.5 < right[:, 0].mean()
    assert 0.2 < iou(right, STACK) < 0.6


def test_only_sure_backs_are_searched() -> None:
    probabilities = read_as(3, BACK_INDEX, NOTHING_INDEX, BACK_INDEX)
    assert sorted(backs_to_search(probabilities).tolist()) == [1, 3]


def test_turn_up_is_accepted_only_if_a_face_is_read() -> None:
    assert accepted_turnups(read_as(12, NOTHING_INDEX)) == [0]
    assert accepted_turnups(read_as(BACK_INDEX, BACK_INDEX)) == []


def test_only_unmoved_places_without_a_card_are_read() -> None:
    sought = turnup_places(STACK[None])
    assert stayed(sought, sought, STACK[None]) == [0, 1]
    assert stayed(sought, sought, np.stack([STACK, sought[0] + 2])) == [1], "already detected, not reported twice"
    assert stayed(sought, sought + np.array([60, 0], np.float32), STACK[None]) == []


def test_table_without_backs_has_no_turn_up() -> None:
    none = np.zeros((0, 4, 2), np.float32)
    assert turnup_places(none).shape == (0, 4, 2)
    assert backs_to_search(np.zeros((0, len(CLASS_NAMES)), np.float32)).tolist() == []


class Reads:
    """A network that reads each crop as one class, and counts the crops."""

    def __init__(self, index: int) -> None:
        self.index, self.crops = index, 0

    def run(self, batch: np.ndarray) -> np.ndarray:
        self.crops += len(batch)
        return read_as(*[self.index] * len(batch))


def detections(*cards: tuple[np.ndarray, int]) -> Detections:
    quads, classes = np.stack([quad for quad, _ in cards]), [index for _, index in cards]
    return Detections(quads, np.ones(len(cards), np.float32), read_as(*classes))


def search_with(network: Reads) -> TurnupSearch:
    return TurnupSearch(CornerRefiner(cast(Any, None), RefineSettings(passes=0)), CardClassifier(network))


def test_back_without_a_turn_up_is_searched_again_once_its_surroundings_change() -> None:
    table = np.random.default_rng(1).integers(0, 255, (300, 300, 3)).astype(np.uint8)
    network = Reads(NOTHING_INDEX)
    search, seen = search_with(network), detections((STACK, BACK_INDEX))
    assert len(search.find(table, seen)) == len(search.find(table, seen)) == 0
    assert network.crops == 2
    table[110:180, 170:190] = 0
    search.find(table, seen)
    assert network.crops == 3, "only the side that changed is classified again"


def test_turn_up_that_the_finder_missed_is_found_in_every_picture() -> None:
    table = np.zeros((300, 300, 3), np.uint8)
    search, seen = search_with(Reads(7)), detections((STACK, BACK_INDEX))
    assert [len(search.find(table, seen)) for _ in range(2)] == [2, 2]


def test_turn_up_that_the_finder_found_is_not_searched() -> None:
    network = Reads(7)
    seen = detections((STACK, BACK_INDEX), (turnup_places(STACK[None])[0], 12), (STACK + 120, BACK_INDEX))
    assert len(search_with(network).find(np.zeros((400, 400, 3), np.uint8), seen)) == 0
    assert network.crops == 0
