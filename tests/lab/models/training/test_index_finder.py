"""Index finder: labels of indices, and cards reconstructed from its proposals."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="the extra 'train' is not installed")

from datasets.scenes.scene import Scene
from models.training.index_finder import cards_from, index_scene, zones
from vision.geometry.quads import iou

CARD = np.array([[40, 40], [103, 40], [103, 128], [40, 128]], np.float32)


def scene(quads: list[np.ndarray], names: list[str]) -> Scene:
    image = np.zeros((220, 320, 3), np.uint8)
    return Scene(image, np.array(quads, np.float32), tuple(names), np.ones(len(quads), np.float32), "made")


def test_both_indices_of_a_face_are_labelled_and_none_of_a_back() -> None:
    reported = index_scene(scene([CARD, CARD + np.float32([120, 0])], ["7s", "back"]))
    assert reported.names == ("7s", "7s")
    np.testing.assert_allclose(reported.corners_px, zones(CARD))


def test_covered_or_outside_index_is_not_labelled() -> None:
    over = index_scene(scene([CARD, CARD + np.float32([-30, -40])], ["7s", "Ts"]))
    assert over.names.count("7s") == 1
    cut = index_scene(scene([CARD - np.float32([60, 60])], ["7s"]))
    assert cut.names == ("7s",)


def test_two_indices_determine_a_card_and_one_gives_two_candidates() -> None:
    (both,) = cards_from(zones(CARD))
    assert len(both) == 1
    assert iou(both[0], CARD) > 0.95
    for zone in zones(CARD):
        (alone,) = cards_from(zone[None])
        assert len(alone) == 2
        assert max(iou(quad, CARD) for quad in alone) > 0.95


def test_indices_of_neighbouring_cards_are_not_joined() -> None:
    neighbour = CARD + np.float32([90, 10])
    cards = cards_from(np.concatenate([zones(CARD), zones(neighbour)]))
    assert [len(card) for card in cards] == [1, 1]
    assert sorted(max(iou(card[0], own) for own in (CARD, neighbour)) > 0.95 for card in cards) == [True, True]
