"""The state of a card after an inference: a pure function of its odds and of how it was seen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from vision.table.card_states import next_state
from vision.table.cards_in_view import CardSight
from vision.table.filter_model import FilterSettings
from vision.table.track import CardState, Misses, Track

MODEL = FilterSettings()
IN_PLAIN_VIEW = CardSight(1.0, 1.0, 0.0, 0.0, 0.0, is_outside=False, is_visited=False, is_changed=False)
COVERED = replace(IN_PLAIN_VIEW, visible=0.1, uncovered=0.1)
MISSED = replace(IN_PLAIN_VIEW, is_missed=True)
CLAIMED, ON_TABLE, HELD, DRAWN, GONE = (
    CardState.CLAIMED,
    CardState.ON_TABLE,
    CardState.HELD,
    CardState.DRAWN,
    CardState.GONE,
)


def card(state: CardState, odds: float, still: int = 2, misses: int = 0, **more: Any) -> Track:
    track = Track(1, np.zeros((4, 2), np.float32), 1.0, 0.5, state=state, odds=odds, still=still, **more)
    track.misses = Misses(misses, 2.0, -4.0 * misses)
    return track


@pytest.mark.parametrize(
    ("track", "sight", "after"),
    [
        (card(CLAIMED, 3.0), IN_PLAIN_VIEW, ON_TABLE),
        (card(CLAIMED, 3.0, still=1), IN_PLAIN_VIEW, CLAIMED),
        (card(CLAIMED, 1.0), IN_PLAIN_VIEW, CLAIMED),
        (card(CLAIMED, -1.0), IN_PLAIN_VIEW, GONE),
        (card(CLAIMED, -1.0, still=1), IN_PLAIN_VIEW, CLAIMED),
        (card(CardState.EXPECTED, 3.5), IN_PLAIN_VIEW, ON_TABLE),
    ],
)
def test_new_card_is_on_the_table_once_it_is_likely_and_at_rest(
    track: Track, sight: CardSight, after: CardState
) -> None:
    assert next_state(track, sight, MODEL) is after


@pytest.mark.parametrize(
    ("is_laid_over", "open_inferences", "after"), [(True, 1, ON_TABLE), (False, 1, CLAIMED), (True, 0, CLAIMED)]
)
def test_card_found_once_and_covered_by_a_later_one_was_laid(
    is_laid_over: bool, open_inferences: int, after: CardState
) -> None:
    track = card(CLAIMED, 3.0, still=1, open_inferences=open_inferences)
    assert next_state(track, replace(COVERED, is_laid_over=is_laid_over), MODEL) is after
    assert next_state(track, replace(IN_PLAIN_VIEW, is_laid_over=is_laid_over), MODEL) is CLAIMED


@pytest.mark.parametrize(
    ("track", "after"),
    [
        (card(ON_TABLE, 3.0, misses=1), ON_TABLE),
        (card(ON_TABLE, 3.0, misses=2), GONE),
        (card(ON_TABLE, 6.0, misses=2), ON_TABLE),
        (card(CLAIMED, 6.0, still=1, misses=2), GONE),
        (card(DRAWN, 3.0, misses=5), DRAWN),
        (card(DRAWN, 3.0, misses=6), GONE),
    ],
)
def test_missed_card_has_gone_once_it_is_unlikely(track: Track, after: CardState) -> None:
    assert next_state(track, MISSED, MODEL) is after


def test_card_beneath_one_in_doubt_does_not_go_by_itself() -> None:
    assert next_state(card(ON_TABLE, 3.0, misses=2), IN_PLAIN_VIEW, MODEL) is ON_TABLE


def test_card_in_a_resting_hand_is_held_until_no_hand_holds_it() -> None:
    assert next_state(card(ON_TABLE, 6.0), replace(IN_PLAIN_VIEW, is_held=True), MODEL) is HELD
    assert next_state(card(HELD, 6.0), replace(IN_PLAIN_VIEW, is_held=True), MODEL) is HELD
    assert next_state(card(HELD, 6.0), IN_PLAIN_VIEW, MODEL) is ON_TABLE
