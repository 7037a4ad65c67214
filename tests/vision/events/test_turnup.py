"""State machine of the turn-up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee.cards import Card
from referee.events import Dealt, Drawn, Swapped
from tests.vision.observed import BARE, TURNUP, doubts, hand, lying
from vision.events.talon_events import Turnup, TurnupPhase
from vision.observation import Gone, Observation, Touch

NONE = replace(BARE, turnup=None)
GONE = replace(NONE, at=2.0, gone=(Gone(TURNUP.key, 1.9, (Touch(1, 0.9, 20, 1.9),)),))
LOWEST = replace(lying(5, "6h", 1, clear_at=1.8), confidence=0.99)


def turnup(*, is_dealt: bool = True, seen: Observation = BARE) -> Turnup:
    """Return a turn-up after the first observation."""
    made = Turnup(is_dealt)
    made.begin(seen)
    return made


def test_new_turn_up_ends_the_deal_once() -> None:
    for is_dealt in (False, True):
        made = turnup(is_dealt=is_dealt, seen=NONE)
        assert made.phase is (TurnupPhase.UNSEEN if is_dealt else TurnupPhase.UNDEALT)
        change = made.update(NONE, replace(BARE, at=3.0), (), None)
        assert made.phase is TurnupPhase.LYING
        if is_dealt:
            assert change is None
        else:
            assert change is not None
            assert change.event == Dealt(at=3.0, turnup=Card.parse("9h"))


@pytest.mark.parametrize(("talon", "count"), [(1, 1), (2, 2), (3, 1), (None, 1)])
def test_lifted_turn_up_is_drawn_or_unseen_until_another_is_there(talon: int | None, count: int) -> None:
    made = turnup()
    change = made.update(BARE, GONE, (hand(1, "B"),), talon)
    assert change is not None
    assert change.event == Drawn(at=1.9, by="B", count=count, card=Card.parse("9h"))
    assert change.visit is not None
    assert made.phase is TurnupPhase.UNSEEN
    assert made.card is None
    assert made.update(GONE, replace(BARE, at=4.0), (), talon) is None
    assert made.phase is TurnupPhase.LYING


def test_turn_up_beside_the_talon_is_being_exchanged() -> None:
    beside = replace(GONE, bout=(lying(7, "9h"),))
    made = turnup()
    assert made.update(BARE, beside, (), 5) is None
    assert made.phase is TurnupPhase.LYING
    # With the talon gone it was drawn and played.
    assert turnup().update(BARE, replace(beside, talon=None), (), 1) is not None


@pytest.mark.parametrize(
    ("pulled", "confidence", "is_reported"), [(False, 0.7, False), (False, 0.95, True), (True, 0.7, True)]
)
def test_changed_turn_up_is_a_swap_if_read_surely_or_seen_in_a_hand(
    pulled: bool, confidence: float, is_reported: bool
) -> None:
    made = turnup()
    held = replace(BARE, at=1.5, turnup_pulled=pulled)
    assert made.update(BARE, held, (), 5) is None
    other = replace(BARE, at=2.0, turnup=replace(LOWEST, confidence=confidence))
    change = made.update(held, other, (hand(1, "A"),), 5)
    assert (change is not None) is is_reported
    if change is not None:
        assert change.event == Swapped(at=1.8, card=Card.parse("6h"), by="A")
        cue = "swapped: both read well" if confidence >= 0.9 else "swapped: one read badly"
        assert doubts(change.evidence)[cue] == {"nothing": None}
        assert made.card == Card.parse("6h")


@pytest.mark.parametrize(("card", "left_at", "waits"), [("6h", None, True), ("6h", 1.9, False), ("Kh", None, False)])
def test_lower_trump_beside_a_resting_hand_may_be_for_a_swap(card: str, left_at: float | None, waits: bool) -> None:
    down = lying(5, card, 1, clear_at=1.8)
    assert turnup().may_be_exchanging(down, (hand(1, "A", left_at),), 2.0) is waits
    assert not turnup().may_be_exchanging(down, (hand(1, "A", left_at),), 5.8)
