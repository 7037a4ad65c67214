"""A stored match with an impossible value: a sentence from each route, an export of its record, no effect on others."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from scripts.http_reference import all_routes
from tests.webapp.conftest import HEADER
from webapp.live.board import SnapshotHub
from webapp.store.database import Database
from webapp.store.films import Films
from webapp.store.matches import Matches, RecordEntry, Writing
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig

LAID = {"at": 1.0, "event": "placed", "card": "7s", "by": "A"}
HUGE = 10**400
IMPOSSIBLE: tuple[dict[str, Any], ...] = (
    {**LAID, "card": "Zz"},
    {**LAID, "by": 7},
    {**LAID, "by": "\ud800"},
    {**LAID, "confidence": HUGE},
    {**LAID, "otherwise": [1, None]},
    {**LAID, "at": float("inf")},
    {**LAID, "at": None},
    {**LAID, "comment": {"a": HUGE}},
    {"at": 1.0, "event": "nope"},
    {"at": 1.0, "event": "drawn", "by": "A", "count": HUGE},
    {"at": 1.0, "event": "drawn", "by": "A", "count": -3},
)
HEADERS: tuple[dict[str, Any], ...] = (
    {**HEADER, "rules": "x"},
    {**HEADER, "start": {"talon": HUGE}},
    {**HEADER, "options": {"pack": "x"}},
)
UNTIMED: tuple[dict[str, Any], ...] = ({**LAID, "at": 0.0}, {**LAID, "at": None})
RECORDS = [*((HEADER, line) for line in IMPOSSIBLE), *((header, LAID) for header in HEADERS), (HEADER, *UNTIMED)]
PATHS = [route.path for route in all_routes() if route.group == "Kept matches" and route.method == "GET"]


@pytest.fixture
def matches(tmp_path: Path) -> Iterator[Matches]:
    database = Database.open(f"sqlite:///{tmp_path}/kozyr.db")
    yield Matches(database, Films(tmp_path / "films"))
    database.close()


def keep(matches: Matches, *lines: dict[str, Any]) -> str:
    writing = Writing.begin("kitchen", datetime.now(UTC), {})
    matches.append(writing, [RecordEntry(number, line) for number, line in enumerate(lines, 1)])
    matches.end(writing)
    return writing.match


@pytest.mark.ordinary(5)
@pytest.mark.parametrize("record", RECORDS, ids=lambda record: f"{str(record[1])[:50]} {str(record[0])[-30:]}")
def test_impossible_value_is_one_sentence_on_every_route(matches: Matches, record: tuple[Any, ...]) -> None:
    other = keep(matches, HEADER, LAID)
    match = keep(matches, *record)
    client = create_app(AppConfig(matches=matches), SnapshotHub()).test_client()
    for path in PATHS:
        with client.get(path.replace("{match}", match).replace("{name}", "A") + "?line=2") as answer:
            assert answer.status_code != 500, (path, answer.text)
            if answer.status_code >= 400:
                assert answer.get_json()["error"].startswith("expected ") or ": expected " in answer.text
    assert client.get(f"/api/matches/{other}/replay").status_code == 200
    assert other in client.get("/api/match-facts").get_json()["matches"]


def test_record_that_cannot_be_judged_is_exported_with_the_reason(matches: Matches) -> None:
    match = keep(matches, HEADER, {**LAID, "card": "Zz"})
    client = create_app(AppConfig(matches=matches), SnapshotHub()).test_client()
    with client.get(f"/api/matches/{match}/export.zip") as answer, ZipFile(io.BytesIO(answer.data)) as packed:
        assert packed.namelist() == ["record.jsonl", "versions.json"]
        assert b'"Zz"' in packed.read("record.jsonl")
        assert 'expected "card" to be a card' in json.loads(packed.read("versions.json"))["game.durak"]
