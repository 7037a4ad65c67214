"""Setup of a game over HTTP."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.webapp.services import FakeTable
from webapp.live.board import CameraHealth, Condition, SnapshotHub
from webapp.live.game_setup import GameSetup
from webapp.live.position_proposal import SeenTable
from webapp.live.shared_setup import CameraView, SharedSetup
from webapp.match.view import TablePosition, View
from webapp.store.database import Database
from webapp.store.matches import Matches, RecordEntry, Writing
from webapp.text.catalogue import LANGUAGES
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig
from webapp.web.pairing import Ask, Pairing

RECORDING = {"source": "/shipped.mp4", "name": "demo", "goes_with": {"seats": ["A", "B"]}}


@pytest.fixture
def shared_setup() -> SharedSetup:
    return SharedSetup(GameSetup(source="0"), begins=False)


@pytest.fixture
def client(board: SnapshotHub, shared_setup: SharedSetup) -> FlaskClient:
    return create_app(AppConfig(FakeTable(sources=[RECORDING]), shared_setup=shared_setup), board).test_client()


def test_choices_and_their_alternatives_are_reported(client: FlaskClient) -> None:
    setup_state = client.get("/api/setup").get_json()
    keys = [
        "source",
        "seats",
        "rules",
        "options",
        "dealer",
        "lead",
        "start",
        "deck",
        "language",
        "tone",
        "recording",
        "mirrored",
    ]
    assert {key: setup_state[key] for key in keys} == GameSetup(source="0").as_json()
    assert (setup_state["phase"], setup_state["ready"], setup_state["begun"]) == ("choosing", False, False)
    rules = {rule_set["rules"]: rule_set for rule_set in setup_state["choices"]["rules"]}
    assert rules["perevodnoy"]["players"] == [2, 3, 4, 5, 6]
    assert any("passed on" in sentence for sentence in rules["perevodnoy"]["differs"])
    assert setup_state["choices"]["sources"] == [RECORDING]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_option_value_has_a_sentence(client: FlaskClient, language: str) -> None:
    options = client.get(f"/api/setup?language={language}").get_json()["choices"]["options"]
    assert len(options) > 20
    for option in options:
        texts = [value["text"] for value in option["values"]]
        assert len(set(texts)) == len(texts), option["option"]
        assert option["value"] in [value["value"] for value in option["values"]]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"low_limit": 5}, "Сниженному пределу нужен срок"),
        ({"transfer_show": "free"}, "Показом козыря переводят"),
        ({"hand_size": 30}, "столько человек играть не могут"),
    ],
)
def test_contradicting_options_are_refused_in_the_readers_language(
    client: FlaskClient, options: dict[str, object], sentence: str
) -> None:
    values = {"seats": ["Anna", "Boris"], "rules": "podkidnoy-36", "options": options, "begin": False}
    answer = client.post("/api/setup?language=ru", json=values)
    assert answer.status_code == 400
    assert sentence in answer.get_json()["text"]


def test_program_chooses_everything_in_one_request(client: FlaskClient, shared_setup: SharedSetup) -> None:
    answer = client.post("/api/setup", json={"seats": ["Anna", "Boris"], "rules": "perevodnoy", "dealer": "Anna"})
    assert answer.status_code == 200
    assert answer.get_json()["seats"] == ["Anna", "Boris"]
    begun = shared_setup.take_up()
    assert begun is not None
    assert begun.header().dealer == "Anna"


def test_page_chooses_step_by_step(client: FlaskClient, shared_setup: SharedSetup) -> None:
    client.post("/api/setup", json={"seats": ["Anna", "Boris"], "begin": False})
    assert not shared_setup.is_asked
    assert client.post("/api/setup", json={"begin": True}).get_json()["ready"]
    assert shared_setup.is_asked


@pytest.mark.parametrize("condition", [Condition.LOST, Condition.GIVEN_UP])
def test_no_game_begins_without_a_picture(
    client: FlaskClient, shared_setup: SharedSetup, board: SnapshotHub, condition: Condition
) -> None:
    client.post("/api/setup", json={"seats": ["Anna", "Boris"], "begin": False})
    board.publish(camera=CameraHealth(condition, "no picture"))
    assert client.get("/api/setup").get_json()["missing"] == ["picture"]
    refused = client.post("/api/setup", json={"begin": True})
    assert (refused.status_code, shared_setup.is_asked) == (400, False)
    board.publish(camera=CameraHealth(Condition.WATCHING))
    shared_setup.view = CameraView(trouble="expected pictures from it, got none")
    assert client.post("/api/setup", json={"begin": True}).status_code == 400
    shared_setup.view = CameraView()
    assert client.post("/api/setup", json={"begin": True}).get_json()["missing"] == []
    assert shared_setup.is_asked


def test_turn_up_in_view_asks_whether_the_cards_are_dealt(client: FlaskClient, shared_setup: SharedSetup) -> None:
    client.post("/api/setup", json={"seats": ["Anna", "Boris"], "begin": False})
    shared_setup.view = CameraView(table=SeenTable("Ad", True))
    asked = client.post("/api/setup", json={"begin": True})
    assert (asked.status_code, asked.get_json()["contradiction"]["kind"]) == (409, "dealt")
    assert not shared_setup.is_asked
    assert client.post("/api/setup", json={"begin": True, "insist": True}).status_code == 200


def test_series_is_chosen_and_the_next_game_has_other_seats(
    client: FlaskClient, shared_setup: SharedSetup, board: SnapshotHub
) -> None:
    client.post("/api/setup", json={"seats": ["Anna", "Boris"]})
    shared_setup.take_up()
    assert client.post("/api/setup", json={"series": 3, "begin": False}).get_json()["series"] == 3
    assert client.get("/api/state").get_json()["series"] == {"to": 3, "games": 0, "lost": {}, "fool": []}
    board.publish(view=View(seats=("Anna", "Boris"), position=TablePosition(result={"kind": "draw", "seats": []})))
    answer = client.post("/api/setup", json={"next": True, "seats": ["Anna", "Boris", "Vera"]})
    assert answer.get_json()["seats"] == ["Anna", "Boris", "Vera"]
    assert shared_setup.take_up() is not None
    for wrong in ({"series": 0}, {"series": 99}, {"next": True, "seats": ["Anna"]}):
        assert client.post("/api/setup", json={"begin": False, **wrong}).status_code == 400
    board.clear()
    assert client.get("/api/setup").get_json()["series"] == 3, "for all games until it is taken back"
    assert client.post("/api/setup", json={"series": None, "begin": False}).get_json()["series"] is None


def test_change_during_a_game_is_refused(client: FlaskClient, shared_setup: SharedSetup, board: SnapshotHub) -> None:
    client.post("/api/setup", json={"seats": ["Anna", "Boris"]})
    assert client.get("/").status_code == 200, "the game is about to begin"
    shared_setup.take_up()
    board.publish(view=View(rulings={"legal": 1}))
    for values in ({"dealer": "Anna"}, {"next": True}):
        answer = client.post("/api/setup", json=values)
        assert answer.status_code == 409
        assert "expected" in answer.get_json()["error"]
    assert client.post("/api/setup", json={"end": True}).status_code == 200
    assert shared_setup.take_up() is None
    board.publish(view=View(position=TablePosition(result={"kind": "fool", "seats": ["Anna"]})))
    following = client.post("/api/setup", json={"next": True}).get_json()
    assert (following["dealer"], following["source"], following["seats"]) == ("Anna", "0", ["Anna", "Boris"])
    assert shared_setup.take_up() is not None, "one tap begins the next game, which the loser deals"


def test_running_game_is_named_and_ends_only_on_request(
    client: FlaskClient, shared_setup: SharedSetup, board: SnapshotHub
) -> None:
    client.post("/api/setup", json={"seats": ["Anna", "Boris"]})
    shared_setup.take_up()
    assert client.get("/api/setup").get_json()["under_way"] is None, "no card was laid"
    board.publish(view=View(rulings={"legal": 1}, seats=("Anna", "Boris")))
    playing = {"seats": ["Anna", "Boris"], "match": None}
    assert client.get("/api/setup").get_json()["under_way"] == playing
    refused = client.post("/api/setup", json={"seats": ["Vera", "Gleb"], "begin": True})
    assert (refused.status_code, refused.get_json()["under_way"]) == (409, playing)
    assert shared_setup.setup.seats == ("Anna", "Boris")
    client.post("/api/setup", json={"seats": ["Vera", "Gleb"], "begin": True, "end": True})
    begun = shared_setup.take_up()
    assert begun is not None
    assert begun.seats == ("Vera", "Gleb")


def test_match_that_was_left_is_offered_and_gone_on_with(
    tmp_path: Path, board: SnapshotHub, shared_setup: SharedSetup
) -> None:
    database = Database.open(f"sqlite:///{tmp_path / 'kozyr.db'}")
    store = Matches(database)
    writing = Writing.begin("kitchen", datetime.now(UTC), {})
    header = {"kozyr": 1, "rules": "perevodnoy", "seats": ["Anna", "Boris"], "dealer": "Anna", "witness": "camera"}
    store.append(writing, [RecordEntry(1, header, ())])
    table = FakeTable(resumable=writing.match)
    client = create_app(AppConfig(table, shared_setup=shared_setup, matches=store), board).test_client()
    assert client.get("/api/setup").get_json()["left"]["seats"] == ["Anna", "Boris"]
    assert client.post("/api/setup", json={"resume": "2026-01-01-000000-aaaa"}).status_code == 400
    assert client.post("/api/setup", json={"resume": writing.match}).status_code == 200
    begun = shared_setup.take_up()
    assert begun is not None
    assert (begun.seats, begun.rules, begun.source) == (("Anna", "Boris"), "perevodnoy", "0")
    assert shared_setup.take_resumed() == writing.match
    database.close()


def test_position_that_the_camera_contradicts_is_refused(client: FlaskClient, shared_setup: SharedSetup) -> None:
    client.post("/api/setup", json={"seats": ["Anna", "Boris"], "begin": False})
    shared_setup.view = CameraView(table=SeenTable("Ad", True))
    proposal = client.get("/api/setup/view").get_json()["proposal"]
    assert (proposal["trump"], proposal["turnup"], proposal["talon"]) == ("d", "Ad", 24)
    spades = {"start": {**proposal, "trump": "s", "turnup": None}, "begin": False}
    refused = client.post("/api/setup?language=fr", json=spades)
    assert refused.status_code == 409
    assert refused.get_json() == {
        "error": "You say that spades are trumps, I see the ace of diamonds under the draw pile. "
        'Send {"insist": true} with it if it is so.',
        "text": "Vous dites atout pique, je vois l'as de carreau sous le talon.",
        "contradiction": {
            "kind": "trump",
            "stated": "s",
            "seen": "Ad",
            "text": "Vous dites atout pique, je vois l'as de carreau sous le talon.",
        },
    }
    assert shared_setup.setup.start is None
    assert client.post("/api/setup", json={**spades, "insist": True}).get_json()["start"]["trump"] == "s"


def test_rules_and_position_are_adapted_to_other_seats_on_request(
    client: FlaskClient, shared_setup: SharedSetup
) -> None:
    client.post("/api/setup", json={"seats": ["A", "B"], "rules": "french-2", "begin": False})
    six = {"seats": list("ABCDEF"), "begin": False}
    assert client.post("/api/setup", json=six).status_code == 400
    assert client.post("/api/setup", json={**six, "propose": True}).get_json()["rules"] == "podkidnoy-36"


@pytest.mark.parametrize(
    "values",
    [
        *([], "x", {"tempo": 1}, {"seats": ["A"]}, {"begin": True}, {"begin": 1}, {"enrol": 4}),
        *({"enrol": {"name": "ours", **more}} for more in ({"name": "../x"}, {"pack": 40}, {"order": "6s-6s-6s"})),
    ],
)
def test_invalid_choice_is_refused_with_one_sentence(
    client: FlaskClient, shared_setup: SharedSetup, values: Any
) -> None:
    answer = client.post("/api/setup", json=values)
    assert answer.status_code == 400
    assert "expected" in answer.get_json()["error"]
    assert not shared_setup.is_asked
    assert shared_setup.setup == GameSetup(source="0")


@pytest.mark.parametrize(
    ("ask", "address"), [(Ask.ELSEWHERE, "192.168.1.7"), (Ask.ALWAYS, "127.0.0.1")], ids=["network", "proxy"]
)
def test_other_devices_cannot_open_files_of_this_machine(
    board: SnapshotHub, shared_setup: SharedSetup, ask: Ask, address: str
) -> None:
    pairing = Pairing(lambda: 0.0, ask)
    app = create_app(AppConfig(FakeTable(sources=[RECORDING]), shared_setup=shared_setup, pairing=pairing), board)
    client = app.test_client()
    client.environ_base["REMOTE_ADDR"] = address
    client.post("/pair", data={"token": pairing.codes.token})
    for source, status in (("/etc/passwd", 403), ("../x.mp4", 403), ("1", 200), ("rtsp://cam/1", 200), ("0", 200)):
        assert client.post("/api/setup", json={"source": source, "begin": False}).status_code == status, source
    assert client.post("/api/setup", json={"source": RECORDING["source"], "begin": False}).status_code == 200


def test_table_page_redirects_to_the_setup(client: FlaskClient, shared_setup: SharedSetup) -> None:
    assert client.get("/").headers["Location"] == "/setup"
    client.post("/api/setup", json={"seats": ["Anna", "Boris"]})
    shared_setup.take_up()
    assert client.get("/").status_code == 200


def test_setup_without_a_desk_is_refused(board: SnapshotHub) -> None:
    client = create_app(AppConfig(), board).test_client()
    assert client.get("/api/setup").status_code == 503
    assert client.post("/api/setup", json={}).status_code == 503


@pytest.mark.parametrize("source", ["9" * 20, "٣", "²"])
def test_digits_that_are_no_cameras_number_are_refused(client: FlaskClient, source: str) -> None:
    refused = client.post("/api/setup", json={"source": source})
    assert refused.status_code == 400
    assert refused.get_json()["error"].startswith("expected a camera number such as 0, got ")


def test_address_after_a_blank_shows_no_password(client: FlaskClient, shared_setup: SharedSetup) -> None:
    assert client.post("/api/setup", json={"source": " http://a:SECRET@10.0.0.7/video"}).status_code == 200
    assert shared_setup.setup.source == "http://a:SECRET@10.0.0.7/video"
    assert "SECRET" not in client.get("/api/setup").text
