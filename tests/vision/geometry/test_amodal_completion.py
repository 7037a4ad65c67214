"""Completion of outlines that are cut at a neighbour's edge; whole cards stay unchanged."""

from __future__ import annotations

import numpy as np
import pytest

from vision.geometry.amodal_completion import (
    CompletionSettings,
    completed_outlines,
    is_whole,
    plane_of_whole_cards,
    rigid_card,
)
from vision.geometry.quads import CARD_HEIGHT_MM, CARD_WIDTH_MM, Array, iou, warp

CARD = (CARD_WIDTH_MM, CARD_HEIGHT_MM)
PICTURE = (1280, 720)
ASLANT = np.array([[2.4, 0.3, 420.0], [-0.2, 1.9, 250.0], [0.0001, 0.0006, 1.0]])
"""Homography from table mm to px for an oblique camera."""
SETTINGS = CompletionSettings()


def card(x: float, y: float, turn: float = 0.0) -> Array:
    return rigid_card(x, y, turn, CARD)


def px(*quads_mm: Array) -> Array:
    return np.stack([warp(ASLANT, quad) for quad in quads_mm]).astype(np.float32)


WHOLE = card(0, 0)
ACROSS = card(0, 35, np.pi / 2)
"""Lies across the lower end of ``WHOLE``, which goes on under it."""
CUT = np.array([WHOLE[0], WHOLE[1], [31.5, 3.5], [-31.5, 3.5]], np.float32)
"""Visible part of ``WHOLE``."""
OTHERS = (card(150, -20, 0.3), card(160, 110, -0.5))


@pytest.mark.parametrize("others", [(), OTHERS], ids=["two cards alone", "with whole cards elsewhere"])
def test_outline_cut_at_a_neighbours_edge_is_completed_under_it(others: tuple[Array, ...]) -> None:
    (completed,) = completed_outlines(px(CUT, ACROSS, *others), PICTURE, SETTINGS)
    assert (completed.which, completed.under) == (0, 1)
    assert iou(completed.corners_px, px(WHOLE)[0]) > 0.95


def test_completion_tolerates_corner_noise() -> None:
    rng = np.random.default_rng(5)
    found = px(CUT, ACROSS, *OTHERS) + rng.normal(0, 2.0, (4, 4, 2)).astype(np.float32)
    (completed,) = completed_outlines(found, PICTURE, SETTINGS)
    assert completed.which == 0
    assert iou(completed.corners_px, px(WHOLE)[0]) > 0.85


@pytest.mark.parametrize(
    "quads",
    [
        (WHOLE, card(66, 0), *OTHERS),
        (WHOLE, card(0, 60, 0.5), *OTHERS),
        (WHOLE, ACROSS, *OTHERS),
        (),
        (WHOLE,),
    ],
    ids=["side by side", "end to end", "whole already", "no card", "one card"],
)
def test_whole_cards_are_not_completed(quads: tuple[Array, ...]) -> None:
    found = px(*quads) if quads else np.zeros((0, 4, 2), np.float32)
    assert completed_outlines(found, PICTURE, SETTINGS) == []


def test_small_outline_away_from_all_cards_is_not_completed() -> None:
    apart = CUT + np.float32([0, -120])
    assert completed_outlines(px(apart, ACROSS, *OTHERS), PICTURE, SETTINGS) == []


def test_partial_cards_do_not_change_the_plane() -> None:
    found = px(CUT, ACROSS, CUT + np.float32([-150, 0]), *OTHERS)
    plane = plane_of_whole_cards(found, PICTURE, SETTINGS)
    assert plane is not None
    laid = [warp(plane.to_mm, quad) for quad in found]
    assert [is_whole(quad, SETTINGS) for quad in laid] == [False, True, False, True, True]
    assert plane_of_whole_cards(found[:0], PICTURE, SETTINGS) is None
