"""Evenings and scores: each game is counted once, by its valid result."""

from __future__ import annotations

import io
from collections.abc import Callable
from csv import reader
from datetime import timedelta
from typing import Any

from tests.webapp.store.conftest import HEADER, STARTED
from webapp.match.log import MatchLog
from webapp.shipped_recording import demo_key
from webapp.store.evenings import PAUSE, FinishedGame, Scores, evening_so_far, evenings, score_rows, scores_as_json
from webapp.store.matches import Matches, RecordEntry, Writing

Begin = Callable[..., Writing]
FOOL = {"announce": "result", "kind": "fool", "seats": ["Борис"]}


def game(hours: float, *losers: str, table: str = "kitchen", kind: str = "fool", seats: str = "ABC") -> FinishedGame:
    began = STARTED + timedelta(hours=hours)
    return FinishedGame("", table, began, began + timedelta(minutes=20), tuple(seats), {"kind": kind, "seats": losers})


def test_evening_ends_with_a_long_pause() -> None:
    pause_h = PAUSE / timedelta(hours=1)
    found = evenings([game(0, "A"), game(1, "B"), game(2 + pause_h, "C"), game(1, "C", table="hall")])
    assert [[game.losers for game in evening.games] for evening in found] == [[("C",)], [("C",)], [("A",), ("B",)]]


def test_current_evening_lasts_until_a_long_pause() -> None:
    games = [game(-24, "A"), game(0, "B")]
    over = STARTED + timedelta(minutes=20)
    assert [game.losers for game in evening_so_far(games, "kitchen", over + timedelta(hours=1))] == [("B",)]
    assert evening_so_far(games, "kitchen", over + PAUSE) == ()
    assert evening_so_far(games, "hall", over) == ()


def test_losing_streaks_are_counted() -> None:
    scores = Scores.of([game(0, "A"), game(1, "A"), game(2, kind="draw"), game(3, "B"), game(4, "C")])
    a, b = scores.players["A"], scores.players["B"]
    assert (a.games, a.lost, a.draws, a.longest_lost, a.lost_running, a.spared_running) == (5, 2, 1, 2, 0, 3)
    assert (b.longest_spared, b.spared_running, b.longest_lost) == (3, 1, 1)


def test_team_is_counted_in_any_seat_order() -> None:
    games = [game(0, "A", "C", kind="team-fool", seats="ABCD"), game(1, "A", "C", kind="team-winner", seats="BCDA")]
    teams = Scores.of(games).teams
    counted = {seats: (score.games, score.lost) for seats, score in teams.items()}
    assert counted == {("A", "C"): (2, 1), ("B", "D"): (2, 1)}


def test_names_are_escaped_against_spreadsheet_formulas() -> None:
    rows = score_rows([game(0, "=1+1", seats=("=1+1", "B"))])  # type: ignore[arg-type]
    assert [row[2] for row in rows] == ["player", "'=1+1", "B"]


def entries(*results: dict[str, Any]) -> list[RecordEntry]:
    lines = [{"at": 60.0 * number, "event": "tick"} for number, _ in enumerate(results, 1)]
    return [
        RecordEntry(1, HEADER),
        *(
            RecordEntry(number, line, ({"line": number, **result, "text": ""},))
            for number, (line, result) in enumerate(zip(lines, results, strict=True), 2)
        ),
    ]


def test_store_counts_each_deal_with_a_result(store: Matches, begin: Begin) -> None:
    writing = begin()
    draw = {"announce": "result", "kind": "draw", "seats": []}
    store.append(writing, entries({"announce": "score", "losses": {"Аня": 0}}, FOOL, draw))
    (fool, drawn) = store.games()
    assert (fool.match, fool.table, fool.began, fool.losers) == (writing.match, "kitchen", STARTED, ("Борис",))
    assert (drawn.ended - drawn.began, drawn.losers) == (timedelta(minutes=3), ())
    (evening,) = scores_as_json(store.games())["evenings"]
    assert [(player["name"], player["games"], player["lost"]) for player in evening["players"]] == [
        ("Аня", 2, 0),
        ("Борис", 2, 1),
    ]
    assert list(reader(io.StringIO("kitchen,x,Борис,2,1,1"))) == [
        [cell if place != 1 else "x" for place, cell in enumerate(score_rows(store.games())[2])]
    ]


def test_withdrawn_result_is_not_counted(store: Matches, begin: Begin) -> None:
    back = {**FOOL, "announce": "withdrawn", "of": "result"}
    store.append(begin(), entries(FOOL, back))
    store.append(begin(started=STARTED + timedelta(hours=1)), entries(FOOL, back, {**FOOL, "seats": ["Аня"]}))
    assert [game.losers for game in store.games()] == [("Аня",)]


def test_recording_refereed_again_counts_once(store: Matches, begin: Begin) -> None:
    writings = [begin(started=STARTED + timedelta(hours=number), recording="film") for number in range(3)]
    for writing, results in zip(writings, ([FOOL], [FOOL, FOOL], [FOOL, FOOL]), strict=True):
        store.append(writing, entries(*results))
    store.append(begin(recording="another"), entries(FOOL))
    store.append(begin(), entries(FOOL))
    counted = [game.match for game in store.games()]
    assert counted.count(writings[1].match) == 2
    assert len(counted) == 4
    taken_over, _ = store.take_over(writings[1].match)
    assert taken_over.recording == "film"


def test_games_of_the_shipped_recording_count_in_nobodys_score(store: Matches, begin: Begin) -> None:
    demo, own = begin(recording=demo_key()), begin()
    store.append(demo, entries(FOOL))
    store.append(own, entries(FOOL))
    assert [game.match for game in store.games()] == [own.match]
    assert {match["match"]: match["demo"] for match in store.list()} == {demo.match: True, own.match: False}


LAST_CARDS = {"trump": "h", "turnup": None, "talon": 0, "heap_count": 33, "bout": 9, "beaten_off": 5, "attacker": "Аня"}


def test_store_drops_results_that_the_referee_withdraws(store: Matches, begin: Begin) -> None:
    from referee.events import Corrected
    from referee.record import Header, event_from_json

    header = HEADER | {"start": LAST_CARDS | {"hands": {"Аня": 1, "Борис": 2}}}
    stored: list[RecordEntry] = []

    class Store:
        def write(self, line: Any, rulings: Any, result: Any) -> None:
            stored.append(RecordEntry(len(stored) + 1, line, rulings, result))

    match = MatchLog(Header.parse(header), store=Store())
    match.open()
    match.judge(event_from_json({"at": 1.0, "event": "placed", "card": "7s", "by": "Аня"}))
    match.judge(event_from_json({"at": 2.0, "event": "swept", "to": "Борис"}))
    assert [result["seats"] for result in match.view.results] == [["Борис"]]
    match.correct(Corrected(at=3.0, line=2, to=None))
    assert match.view.results == ()
    store.append(begin(), stored)
    assert store.games() == ()
