"""No GET has an effect: requested by a referee, each leaves store, files, codes, devices and cameras as they were."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from features.hall.routes import create_hall_app
from scripts.http_reference import all_routes
from tests.webapp.conftest import HEADER
from tests.webapp.services import FakeTable
from vision.capture import sources
from webapp.live.board import SnapshotHub
from webapp.live.game_setup import GameSetup
from webapp.live.phone_camera import PhoneCamera
from webapp.live.shared_setup import SharedSetup
from webapp.store.database import Database
from webapp.store.films import Films
from webapp.store.labelled_pictures import LabelledPictures
from webapp.store.matches import Matches, RecordEntry, Writing
from webapp.store.schema import metadata
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig
from webapp.web.pairing import Pairing

PATHS = sorted({route.path for route in all_routes() if route.method == "GET"})
COMPUTED = {"replays", "facts"}
"""Tables of the store with results that are computed again where they are missing."""
ENDLESS = "/api/events"
ASKED = "?source=0&language=fr&line=2&at=1&token=abc&after=0&fragments=1"


def test_no_get_changes_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOZYR_HOME", str(tmp_path / "home"))
    opened: list[object] = []
    monkeypatch.setattr(sources, "_connect", lambda device, settings: opened.append(device))
    database = Database.open(f"sqlite:///{tmp_path}/kozyr.db")
    matches = Matches(database, Films(tmp_path / "films"))
    writing = Writing.begin("kitchen", datetime.now(UTC), {})
    laid = {"at": 1.0, "event": "placed", "card": "7s", "by": "A"}
    matches.append(writing, [RecordEntry(1, HEADER), RecordEntry(2, laid)])
    pairing = Pairing(lambda: 0.0)
    shared_setup = SharedSetup(GameSetup(source="1"), begins=False)
    table = FakeTable(sources=[{"source": "0", "name": ""}], live_match=writing.match)
    labelled = LabelledPictures(tmp_path / "labelled")
    config = AppConfig(
        table, matches=matches, pairing=pairing, shared_setup=shared_setup, phone=PhoneCamera(), labelled=labelled
    )
    clients = [create_app(config, SnapshotHub()).test_client(), create_hall_app(config, matches.tables).test_client()]

    def state() -> Any:
        with database.reading() as connection:
            rows = {
                name: [tuple(row) for row in connection.execute(select(stored))]
                for name, stored in metadata.tables.items()
                if name not in COMPUTED
            }
        files = {path: path.stat().st_size for path in tmp_path.rglob("*") if not path.name.startswith("kozyr.db")}
        return rows, files, pairing.codes, pairing.devices(), shared_setup.setup, shared_setup.phase, list(opened)

    before = state()
    for path in PATHS:
        if path == ENDLESS:
            continue
        named = path.replace("{match}", writing.match)
        for client in clients:
            status = client.get(re.sub(r"\{\w+\}", "A", named) + ASKED).status_code
            assert status < 500 or status == 503, path
            assert state() == before, path
    database.close()


def test_link_of_another_site_changes_no_language() -> None:
    client = create_app(AppConfig(), SnapshotHub()).test_client()
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert "Set-Cookie" not in client.get("/?language=ru", headers=link).headers
    assert "language=ru" in client.get("/?language=ru").headers["Set-Cookie"]
