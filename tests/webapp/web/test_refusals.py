"""Refusals: on every route a sentence for players in their language beside the one for programs."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from flask import Flask

from features.hall.routes import create_hall_app
from scripts.http_reference import all_routes
from webapp.live.board import SnapshotHub
from webapp.live.game_setup import GameSetup
from webapp.live.shared_setup import SharedSetup
from webapp.store.database import Database
from webapp.store.live_tables import LiveTables
from webapp.store.matches import Matches
from webapp.text.catalogue import LANGUAGES, page_words
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig
from webapp.web.pairing import Ask, Pairing

ROUTES = all_routes()
BODIES = (b"", b"[1]", b"{}", b'{"seats": ["A"]}', b'{"name": "a.txt", "bytes": 1, "line": 99, "from": "record"}')


@pytest.fixture(scope="module")
def apps(tmp_path_factory: pytest.TempPathFactory) -> tuple[Flask, ...]:
    """Return a table that keeps nothing, one that keeps matches, one that knows no device, and a hall."""
    database = Database.open(f"sqlite:///{tmp_path_factory.mktemp('store') / 'kept.sqlite'}")
    shared_setup = SharedSetup(GameSetup(source="0"), begins=False)
    return (
        create_app(AppConfig(), SnapshotHub()),
        create_app(AppConfig(matches=Matches(database), shared_setup=shared_setup), SnapshotHub()),
        create_app(AppConfig(pairing=Pairing(time.monotonic, Ask.ALWAYS)), SnapshotHub()),
        create_hall_app(AppConfig(), LiveTables(database)),
    )


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_refusal_has_a_sentence_for_players(apps: tuple[Flask, ...], language: str) -> None:
    sentences, refused = set(page_words(language).values()), set()
    for app in apps:
        client = app.test_client()
        for route in ROUTES:
            path = re.sub(r"{\w+}", "x", route.path)
            for body in BODIES:
                answer = client.open(f"{path}?language={language}", method=route.method, data=body)
                answered = answer.get_json(silent=True) if answer.status_code >= 400 else None
                if isinstance(answered, dict) and "error" in answered:
                    assert "expected " in answered["error"], (route.path, answered)
                    assert answered["text"] in sentences, (route.path, answered)
                    refused.add(answer.status_code)
    assert {400, 401, 404, 409, 503} <= refused


def test_only_one_place_makes_refusals() -> None:
    for path in (*Path("webapp/web").glob("*.py"), *Path("features").rglob("routes.py")):
        assert path.name == "responses.py" or '"error":' not in path.read_text("utf-8"), path
