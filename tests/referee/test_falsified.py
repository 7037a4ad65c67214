"""Games with one false event: its correction gives the result of the true record."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.referee.falsified import difference_in_game
from tests.sample_size import sample_size

HALF = sample_size(4, nightly=15)


@pytest.mark.ordinary(2)
@pytest.mark.parametrize("games", [range(HALF), range(HALF, 2 * HALF), range(580, 581), range(1642, 1643)], ids=str)
def test_correction_restores_the_true_game_and_undo_the_false_one(games: range) -> None:
    tally: Counter[str] = Counter()
    assert [difference_in_game(game, 1, tally) for game in games] == [None] * len(games)
    assert tally.total() >= max(1, len(games) // 2)


@pytest.mark.parametrize("game", [4, 20])
def test_corrected_card_of_a_play_keeps_its_own_ruling(game: int) -> None:
    assert difference_in_game(game, 7, Counter()) is None


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("games", [range(HALF), range(HALF, 2 * HALF)], ids=str)
def test_corrected_record_of_a_camera_equals_one_of_a_person(games: range) -> None:
    tally: Counter[str] = Counter()
    assert [difference_in_game(game, 1, tally, "camera") for game in games] == [None] * len(games)
    assert {kind.partition(":")[0] for kind in tally} == {"camera"}
    assert tally.total() >= len(games) // 2
