"""Requests that judge a match again, and their refusal."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from features.moments.options import RejudgeOptions
from tests.webapp.conftest import HEADER
from webapp.live.background_jobs import BackgroundJob, BackgroundJobs
from webapp.live.board import SnapshotHub
from webapp.store.database import Database
from webapp.store.films import Films
from webapp.store.matches import Matches, RecordEntry, Writing
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig


class Asked:
    """Fake background work that only collects requests."""

    def __init__(self) -> None:
        self.jobs = BackgroundJobs()
        self.asked: list[Any] = []

    def start(self, kind: str, match: str, asked: RejudgeOptions) -> BackgroundJob:
        self.asked.append((match, asked))
        return BackgroundJob("j1", kind, match)


@pytest.fixture
def stored(tmp_path: Path) -> tuple[FlaskClient, str, Asked]:
    """Return a client of a store with one match, its ID, and the collected requests."""
    matches = Matches(Database.open(f"sqlite:///{tmp_path}/kozyr.db"), Films(tmp_path / "films"))
    writing = Writing.begin("kitchen", datetime.now(UTC), {})
    matches.append(writing, [RecordEntry(1, HEADER)])
    work = Asked()
    return create_app(AppConfig(matches=matches, long_work=work), SnapshotHub()).test_client(), writing.match, work


def test_request_is_passed_to_the_background_work(stored: tuple[FlaskClient, str, Asked]) -> None:
    client, match, work = stored
    answer = client.post(f"/api/matches/{match}/again?language=ru", json={"from": "record", "rules": "severnyi"})
    assert (answer.status_code, answer.json["state"]) == (202, "waiting")
    assert work.asked == [(match, RejudgeOptions(rules="severnyi", language="ru"))]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"from": "dreams"}, "expected JSON such as"),
        ([], "expected JSON such as"),
        ({"from": "record", "rules": "whist"}, "whist"),
        ({"from": "record", "options": {"attack_limit": "many"}}, "attack_limit"),
        ({"from": "record", "options": []}, '"options" to be an object, got []'),
    ],
)
def test_invalid_request_is_refused(stored: tuple[FlaskClient, str, Asked], body: Any, words: str) -> None:
    client, match, work = stored
    answer = client.post(f"/api/matches/{match}/again", json=body)
    assert (answer.status_code, work.asked) == (400, [])
    assert words in answer.json["error"]


def test_choices_fit_the_match(stored: tuple[FlaskClient, str, Asked]) -> None:
    client, match, _ = stored
    found = client.get(f"/api/matches/{match}/again").json
    assert (found["rules"], found["film"]) == ("podkidnoy-36", False)
    assert "french-2" not in [rule_set["rules"] for rule_set in found["sets"]]  # the match has three seats
    assert {"attack_limit"} <= {choice["option"] for choice in found["choices"]}
    assert client.get(f"/api/matches/{match}/again?rules=whist").status_code == 400
    assert client.get("/api/matches/nobody/again").status_code == 404
    assert client.post("/api/matches/nobody/again", json={"from": "record"}).status_code == 404


def test_nothing_is_judged_again_where_nothing_is_kept() -> None:
    nothing = create_app(AppConfig(), SnapshotHub()).test_client()
    assert nothing.post("/api/matches/x/again", json={"from": "record"}).status_code == 503
    assert nothing.post("/api/matches/x/again", data=b"{").status_code == 503, "before the body is read"
