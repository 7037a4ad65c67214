"""Labelled pictures of corrected cards: stored only if enabled, and deleted on request."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from referee.record import Header, event_from_json
from tests.webapp.conftest import HEADER
from tests.webapp.services import FakeTable
from webapp.commands import cli
from webapp.live.board import SnapshotHub
from webapp.match.log import MatchLog
from webapp.store.database import Database
from webapp.store.labelled_pictures import LabelledPictures
from webapp.store.matches import Matches, RecordEntry, Writing
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig

LAID = {"at": 1.0, "event": "placed", "card": "9s", "by": "A"}
CROP = ("9s", b64encode(b"a JPEG").decode())
Correct = Callable[[object], int]


@pytest.fixture
def pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LabelledPictures:
    monkeypatch.setenv("KOZYR_HOME", str(tmp_path))
    return LabelledPictures(tmp_path / "labelled")


@pytest.fixture
def stored(tmp_path: Path, pictures: LabelledPictures) -> tuple[FlaskClient, str]:
    """Return the client and the ID of a finished match with one card and its picture."""
    matches = Matches(Database.open(f"sqlite:///{tmp_path}/kozyr.db"))
    writing = Writing.begin("kitchen", datetime.now(UTC), {})
    matches.append(writing, [RecordEntry(1, HEADER), RecordEntry(2, LAID, moment=(3, 1.0), crop=CROP)])
    matches.end(writing)
    return create_app(AppConfig(matches=matches, labelled=pictures), SnapshotHub()).test_client(), writing.match


def correct(stored: tuple[FlaskClient, str], to: object, line: int = 2) -> int:
    return stored[0].post(f"/api/matches/{stored[1]}/correct", json={"line": line, "to": to}).status_code


def files(pictures: LabelledPictures) -> list[str]:
    return sorted(str(path.relative_to(pictures.folder)) for path in pictures.folder.glob("*/*"))


def test_no_picture_is_stored_unless_enabled(stored: tuple[FlaskClient, str], pictures: LabelledPictures) -> None:
    assert stored[0].get("/api/labelled").json == {"on": False, "count": 0, "folder": str(pictures.folder)}
    assert correct(stored, {"event": "placed", "card": "6s", "by": "A"}) == 202
    assert not pictures.folder.exists()


def test_newest_correction_names_the_picture(stored: tuple[FlaskClient, str], pictures: LabelledPictures) -> None:
    assert stored[0].post("/api/labelled", json={"on": True}).json["on"] is True
    assert correct(stored, {"event": "placed", "card": "6s", "by": "A"}) == 202
    assert files(pictures) == [f"6s/{stored[1]}-2-read-9s.jpg"]
    assert correct(stored, {"event": "placed", "card": "9s", "by": "A"}) == 202
    assert files(pictures) == [f"9s/{stored[1]}-2-read-9s.jpg"]
    assert next(pictures.folder.glob("9s/*")).read_bytes() == b"a JPEG"
    assert correct(stored, None) == 202  # a correction to nothing names no card
    assert stored[0].post("/api/labelled", json={"on": False}).json["count"] == 1
    assert correct(stored, {"event": "placed", "card": "7s", "by": "A"}) == 202
    assert files(pictures) == [f"9s/{stored[1]}-2-read-9s.jpg"]
    assert stored[0].delete("/api/labelled").json["count"] == 0
    assert files(pictures) == []
    assert stored[0].post("/api/labelled", json={"on": "yes"}).status_code == 400


def test_picture_of_a_game_with_a_deck_says_so(tmp_path: Path, pictures: LabelledPictures) -> None:
    matches = Matches(Database.open(f"sqlite:///{tmp_path}/deck.db"))
    writing = Writing.begin("kitchen", datetime.now(UTC), {"deck": "blue"})
    matches.append(writing, [RecordEntry(1, HEADER), RecordEntry(2, LAID, moment=(3, 1.0), crop=CROP)])
    matches.end(writing)
    client = create_app(AppConfig(matches=matches, labelled=pictures), SnapshotHub()).test_client()
    pictures.wish(True)
    assert correct((client, writing.match), {"event": "placed", "card": "6s", "by": "A"}) == 202
    assert files(pictures) == [f"6s/{writing.match}-2-read-9s-deck-blue.jpg"]
    assert correct((client, writing.match), {"event": "placed", "card": "7s", "by": "A"}) == 202
    assert files(pictures) == [f"7s/{writing.match}-2-read-9s-deck-blue.jpg"]


@pytest.mark.parametrize(("is_wanted", "is_stored"), [(True, True), (False, True), (True, False)])
def test_picture_of_a_game_without_a_film_comes_from_its_table(
    tmp_path: Path, pictures: LabelledPictures, is_wanted: bool, is_stored: bool
) -> None:
    matches = Matches(Database.open(f"sqlite:///{tmp_path}/unfilmed.db"))
    writing = Writing.begin("kitchen", datetime.now(UTC), {})
    played = MatchLog(Header.parse(HEADER))
    played.open()
    played.judge(event_from_json(LAID))
    if is_stored:  # else its lines wait for a store that works
        matches.append(writing, [RecordEntry(1, HEADER), RecordEntry(2, LAID)])
    table = FakeTable(on_correct=played.correct, crops={2: ("9s", b"a JPEG")}, live_match=writing.match)
    board = SnapshotHub()
    board.publish(view=played.view)
    client = create_app(AppConfig(table, matches=matches, labelled=pictures, board=board), board).test_client()
    pictures.wish(is_wanted)
    body = {"line": 2, "to": {"event": "placed", "card": "6s", "by": "A"}}
    assert client.post("/api/correct", json=body).status_code == 202
    assert files(pictures) == ([f"6s/{writing.match}-2-read-9s.jpg"] if is_wanted and is_stored else [])


def test_command_prints_and_changes_the_setting(pictures: LabelledPictures, capsys: pytest.CaptureFixture[str]) -> None:
    def printed(*more: str) -> object:
        assert cli.main(["matches", "labelled", "--json", *more]) == 0
        return json.loads(capsys.readouterr().out)

    assert printed() == {"on": False, "count": 0, "folder": str(pictures.folder)}
    assert printed("--on")["on"] is True  # type: ignore[index]
    assert pictures.add("m-1", 2, "6s", "9s", b"x") is not None
    assert pictures.add("../m", 2, "6s", "9s", b"x") is None
    assert printed()["count"] == 1  # type: ignore[index]
    assert printed("--delete") == {"on": True, "count": 0, "folder": str(pictures.folder)}
    assert printed("--off")["on"] is False  # type: ignore[index]


def test_setting_is_unavailable_without_a_store() -> None:
    client = create_app(AppConfig(), SnapshotHub()).test_client()
    assert client.get("/api/labelled").status_code == 204
