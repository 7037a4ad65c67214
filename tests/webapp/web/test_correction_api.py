"""Corrections over HTTP: of the running match and of a stored one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from msgspec.structs import replace

from referee.events import Corrected, Pressed
from referee.record import Header, event_from_json
from tests.webapp.conftest import HEADER, placed
from tests.webapp.services import FakeTable
from webapp.live.board import SnapshotHub
from webapp.match.log import MatchLog, MatchUpdate
from webapp.store.database import Database
from webapp.store.matches import Matches, RecordEntry, Writing
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig

CAMERA = {**HEADER, "witness": "camera"}
WRONG = (placed(1.0, "7s", "A"), placed(2.0, "6d", "B", "7s"))
LIFTED = event_from_json({"at": 3.0, "event": "lifted", "card": "6d", "by": "B"})
RIGHT = {"line": 3, "to": {"event": "placed", "card": "8s", "by": "B", "on": "7s"}, "by": "A"}


@pytest.fixture
def live() -> MatchLog:
    """Return a match with the fault does-not-beat."""
    match = MatchLog(Header.parse(CAMERA))
    match.open()
    match.judge(*WRONG, LIFTED)
    assert match.view.rulings["illegal"] == 1
    return match


@pytest.fixture
def client(live: MatchLog) -> FlaskClient:
    """Return a client of that table."""
    board = SnapshotHub()

    def correct(correction: Corrected | Pressed) -> MatchUpdate:
        done = live.correct(replace(correction, at=4.0))
        board.publish(view=live.view, lines=live.lines)
        return done

    board.publish(view=live.view, lines=live.lines)
    return create_app(AppConfig(FakeTable(on_correct=correct)), board).test_client()


def test_correction_is_answered_with_one_sentence_about_the_changes(client: FlaskClient) -> None:
    answer = client.post("/api/correct", json=RIGHT)
    assert answer.status_code == 202
    data = answer.get_json()
    assert (data["accepted"], data["line"]) == (True, 5)
    assert data["text"] == "6♦ was 8♠. 1 call is taken back."
    assert [line["withdrawn"] for line in data["said"] if "withdrawn" in line] == ["does-not-beat"]
    state = client.get("/api/state").get_json()
    call = state["calls"][-1]
    assert (call["text"], call["details"]) == (data["stated"], ["1 call is taken back."]), "short, the rest aside"
    assert [call for call in state["calls"] if call.get("ruling") == "illegal"] == []


def test_correction_can_be_undone(client: FlaskClient) -> None:
    client.post("/api/correct", json=RIGHT)
    answer = client.post("/api/correct", json={"event": "pressed", "button": "undo", "by": "A"})
    assert answer.get_json()["text"] == "The correction is undone. 6♦ does not beat 7♠."
    assert client.get("/api/state").get_json()["rulings"]["illegal"] == 1


def test_lines_are_listed_with_corrections_applied(client: FlaskClient) -> None:
    client.post("/api/correct", json=RIGHT)
    data = client.get("/api/taken").get_json()
    assert (data["seats"], data["pack"], data["state"]["hands"]["B"]) == (["A", "B", "C"], 36, 6)
    first, second, *_ = data["lines"]
    assert (first["line"], first["said"], first["event"]["card"]) == (2, False, "7s")
    assert (second["line"], second["said"], second["event"]["card"]) == (3, True, "8s")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("{", "expected a correction as JSON"),
        ("[]", "expected a correction as JSON"),
        ('{"line": 3}', '"to"'),
        ('{"line": 99, "to": null}', "earlier event's line"),
        ('{"line": 3, "to": {"event": "placed", "card": "8s", "by": "Nobody"}}', "Nobody"),
        ('{"table": {"hands": {"A": 60}}}', "make up the 36 cards"),
        ('{"event": "pressed", "button": "take"}', "an 'undo'"),
    ],
)
def test_invalid_correction_is_refused_with_one_sentence(
    client: FlaskClient, live: MatchLog, body: str, words: str
) -> None:
    before = (live.view.state, live.line, live.view.rulings)
    answer = client.post("/api/correct", data=body)
    assert answer.status_code == 400
    assert words in answer.get_json()["error"]
    assert (live.view.state, live.line, live.view.rulings) == before


def test_answer_endpoint_accepts_every_answer(client: FlaskClient, live: MatchLog) -> None:
    live.judge(placed(3.5, "Kd", "A"), event_from_json({"at": 30.0, "event": "tick"}))
    client.post("/api/answer", json={"line": 5, "answer": "dismiss"})  # publishes to the board
    line = live.line
    assert client.post("/api/answer", json={"line": 5, "answer": "forgive"}).status_code == 409, "the fault is not open"
    unknown = '{"line": 5, "answer": "card", "suit": "s"}'
    for body in (
        "{",
        "[]",
        '{"answer": 3}',
        '{"answer": "dismiss"}',
        '{"line": 5, "answer": "card", "card": 6}',
        unknown,
    ):
        answer = client.post("/api/answer", data=body)
        assert answer.status_code == 400
        assert "expected an answer as JSON" in answer.get_json()["error"]
    assert live.line == line


def test_correction_without_a_match_is_refused() -> None:
    client = create_app(AppConfig(), SnapshotHub()).test_client()
    assert client.post("/api/correct", json={"line": 3, "to": None}).status_code == 503
    assert client.post("/api/matches/x/correct", json={"line": 3, "to": None}).status_code == 503
    assert client.get("/api/taken").get_json()["lines"] == []


class EntryStore:
    """Collects a match's lines as entries of the store."""

    def __init__(self) -> None:
        self.entries: list[RecordEntry] = []

    def write(self, line: Any, rulings: Any, result: Any) -> None:
        self.entries.append(RecordEntry(len(self.entries) + 1, line, rulings, result))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[tuple[Matches, Writing, FlaskClient]]:
    """Return a store with that match, ended, its writing, and a client."""
    database = Database.open(f"sqlite:///{tmp_path / 'kozyr.db'}")
    matches, stored = Matches(database), EntryStore()
    match = MatchLog(Header.parse(CAMERA), store=stored)
    match.open()
    match.judge(*WRONG, LIFTED)
    match.finish()
    writing = Writing.begin("kitchen", datetime(2026, 11, 23, 19, 30, tzinfo=UTC), {})
    matches.append(writing, stored.entries)
    yield matches, writing, create_app(AppConfig(matches=matches), SnapshotHub()).test_client()
    database.close()


