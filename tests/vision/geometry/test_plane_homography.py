"""Homography of the table plane from cards, and the table layout that uses it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vision.geometry.pose import Pose
from vision.geometry.quads import align, centre, fit_table, iou, overlap, warp
from vision.layout import TableLayout, seat_angle, seat_shares


def camera(points_mm: np.ndarray, tilt_deg: float) -> np.ndarray:
    """Project table mm to pixels of a 1280 x 720 camera that points down at an angle."""
    tilt, focal, distance = math.radians(tilt_deg), 1100.0, 900.0
    depth = distance - points_mm[..., 1] * math.cos(tilt)
    return np.stack(
        [640 + focal * points_mm[..., 0] / depth, 360 + focal * points_mm[..., 1] * math.sin(tilt) / depth], axis=-1
    )


def cards(count: int, tilt_deg: float, noise_px: float = 0.8, seed: int = 0) -> np.ndarray:
    """Return cards (count, 4, 2) lying anyhow, found to about a pixel."""
    chance = np.random.default_rng(seed)
    quads = []
    for _ in range(count):
        turn = chance.uniform(0, math.pi)
        spin = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
        corners = np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]]) @ spin.T
        quads.append(camera(corners + chance.uniform([-280, -160], [280, 160]), tilt_deg))
    return (np.array(quads) + chance.normal(0, noise_px, (count, 4, 2))).astype(np.float32)


@pytest.mark.parametrize("tilt_deg", [40, 55, 75, 90])
def test_eight_cards_determine_the_table_plane(tilt_deg: float) -> None:
    fit = fit_table(cards(8, tilt_deg), (1280, 720))
    assert fit.cards == 8
    grid = np.array([[x, y] for x in (-250.0, 0, 250) for y in (-150.0, 0, 150)])
    found = warp(fit.to_mm, camera(grid, tilt_deg)).astype(np.float64)
    true = np.linalg.norm(grid[:, None] - grid[None], axis=-1)
    seen = np.linalg.norm(found[:, None] - found[None], axis=-1)
    assert np.abs(true - seen).max() < 12
    assert np.abs(found[4]).max() < 2  # the middle of the picture is the origin


def test_outlier_card_does_not_change_the_plane() -> None:
    quads = cards(9, 60)
    quads[0] *= 1.15
    fit = fit_table(quads, (1280, 720))
    good = warp(fit.to_mm, quads[4])
    assert np.linalg.norm(good[0] - good[1]) == pytest.approx(63, abs=3)


def test_one_card_gives_a_plane_and_no_card_an_error() -> None:
    fit = fit_table(cards(1, 90), (1280, 720))
    assert np.isfinite(fit.to_mm).all()
    with pytest.raises(ValueError, match="at least one card"):
        fit_table(np.zeros((0, 4, 2), np.float32), (1280, 720))


def test_pose_and_pixel_conversions_are_inverse() -> None:
    quads = cards(6, 60, noise_px=0.0)
    layout = TableLayout.guessed((1280, 720), ("A", "B")).measured(quads)
    for quad in quads:
        pose = layout.pose(quad)
        assert iou(layout.card_px(pose), quad) > 0.93
    assert layout.cards_measured == 6


def test_seats_are_ordered_clockwise_from_the_bottom_edge() -> None:
    layout = TableLayout.guessed((1280, 720), ("A", "B", "C", "D"))
    towards = {"A": (640, 720), "B": (0, 360), "C": (640, 0), "D": (1280, 360)}
    for seat, point in towards.items():
        shares = layout.seat_shares(point)
        assert max(shares, key=lambda name: shares[name]) == seat
        x, y = layout.seat_direction(seat)
        assert (x * (point[0] - 640) + y * (point[1] - 360)) > 0


def test_direction_between_two_seats_gives_equal_shares() -> None:
    shares = seat_shares(120.0, {seat: seat_angle(place, 6) for place, seat in enumerate("ABCDEF")})
    assert shares["A"] == pytest.approx(shares["B"])
    assert max(shares.values()) < 0.6


def test_align_treats_half_a_turn_as_the_same_card() -> None:
    quad = cards(1, 60)[0]
    assert np.array_equal(align(np.roll(quad, 2, axis=0), quad), quad)


def test_overlap_is_relative_to_the_smaller_card_and_centre_is_the_diagonals_crossing() -> None:
    card = np.array([[0, 0], [63, 0], [63, 88], [0, 88]], np.float32)
    assert overlap(card, card + np.float32([0, 44])) == pytest.approx(0.5)
    assert overlap(card, card + np.float32([100, 0])) == 0
    assert iou(card, card) == pytest.approx(1)
    seen = camera(card.astype(np.float64) + 50, 45).astype(np.float32)
    middle = camera(np.array([31.5, 44]) + 50.0, 45)
    assert centre(seen) == pytest.approx(middle, abs=0.05)


def test_distance_is_between_centres() -> None:
    assert Pose(0, 0, 10).distance_mm(Pose(3, 4, 80)) == 5


def test_plane_is_refitted_after_cards_moved() -> None:
    quads = cards(5, 60)
    first, same = fit_table(quads, (1280, 720)), fit_table(quads.copy(), (1280, 720))
    assert np.array_equal(first.to_mm, same.to_mm)
    with pytest.raises(ValueError, match="read-only"):
        first.to_mm[0, 0] = 0
    quads *= 0.5
    assert not np.allclose(fit_table(quads, (1280, 720)).to_mm, first.to_mm, rtol=0.1)
