"""How far aside a hand went on its way home."""

from __future__ import annotations

import pytest

from referee.table import HandVisit, Pose
from vision.detour import detour_mm

HOME = Pose(0.0, 500.0)


def visit(*trail: tuple[float, float, float]) -> HandVisit:
    """A hand whose arm leaves the picture below."""
    return HandVisit(1, "A", 1.0, 0.0, 4.0, trail=trail, home=HOME)


@pytest.mark.parametrize(
    ("trail", "far"),
    [
        (((1.0, 0.0, 0.0), (1.2, 0.0, 200.0), (1.4, 0.0, 450.0)), 0.0),
        (((1.0, 0.0, 0.0), (1.2, 150.0, 100.0), (1.4, 0.0, 450.0)), 150.0),
        (((1.0, 0.0, 0.0), (1.2, 0.0, -90.0), (1.4, 0.0, 450.0)), 90.0),
        (((0.5, 300.0, 0.0), (1.0, 0.0, 0.0), (1.05, 80.0, 0.0), (1.4, 10.0, 450.0)), 10.0),
        ((), 0.0),
    ],
)
def test_only_what_lies_beside_the_way_home_counts(trail: tuple[tuple[float, float, float], ...], far: float) -> None:
    assert detour_mm(visit(*trail), 1.0, 0.1) == pytest.approx(far)
