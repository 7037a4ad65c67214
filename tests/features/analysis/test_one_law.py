"""Judge, list of legal plays, analysis and independent engine agree, whatever the options of the house."""

from __future__ import annotations

import random

import pytest

from referee.rulebook import PRESETS
from tests.features.analysis.one_law import compare, drawn_options

GAMES = 20


@pytest.mark.ordinary(6)
@pytest.mark.parametrize("seed", range(GAMES))
def test_all_agree_under_random_options(seed: int) -> None:
    rng = random.Random(seed)
    players = rng.randint(2, 6)
    assert compare("podkidnoy-36", drawn_options(rng, players), players, seed).plays > 0


@pytest.mark.ordinary(6)
@pytest.mark.parametrize("rules", PRESETS)
def test_all_agree_under_each_rule_set(rules: str) -> None:
    assert compare(rules, {}, PRESETS[rules].players[0], 1).plays > 0
