"""Random faces: each has its rank and suit at varying places; excluded layouts never occur in training."""

from __future__ import annotations

import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.decks.deck_art import RANK_COLUMNS, SUIT_ROWS
from datasets.faces.arrangement import KEPT_OUT, LEAST, RELATIONS, arrange
from datasets.faces.face import LotStyle
from datasets.faces.fillings import nothing
from datasets.faces.lot_art import LotFaces, side_by_side
from datasets.faces.signs import Signs, load_signs
from datasets.scenes.scene import load_art
from vision.geometry.quads import intersection_area

draws = pytest.mark.skipif(shutil.which("rsvg-convert") is None, reason="rsvg-convert isn't on this machine")


def block(number: int) -> np.ndarray:
    """Return a sign that differs from all others: a bar code of its number."""
    mask = np.zeros((60, 48), np.uint8)
    for bit in range(6):
        mask[bit * 10 : bit * 10 + 8, : 48 if number >> bit & 1 else 12] = 255
    return mask


SIGNS = Signs(
    ({rank: block(index + 1) for index, rank in enumerate(RANK_COLUMNS)},),
    ("english",),
    ({suit: block(index + 33) for index, suit in enumerate(SUIT_ROWS)},),
)


@pytest.mark.parametrize("relation", [*RELATIONS, *KEPT_OUT])
def test_rank_and_suit_are_inside_the_card_and_large_enough(relation: str) -> None:
    for seed in range(150):
        marks = arrange(np.random.default_rng(seed), 0.68, relation).marks
        assert {mark.sign for mark in marks} == {"rank", "suit"}
        for mark in marks:
            left, top, right, bottom = mark.box()
            assert min(left, top) > -0.02, (seed, mark)
            assert right < 0.70, (seed, mark)
            assert bottom < 1.02, (seed, mark)
            assert mark.sign == "suit" or mark.tall > LEAST * 0.4, (seed, mark)


def test_excluded_relation_never_occurs_in_training() -> None:
    met = {arrange(np.random.default_rng(seed), 0.7).relation for seed in range(400)}
    assert met == set(RELATIONS)
    assert not met & set(KEPT_OUT)


@pytest.mark.parametrize("relation", ["above", "right", "apart", "inside", "scattered"])
def test_cards_of_a_deck_differ_only_at_their_signs(relation: str) -> None:
    style = LotStyle(np.random.default_rng(5), SIGNS, relation)
    style.filling = nothing
    first, second = style.face("7s").astype(int), style.face("8s").astype(int)
    differs = np.abs(first - second).max(axis=2) > 30
    assert differs.any()
    height, _width = differs.shape
    for mark in style.arrangement.marks:
        if mark.sign == "rank":
            x0, y0, x1, y1 = (round(value * height) for value in mark.box())
            assert differs[max(y0, 0) : y1, max(x0, 0) : x1].any(), mark
            differs[max(0, y0 - 12) : y1 + 12, max(0, x0 - 12) : x1 + 12] = False
    assert not differs.any()


def test_six_and_nine_are_underlined_if_ambiguous() -> None:
    seen = {True: 0, False: 0}
    for seed in range(40):
        style = LotStyle(np.random.default_rng(seed), SIGNS, "above")
        style.filling = nothing
        ranks = [mark for mark in style.arrangement.marks if mark.sign == "rank"]
        seen[style.arrangement.needs_line] += 1
        both_ways = {0, 2} <= {mark.turn % 4 for mark in ranks} or {1, 3} <= {mark.turn % 4 for mark in ranks}
        assert style.arrangement.needs_line != both_ways
    assert min(seen.values()) > 3


def test_cards_side_by_side_do_not_overlap() -> None:
    half = np.array([[-28, -44], [28, -44], [28, 44], [-28, 44.0]])
    for seed in range(50):
        quads = []
        for pose in side_by_side(np.random.default_rng(seed), 4):
            cos, sin = np.cos(pose.turn), np.sin(pose.turn)
            quads.append((half @ np.array([[cos, sin], [-sin, cos]]) + (pose.x, pose.y)).astype(np.float32))
        for i, quad in enumerate(quads):
            assert all(intersection_area(quad, other) < 200 for other in quads[:i])


def test_scene_of_random_faces_has_labels() -> None:
    art = load_art([], None, None)
    faces = LotFaces(SIGNS, {suit: [] for suit in SUIT_ROWS}, 1.0)
    scenes = [faces.scene(np.random.default_rng(seed), art, seed, (256, 256)) for seed in range(12)]
    assert all(scene.image.shape == (256, 256, 3) for scene in scenes)
    assert {name for scene in scenes for name in scene.names} - {"back"} <= {
        r + s for r in RANK_COLUMNS for s in SUIT_ROWS
    }
    assert all(scene.deck.startswith("lot-") for scene in scenes)


@draws
def test_signs_are_drawn_completely_and_cached(tmp_path: Path) -> None:
    drawn = load_signs(3, 2, 2, tmp_path)
    stored = load_signs(3, 2, 2, tmp_path)
    assert len(drawn.writings) >= 1
    assert len(drawn.suits) == 2
    for writing, again in zip(drawn.writings, stored.writings, strict=True):
        assert set(writing) == set(RANK_COLUMNS)
        assert all(np.array_equal(writing[rank], again[rank]) for rank in writing)
        small = {rank: cv2.resize(mask, (24, 32)) > 127 for rank, mask in writing.items()}
        assert all((small[a] != small[b]).mean() > 0.02 for a in small for b in small if a < b)
