"""Tone of a table: the option, the header, the snapshot, and the answers that the page sends."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient
from msgspec import structs

from referee.cards import Card
from referee.errors import RecordError
from referee.events import Pressed, Reread
from referee.header import TONES, Header
from referee.rulebook import FaultId
from referee.rulings import Ruling, Verdict
from tests.webapp.services import FakeTable
from webapp.commands.match_header import HeaderOptions, header_for
from webapp.commands.options import TableOptions, parser, read_options
from webapp.errors import WrongCallError
from webapp.live.board import SnapshotHub
from webapp.match.log import MatchLog
from webapp.match.view import View
from webapp.text.catalogue import LANGUAGES
from webapp.text.present import say
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig


@pytest.mark.parametrize("command", ["demo", "watch 0"])
@pytest.mark.parametrize("tone", TONES)
def test_tone_is_an_option_of_a_table(command: str, tone: str) -> None:
    called = parser().parse_args([*command.split(), "--tone", tone])
    assert header_for(HeaderOptions(), tone=read_options(TableOptions, called).tone).tone == tone


def test_default_tone_announces_faults() -> None:
    assert (
        header_for(HeaderOptions(), tone=read_options(TableOptions, parser().parse_args(["demo"])).tone).tone == "call"
    )


def test_unknown_tone_is_a_usage_error() -> None:
    with pytest.raises(WrongCallError, match="expected --tone to be one of"):
        parser().parse_args(["demo", "--tone", "shout"])


def test_header_names_only_a_tone_that_is_not_the_default() -> None:
    header = header_for(HeaderOptions(), tone="silent")
    assert Header.parse(header.as_json()) == header
    assert "tone" not in header_for(HeaderOptions()).as_json()
    with pytest.raises(RecordError, match="\"tone\" to be one of call, hint, silent, got 'loud'"):
        Header.parse(header.as_json() | {"tone": "loud"})


def kinds(match: MatchLog) -> list[Any]:
    return [call.content.get("ruling", call.content.get("announce")) for call in match.view.calls]


@pytest.mark.parametrize(("tone", "is_announced"), [("call", True), ("hint", True), ("silent", False)])
def test_silent_match_announces_no_ruling(header: Header, table: Any, tone: str, is_announced: bool) -> None:
    match = MatchLog(structs.replace(header, tone=tone))
    match.open()
    match.judge(table.placed(1.0, "8s", "A"))
    match.judge(table.placed(2.0, "7s", "B", "8s"))
    assert ("illegal" in kinds(match)) is is_announced
    assert match.view.state["open"] == [] or is_announced
    match.judge(Pressed(at=3.0, button="challenge", by="C"))
    assert kinds(match)[-2:] == ["illegal", "challenge"]
    assert match.view.calls[-1].text.in_language("en") == "The last bout: one thing was seen."


def test_challenge_without_a_fault_finds_none(match: MatchLog, table: Any) -> None:
    match.judge(table.placed(1.0, "8s", "A"))
    match.judge(Pressed(at=2.0, button="challenge"))
    assert {language: match.view.calls[-1].text.in_language(language) for language in LANGUAGES} == {
        "en": "The last bout: nothing was found.",
        "ru": "Последний заход: придраться не к чему.",
        "fr": "La dernière levée\u00a0: rien à redire.",
        "es": "La última ronda: nada que objetar.",
        "he": "הסיבוב האחרון: לא נמצא דבר.",
    }


def test_page_gets_the_tone(board: SnapshotHub) -> None:
    client = create_app(AppConfig(), board).test_client()
    assert client.get("/api/state").get_json()["tone"] == "call"
    board.publish(view=View(tone="hint"))
    assert client.get("/api/state").get_json()["tone"] == "hint"


@pytest.fixture
def answers() -> list[Pressed | Reread]:
    """Return the list that collects the events that the page sends."""
    return []


@pytest.fixture
def client(board: SnapshotHub, answers: list[Pressed | Reread]) -> FlaskClient:
    """Return a client of a table that accepts events."""
    board.publish(view=View(seats=("A", "B", "C")))
    return create_app(AppConfig(FakeTable(on_press=lambda press: answers.append(press) is None)), board).test_client()


def test_page_can_answer_with_a_card(client: FlaskClient, answers: list[Pressed | Reread]) -> None:
    answer = client.post("/api/press", json={"event": "reread", "was": "6d", "card": "9d"})
    assert answer.status_code == 200
    assert answers == [Reread(at=0.0, was=Card.parse("6d"), card=Card.parse("9d"))]
    assert client.post("/api/press", json={"button": "challenge", "by": "A"}).status_code == 200


def test_answer_without_a_card_is_refused_with_one_sentence(
    client: FlaskClient, answers: list[Pressed | Reread]
) -> None:
    answer = client.post("/api/press", json={"event": "reread", "was": "6d"})
    assert (answer.status_code, answers) == (400, [])
    assert 'expected "card" with a card' in answer.get_json()["error"]


def test_questions_are_written_in_plain_words() -> None:
    six = Card.parse("6d")
    which = Ruling(
        Verdict.UNCLEAR,
        "beat",
        (Card.parse("7d"),),
        "B",
        FaultId.DOES_NOT_BEAT,
        {"over": six},
        {"ask": "card", "card": six},
    )
    assert say(which).endswith("Please look again at 6♦.")
    assert say(which, "ru").endswith("Посмотрите ещё раз: 6♦.")
