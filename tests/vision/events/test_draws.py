"""Draws: hands at the talon and their alternatives."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee.events import Drawn
from tests.vision.observed import BARE, doubts, hand, lying
from vision.events.talon_events import DrawContext, Draws
from vision.observation import HandVisit, TalonCall

PLAIN = DrawContext(is_dealt=True, is_leaving=False, is_doubtful=False, swept_at={})


def caller(carried: float | None = None, at: float = 4.0) -> tuple[HandVisit, ...]:
    """Return B's hand that was at the talon."""
    return (hand(3, "B", at + 0.3, talon_calls=(TalonCall(at, 20.0, carried),)),)


def test_draw_is_reported_after_the_time_for_a_return() -> None:
    draws = Draws(5)
    assert draws.update(BARE, caller(), 4.1, PLAIN) == []
    (drawn,) = draws.update(BARE, caller(), 4.2, PLAIN)
    assert drawn.event == Drawn(at=4.0, by="B", count=1)
    assert draws.talon == 4
    assert draws.update(BARE, caller(), 9.0, PLAIN) == []


@pytest.mark.parametrize(
    ("carried", "words"),
    [
        (None, "not known what was carried"),
        (0.05, "nothing was carried"),
        (0.1, "little was carried"),
        (0.3, "a part of a card was carried"),
        (0.9, "a card was carried"),
    ],
)
def test_cue_of_a_draw_is_the_carried_colour(carried: float | None, words: str) -> None:
    (drawn,) = Draws(5).update(BARE, caller(carried), 9.0, PLAIN)
    assert doubts(drawn)[f"drawn: {words}"] == {"nothing": None, "two": {"count": 2}, "three": {"count": 3}}


@pytest.mark.parametrize(
    ("carried", "context"),
    [
        (-0.25, PLAIN),
        (0.5, replace(PLAIN, is_dealt=False)),
        (0.5, replace(PLAIN, swept_at={3: 3.1})),
    ],
)
def test_hand_with_another_purpose_draws_nothing(carried: float, context: DrawContext) -> None:
    draws = Draws(5)
    assert draws.update(BARE, caller(carried), 9.0, context) == []
    assert draws.update(BARE, caller(0.5), 9.5, PLAIN) == []
    assert draws.talon == 5


def test_draw_waits_while_cards_have_an_unknown_destination() -> None:
    draws = Draws(5)
    assert draws.update(BARE, caller(), 9.0, replace(PLAIN, is_leaving=True)) == []
    assert len(draws.update(BARE, caller(), 9.1, PLAIN)) == 1


def test_draw_during_a_bout_waits_for_an_inference_without_the_hand() -> None:
    draws = Draws(5)
    bout = replace(BARE, at=4.0, bout=(lying(2, "7s"),))
    assert draws.update(bout, caller(), 4.6, PLAIN) == []
    assert draws.asks_at == 4.3
    assert len(draws.update(replace(bout, at=4.5), caller(), 4.6, PLAIN)) == 1


def test_only_the_turn_up_is_drawn_from_a_bare_turn_up() -> None:
    draws = Draws(1)
    bare = replace(BARE, at=4.5, talon=None)
    assert draws.update(bare, caller(), 4.6, PLAIN) == []
    assert draws.asks_at == 4.0
    assert draws.talon == 1


def test_visit_used_for_the_turn_up_is_no_other_draw() -> None:
    draws = Draws(5)
    draws.spend(caller()[0])
    draws.spend(None)
    assert draws.update(BARE, caller(), 9.0, PLAIN) == []
    draws.put_back(1)
    assert draws.talon == 6
