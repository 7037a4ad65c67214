"""Whose play it was where nobody could be told: the one who may, of those whose hands were there, or nobody."""

from __future__ import annotations

import pytest

from referee.cards import Card
from referee.events import Drawn, Lifted, Placed, TableEvent
from vision.events.whose import by_right
from vision.observation import HandVisit

BEAT = Placed(at=5.0, card=Card.parse("9s"), on=Card.parse("7s"))
ATTACK = Placed(at=5.0, card=Card.parse("9s"))
DRAW = Drawn(at=5.0, count=1)


def hand(
    seat: str | None, number: int = 1, came: float = 4.0, left: float | None = 5.2, likely: str = "A"
) -> HandVisit:
    return HandVisit(number, seat, 0.9 if seat else 0.55, came, left, likely)


def only(*seats: str | None):
    """It is a fault of all others."""
    return lambda event: event.by not in seats


@pytest.mark.parametrize("event", [BEAT, ATTACK, DRAW])
def test_of_two_whose_arms_crossed_it_was_the_one_who_may(event: TableEvent) -> None:
    hands = (hand("A"), hand("B", 2))
    assert by_right(event, hands, only("B")).by == "B"  # type: ignore[attr-defined]
    assert by_right(event, hands, only("A", "B")) == event, "either may have"
    assert by_right(event, hands, only("C")) == event, "neither may: nobody is accused for want of another"


def test_whoever_was_seen_is_not_asked_about() -> None:
    seen = Placed(at=5.0, card=Card.parse("9s"), by="A")
    assert by_right(seen, (hand("A"), hand("B", 2)), only("B")) == seen


@pytest.mark.parametrize(
    "there", [hand("B", came=5.5), hand("B", left=3.0)], ids=["came afterwards", "had left before"]
)
def test_a_hand_that_was_not_there_did_nothing(there: HandVisit) -> None:
    assert by_right(BEAT, (there,), only("B")) == BEAT
    assert by_right(BEAT, (hand("B", left=None),), only("B")).by == "B"  # type: ignore[attr-defined]


def test_an_arm_between_two_seats_beats_or_draws_by_right_but_attacks_for_nobody() -> None:
    between = (hand(None, likely="B"),)
    assert by_right(BEAT, between, only("B")).by == "B"  # type: ignore[attr-defined]
    assert by_right(DRAW, between, only("B")).by == "B"  # type: ignore[attr-defined]
    assert by_right(DRAW, between, only("A")) == DRAW
    assert by_right(ATTACK, between, only("B")) == ATTACK


def test_nothing_else_is_named_by_right() -> None:
    lifted = Lifted(at=5.0, card=Card.parse("9s"))
    assert by_right(lifted, (hand("A"),), only("A")) == lifted
