"""A learnt deck is chosen in set-up."""

from __future__ import annotations

from pathlib import Path

import pytest

from features.enrolment.deck_names import deck_path
from tests.webapp.services import FakeTable
from webapp.live.board import SnapshotHub
from webapp.live.game_setup import GameSetup
from webapp.live.shared_setup import SharedSetup
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig


def test_unknown_deck_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared_setup = SharedSetup(GameSetup(source="0"), begins=False)
    client = create_app(AppConfig(FakeTable(), shared_setup=shared_setup), SnapshotHub()).test_client()
    monkeypatch.setenv("KOZYR_HOME", str(tmp_path))
    answer = client.post("/api/setup", json={"deck": "blue"})
    assert (answer.status_code, "'kozyr enrol NAME' learns one" in answer.json["error"]) == (400, True)
    deck_path("blue").parent.mkdir(parents=True)
    deck_path("blue").touch()
    assert client.post("/api/setup", json={"deck": "blue"}).json["deck"] == "blue"
    own = {"deck": str(deck_path("blue"))}
    assert client.post("/api/setup", json=own).status_code == 200
    client.post("/api/setup", json={"deck": None})
    elsewhere = client.post("/api/setup", json=own, environ_overrides={"REMOTE_ADDR": "192.168.1.7"})
    assert elsewhere.status_code == 400
