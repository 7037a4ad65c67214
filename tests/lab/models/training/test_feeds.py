"""Training samples: squeezed scenes keep their labels, and outlines over piles are labelled as back or face."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

pytest.importorskip("torch", reason="the extra 'train' is not installed")

from datasets.decks.library import Deck
from datasets.scenes.scene import Scene, load_art
from models.training.classifier import FILMED_TALL_PX, filmed_small, share_of_backs
from models.training.feeds import squeezed_scene
from referee.cards import pack


def test_squeezed_scene_has_the_requested_size_and_matching_labels() -> None:
    face = np.full((120, 84, 4), 255, np.uint8)
    art = load_art([Deck("plain", "own", "english", {str(card): face for card in pack(36)}, face)], None, None)
    shapes, contrast = [], []
    for seed in range(24):
        scene = squeezed_scene(np.random.default_rng(seed), art, seed, (320, 320), (60, 90))
        assert scene.image.shape == (320, 320, 3)
        for quad, visible in zip(scene.corners_px, scene.visible, strict=True):
            if visible < 0.9:
                continue
            shapes.append(np.linalg.norm(quad[1] - quad[0]) / np.linalg.norm(quad[2] - quad[1]))
            mask = np.zeros((320, 320), np.uint8)
            cv2.fillConvexPoly(mask, np.round(quad).astype(np.int32), 1)
            rim = (cv2.dilate(mask, np.ones((15, 15))) > 0) & (cv2.dilate(mask, np.ones((7, 7))) == 0)
            contrast.append(float(scene.image[mask > 0].mean() - scene.image[rim].mean()))
    assert len(shapes) > 10
    assert max(shapes) > 0.95, "some cards are as wide as long"
    assert np.median(np.abs(contrast)) > 15


def test_outline_across_a_pile_is_a_back_unless_a_face_lies_on_it() -> None:
    card = np.array([[40, 40], [100, 40], [100, 124], [40, 124]], np.float32)
    heap = np.stack([card, card + np.float32([25, 10])])
    across = card + np.float32([12, 5])
    image = np.zeros((200, 200, 3), np.uint8)
    assert share_of_backs(Scene(image, heap, ("back", "back"), np.ones(2), "made"), across) > 0.9
    assert share_of_backs(Scene(image, heap, ("back", "9h"), np.ones(2), "made"), across) < 0.5
    assert share_of_backs(Scene(image, heap, ("9h", "back"), np.ones(2), "made"), card) < 0.6
    assert share_of_backs(Scene(image, heap, ("back", "back"), np.ones(2), "made"), card - np.float32([400, 0])) == 0


def test_filmed_scene_has_small_cards_at_its_labels() -> None:
    image = np.full((300, 300, 3), 40, np.uint8)
    card = np.array([[100, 80], [170, 80], [170, 178], [100, 178]], np.float32)
    cv2.fillConvexPoly(image, card.astype(np.int32), (235, 235, 235))
    scene = Scene(image, card[None], ("7s",), np.ones(1, np.float32), "plain")
    for seed in range(8):
        shown = filmed_small(np.random.default_rng(seed), scene)
        (quad,) = shown.corners_px
        assert FILMED_TALL_PX[0] - 2 <= np.linalg.norm(quad[3] - quad[0]) <= FILMED_TALL_PX[1] + 2
        inside = np.zeros(shown.image.shape[:2], np.uint8)
        cv2.fillConvexPoly(inside, np.round(quad).astype(np.int32), 1)
        core, rim = cv2.erode(inside, np.ones((5, 5))) > 0, cv2.dilate(inside, np.ones((7, 7))) == 0
        assert shown.image[core].mean() > 150
        assert shown.image[rim].mean() < 80
    bare = Scene(image, np.zeros((0, 4, 2), np.float32), (), np.zeros(0, np.float32), "bare")
    assert filmed_small(np.random.default_rng(1), bare) is bare
