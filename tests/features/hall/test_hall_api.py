"""Hall over HTTP: tables of the shared store, access, and an unreachable store."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from features.hall.routes import create_hall_app
from features.hall.table_report import table_as_reported
from referee.record import Header
from tests.webapp.conftest import HEADER, placed
from webapp.live.board import CameraHealth, Condition, SnapshotHub
from webapp.match.log import MatchLog
from webapp.store.database import Database
from webapp.store.evenings import FinishedGame, scores_of_today
from webapp.store.matches import Matches, RecordEntry, Writing
from webapp.store.schema import tables
from webapp.web.app_services import AppConfig
from webapp.web.pairing import Ask, Pairing


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Open a store with the report of one table."""
    database = Database.open(f"sqlite:///{tmp_path / 'kozyr.db'}")
    match, board = MatchLog(Header.parse(HEADER)), SnapshotHub()
    match.open()
    match.judge(placed(1.0, "7s", "A"))
    board.publish(
        moves=1, match="ID", camera=CameraHealth(Condition.WATCHING, at_s=1.0), view=match.view, lines=match.lines
    )
    Matches(database).tables.report("p", "kitchen", {**table_as_reported(board.newest, None), "open": True})
    yield database
    database.close()


def client(database: Database, **more: Any) -> Any:
    matches = Matches(database)
    return create_hall_app(AppConfig(matches=matches, **more), matches.tables).test_client()


def test_every_table_is_listed_with_its_state(database: Database) -> None:
    (table,) = client(database).get("/api/tables?language=en").json["tables"]
    shown = {key: table[key] for key in ("table", "live", "match", "seats", "attacker", "defender", "talon", "trump")}
    assert shown == {
        "table": "kitchen",
        "live": True,
        "match": "ID",
        "seats": ["A", "B", "C"],
        "attacker": "A",
        "defender": "B",
        "talon": 18,
        "trump": "h",
    }
    assert (table["call"]["ruling"], table["camera"]["condition"]) == ("legal", "watching")
    assert table["state"]["table"] == [["7s", None]]
    assert table["age_s"] < 5


def test_last_call_is_in_the_requested_language(database: Database) -> None:
    texts = [
        client(database).get(f"/api/tables?language={language}").json["tables"][0]["call"]["text"]
        for language in ("en", "ru")
    ]
    assert texts[0] != texts[1]
    assert all(texts)


def test_table_without_recent_reports_is_not_live(database: Database) -> None:
    with database.writing() as connection:
        connection.execute(update(tables).values(told=datetime.now(UTC) - timedelta(minutes=4)))
    (table,) = client(database).get("/api/tables").json["tables"]
    assert (table["live"], table["open"], table["age_s"] >= 239) == (False, True, True)


def test_table_during_setup_is_listed(database: Database) -> None:
    data = {**table_as_reported(SnapshotHub().newest, None), "open": True}
    Matches(database).tables.report("q", "garden", data)
    garden, _ = client(database).get("/api/tables").json["tables"]
    assert (garden["table"], garden["seats"], garden["attacker"], garden["call"]) == ("garden", [], None, None)


def test_matches_and_standings_are_those_of_the_store(database: Database) -> None:
    fool = {"line": 1, "announce": "result", "kind": "fool", "seats": ["B"], "text": ""}
    for table in ("kitchen", "garden"):
        writing = Writing.begin(table, datetime.now(UTC), {})
        Matches(database).append(writing, [RecordEntry(1, HEADER, (fool,))])
    hall = client(database)
    assert {match["table"] for match in hall.get("/api/matches").json["matches"]} == {"kitchen", "garden"}
    players = {
        player["name"]: (player["games"], player["lost"]) for player in hall.get("/api/standings").json["players"]
    }
    assert players == {"A": (2, 0), "B": (2, 2), "C": (2, 0)}
    for path in ("/", "/matches", f"/matches/{writing.match}", "/evenings", "/pair", "/notation"):
        assert hall.get(path).status_code == 200, path


def test_standings_are_of_current_evenings() -> None:
    now = datetime(2026, 11, 23, 22, 0, tzinfo=UTC)
    lost = {"kind": "fool", "seats": ["A"]}
    games = [
        FinishedGame("", table, now - timedelta(hours=hours), now - timedelta(hours=hours), ("A", "B"), lost)
        for table, hours in (("kitchen", 30), ("kitchen", 2), ("garden", 1))
    ]
    assert scores_of_today(games, now).players["A"].lost == 2


def test_hall_does_not_referee_or_set_up_games(database: Database) -> None:
    hall = client(database)
    assert [hall.get(path).status_code for path in ("/setup", "/places", "/api/state", "/api/setup")] == [404] * 4
    answer = hall.post("/api/correct", json={"line": 2, "to": None})
    assert (answer.status_code, "expected a match" in answer.json["error"]) == (503, True)


def test_unpaired_device_has_no_access_to_the_hall(database: Database) -> None:
    pairing = Pairing(lambda: 0.0, Ask.ALWAYS)
    hall = client(database, pairing=pairing)
    assert hall.get("/api/tables").status_code == 401
    assert hall.get("/").status_code == 303
    assert hall.get("/health").json == {"ok": True}
    hall.post("/pair", data={"pin": pairing.codes.pin})
    assert hall.get("/api/tables").status_code == 200
    assert hall.get("/health").json["tables"] == 1
    assert hall.post("/api/matches/x/correct", json={}).status_code == 403


def test_unreachable_store_gives_one_sentence(database: Database, tmp_path: Path) -> None:
    for path in tmp_path.glob("kozyr.db*"):
        path.write_bytes(b"\xff" * 9000)
    hall = client(database)
    answer = hall.get("/api/tables")
    assert (answer.status_code, "expected" in answer.json["error"]) == (503, True)
    health = hall.get("/health")
    assert (health.status_code, health.json["ok"], "expected" in health.json["trouble"]) == (503, False, True)


def test_metrics_have_the_prometheus_format(database: Database) -> None:
    assert "kozyr_tables_live 1\n" in client(database).get("/metrics").text
