"""Detour of a hand that carries cards."""

from __future__ import annotations

from dataclasses import replace

import pytest

from vision.actions.attribution import detour_mm
from vision.geometry.pose import Pose
from vision.motion.hand_pass import HandPass

HOME = Pose(0.0, 500.0)
CARDS = (Pose(0.0, 0.0), Pose(120.0, 0.0))


def visit(*trail: tuple[float, float, float]) -> HandPass:
    """Return a hand whose arm leaves the picture below."""
    return HandPass(1, "A", 1.0, 0.0, 4.0, trail=trail, homes=(HOME,))


@pytest.mark.parametrize(
    ("trail", "far"),
    [
        (((1.0, 0.0, 0.0), (1.2, 0.0, 200.0), (1.4, 0.0, 450.0)), 0.0),
        (((1.0, 0.0, 0.0), (1.1, 120.0, 0.0), (1.4, 0.0, 450.0)), 0.0),
        (((1.0, 0.0, 0.0), (1.2, -150.0, 100.0), (1.4, 0.0, 450.0)), 150.0),
        (((1.0, 0.0, 0.0), (1.2, 0.0, -90.0), (1.4, 0.0, 450.0)), 90.0),
        (((0.5, 300.0, 0.0), (1.0, 0.0, 0.0), (1.4, -10.0, 450.0)), 10.0),
        ((), 0.0),
    ],
)
def test_detour_is_measured_beside_the_cards_and_the_ways_home(
    trail: tuple[tuple[float, float, float], ...], far: float
) -> None:
    assert detour_mm(visit(*trail), 0.9, CARDS) == pytest.approx(far)


def test_way_to_the_cards_in_the_other_hand_is_no_detour() -> None:
    trail = ((1.0, 0.0, 0.0), (1.2, -150.0, 50.0), (1.4, -300.0, 100.0), (1.6, -150.0, 300.0), (1.8, 0.0, 500.0))
    there = replace(visit(*trail), homes=(Pose(-300.0, 100.0), HOME))
    assert detour_mm(there, 0.9, CARDS) == pytest.approx(0.0, abs=1e-6)
    assert detour_mm(visit(*trail), 0.9, CARDS) == pytest.approx(300.0)


def test_detour_is_unknown_without_the_places_of_the_cards() -> None:
    assert detour_mm(visit((1.0, 300.0, 0.0)), 0.9, ()) == 0.0
