"""Scenes depend only on their seed and have matching labels. Faces here are plain colours, so no deck is needed."""

from __future__ import annotations

import shutil

import cv2
import numpy as np
import pytest

from datasets.decks.library import Deck
from datasets.scenes import scene as scene_module
from datasets.scenes.bending import bend, corners_of, outline_of
from datasets.scenes.camera import TableCamera, look_at_table
from datasets.scenes.layouts import LAYOUTS, ScenePose
from datasets.scenes.light import expose
from datasets.scenes.no_cards import KINDS, no_card_picture
from datasets.scenes.scene import Art, load_art, make_scene
from referee.cards import pack
from vision.detection.finder import is_card_shaped


@pytest.fixture(scope="module")
def art() -> Art:
    face = np.full((120, 84, 4), 255, np.uint8)
    faces = {str(card): face for card in pack(36)}
    back = face.copy()
    back[..., :2] = 40
    return load_art([Deck("plain", "own", "english", faces, back)], None, None)


def test_scene_depends_only_on_its_seed(art: Art) -> None:
    one, again, other = make_scene(art, 7), make_scene(art, 7), make_scene(art, 8)
    assert (one.image == again.image).all()
    assert (one.corners_px == again.corners_px).all()
    assert one.names == again.names
    assert one.image.shape == (416, 416, 3)
    assert (one.image != other.image).any()


def test_labelled_cards_are_sufficiently_visible(art: Art) -> None:
    for seed in range(40):
        scene = make_scene(art, seed, min_visible=0.2)
        assert len(scene.names) == len(scene.corners_px) == len(scene.visible)
        assert (scene.visible >= 0.2).all()
        assert (scene.visible <= 1.0).all()
        assert is_card_shaped(scene.corners_px).all()


def test_inverted_deck_swaps_dark_and_light(art: Art, monkeypatch: pytest.MonkeyPatch) -> None:
    lone = [ScenePose(0, 0, 0.3)]

    def middle(seed: int, share: float) -> float:
        monkeypatch.setattr(scene_module, "SWAPPED", share)
        scene = make_scene(art, seed, (320, 320), (90, 120), poses=lone, min_visible=-1.0)
        mask = np.zeros(scene.image.shape[:2], np.uint8)
        cv2.fillConvexPoly(mask, np.round(scene.corners_px[0]).astype(np.int32), 1)
        return float(scene.image[mask > 0].mean())

    assert np.mean([middle(seed, 1.0) for seed in range(8)]) < 0.6 * np.mean([middle(seed, 0.0) for seed in range(8)])


def test_camera_exposure_rises_in_the_dark() -> None:
    for seed in range(30):
        image = expose(np.random.default_rng(seed), np.full((40, 40, 3), 12.0, np.float32))
        assert np.percentile(image, 95) >= 44


def test_label_matches_the_place_of_the_card(art: Art) -> None:
    lone = [ScenePose(0, 0, 0.3)]
    inside, outside = [], []
    for seed in range(12):
        scene = make_scene(art, seed, (320, 320), (90, 120), poses=lone)
        if len(scene.names) != 1 or scene.visible[0] < 0.95:
            continue
        mask = np.zeros(scene.image.shape[:2], np.uint8)
        cv2.fillConvexPoly(mask, np.round(scene.corners_px[0]).astype(np.int32), 1)
        core = cv2.erode(mask, np.ones((9, 9))) > 0
        rim = (cv2.dilate(mask, np.ones((25, 25))) > 0) & (cv2.dilate(mask, np.ones((9, 9))) == 0)
        inside.append(scene.image[core].std(axis=0).mean())
        outside.append(np.abs(scene.image[core].mean(axis=0) - scene.image[rim].mean(axis=0)).max())
    assert len(inside) >= 5
    assert np.median(outside) > 20, "the card differs from what surrounds its label"


@pytest.mark.parametrize("maker", [maker for maker, _ in LAYOUTS])
def test_every_arrangement_contains_cards(maker) -> None:
    for seed in range(10):
        assert maker(np.random.default_rng(seed))


def test_lens_distortion_moves_corners_with_the_picture() -> None:
    camera = TableCamera(np.eye(3), (200, 200), bend=0.06)
    image = np.zeros((200, 200, 3), np.uint8)
    cv2.circle(image, (160, 150), 3, (255, 255, 255), -1)
    ys, xs = np.nonzero(camera.bend_picture(image)[..., 0] > 120)
    np.testing.assert_allclose([xs.mean(), ys.mean()], camera.distort(np.array([[160.0, 150.0]]))[0], atol=0.7)


@pytest.mark.parametrize("elevation", [30, 60, 90])
def test_card_at_the_origin_has_the_requested_height(elevation: float) -> None:
    camera = look_at_table(np.random.default_rng(3), (640, 480), 100, elevation)
    ring = np.array([[44 * np.cos(a), 44 * np.sin(a)] for a in np.linspace(0, 2 * np.pi, 90)])
    seen = camera.to_px(ring)
    widths = np.linalg.norm(seen - seen.mean(axis=0), axis=1)
    assert widths.max() * 2 == pytest.approx(100, rel=0.15)


def test_raised_points_are_nearer_to_the_camera() -> None:
    camera = look_at_table(np.random.default_rng(3), (800, 600), 150, 90.0)
    flat = np.array([[-30.0, -40, 0], [30, -40, 0], [30, 40, 0], [-30, 40, 0]])
    assert camera.lifted_px(flat) == pytest.approx(camera.to_px(flat[:, :2]), abs=0.01)
    lifted = camera.lifted_px(flat + np.array([0, 0, 40]))
    assert cv2.contourArea(lifted) > 1.05 * cv2.contourArea(camera.to_px(flat[:, :2]))


@pytest.mark.parametrize("seed", range(8))
def test_bent_card_keeps_its_corners_and_has_no_gaps(seed: int) -> None:
    rng = np.random.default_rng(seed)
    camera = look_at_table(rng, (600, 600), 200, 50.0)
    strips = bend(rng, camera, ScenePose(0, 0, 0.4), (60.0, 88.0))
    canvas = np.zeros((600, 600), np.uint8)
    for strip in strips:
        cv2.fillPoly(canvas, [np.round(strip.quad).astype(np.int32)], 1)
    whole = np.zeros_like(canvas)
    cv2.fillPoly(whole, [np.round(outline_of(strips)).astype(np.int32)], 1)
    assert (canvas != whole).mean() < 0.002
    ends = corners_of(strips)
    assert is_card_shaped(ends[None]).all()
    assert cv2.contourArea(ends) == pytest.approx(float(whole.sum()), rel=0.35)


@pytest.mark.skipif(shutil.which("rsvg-convert") is None, reason="rsvg-convert isn't on this machine")
def test_every_kind_of_picture_without_cards_has_content() -> None:
    art = load_art([], None, None)
    drawn = dict(no_card_picture(art, 2 * number) for number in range(len(KINDS) - 1))
    assert set(drawn) == set(KINDS) - {"table"}
    assert [kind for kind, image in drawn.items() if kind != "plain" and image.std() < 2] == []
