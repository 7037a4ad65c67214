"""A defence seen by one look and then swept away: no play, and yet enough not to accuse."""

from __future__ import annotations

import numpy as np
import pytest

from vision.detection.detections import BACK_INDEX, CLASS_NAMES
from vision.events.glimpses import Glimpses, GlimpseSettings
from vision.tracking.track import Track

CARD = np.array([[0, 0], [60, 0], [60, 90], [0, 90]], np.float32)
SIX, NINE = CLASS_NAMES.index("6c"), CLASS_NAMES.index("9c")


def card(key: int, name: int, x: float = 0.0, looks: int = 1, sure: float = 5.0, found: float = 0.9) -> Track:
    track = Track(key, CARD + np.float32([x, 0]), 1.0, 0.5, seen_at=1.0, looks=looks, confidence=found, weight=1.0)
    track.evidence = np.full(len(CLASS_NAMES), -3.0)
    track.evidence[name] = sure
    return track


ATTACK = card(1, SIX, looks=4)


def lately(first: list[Track], second: list[Track], after_s: float = 1.0) -> bool:
    glimpses = Glimpses(GlimpseSettings())
    glimpses.note(first, 1.0)
    glimpses.note(second, 1.5)
    return glimpses.lately(1.0 + after_s)


def test_a_defence_found_once_and_then_gone_is_a_glimpse_for_a_while() -> None:
    assert lately([ATTACK, card(2, NINE, 20)], [ATTACK])
    assert lately([ATTACK, card(2, NINE, 20)], [])
    assert not lately([ATTACK, card(2, NINE, 20)], [ATTACK], after_s=7.0)


def test_until_the_next_look_is_due_it_is_none() -> None:
    glimpses = Glimpses(GlimpseSettings())
    glimpses.note([ATTACK, card(2, NINE, 20)], 1.0)
    assert not glimpses.lately(1.1)


def test_a_card_that_is_seen_again_is_told_as_others_are() -> None:
    assert not lately([ATTACK, card(2, NINE, 20)], [ATTACK, card(2, NINE, 20, looks=2)])


@pytest.mark.parametrize(
    "seen",
    [
        card(2, NINE, 200),
        card(2, BACK_INDEX, 20),
        card(2, NINE, 20, sure=-2.0),
        card(2, NINE, 20, found=0.4),
    ],
    ids=["beside", "a back", "read badly", "hardly found"],
)
def test_what_may_be_anything_is_none(seen: Track) -> None:
    assert not lately([ATTACK, seen], [ATTACK])


def test_two_cards_in_a_hand_that_nobody_knows_are_none() -> None:
    assert not lately([card(2, NINE, 20), card(3, SIX, 0)], [])
