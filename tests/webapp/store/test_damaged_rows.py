"""A damaged value in the store affects its own match and no other one."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from features.analysis.stored_analyses import StoredAnalyses
from scripts.http_reference import all_routes
from tests.webapp.store.conftest import HEADER
from webapp.commands.matches import listed
from webapp.errors import StoreError
from webapp.live.board import SnapshotHub
from webapp.store.database import Database
from webapp.store.films import Films
from webapp.store.matches import Matches, RecordEntry, Writing
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig

RESULT = {"kind": "fool", "seats": ["Аня"]}
DAMAGES: tuple[tuple[str, object], ...] = (
    *(("matches.started", value) for value in ("yesterday", b"\xff\xfe", 7, "0001-01-01 00:00:00.000000")),
    *(("matches.seats", value) for value in ("null", "{}", "[1]", "[" * 5000, b"\xff", 3)),
    *(("matches.versions", value) for value in ("null", "[]")),
    *(("matches.result", value) for value in ("[]", '{"kind": 3}', '{"kind": "fool"}', "NaN")),
    *(("matches.lines", value) for value in ("many", -3)),
    *(("matches.seconds", value) for value in ("long", 1e300)),
    ("matches.table_name", b"\xff"),
    *(("events.data", value) for value in ("null", "[]", "[" * 900 + "]" * 900, "[" * 5000, b"\xff", '{"at": 1e999}')),
    *(
        ("said.data", value)
        for value in (
            "null",
            "[]",
            '{"announce": "result"}',
            '{"ruling": "illegal", "by": "A"}',
            '{"line": 2, "ruling": "illegal", "by": "A"}',
        )
    ),
    *(("facts.data", value) for value in ("null", "[]", '{"takes": 1, "faults": 2}')),
    *(("replays.data", value) for value in (b"no zlib", zlib.compress(b"no JSON"))),
)
LISTS = ("/api/matches", "/api/evenings", "/api/evenings.csv", "/api/match-facts", "/api/players/Аня", "/players/Аня")
OF_MATCHES = [route.path for route in all_routes() if route.group == "Kept matches" and route.method == "GET"]


@pytest.fixture
def matches(tmp_path: Path) -> Iterator[Matches]:
    database = Database.open(f"sqlite:///{tmp_path}/kozyr.db")
    yield Matches(database, Films(tmp_path / "films"))
    database.close()


def keep(matches: Matches, began: datetime) -> str:
    writing = Writing.begin("kitchen", began, {"kozyr": "1"})
    announced: dict[str, Any] = {"line": 2, "announce": "result", "at": 1.0, "text": "", **RESULT}
    entries = [RecordEntry(1, HEADER), RecordEntry(2, {"at": 1.0, "event": "tick"}, (announced,), RESULT)]
    matches.append(writing, entries)
    matches.end(writing)
    return writing.match


def damage(path: Path, match: str, place: str, value: object) -> None:
    """Overwrite a value of a match, of its second line where it has several."""
    table, column = place.split(".")
    of_line = {"events": " AND line = 2", "said": " AND after = 2"}.get(table, "")
    with sqlite3.connect(path) as connection:
        statement = f"UPDATE {table} SET {column} = ? WHERE match = ?{of_line}"
        assert connection.execute(statement, (value, match)).rowcount == 1
    connection.close()


@pytest.mark.ordinary(6)
@pytest.mark.parametrize(("place", "value"), DAMAGES, ids=lambda value: str(value)[:30])
def test_damaged_value_costs_only_its_own_match(matches: Matches, tmp_path: Path, place: str, value: object) -> None:
    now = datetime.now(UTC)
    whole, broken = keep(matches, now - timedelta(days=2)), keep(matches, now)
    client = create_app(AppConfig(matches=matches), SnapshotHub()).test_client()
    for match in (whole, broken):  # keeps replay and facts, to be damaged
        assert client.get(f"/api/matches/{match}/replay").status_code == 200
    damage(tmp_path / "kozyr.db", broken, place, value)

    with create_app(AppConfig(matches=matches), SnapshotHub()).test_client() as client:
        for path in LISTS:
            assert client.get(path).status_code == 200, (path, client.get(path).text)
        for path in OF_MATCHES:
            with client.get(path.replace("{match}", broken).replace("{name}", "Аня") + "?line=2") as answer:
                assert answer.status_code != 500, (path, answer.text)
        assert client.get(f"/api/matches/{whole}/replay").status_code == 200
        about = client.get("/api/matches").get_json()["matches"]
        assert whole in client.get("/api/match-facts").get_json()["matches"]
    assert {each["match"]: each["damaged"] is None for each in about}[whole]
    assert {each["match"] for each in about} == {whole, broken}
    assert whole in {game.match for game in matches.games()}
    assert [each["match"] for each in StoredAnalyses(matches, tmp_path).of_player("Аня")] == []
    assert StoredAnalyses(matches, tmp_path).puzzles() == []


def test_damaged_match_is_listed_with_what_can_be_saved(matches: Matches, tmp_path: Path) -> None:
    broken = keep(matches, datetime.now(UTC))
    damage(tmp_path / "kozyr.db", broken, "matches.started", "yesterday")
    (about,) = matches.list()
    assert (about["match"], about["table"], about["started"], about["events"]) == (broken, "kitchen", None, 1)
    assert about["seats"] == HEADER["seats"]
    assert "got a damaged row (started)" in about["damaged"]
    assert "can't be read" in listed(about)
    assert [line["line"] for line in matches.show(broken) if "announce" in line] == [2]
    with pytest.raises(StoreError, match=f"expected match {broken} as it was written"):
        matches.take_over(broken)
    matches.delete(broken)
    assert matches.list() == ()


def test_damaged_line_is_named(matches: Matches, tmp_path: Path) -> None:
    broken = keep(matches, datetime.now(UTC))
    damage(tmp_path / "kozyr.db", broken, "events.data", "null")
    with pytest.raises(StoreError, match=f"line 2 of match {broken}"):
        matches.show(broken)


def test_damaged_match_is_not_the_one_to_go_on_with(matches: Matches, tmp_path: Path) -> None:
    now = datetime.now(UTC)
    writings = [Writing.begin("kitchen", now + timedelta(seconds=number), {}) for number in range(2)]
    for writing in writings:
        matches.append(writing, [RecordEntry(1, HEADER)])
    assert matches.newest_open("kitchen") == writings[1].match
    damage(tmp_path / "kozyr.db", writings[1].match, "matches.versions", "null")
    assert matches.newest_open("kitchen") == writings[0].match


def test_damaged_report_of_a_table_hides_no_other(matches: Matches, tmp_path: Path) -> None:
    for program in ("a", "b"):
        matches.tables.report(program, f"table {program}", {"open": True})
    with sqlite3.connect(tmp_path / "kozyr.db") as connection:
        connection.execute("UPDATE tables SET data = 'null' WHERE program = 'a'")
    connection.close()
    assert [table.table for table in matches.tables.reported()] == ["table b"]
