"""Comments, pictures of positions, text of the game, export and deletion of a stored match."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from flask.testing import FlaskClient

from tests.browser.stored_match import StoredMatch, stored_match
from webapp.live.board import SnapshotHub
from webapp.store.matches import RecordEntry, Writing
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[StoredMatch]:
    with stored_match(tmp_path) as made:
        yield made


@pytest.fixture
def client(stored: StoredMatch) -> FlaskClient:
    return create_app(AppConfig(matches=stored.matches), SnapshotHub()).test_client()


def comment(client: FlaskClient, stored: StoredMatch, **body: Any) -> Any:
    return client.post(f"/api/matches/{stored.match}/comment", json=body)


def test_comment_is_stored_in_record_replay_and_notation(client: FlaskClient, stored: StoredMatch) -> None:
    answer = comment(client, stored, line=3, comment=" well\n held } ")
    assert (answer.status_code, answer.json["comment"]) == (200, "well held }")
    assert stored.matches.record(stored.match)[2]["comment"] == "well held }"
    steps = client.get(f"/api/matches/{stored.match}/replay").json["steps"]
    assert [step.get("comment") for step in steps][:3] == [None, "well held }", None]
    assert "well held" in client.get(f"/api/matches/{stored.match}/game.durak").text
    assert "(well held })" in client.get(f"/api/matches/{stored.match}/game.txt").text
    comment(client, stored, line=3, comment="")
    assert "comment" not in stored.matches.record(stored.match)[2]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"line": 99, "comment": "x"}, 404),
        ({"line": True, "comment": "x"}, 400),
        ({"line": 3, "comment": 5}, 400),
        ({"line": 3}, 400),
        ({"line": 3, "comment": "x" * 501}, 400),
    ],
)
def test_invalid_comment_is_refused(
    client: FlaskClient, stored: StoredMatch, body: dict[str, Any], status: int
) -> None:
    answer = comment(client, stored, **body)
    assert answer.status_code == status
    assert answer.json["error"].startswith("expected ")


def test_running_match_is_deleted_only_after_its_end(client: FlaskClient, stored: StoredMatch) -> None:
    writing = Writing.begin("kitchen", datetime.now(UTC), {})
    stored.matches.append(writing, [RecordEntry(1, stored.matches.record(stored.match)[0])])
    address = f"/api/matches/{writing.match}"
    assert client.post(f"{address}/comment", json={"line": 1, "comment": "x"}).status_code == 200
    assert client.delete(address).status_code == 409
    report = {"match": writing.match, "open": True, "address": None}
    stored.matches.tables.report("program", "kitchen", report)
    assert client.get(f"{address}/replay").json["goes_on"] == {"here": False, "table": "kitchen", "address": None}
    assert client.post(f"{address}/end").status_code == 409, "a table is playing the match"
    stored.matches.tables.report("program", "kitchen", {**report, "open": False})
    assert client.get(f"{address}/replay").json["goes_on"] == {"here": False, "table": None, "address": None}
    assert [client.post(f"{address}/end").status_code for _ in range(2)] == [200, 200]
    assert client.get(f"{address}/replay").json["goes_on"] is None
    assert client.delete(address).status_code == 200


def test_position_is_a_self_contained_picture(client: FlaskClient, stored: StoredMatch) -> None:
    answer = client.get(f"/api/matches/{stored.match}/position.svg?line=3&language=fr")
    assert answer.mimetype == "image/svg+xml"
    texts = [element.text for element in ET.fromstring(answer.text).iter("{http://www.w3.org/2000/svg}text")]
    assert {"A", "B", "C"} <= set(texts)
    assert "href" not in answer.text, "the picture loads nothing"
    hebrew = client.get(f"/api/matches/{stored.match}/position.svg?line=3&language=he").text
    assert ('<g direction="ltr">' in answer.text, '<g direction="rtl">' in hebrew) == (True, True)
    assert client.get(f"/api/matches/{stored.match}/position.svg?line=77").status_code == 404


def test_game_is_written_as_readable_text(client: FlaskClient, stored: StoredMatch) -> None:
    answer = client.get(f"/api/matches/{stored.match}/game.txt?language=en")
    assert answer.text == "1. A 7♠ - B 10♠. Beaten off\n"


def test_everything_is_exported_and_then_deleted(client: FlaskClient, stored: StoredMatch) -> None:
    with client.get(f"/api/matches/{stored.match}/export.zip") as packed:
        names = set(ZipFile(io.BytesIO(packed.data)).namelist())
    assert names == {
        "record.jsonl",
        "game.durak",
        "versions.json",
        "film.mp4",
    }
    assert client.delete(f"/api/matches/{stored.match}").status_code == 200
    assert stored.matches.list() == ()
    for path in ("export.zip", "position.svg", "game.txt"):
        assert client.get(f"/api/matches/{stored.match}/{path}").status_code == 404
    assert client.delete(f"/api/matches/{stored.match}").status_code == 404


@pytest.mark.parametrize("path", ["export.zip", "position.svg", "game.txt"])
def test_answer_without_a_store_says_so(path: str) -> None:
    client = create_app(AppConfig(), SnapshotHub()).test_client()
    assert client.get(f"/api/matches/x/{path}").status_code == 503
    assert client.delete("/api/matches/x").status_code == 503
    assert client.post("/api/matches/x/comment", json={}).status_code == 503


def test_rules_are_named(client: FlaskClient) -> None:
    assert client.get("/api/game").json == {"match": None, "recording": False}


@pytest.mark.parametrize(("accept", "kind"), [("text/html", "text/html"), ("application/json", "application/json")])
def test_missing_page_is_html_only_for_browsers(client: FlaskClient, accept: str, kind: str) -> None:
    for path in ("/nowhere", "/matches/2026-01-01-000000-aaaa", "/api/nowhere"):
        answer = client.get(path, headers={"Accept": accept})
        assert (answer.status_code, answer.mimetype) == (404, kind)
    assert client.get("/api/nowhere", headers={"Accept": "*/*"}).mimetype == "application/json"
