"""The referee compared with the independent engine: random games by public events, with and without mistakes."""

from __future__ import annotations

import random

import pytest

from referee.errors import RulebookError
from referee.record import event_from_json
from referee.rulebook import OPTIONS, FaultId, rulebook
from tests.referee.certain_referee import Referee
from tests.referee.house import HOUSES, VALUES, random_house
from tests.referee.mistakes import CarelessSession
from tests.referee.nightly import TABLES, Tally, play, session_of

GAMES = 160
"""Number of games in the full run, 60 of them in `make test`; ``make nightly`` plays 10,000."""

AT_ONCE = 10
FIRST = 1_000_000
SEED = 37
"""Other games than the nightly run's."""


@pytest.mark.ordinary(6)
@pytest.mark.parametrize("first", range(FIRST, FIRST + GAMES, AT_ONCE))
def test_referee_and_engine_agree(first: int) -> None:
    tally = Tally()
    play(range(first, first + AT_ONCE), SEED, tally)
    assert tally.differences == []
    assert tally.bouts > AT_ONCE
    assert set(tally.mistakes) <= {str(fault) for fault in FaultId}


def test_games_cover_every_table_size_and_option_value() -> None:
    sessions = [session_of(game, SEED) for game in range(FIRST, FIRST + GAMES)]
    assert {(s.referee.header.rules, len(s.seats)) for s in sessions} >= set(TABLES)
    played = {(option, session.house[option]) for session in sessions for option in VALUES}
    assert {(option, value) for option, values in VALUES.items() for value in values} <= played


def test_engine_has_every_option_value_of_the_referee() -> None:
    several = {name: option.values for name, option in OPTIONS.items() if len(option.values) > 1 or option.counts}
    assert set(VALUES) == set(several)
    assert [name for name in several if not set(VALUES[name]) >= set(several[name])] == []


def test_random_houses_are_accepted_by_the_referee() -> None:
    rng = random.Random(SEED)
    for _ in range(200):
        players = rng.randint(2, 6)
        house = random_house(rng, players)
        try:
            rulebook("podkidnoy-36", house).check_seats(players)
        except RulebookError as error:  # pragma: no cover - the failure's text
            pytest.fail(f"{house} with {players}: {error}")


@pytest.mark.ordinary(2)
@pytest.mark.parametrize("preset", HOUSES)
def test_record_replays_to_the_same_rulings(preset: str) -> None:
    session = CarelessSession(preset, HOUSES[preset][1][-1], 7)
    session.play(1)
    runs = []
    for _ in range(2):
        referee = Referee(session.referee.header)
        runs.append([referee.apply(event_from_json(data)) for data in session.record[1:]])
    assert runs[0] == runs[1]
    assert referee.state == session.referee.state
