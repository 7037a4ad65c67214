"""Attribution of cards to hands."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.vision.observed import hand, lying
from vision.events.evidence import fitting_touches, visit_that_laid, visit_that_took
from vision.observation import Touch


def test_fitting_touches_are_near_and_wide_and_sorted_by_distance() -> None:
    touched = (Touch(1, 0.9, 60, 1.0), Touch(2, 0.9, 20, 1.0), Touch(3, 0.9, 116, 1.0), Touch(4, 0.19, 20, 1.0))
    assert [touch.visit for touch in fitting_touches(touched)] == [2, 1]


@pytest.mark.parametrize(
    ("seats", "second_mm", "number"),
    [("AB", 50.0, None), ("AB", 76.0, 1), ("AA", 50.0, 1), ("A", 0.0, 1), ("", 0.0, None)],
)
def test_clearly_nearer_hand_took_the_card(seats: str, second_mm: float, number: int | None) -> None:
    touched = (Touch(1, 0.9, 30.0, 1.0), Touch(2, 0.9, second_mm, 1.0))[: len(seats)]
    visit = visit_that_took(touched, [hand(k, seat) for k, seat in enumerate(seats, start=1)])
    assert (None if visit is None else visit.number) == number


def test_later_of_two_hand_tracks_of_a_seat_laid_the_card() -> None:
    card = replace(lying(2, "7s", 1), touched=(Touch(1, 0.9, 30.0, 1.0), Touch(2, 0.9, 40.0, 1.5)))
    visits = [hand(1, "A"), replace(hand(2, "A"), came_at=1.2)]
    visit = visit_that_laid(card, [card], visits)
    assert visit is not None
    assert visit.number == 2


def test_forgotten_hand_gives_no_seat() -> None:
    card = lying(2, "7s", 1)
    assert visit_that_laid(card, [card], [hand(5, "B")]) is None
    assert visit_that_took(card.touched, [hand(5, "B")]) is None
