"""Resting hands that hold cards in the picture."""

from __future__ import annotations

import numpy as np
import pytest

from vision.layout import TableLayout
from vision.motion.cards_in_arm_regions import shifted_cards
from vision.motion.holding_hands import HoldingHands
from vision.motion.motion_report import Arm, MotionReport

SHAPE = (180, 320)
LAYOUT = TableLayout.guessed((640, 360), ("A", "B"))
HAND = np.s_[140:180, 20:80]
NOWHERE = np.zeros(SHAPE, bool)


def at(place: tuple[slice, slice]) -> np.ndarray:
    """Return (rows, columns), true at a place of the reduced picture."""
    spots = NOWHERE.copy()
    spots[place] = True
    return spots


def report(arm: tuple[slice, slice] | None = None) -> MotionReport:
    """Return a frame of 640 by 360 in which motion detection finds one arm or none."""
    labels = np.zeros(SHAPE, np.uint8)
    arms: tuple[Arm, ...] = ()
    if arm is not None:
        labels[arm], arms = 1, (Arm(1, (0.0, 0.0), (0.0, 0.0), 0.1),)
    return MotionReport(0.0, 2.0, arms, labels, NOWHERE, NOWHERE, True)


def holding(*segmentations: tuple[np.ndarray, MotionReport]) -> HoldingHands:
    """Return the holding hands after some segmentations."""
    hands = HoldingHands()
    for arms_seen, motion in segmentations:
        hands.update(arms_seen, motion)
    return hands


def card(x: float, y: float) -> np.ndarray:
    """Return a card of 40 by 56 pixels of the full-size picture."""
    return np.array([[x - 20, y - 28], [x + 20, y - 28], [x + 20, y + 28], [x - 20, y + 28]], np.float32)


def test_hand_in_two_segmentations_without_motion_holds_cards() -> None:
    seen = at(HAND)
    assert holding((seen, report())).hands == (), "one segmentation may be wrong"
    hands = holding((seen, report()), (seen, report()))
    (hand,) = hands.hands
    assert hand.contact == pytest.approx((100, 350), abs=12)
    pose = hands.cards_mm(LAYOUT)["A"]
    assert LAYOUT.px((pose.x_mm, pose.y_mm)) == pytest.approx(hand.tip, abs=1)
    assert hand.tip[1] < 300
    # An entering arm is no holding hand, and hands that it hides are kept.
    assert holding((seen, report(HAND)), (seen, report(HAND))).hands == ()
    hands.update(NOWHERE, report(HAND))
    assert hands.hands
    hands.update(NOWHERE, report())
    hands.update(NOWHERE, report())
    assert hands.hands == ()
    assert hands.beside(LAYOUT) is None


@pytest.mark.parametrize("place", [np.s_[60:100, 100:200], np.s_[175:180, 20:60]])
def test_region_without_edge_contact_or_of_small_size_is_no_hand(place: tuple[slice, slice]) -> None:
    assert holding((at(place), report()), (at(place), report())).hands == ()


def test_back_at_a_holding_hand_belongs_to_no_pile() -> None:
    hands = holding((at(HAND), report()), (at(HAND), report()))
    assert hands.holds(card(180, 300), held=False)
    assert not hands.holds(card(300, 300), held=False)
    assert not HoldingHands().holds(card(180, 300), held=True)


def test_held_back_stays_held_where_the_segmentation_shows_less_of_the_hand() -> None:
    hands = holding((at(HAND), report()), (at(HAND), report()))
    beside = card(240, 300)
    assert not hands.holds(beside, held=False)
    assert hands.holds(beside, held=True)
    assert not hands.holds(card(400, 300), held=True), "a hand that rested near a pile does not keep it for good"


@pytest.mark.parametrize(
    ("still", "arms_seen", "is_shifted"),
    [
        (np.s_[150:180, 82:100], NOWHERE, True),
        (np.s_[150:180, 82:100], at(np.s_[150:180, 90:100]), False),
        (np.s_[150:180, 280:300], NOWHERE, False),
    ],
)
def test_change_beside_a_holding_hand_without_an_arm_is_its_cards(
    still: tuple[slice, slice], arms_seen: np.ndarray, is_shifted: bool
) -> None:
    hands = holding((at(HAND), report()), (at(HAND), report()))
    beside = hands.beside(LAYOUT)
    assert beside is not None
    assert bool(shifted_cards([at(still)], arms_seen, beside).any()) is is_shifted
