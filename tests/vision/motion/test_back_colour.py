"""Draws are recognised by the colours of a card's back in a hand that leaves the talon."""

from __future__ import annotations

import numpy as np
import pytest

from vision.layout import TableLayout
from vision.motion.hand_pass import TalonCall
from vision.motion.hand_track import BackColours
from vision.motion.hand_tracking import HandTracker
from vision.motion.motion_report import Arm, MotionReport

SHAPE = (180, 320)
TALON = np.array([[100, 60], [124, 60], [124, 94], [100, 94]], np.float32)
LAYOUT = TableLayout.guessed(SHAPE[::-1], ("A", "B")).measured(TALON[None])
SKIN, BACK, TABLE = (120, 150, 200), (190, 60, 40), (60, 90, 110)


def picture(arm_x: float | None, holds: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the table with its talon, an arm from the right edge whose tip is at ``arm_x``, and its mask."""
    image = np.full((*SHAPE, 3), TABLE, np.uint8)
    image[60:94, 100:124] = BACK
    mask = np.zeros(SHAPE, np.uint8)
    if arm_x is not None:
        tip = int(arm_x)
        image[70:86, tip:], mask[70:86, tip:] = SKIN, 1
        if holds:
            image[62:92, tip - 14 : tip + 6], mask[62:92, tip - 14 : tip + 6] = BACK, 1
    return image, mask


def frame(at: float, arm_x: float | None, holds: bool = False) -> MotionReport:
    image, mask = picture(arm_x, holds)
    nothing = np.zeros(SHAPE, bool)
    arms = () if arm_x is None else (Arm(1, (319.0, 78.0), (float(arm_x), 78.0), float(mask.mean())),)
    return MotionReport(at, 1.0, arms, mask, nothing, nothing, False, picture=image)


def carried(brings: bool, takes: bool) -> float | None:
    """Return the reported probability that a hand reached for the talon and came away with a card."""
    (call,) = calls(LAYOUT.with_piles(TALON, ()), brings, takes)
    return call.carried


def calls(layout: TableLayout, brings: bool = False, takes: bool = True) -> tuple[TalonCall, ...]:
    """Return the reaches for the talon of a hand that comes to it and goes."""
    hands = HandTracker()
    at = 0.0
    ways = [None, None, 260, 200, 160, 135, 112, 112, 135, 160, 200, 260, None]
    for step, x in enumerate(ways):
        hands.update(frame(at, x, brings if step < 6 else takes if step > 7 else False), layout)
        at += 0.04
    (visit,) = hands.visits(layout)
    return visit.talon_calls


@pytest.mark.parametrize(
    ("brings", "takes", "least", "most"),
    [
        (False, True, 0.3, 1.2),
        (False, False, -0.05, 0.05),
        (True, False, -1.2, -0.3),
    ],
)
def test_probability_differs_for_drawing_pointing_and_returning(
    brings: bool, takes: bool, least: float, most: float
) -> None:
    drawn_share = carried(brings, takes)
    assert drawn_share is not None
    assert least <= drawn_share <= most


def test_undetected_talon_may_lie_a_card_beyond_the_visible_turn_up() -> None:
    turnup = TALON + np.float32([45, 0])
    assert calls(LAYOUT.with_piles(turnup, ())) == ()
    assert len(calls(LAYOUT.with_piles(turnup, (), 88.0))) == 1


def test_no_probability_before_the_talon_was_seen() -> None:
    assert BackColours().like_it(frame(0.0, 200), np.ones(SHAPE, np.uint8)) is None


@pytest.mark.parametrize(("frames_away", "count"), [(4, 1), (16, 2)])
def test_hand_that_frays_at_the_talon_reaches_once(frames_away: int, count: int) -> None:
    hands, layout, at = HandTracker(), LAYOUT.with_piles(TALON, ()), 0.0
    for x in [None, 260, 200, 135, 112, 112, *[150] * frames_away, 112, 112, 135, 200, 260, None]:
        hands.update(frame(at, x), layout)
        at += 0.04
    (visit,) = hands.visits(layout)
    assert len(visit.talon_calls) == count
    assert visit.talon_calls[-1].at == pytest.approx(0.04 * (7 + frames_away))
