"""A stored match is served in notation."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from features.notation.parser import parse_notation
from referee.record import event_to_json
from tests.webapp.conftest import HEADER
from webapp.live.board import SnapshotHub
from webapp.store.database import Database
from webapp.store.matches import Matches, RecordEntry, Writing
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig

LINE = {"at": 1.5, "event": "placed", "card": "7s", "by": "A"}


def test_match_is_available_in_notation(tmp_path: Path) -> None:
    with closing(Database.open(f"sqlite:///{tmp_path / 'kozyr.db'}")) as database:
        matches = Matches(database)
        writing = Writing.begin("kitchen", datetime(2026, 11, 23, 19, 30, tzinfo=UTC), {})
        matches.append(writing, [RecordEntry(1, HEADER), RecordEntry(2, LINE)])
        client = create_app(AppConfig(matches=matches), SnapshotHub()).test_client()
        [(header, events)] = parse_notation(client.get(f"/api/matches/{writing.match}/game.durak").text)
        assert (list(header.seats), [event_to_json(event) for event in events]) == (HEADER["seats"], [LINE])
        assert client.get("/api/matches/none/game.durak").status_code == 404
    without = create_app(AppConfig(), SnapshotHub()).test_client()
    assert without.get("/api/matches/x/game.durak").status_code == 503
