"""The tone of a table: the option, the header, the snapshot, and the answers that the page sends."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient
from msgspec import structs

from referee.cards import Card
from referee.errors import RecordError
from referee.events import Pressed, Reread
from referee.header import TONES, Header
from referee.rulings import FaultId, Ruling, Verdict
from tests.webapp.services import FakeTable
from webapp.commands.match_header import HeaderOptions, header_for
from webapp.commands.parser import parser
from webapp.commands.shared_options import header_options
from webapp.errors import WrongCallError
from webapp.live.board import Board
from webapp.live.live_match import LiveMatch
from webapp.text.present import say
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig


@pytest.mark.parametrize("command", ["demo", "watch 0"])
@pytest.mark.parametrize("tone", TONES)
def test_the_tone_is_an_option_of_a_table(command: str, tone: str) -> None:
    called = parser().parse_args([*command.split(), "--tone", tone])
    assert header_for(header_options(called)).tone == tone


def test_without_the_option_faults_are_called() -> None:
    assert header_for(header_options(parser().parse_args(["demo"]))).tone == "call"


def test_another_tone_is_a_wrong_call() -> None:
    with pytest.raises(WrongCallError, match="expected --tone to be one of"):
        parser().parse_args(["demo", "--tone", "shout"])


def test_the_header_keeps_the_tone_and_names_it_only_where_it_is_unusual() -> None:
    header = header_for(HeaderOptions(tone="silent"))
    assert Header.parse(header.as_json()) == header
    assert "tone" not in header_for(HeaderOptions()).as_json()
    with pytest.raises(RecordError, match="\"tone\" to be one of call, hint, silent, got 'loud'"):
        Header.parse(header.as_json() | {"tone": "loud"})


def kinds(match: LiveMatch) -> list[Any]:
    return [call.content.get("ruling", call.content.get("announce")) for call in match.calls]


@pytest.mark.parametrize(("tone", "told"), [("call", True), ("hint", True), ("silent", False)])
def test_a_silent_match_announces_nothing_of_a_play(header: Header, table: Any, tone: str, told: bool) -> None:
    match = LiveMatch(structs.replace(header, tone=tone))
    match.open()
    match.judge(table.placed(1.0, "8s", "A"))
    match.judge(table.placed(2.0, "7s", "B", "8s"))
    assert ("illegal" in kinds(match)) is told
    assert match.state["open"] == [] or told
    match.judge(Pressed(at=3.0, button="challenge", by="C"))
    assert kinds(match)[-2:] == ["illegal", "challenge"]
    assert match.calls[-1].texts["en"] == "The last bout: one thing was seen."


def test_a_challenge_without_a_fault_finds_nothing(match: LiveMatch, table: Any) -> None:
    match.judge(table.placed(1.0, "8s", "A"))
    match.judge(Pressed(at=2.0, button="challenge"))
    assert match.calls[-1].texts == {
        "en": "The last bout: nothing was found.",
        "ru": "Последний заход: придраться не к чему.",
        "fr": "La dernière levée\u00a0: rien à redire.",
        "es": "La última ronda: nada que objetar.",
        "he": "הסיבוב האחרון: לא נמצא דבר.",
    }


def test_the_page_gets_the_tone(board: Board) -> None:
    client = create_app(AppConfig(), board).test_client()
    assert client.get("/api/state").get_json()["tone"] == "call"
    board.publish(tone="hint")
    assert client.get("/api/state").get_json()["tone"] == "hint"


@pytest.fixture
def answers() -> list[Pressed | Reread]:
    """What the page sent."""
    return []


@pytest.fixture
def client(board: Board, answers: list[Pressed | Reread]) -> FlaskClient:
    """A browser at a table that listens."""
    board.publish(seats=("A", "B", "C"))
    return create_app(AppConfig(FakeTable(on_press=lambda press: answers.append(press) is None)), board).test_client()


def test_the_page_may_say_which_card_it_was(client: FlaskClient, answers: list[Pressed | Reread]) -> None:
    answer = client.post("/api/press", json={"event": "reread", "was": "6d", "card": "9d"})
    assert answer.status_code == 202
    assert answers == [Reread(at=0.0, was=Card.parse("6d"), card=Card.parse("9d"))]
    assert client.post("/api/press", json={"button": "challenge", "by": "A"}).status_code == 202


def test_an_answer_with_no_card_is_one_sentence(client: FlaskClient, answers: list[Pressed | Reread]) -> None:
    answer = client.post("/api/press", json={"event": "reread", "was": "6d"})
    assert (answer.status_code, answers) == (400, [])
    assert 'expected "card" with a card' in answer.get_json()["error"]


def test_a_question_is_asked_in_words_a_player_understands() -> None:
    six, nine = Card.parse("6d"), Card.parse("9d")
    which = Ruling(
        Verdict.UNCLEAR,
        "beat",
        (Card.parse("7d"),),
        "B",
        FaultId.DOES_NOT_BEAT,
        {"over": six},
        {"ask": "card", "card": six, "cards": (six, nine)},
    )
    assert say(which).endswith("Was it 6♦ or 9♦?")
    assert say(which, "ru").endswith("Что это было: 6♦ или 9♦?")
    who = replace(which, question={"ask": "who", "card": six, "seats": ("Anna", "Boris", "Vera")})
    assert say(who).endswith("Who laid 6♦: Anna, Boris or Vera?")
    look = replace(which, question={"ask": "card", "card": six})
    assert say(look).endswith("Please look again at 6♦.")
