"""One false event of a game, corrected: everything is as if it had been reported correctly."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.referee.falsified import difference_in_game


@pytest.mark.parametrize("games", [range(15), range(15, 30), range(580, 581), range(1642, 1643)], ids=str)
def test_a_correction_makes_a_game_true_and_its_undo_makes_it_false_again(games: range) -> None:
    tally: Counter[str] = Counter()
    assert [difference_in_game(game, 1, tally) for game in games] == [None] * len(games)
    assert tally.total() >= max(1, len(games) // 2)


@pytest.mark.parametrize("games", [range(10), range(10, 20), range(20, 30)], ids=str)
def test_a_correction_of_a_camera_s_record_gives_what_a_person_would_have_written(games: range) -> None:
    tally: Counter[str] = Counter()
    assert [difference_in_game(game, 1, tally, "camera") for game in games] == [None] * len(games)
    assert {kind.partition(":")[0] for kind in tally} == {"camera"}
    assert tally.total() >= len(games) // 2
