"""Check of the camera's view, with synthetic pictures that have known problems."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from webapp.live.cameras import SeatHints, tilt_deg, view_problems

TABLE = (70, 110, 90)
rng = np.random.default_rng(1)


def table(brightness: float = 1.0) -> np.ndarray:
    """Return a wooden table, 1280 x 720, without cards."""
    grain = rng.normal(0, 14, (720, 1280, 1))
    return np.clip((np.array(TABLE) + grain) * brightness, 0, 249).astype(np.uint8)


def cards(height_px: float, squeeze: float = 1.0) -> np.ndarray:
    """Return four upright cards of this height, seen obliquely if ``squeeze`` is below 1."""
    wide, tall = height_px * 63 / 88, height_px
    corners = np.array([[0, 0], [wide, 0], [wide, tall * squeeze], [0, tall * squeeze]], np.float32)
    turns = [np.array([300 + 180 * n, 300], np.float32) for n in range(4)]
    return np.stack([corners + at for at in turns])


def kinds(image: np.ndarray, quads: np.ndarray) -> list[str]:
    return [problem.kind for problem in view_problems(image, quads)]


def test_good_view_has_no_problem() -> None:
    assert kinds(table(), cards(120)) == []


@pytest.mark.parametrize(
    ("image", "quads", "kind"),
    [
        (table(0.3), cards(120), "dark"),
        (table(), cards(50), "small"),
        (table(), cards(130, squeeze=0.55), "tilted"),
        (table(), np.zeros((0, 4, 2), np.float32), "no-cards"),
        (np.full((720, 1280, 3), 120, np.uint8), np.zeros((0, 4, 2), np.float32), "blurred"),
    ],
)
def test_worst_problem_is_reported_first(image: np.ndarray, quads: np.ndarray, kind: str) -> None:
    assert kinds(image, quads)[0] == kind


def test_lamp_reflection_is_glare_and_white_card_is_not() -> None:
    image, quads = table(), cards(150)
    for quad in quads:
        cv2.fillConvexPoly(image, quad.astype(np.int32), (255, 255, 255))
    assert kinds(image, quads) == []
    cv2.circle(image, (200, 600), 60, (255, 255, 255), -1)
    (problem,) = view_problems(image, quads)
    assert problem.kind == "glare"
    left, top, width, height = problem.box or (0, 0, 0, 0)
    assert left < 200 / 1280 < left + width
    assert top < 600 / 720 < top + height


@pytest.mark.parametrize("tilt", [0.0, 30.0, 60.0])
def test_tilt_is_measured_for_any_card_rotation(tilt: float) -> None:
    card = np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]])
    quads = []
    for turn in np.radians([0, 25, 70, 130]):
        spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        quads.append((card @ spin.T) * [2, 2 * np.cos(np.radians(tilt))])
    assert tilt_deg(np.array(quads)) == pytest.approx(tilt, abs=0.1)


def test_hands_suggest_seats_in_clockwise_order() -> None:
    hints, still = SeatHints(), table()
    for _ in range(3):
        hints.feed(still)
    for left, top, right, bottom in ((560, 420, 700, 720), (0, 300, 400, 420)) * 3:
        image = still.copy()
        image[top:bottom, left:right] = (200, 210, 230)
        hints.feed(image)
        hints.feed(still)
    turns = hints.turns_deg
    assert len(turns) == 2
    assert turns[0] == pytest.approx(90, abs=15)
    assert turns[1] == pytest.approx(180, abs=15)
