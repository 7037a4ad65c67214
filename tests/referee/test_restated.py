"""What a person states of a camera's line is judged as stated, and undone completely."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from tests.referee.restated import RECORDING, beats_that_do_not_beat, disobeyed_in_game, disobeys


def test_every_beat_of_the_recording_corrected_to_a_card_that_does_not_beat_is_illegal() -> None:
    lines = tuple(json.loads(line) for line in RECORDING.read_text("utf-8").splitlines())
    corrections = list(beats_that_do_not_beat(({**lines[0], "witness": "camera"}, *lines[1:])))
    assert len(corrections) == 78
    assert [disobeys(restated, called) for restated, called in corrections[:: len(corrections) // 19]] == [None] * 20


@pytest.mark.parametrize("games", [range(6), range(18, 24), (41, 78, 137, 170)], ids=str)
def test_any_correction_of_a_card_or_seat_is_judged_as_stated(games: range) -> None:
    tally: Counter[str] = Counter()
    assert [disobeyed_in_game(game, 1, tally) for game in games] == [None] * len(games)
    assert tally.total() == len(games)
