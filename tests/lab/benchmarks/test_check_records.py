"""The check of analyses accepts right ratings of random records and finds wrong ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.analysis.check_records import cases_of_random_match, faults_of
from features.analysis.stored_analyses import rated


@pytest.mark.parametrize(("name", "players"), [("podkidnoy-24", 2), ("podkidnoy-teams-4", 4)])
def test_check_accepts_right_ratings_and_finds_wrong_ones(name: str, players: int) -> None:
    cases = [case for case in cases_of_random_match(name, players, 0) if sum(map(int.bit_count, case.truth.hands)) < 17]
    for case in cases[::6]:
        assert list(faults_of(case, rated(case, 2, 1))) == []
    case = cases[0]
    rating = rated(case, 2, 1)
    assert len(list(faults_of(case, replace(rating, chance=1.5)))) == 1
    assert len(list(faults_of(replace(case, options=((0, 1, 0),)), rating))) == 1
