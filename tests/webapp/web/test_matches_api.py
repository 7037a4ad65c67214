"""Stored matches over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.webapp.conftest import HEADER
from webapp.live.board import SnapshotHub
from webapp.store.database import Database
from webapp.store.matches import Matches, RecordEntry, Writing
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig

LINE = {"at": 1.5, "event": "placed", "card": "7s", "by": "A"}
RULING = {"line": 2, "at": 1.5, "ruling": "legal", "play": "lead", "cards": ["7s"], "by": "A", "text": "A leads 7♠."}


@pytest.fixture
def matches(tmp_path: Path) -> Iterator[Matches]:
    """Open a store with one match."""
    database = Database.open(f"sqlite:///{tmp_path / 'kozyr.db'}")
    matches = Matches(database)
    writing = Writing.begin("kitchen", datetime(2026, 11, 23, 19, 30, tzinfo=UTC), {})
    matches.append(writing, [RecordEntry(1, HEADER), RecordEntry(2, LINE, (RULING,))])
    yield matches
    database.close()


def ask(path: str, matches: Matches | None) -> Any:
    return create_app(AppConfig(matches=matches), SnapshotHub()).test_client().get(path)


def test_list_equals_that_of_the_command(matches: Matches) -> None:
    assert ask("/api/matches", matches).json == {"matches": list(matches.list())}


def test_match_has_all_its_lines(matches: Matches) -> None:
    (about,) = matches.list()
    answer = ask(f"/api/matches/{about['match']}", matches)
    assert answer.json == {**about, "lines": [HEADER, LINE, RULING]}
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("match", ["none", "..%2F..%2Fkozyr.db", "%00", "%ED%A0%80", "'--"])
def test_unknown_match_gives_one_sentence(matches: Matches, match: str) -> None:
    answer = ask(f"/api/matches/{match}", matches)
    assert answer.status_code == 404
    assert answer.json["error"]


def test_program_without_a_store_reports_it() -> None:
    for path in ("/api/matches", "/api/matches/x"):
        answer = ask(path, None)
        assert (answer.status_code, "--no-keep" in answer.json["error"]) == (503, True)


def test_failing_store_gives_one_sentence(matches: Matches, tmp_path: Path) -> None:
    (about,) = matches.list()
    for path in tmp_path.glob("kozyr.db*"):
        path.write_bytes(b"\xff" * 9000)
    answer = ask(f"/api/matches/{about['match']}", matches)
    assert answer.status_code == 503
    assert "expected" in answer.json["error"]


FOOL = {"line": 3, "announce": "result", "kind": "fool", "seats": ["B"], "text": "B is the fool."}


def test_scores_are_available_as_json_and_csv(matches: Matches) -> None:
    writing = Writing.begin("kitchen", datetime(2026, 11, 23, 20, 30, tzinfo=UTC), {})
    matches.append(writing, [RecordEntry(1, HEADER), RecordEntry(2, LINE, (FOOL,))])
    listed = ask("/api/evenings", matches).json
    (evening,) = listed["evenings"]
    assert [(player["name"], player["lost"]) for player in evening["players"]] == [("A", 0), ("B", 1), ("C", 0)]
    assert evening["games"][0]["match"] == writing.match
    assert listed["all"]["players"] == evening["players"]
    answer = ask("/api/evenings.csv", matches)
    assert answer.headers["Content-Disposition"] == 'attachment; filename="kozyr-scores.csv"'
    heading, *rows = answer.get_data().decode("utf-8-sig").splitlines()
    assert heading == "table,began,player,games,lost,draws"
    assert [row.rsplit(",", 4)[1:] for row in rows] == [
        ["A", "1", "0", "0"],
        ["B", "1", "1", "0"],
        ["C", "1", "0", "0"],
    ]
    assert ask("/api/evenings", None).status_code == 503


def test_facts_of_a_match_are_read_once_until_it_has_more_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    class CountedMatches(Matches):
        def show(self, match: str) -> Any:
            read.append(match)
            return super().show(match)

    def facts() -> Any:
        """Return the facts that a program gives after a start."""
        database = Database.open(f"sqlite:///{tmp_path}/kept.db")
        found = (
            create_app(AppConfig(matches=CountedMatches(database)), SnapshotHub()).test_client().get("/api/match-facts")
        )
        database.close()
        return found.get_json()["matches"]

    database = Database.open(f"sqlite:///{tmp_path}/kept.db")
    matches = Matches(database)
    writing = Writing.begin("kitchen", datetime.now(UTC), {})
    matches.append(writing, [RecordEntry(1, HEADER), RecordEntry(2, {"at": 1.0, "event": "swept", "to": "B"})])
    first = facts()
    assert (first[writing.match]["takes"], facts(), read) == ({"B": 1}, first, [writing.match])
    matches.append(writing, [RecordEntry(3, {"at": 2.0, "event": "swept", "to": "B"})])
    assert facts()[writing.match]["takes"] == {"B": 2}
    matches.delete(writing.match)
    assert facts() == {}
    database.close()


def test_facts_of_old_matches_are_read_without_judging_them(matches: Matches, monkeypatch: pytest.MonkeyPatch) -> None:
    """Judging a match takes half a second: a store of 2,000 would keep its library waiting for minutes."""
    wrong = {"line": 3, "ruling": "illegal", "fault": "rank-not-on-table", "by": "A"}
    lines: list[dict[str, Any]] = [
        {"event": "placed", "card": "7s", "by": "A"},
        {"event": "placed", "card": "Kd", "by": "A"},
        {"event": "lifted", "card": "Kd", "by": "A"},
        {"event": "swept", "to": "B"},
        {"event": "corrected", "line": 5, "to": None},
        {"event": "pressed", "button": "undo"},
        {"event": "corrected", "line": 5, "to": {"event": "swept", "to": "heap"}},
        {"event": "corrected", "after": 4, "insert": {"event": "swept", "to": "B"}},
        {"event": "pressed", "button": "undo", "of": 8},
        {"event": "corrected", "line": 9, "to": None},
    ]
    writing = Writing.begin("kitchen", datetime.now(UTC), {})
    matches.append(writing, [RecordEntry(1, HEADER)])
    client = create_app(AppConfig(matches=matches), SnapshotHub()).test_client()
    monkeypatch.setattr("webapp.match.stored_matches.MatchLog", None)
    takes = []
    for number, line in enumerate(lines, start=2):
        said = (wrong,) if number == 3 else ()
        matches.append(writing, [RecordEntry(number, {"at": float(number), **line}, said)])
        facts = client.get("/api/match-facts").get_json()["matches"][writing.match]
        assert facts["faults"] == ({"A": {"rank-not-on-table": 1}} if number >= 3 else {})
        takes.append(facts["takes"])
    assert takes == [{}, {}, {}, {"B": 1}, {}, {"B": 1}, {}, {"B": 1}, {"B": 2}, {"B": 1}]


def test_facts_are_those_of_the_page_once_a_match_is_judged(matches: Matches) -> None:
    writing = Writing.begin("kitchen", datetime.now(UTC), {})
    laid = [
        {"at": 1.0, "event": "placed", "card": "7s", "by": "A"},
        {"at": 2.0, "event": "placed", "card": "Kd", "by": "A"},
    ]
    matches.append(writing, [RecordEntry(number, line) for number, line in enumerate((HEADER, *laid), start=1)])
    matches.end(writing)
    client = create_app(AppConfig(matches=matches), SnapshotHub()).test_client()
    found = []
    for _ in range(2):
        found.append(client.get("/api/match-facts").get_json()["matches"][writing.match]["faults"])
        assert client.get(f"/api/matches/{writing.match}/replay").status_code == 200
    assert found == [{}, {"A": {"rank-not-on-table": 1}}]


def test_match_without_events_has_empty_facts(tmp_path: Path) -> None:
    database = Database.open(f"sqlite:///{tmp_path}/kept.db")
    matches = Matches(database)
    writing = Writing.begin("kitchen", datetime.now(UTC), {})
    matches.append(writing, [RecordEntry(1, HEADER)])
    for _ in range(2):  # computed, then read from the store
        answer = create_app(AppConfig(matches=matches), SnapshotHub()).test_client().get("/api/match-facts")
        assert answer.get_json()["matches"] == {writing.match: {"takes": {}, "faults": {}}}
    database.close()