def test_stored_match_is_corrected_in_its_store(store: tuple[Matches, Writing, FlaskClient]) -> None:
    matches, writing, client = store
    matches.end(writing)
    before = matches.show(writing.match)
    answer = client.post(f"/api/matches/{writing.match}/correct", json=RIGHT)
    assert answer.status_code == 202
    assert answer.get_json()["text"] == "6♦ was 8♠. 1 call is taken back."
    lines = matches.show(writing.match)
    assert lines[: len(before)] == before
    assert (lines[len(before)]["event"], lines[len(before)]["line"]) == ("corrected", 3)
    assert any(line.get("withdrawn") == "does-not-beat" and line["of"] == 3 for line in lines[len(before) :])
    assert matches.about(writing.match)[0]["ended"] is True
    taken = client.get(f"/api/matches/{writing.match}/taken").get_json()["lines"]
    assert [line["event"]["card"] for line in taken if line["said"]] == ["8s"]
    answer = client.post(f"/api/matches/{writing.match}/answer", json={"line": 3, "answer": "as_seen"})
    assert answer.status_code == 409, "there is no such question"
    undone = client.post(f"/api/matches/{writing.match}/correct", json={"event": "pressed", "button": "undo"})
    assert undone.get_json()["text"] == "The correction is undone. 6♦ does not beat 7♠."


def test_running_match_is_corrected_only_at_its_table(store: tuple[Matches, Writing, FlaskClient]) -> None:
    matches, writing, client = store
    answer = client.post(f"/api/matches/{writing.match}/correct", json=RIGHT)
    assert answer.status_code == 409
    assert "goes on" in answer.get_json()["error"]
    assert client.post("/api/matches/none/correct", json=RIGHT).status_code == 404
    matches.end(writing)
    assert client.post(f"/api/matches/{writing.match}/correct", json={"line": 99, "to": None}).status_code == 400


def test_answer_names_hands_and_piles_that_change(client: FlaskClient) -> None:
    missed = {"after": 3, "insert": {"event": "placed", "card": "8s", "by": "B", "on": "7s"}}
    text = client.post("/api/correct", json=missed).get_json()["text"]
    assert text == "Something had been missed. B now holds 5 cards, not 6: B laid 8♠."
    counted = {"table": {"hands": {"A": 5, "B": 5, "C": 7}, "talon": 10}}
    text = client.post("/api/correct", json=counted).get_json()["text"]
    assert text.endswith(
        "C now holds 7 cards, not 6: It was counted so. The draw pile now has 10 cards, not 18: It was counted so. "
        "The beaten pile now has 7 cards, not 0: It was counted so."
    )


def test_undo_of_a_line_that_corrects_nothing_is_answered_with_its_doubt(client: FlaskClient) -> None:
    answer = client.post("/api/correct", json={"event": "pressed", "button": "undo", "of": 2})
    assert answer.get_json()["text"] == "There is nothing to take back."


@pytest.mark.parametrize(
    ("statement", "against"),
    [
        ({"line": 2, "to": {"event": "placed", "card": "9h", "by": "A"}}, "9♥ still lies under the draw pile"),
        ({"line": 3, "to": {"event": "placed", "card": "7s", "by": "B", "on": "7s"}}, "7♠ "),
        ({"after": 4, "insert": {"event": "placed", "card": "2c", "by": "C"}}, "2♣ is not in this deck of 36."),
        ({"table": {"hands": {"B": 0}, "talon": 24}}, "B is known to hold 6♦, and would hold 0 cards."),
    ],
)
def test_statement_that_contradicts_what_is_known_is_applied_only_anyway(
    client: FlaskClient, statement: dict[str, Any], against: str
) -> None:
    lines = client.get("/api/lines").get_json()["lines"]
    refused = client.post("/api/correct", json=statement)
    assert refused.status_code == 409
    assert refused.get_json()["contradicts"].startswith("That can hardly be")
    assert against in refused.get_json()["contradicts"]
    assert client.get("/api/lines").get_json()["lines"] == lines, "nothing has changed"
    assert client.post("/api/correct", json={**statement, "anyway": True}).status_code == 202
    recorded = client.get("/api/lines").get_json()["lines"][len(lines)]
    assert (recorded["event"], recorded["anyway"]) == ("corrected", True)


def test_card_that_is_seen_again_later_contradicts_a_statement(client: FlaskClient, live: MatchLog) -> None:
    live.judge(placed(5.0, "8s", "B", "7s"))
    statement = {"line": 2, "to": {"event": "placed", "card": "8s", "by": "A"}}
    answer = client.post("/api/correct", json=statement)
    assert (answer.status_code, answer.get_json()["contradicts"]) == (
        409,
        "That can hardly be: 8♠ is seen again at 0:05.",
    )
