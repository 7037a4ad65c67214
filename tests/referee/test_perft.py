"""From fixed positions of every rule set the list of legal plays agrees with the independent engine's."""

from __future__ import annotations

import json
from typing import Any

import pytest

from referee.rulebook import PRESETS
from tests.referee.perft import DEPTH, FILE, WANTED, count, first_difference, tables_of

POSITIONS = json.loads(FILE.read_text("utf-8"))
QUICK = 2
"""Plays in a row; ``python -m tests.referee.perft check`` counts four from every position."""
FEW = 100
"""Sequences of four plays that are all counted here."""


@pytest.mark.ordinary(15)
@pytest.mark.parametrize("position", POSITIONS, ids=lambda position: f"{position['rules']}, {position['position']}")
def test_program_and_engine_list_the_same_plays(position: dict[str, Any]) -> None:
    engine, program = tables_of(position)
    depth = DEPTH if position["counts"][DEPTH - 1] <= FEW else QUICK
    assert first_difference(engine, program, depth) is None
    assert count(program, depth) == position["counts"][depth - 1]


def test_every_rule_set_has_its_six_positions_counted_to_depth_four() -> None:
    assert [(position["rules"], position["position"]) for position in POSITIONS] == [
        (r, name) for r in PRESETS for name in WANTED
    ]
    assert {len(position["counts"]) for position in POSITIONS} == {DEPTH}
