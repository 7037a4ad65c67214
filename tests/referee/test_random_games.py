"""The referee against the independent engine: random games of every rule set, told by public events only."""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

import pytest

from referee.record import event_from_json
from referee.referee import Referee
from referee.rulings import FaultId
from tests.referee.house import HOUSES
from tests.referee.mistakes import CarelessSession
from tests.referee.random_play import RandomSession

ROUNDS = int(os.environ.get("KOZYR_GAMES", "1"))
"""How often each rule set is played by each number of players, two deals each time; the nightly run asks for 90."""

TABLES = [(preset, players) for preset, (_, numbers) in HOUSES.items() for players in numbers]


@pytest.mark.parametrize(("preset", "players"), TABLES)
def test_a_game_without_mistakes_brings_no_fault_and_the_same_position(preset: str, players: int) -> None:
    for seed in range(ROUNDS):
        session = RandomSession(preset, players, seed)
        session.play(2)
        assert session.events > 20


@pytest.mark.parametrize(("preset", "players"), TABLES)
def test_each_mistake_is_called_and_leaves_no_trace(preset: str, players: int) -> None:
    made: Counter[str] = Counter()
    for seed in range(ROUNDS):
        session = CarelessSession(preset, players, 1000 + seed)
        session.play(1)
        made += session.made
    assert sum(made.values()) > 3
    assert set(made) <= {str(fault) for fault in FaultId}


OTHER_OPTIONS: list[tuple[str, int, dict[str, Any]]] = [
    ("podkidnoy-36", 4, {"throwers": "principal"}),
    ("podkidnoy-36", 3, {"throw_order": "free", "give_order": "free"}),
    ("podkidnoy-36", 5, {"attack_limit": 4}),
    ("podkidnoy-36", 2, {"attack_limit": None, "limit_by_hand": False}),
    ("podkidnoy-36", 3, {"later_lead": "right_of_fool", "all_out": "defender_loses"}),
    ("podkidnoy-36", 4, {"low_limit": 3, "low_limit_until": "first_discard"}),
    ("podkidnoy-36", 3, {"opening": "single", "throw_timing": "after_beaten"}),
    ("podkidnoy-36", 4, {"draw_order": "clockwise_from_attacker", "give_on": "off"}),
    ("podkidnoy-36", 3, {"turn_up": "dealers_last_card", "trump_swap": "off"}),
    ("podkidnoy-36", 3, {"defender_out_next": "same_attacker", "hand_size": 4}),
    ("podkidnoy-36", 2, {"pack": 52, "opening": "pairs_plus_one"}),
    ("podkidnoy-teams-4", 4, {"result": "first_out_wins"}),
    ("perevodnoy", 4, {"transfer_show": "free", "transfer_target": "unlimited"}),
    ("perevodnoy", 3, {"transfer_when": "single_rank", "throw_order": "free", "give_order": "free"}),
    ("hebrew-transfer", 3, {"draw_to": "start_of_bout", "give_order": "priority"}),
    ("spanish", 4, {"give_on": "as_throw_in", "give_order": "free"}),
]


@pytest.mark.parametrize(("preset", "players", "options"), OTHER_OPTIONS)
def test_a_house_with_its_own_options(preset: str, players: int, options: dict[str, Any]) -> None:
    for seed in range(ROUNDS):
        session = CarelessSession(preset, players, 2000 + seed, options)
        session.play(2)
        assert session.events > 20


def test_a_record_replays_to_the_same_rulings() -> None:
    session = CarelessSession("podkidnoy-36", 3, 7)
    session.play(1)
    runs = []
    for _ in range(2):
        referee = Referee(session.referee.header)
        runs.append([referee.feed(event_from_json(data)) for data in session.record[1:]])
    assert runs[0] == runs[1]
