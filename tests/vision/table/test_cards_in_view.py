"""How a card is seen at one inference: beside later cards, under arms, after hands."""

from __future__ import annotations

import numpy as np
import pytest

from vision.table.cards_in_view import CardSight, CardsInView, Visits
from vision.table.track import FrameFacts, Track

SHAPE = (90, 160)
CARD = np.array([[20, 20], [39, 20], [39, 49], [20, 49]], np.float32)
ANYWHERE = Visits(None, 0.0, 1.0)


def card(key: int, right_px: int) -> Track:
    return Track(key, CARD + np.float32([right_px, 0]), 1.0, 0.5, seen_at=2.0)


def sights(*tracks: Track, arms: slice = slice(0), visits: Visits = ANYWHERE) -> dict[int, CardSight]:
    """Return how these cards are seen at 3 s. ``arms``: columns of the picture that an arm hides."""
    facts = FrameFacts(3.0, np.zeros(SHAPE, bool), 1.0, np.zeros(SHAPE, bool))
    facts.arms[:, arms] = True
    return CardsInView(tracks, facts).sights(visits)


def test_arm_and_later_card_hide_their_parts_of_a_card() -> None:
    lower, upper = sights(card(1, 0), card(2, 10), arms=slice(20, 25)).values()
    assert (lower.visible, lower.uncovered, lower.arm) == (0.25, 0.5, 0.25)
    assert (upper.visible, upper.uncovered, upper.arm) == (1.0, 1.0, 0.0)


@pytest.mark.parametrize(
    ("covered_px", "arm_px", "is_covered", "is_under_arm"),
    [(14, 0, False, False), (16, 8, False, False), (4, 9, True, True)],
)
def test_card_is_covered_by_cards_and_under_an_arm_by_arms(
    covered_px: int, arm_px: int, is_covered: bool, is_under_arm: bool
) -> None:
    lower = sights(card(1, 0), card(2, covered_px), arms=slice(20, 20 + arm_px))[1]
    assert (lower.is_covered, lower.is_under_arm) == (is_covered, is_under_arm)


def test_card_outside_the_picture_is_neither_covered_nor_seen() -> None:
    outside = sights(card(1, 500))[1]
    assert outside.is_outside
    assert (outside.visible, outside.is_covered) == (0.0, False)


@pytest.mark.parametrize(
    ("hand_at", "touched", "handled", "is_visited"),
    [(2.8, 1.0, 1.0, True), (2.2, 1.0, 0.0, False), (1.5, 0.0, 0.0, False)],
)
def test_hands_touch_a_card_since_it_was_found_and_since_the_inference_before(
    hand_at: float, touched: float, handled: float, is_visited: bool
) -> None:
    seen = sights(card(1, 0), visits=Visits(np.full(SHAPE, hand_at), 2.5, 0.5))[1]
    assert (seen.touched, seen.handled, seen.is_visited) == (touched, handled, is_visited)


def test_hands_may_be_anywhere_until_they_were_seen() -> None:
    seen = sights(card(1, 0))[1]
    assert (seen.touched, seen.handled, seen.is_visited) == (1.0, 1.0, False)
