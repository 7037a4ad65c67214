"""Parts of an arm region that are cards on the table."""

from __future__ import annotations

import numpy as np
import pytest

from vision.motion.cards_in_arm_regions import CardRead, CardSpots, held_and_free, table_among
from vision.motion.motion_report import MotionSettings

TIMES_S = (MotionSettings().ask_s, MotionSettings().sure_s)

SHAPE = (90, 160)
CARD = np.array([[60, 50], [80, 50], [80, 90], [60, 90]], np.float32)
NOBODY = np.zeros(SHAPE, bool)


def spots(x: int, y: int, wide: int, tall: int) -> np.ndarray:
    out = np.zeros(SHAPE, bool)
    out[y : y + tall, x : x + wide] = True
    return out


LABELS = (spots(50, 40, 40, 50)).astype(np.uint8)
"""Region of an arm from the lower edge, with a card as part of it."""


def table(
    is_at_rest: bool, arms: np.ndarray | None, quiet_s: float = 0.0, before: np.ndarray | None = None
) -> np.ndarray:
    places = [CardSpots.of(CardRead(CARD, is_at_rest), LABELS, 1.0)]
    held_before = [] if before is None else held_and_free(places, before, LABELS, [])[0]
    _, lying = held_and_free(places, arms, LABELS, held_before)
    still = [LABELS > 0] if arms is None else []
    return table_among(lying, still, NOBODY, LABELS, np.full(SHAPE, quiet_s, np.float32), TIMES_S)


def test_card_under_fingers_is_held_even_if_still() -> None:
    assert not table(True, spots(62, 75, 16, 15) | spots(50, 60, 12, 30), quiet_s=9.0).any()


@pytest.mark.parametrize(
    ("is_at_rest", "quiet_s", "lies"), [(True, 0.0, True), (False, 0.5, True), (False, 0.1, False)]
)
def test_card_without_an_arm_nearby_must_only_be_at_rest(is_at_rest: bool, quiet_s: float, lies: bool) -> None:
    assert table(is_at_rest, NOBODY, quiet_s).any() == lies


def test_print_of_finger_colour_is_no_hand() -> None:
    assert table(True, spots(66, 60, 8, 10)).any()


def test_unchanged_arm_region_is_no_arm() -> None:
    assert table(True, spots(60, 0, 20, 60) & ~spots(50, 40, 40, 50)).any()


@pytest.mark.parametrize(("quiet_s", "lies"), [(0.5, False), (1.5, True)])
def test_card_must_be_still_longer_without_segmentation(quiet_s: float, lies: bool) -> None:
    assert table(True, None, quiet_s).any() == lies


BESIDE = spots(50, 60, 9, 30)
"""Hand close to the card and not on it."""


@pytest.mark.parametrize(
    ("was_held", "is_at_rest", "lies"), [(True, True, True), (False, True, False), (True, False, False)]
)
def test_card_that_stays_when_the_hand_leaves_is_on_the_table(was_held: bool, is_at_rest: bool, lies: bool) -> None:
    fingers = spots(62, 75, 16, 15) | spots(50, 60, 12, 30)
    assert table(is_at_rest, BESIDE, before=fingers if was_held else NOBODY).any() == lies
