"""Hands that came and went again and again without a word are a sign that something went unseen."""

from __future__ import annotations

from dataclasses import replace

from referee.events import Drawn, TableEvent
from tests.vision.observed import hand
from vision.events.hollow_visits import HollowVisits, HollowVisitSettings
from vision.observation import HandVisit

S = HollowVisitSettings()


def came(number: int, lasting_s: float = 1.0) -> HandVisit:
    """A visit of A's hand, ten seconds after the one before."""
    return replace(hand(number, "A", 10.0 * number + lasting_s), came_at=10.0 * number)


def seen(*visits: HandVisit, told: tuple[TableEvent, ...] = ()) -> HollowVisits:
    """All that these visits leave, with what was told after each."""
    hollow = HollowVisits()
    for visit in visits:
        at = 9.9 + 10.0 * visit.number
        hollow.note((visit,), tuple(event for event in told if at - 10 <= event.at < at), at)
    return hollow


def test_one_who_points_is_no_sign_and_many_without_a_word_are() -> None:
    assert not seen(*(came(k) for k in range(1, S.hollow))).are_many
    assert seen(*(came(k) for k in range(1, S.hollow + 1))).are_many


def test_a_hand_of_which_something_was_told_is_none() -> None:
    drawn = tuple(Drawn(at=10.0 * k + 0.8, by="A") for k in range(1, 5))
    assert not seen(*(came(k) for k in range(1, 5)), told=drawn).are_many
    assert seen(*(came(k) for k in range(1, 5)), told=tuple(replace(each, by="B") for each in drawn)).are_many


def test_a_sleeve_that_flits_past_is_no_visit() -> None:
    assert not seen(*(came(k, lasting_s=0.2) for k in range(1, 6))).are_many


def test_visits_long_ago_are_forgotten() -> None:
    hollow = seen(*(came(k) for k in range(1, S.hollow + 1)))
    for k in range(10, 10 + S.visits):
        hollow.note((came(k),), (Drawn(at=10.0 * k + 0.5, by="A"),), 10.0 * k + 5)
    assert not hollow.are_many


def test_a_hand_that_stayed_while_others_came_and_went_counts_once_it_has_left() -> None:
    hollow = HollowVisits()
    long = replace(came(1), left_at=None)
    for k in range(2, S.hollow + 1):
        hollow.note((long, came(k)), (), 10.0 * k + 5)
    assert not hollow.are_many
    hollow.note((replace(long, left_at=50.0),), (), 52.0)
    assert hollow.are_many
