"""Outlines cut at a neighbour's edge are completed; whole cards, gaps and strips are left alone."""

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
from vision.geometry.plane_homography import CARD_HEIGHT_MM, CARD_WIDTH_MM
from vision.geometry.quads import Array, iou, warp

CARD = (CARD_WIDTH_MM, CARD_HEIGHT_MM)
PICTURE = (1280, 720)
ASLANT = np.array([[2.4, 0.3, 420.0], [-0.2, 1.9, 250.0], [0.0001, 0.0006, 1.0]])
"""Table mm to px of a camera that looks at the table aslant."""
SETTINGS = CompletionSettings()


def card(x: float, y: float, turn: float = 0.0) -> Array:
    return rigid_card(x, y, turn, CARD)


def px(*quads_mm: Array) -> Array:
    return np.stack([warp(ASLANT, quad) for quad in quads_mm]).astype(np.float32)


WHOLE = card(0, 0)
ACROSS = card(0, 35, np.pi / 2)
"""Lies across the lower end of ``WHOLE``, which goes on under it."""
CUT = np.array([WHOLE[0], WHOLE[1], [31.5, 3.5], [-31.5, 3.5]], np.float32)
"""As much of ``WHOLE`` as shows."""
OTHERS = (card(150, -20, 0.3), card(160, 110, -0.5))


@pytest.mark.parametrize("others", [(), OTHERS], ids=["two cards alone", "with whole cards elsewhere"])
def test_a_card_cut_at_a_neighbours_edge_goes_on_under_it(others: tuple[Array, ...]) -> None:
    (told,) = completed_outlines(px(CUT, ACROSS, *others), PICTURE, SETTINGS)
    assert (told.which, told.under) == (0, 1)
    assert iou(told.corners_px, px(WHOLE)[0]) > 0.95


def test_corners_found_a_little_off_are_completed_too() -> None:
    rng = np.random.default_rng(5)
    found = px(CUT, ACROSS, *OTHERS) + rng.normal(0, 2.0, (4, 4, 2)).astype(np.float32)
    (told,) = completed_outlines(found, PICTURE, SETTINGS)
    assert told.which == 0
    assert iou(told.corners_px, px(WHOLE)[0]) > 0.85


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
def test_whole_cards_stay_as_they_are(quads: tuple[Array, ...]) -> None:
    found = px(*quads) if quads else np.zeros((0, 4, 2), np.float32)
    assert completed_outlines(found, PICTURE, SETTINGS) == []


def test_a_small_thing_apart_from_every_card_is_not_completed() -> None:
    apart = CUT + np.float32([0, -120])
    assert completed_outlines(px(apart, ACROSS, *OTHERS), PICTURE, SETTINGS) == []


def test_cards_found_in_part_do_not_bend_the_plane() -> None:
    found = px(CUT, ACROSS, CUT + np.float32([-150, 0]), *OTHERS)
    plane = plane_of_whole_cards(found, PICTURE, SETTINGS)
    assert plane is not None
    laid = [warp(plane.to_mm, quad) for quad in found]
    assert [is_whole(quad, SETTINGS) for quad in laid] == [False, True, False, True, True]
    assert plane_of_whole_cards(found[:0], PICTURE, SETTINGS) is None
