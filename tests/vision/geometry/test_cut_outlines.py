"""Completion of cards that the picture's edge cuts."""

from __future__ import annotations

import numpy as np
import pytest

from vision.geometry.amodal_completion import beyond_the_edge, is_cut
from vision.geometry.quads import iou, warp

PICTURE = (640, 360)
TILTED = np.array([[0.9, 0.05, -20.0], [0.02, 1.1, 10.0], [0.0001, 0.0004, 1.0]])


def card(x: float, y: float, turn_deg: float) -> np.ndarray:
    """Return corners (4, 2) of a card on the table, in millimetres."""
    turn = np.radians(turn_deg)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    corners = np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]]) @ spin.T
    return np.asarray(corners + np.array([x, y]), np.float32)


@pytest.mark.parametrize("roll", range(4))
@pytest.mark.parametrize(
    ("middle", "turn_deg"), [((300, 345), 0), ((300, 345), 6), ((10, 180), 90), ((632, 180), 3), ((300, 10), 2)]
)
def test_card_cut_by_the_picture_edge_is_completed(middle: tuple[float, float], turn_deg: float, roll: int) -> None:
    whole_px = np.roll(card(*middle, turn_deg), roll, axis=0)
    found_px = np.clip(whole_px, 0, np.array(PICTURE) - 1).astype(np.float32)
    guess = beyond_the_edge(found_px, np.eye(3), PICTURE)
    assert guess is not None
    assert iou(guess, whole_px) > 0.9 > iou(found_px, whole_px)
    assert np.abs(guess - whole_px).max() < 12, "its corners keep their order"


def test_completion_follows_the_perspective_of_a_tilted_plane() -> None:
    whole_px = warp(np.linalg.inv(TILTED), card(250, 330, 4))
    height = float(whole_px[:, 1].min() + 0.6 * np.ptp(whole_px[:, 1]))
    found_px = whole_px.copy()
    for inner, outer in ((1, 2), (0, 3)):
        share = (height - whole_px[inner, 1]) / (whole_px[outer, 1] - whole_px[inner, 1])
        found_px[outer] = whole_px[inner] + share * (whole_px[outer] - whole_px[inner])
    guess = beyond_the_edge(found_px, TILTED, (640, round(height)))
    assert guess is not None
    assert iou(guess, whole_px) > 0.95


@pytest.mark.parametrize(
    "quad",
    [
        card(300, 180, 0),
        np.clip(card(300, 317, 0), 0, 359),  # it only touches the edge
        np.clip(card(635, 355, 0), 0, (639, 359)),  # cut at a corner
        np.clip(card(300, 400, 0), 0, 359),  # a sliver
        np.clip(card(300, 345, 0), 0, 359) * (0.6, 1) + (100, 0),  # narrower than any card
    ],
)
def test_whole_or_ambiguous_outlines_stay_unchanged(quad: np.ndarray) -> None:
    assert beyond_the_edge(quad.astype(np.float32), np.eye(3), PICTURE) is None


def test_card_with_a_corner_at_the_edge_is_cut() -> None:
    assert [is_cut(card(300, y, 0), PICTURE) for y in (180, 314, 345, 400)] == [False, True, True, True]
