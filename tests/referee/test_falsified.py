"""One event of a game told wrongly and corrected: all is as if it had been told rightly."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.referee.falsified import difference_in_game


@pytest.mark.parametrize("games", [range(15), range(15, 30), range(580, 581), range(1642, 1643)], ids=str)
def test_a_correction_makes_a_game_true_and_its_undo_makes_it_false_again(games: range) -> None:
    tally: Counter[str] = Counter()
    assert [difference_in_game(game, 1, tally) for game in games] == [None] * len(games)
    assert tally.total() >= max(1, len(games) // 2)


def test_so_it_does_where_a_camera_tells() -> None:
    tally: Counter[str] = Counter()
    assert difference_in_game(2699, 1, tally) is None
    assert [kind.partition(":")[0] for kind in tally] == ["camera"]
