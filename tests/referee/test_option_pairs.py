"""Pairwise tests of options: random games of the independent engine cover every pair of option values."""

from __future__ import annotations

import random

import pytest

from referee.errors import RulebookError
from referee.rulebook import rulebook
from tests.referee.house import houses_with_every_pair
from tests.referee.mistakes import CarelessSession
from tests.referee.random_play import RandomSession

SEED = 36
COUNT = 55
"""Number of houses that together have every pair."""
SENSELESS = 19
"""Number of pairs that make no sense."""


@pytest.mark.ordinary(10)
@pytest.mark.parametrize("place", range(COUNT))
def test_referee_and_engine_agree_on_every_option_pair(place: int) -> None:
    houses, _ = houses_with_every_pair(SEED)
    assert len(houses) == COUNT
    players, house = houses[place]
    kind = CarelessSession if place % 2 else RandomSession
    session = kind("podkidnoy-36", players, random.Random(f"{SEED}/{place}").randrange(1 << 30), house)
    session.play(1)
    assert session.bouts > 0


def test_contradictory_options_are_refused() -> None:
    _, senseless = houses_with_every_pair(SEED)
    assert len(senseless) == SENSELESS
    for pair in senseless:
        with pytest.raises(RulebookError, match="expected"):
            rulebook("podkidnoy-36", dict(pair))


@pytest.mark.parametrize(
    ("preset", "options", "reason"),
    [
        ("podkidnoy-36", {"hand_size": 40}, "at least 80 cards"),
        ("podkidnoy-teams-6", {"pack": 24}, "at least 36 cards"),
        ("podkidnoy-teams-6", {"pack": 32}, "at least 36 cards"),
        ("french-2", {"teams": "2x2"}, "4 seats"),
        ("podkidnoy-24", {"second_trump": "last_talon_card", "hand_size": 12}, "a talon for the second trump"),
    ],
)
def test_unplayable_rules_are_refused(preset: str, options: dict[str, object], reason: str) -> None:
    with pytest.raises(RulebookError, match=reason):
        rulebook(preset, options).players()
