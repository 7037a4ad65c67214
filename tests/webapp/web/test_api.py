"""HTTP interface: state, live stream, picture, health, metrics and presses."""

from __future__ import annotations

import json
import re
from concurrent.futures import Future
from itertools import islice
from typing import Any

import cv2
import numpy as np
import pytest
from flask.testing import FlaskClient

from referee.errors import RecordError
from referee.events import Pressed
from tests.webapp.services import FakeTable
from webapp.live.board import CameraHealth, Condition, Picture, SnapshotHub, TableWarning
from webapp.match.log import MatchLog, MatchUpdate
from webapp.text.catalogue import LANGUAGES, page_words
from webapp.web import api
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig


@pytest.fixture
def presses() -> list[Pressed]:
    """Return the list that collects presses."""
    return []


@pytest.fixture
def client(board: SnapshotHub, presses: list[Pressed]) -> FlaskClient:
    """Return a client of a table that accepts presses."""
    return create_app(
        AppConfig(FakeTable(on_press=lambda press: presses.append(press) is None), streams=2), board
    ).test_client()


@pytest.fixture
def playing(match: MatchLog, board: SnapshotHub, table: Any) -> SnapshotHub:
    """Return a board after a lead and a card that does not beat it."""
    match.open()
    match.judge(table.placed(1.0, "9s", "A"))
    match.judge(table.placed(2.0, "7s", "B", "9s"))
    board.publish(
        moves=3,
        view=match.view,
        lines=match.lines,
        camera=CameraHealth(Condition.WATCHING, None, 60, 4, 24.9, 2.4),
    )
    return board


def test_state_is_that_of_the_record(client: FlaskClient, playing: SnapshotHub) -> None:
    values = client.get("/api/state").get_json()
    assert values["state"]["attacker"] == "A"
    assert values["state"]["table"] == [["9s", None]]
    assert [matter["fault"] for matter in values["state"]["open"]] == ["does-not-beat"]
    assert values["calls"][-1]["ruling"] == "illegal"
    assert values["camera"]["dropped"] == 4


def test_state_before_the_first_frame_is_empty_and_healthy(client: FlaskClient) -> None:
    values = client.get("/api/state").get_json()
    assert values["calls"] == []
    assert values["camera"]["condition"] == "starting"


def test_storage_failure_is_in_state_health_and_stream(client: FlaskClient, playing: SnapshotHub) -> None:
    assert client.get("/health").get_json()["warnings"] == []
    playing.publish(warnings=(TableWarning("record", "make room"),))
    for path in ("/api/state", "/health"):
        assert client.get(path).get_json()["warnings"] == [{"about": "record", "text": "make room"}]
    messages, answer = read_stream(client, 3)
    assert messages[2] == ("warnings", {"warnings": [{"about": "record", "text": "make room"}]})
    answer.close()


@pytest.mark.parametrize("about", ["record", "film", "store", "disk", "hall"])
def test_every_warning_has_a_text(about: str) -> None:
    for language in LANGUAGES:
        assert page_words(language)[f"warning_{about}"]


def test_calls_are_in_the_requested_language(client: FlaskClient, playing: SnapshotHub) -> None:
    english, russian = (
        client.get(f"/api/state?language={language}").get_json()["calls"][-1]["text"] for language in ("en", "ru")
    )
    assert english != russian
    assert any("а" <= letter.lower() <= "я" for letter in russian)


def read_stream(client: FlaskClient, count: int) -> tuple[list[tuple[str, Any]], Any]:
    """Return the first messages of the stream, and the answer to be closed."""
    answer = client.get("/api/events", buffered=False)
    found = []
    for chunk in islice(answer.response, count):
        text = chunk.decode() if isinstance(chunk, bytes) else chunk
        fields = dict(line.split(": ", 1) for line in text.strip().splitlines() if not line.startswith(":"))
        found.append((fields.get("event", ""), json.loads(fields.get("data", "null"))))
    return found, answer


def test_stream_begins_with_the_newest_snapshot(client: FlaskClient, playing: SnapshotHub) -> None:
    (first, second), answer = read_stream(client, 2)
    assert first == ("", None)  # the delay before a reconnection
    assert second[0] == "match"
    assert second[1]["state"]["defender"] == "B"
    answer.close()


def test_stream_before_the_match_sends_only_health(client: FlaskClient) -> None:
    (_, second), answer = read_stream(client, 2)
    assert second[0] == "camera"
    answer.close()


def test_stream_sends_only_health_without_a_new_move(client: FlaskClient, playing: SnapshotHub) -> None:
    answer = client.get("/api/events", buffered=False)
    stream = iter(answer.response)
    next(stream), next(stream)
    playing.publish(camera=CameraHealth(Condition.LOST, "no picture", 61))
    text = next(stream)
    assert (text.decode() if isinstance(text, bytes) else text).startswith("event: camera\n")
    answer.close()


def test_stream_sends_heartbeats(client: FlaskClient, playing: SnapshotHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webapp.web.api.KEEP_ALIVE_S", 0.0)
    found, answer = read_stream(client, 4)
    assert [kind for kind, _ in found] == ["", "match", "camera", "camera"]
    answer.close()


def test_stream_ends_when_the_board_closes(client: FlaskClient, playing: SnapshotHub) -> None:
    answer = client.get("/api/events", buffered=False)
    stream = iter(answer.response)
    next(stream), next(stream)
    playing.close()
    assert len(list(stream)) == 1
    answer.close()


def test_number_of_streams_is_limited_and_places_are_freed(client: FlaskClient, playing: SnapshotHub) -> None:
    one, two = client.get("/api/events", buffered=False), client.get("/api/events", buffered=False)
    refused = client.get("/api/events")
    assert refused.status_code == 503
    assert "at most 2 open pages" in refused.get_json()["error"]
    assert refused.headers["Retry-After"]
    one.close()
    again = client.get("/api/events", buffered=False)
    assert again.status_code == 200
    again.close()
    two.close()


def test_no_picture_before_the_first_frame(client: FlaskClient) -> None:
    assert client.get("/api/picture.jpg").status_code == 204


def test_picture_is_the_newest_frame_and_sent_once(client: FlaskClient, board: SnapshotHub) -> None:
    board.show(Picture(7, np.full((720, 1280, 3), 90, np.uint8), None))
    answer = client.get("/api/picture.jpg?after=6")
    image = cv2.imdecode(np.frombuffer(answer.data, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    assert image.shape == (540, 960, 3)
    assert answer.headers["X-Frame-Number"] == "7"
    assert client.get("/api/picture.jpg?after=7").status_code == 204


def test_press_reaches_the_referee(client: FlaskClient, playing: SnapshotHub, presses: list[Pressed]) -> None:
    answer = client.post("/api/press", json={"button": "take", "by": "B"})
    assert (answer.status_code, answer.get_json()) == (200, {"accepted": True, "line": 2})
    assert presses == [Pressed(at=2.4, button="take", by="B")]


@pytest.mark.parametrize(
    ("judged", "status", "line"),
    [(MatchUpdate(line=7), 200, 7), (MatchUpdate(line=7, is_stored=False), 202, 7), (None, 202, None)],
    ids=["kept", "waits for the store", "not judged yet"],
)
def test_answer_to_a_press_says_whether_its_line_is_kept(
    playing: SnapshotHub, monkeypatch: pytest.MonkeyPatch, judged: MatchUpdate | None, status: int, line: int | None
) -> None:
    monkeypatch.setattr(api, "PRESS_WAIT_S", 0.01)
    answer: Future[MatchUpdate] = Future()
    if judged is not None:
        answer.set_result(judged)

    class Table(FakeTable):
        def press(self, statement: object) -> Future[MatchUpdate]:
            return answer

    client = create_app(AppConfig(Table()), playing).test_client()
    pressed = client.post("/api/press", json={"button": "take", "by": "B"})
    assert (pressed.status_code, pressed.get_json()) == (status, {"accepted": True, "line": line})
    answer.cancel()
    if judged is None:
        assert client.post("/api/press", json={"button": "take", "by": "B"}).status_code == 503


def test_press_by_nobody_of_the_game_that_has_begun_since_is_refused(playing: SnapshotHub) -> None:
    answer: Future[MatchUpdate] = Future()
    answer.set_exception(RecordError("expected one of the seats C, D, got 'B'"))

    class Table(FakeTable):
        def press(self, statement: object) -> Future[MatchUpdate]:
            return answer

    client = create_app(AppConfig(Table()), playing).test_client()
    refused = client.post("/api/press", json={"button": "take", "by": "B"})
    assert (refused.status_code, refused.get_json()["error"]) == (400, "expected one of the seats C, D, got 'B'")


@pytest.mark.parametrize(
    ("body", "wants"),
    [
        (b"", "as JSON"),
        (b"take", "as JSON"),
        (b"[" * 4000, "as JSON"),
        (b"[]", "as JSON"),
        (b'{"button": "shout"}', '"button" to be one of'),
        (b'{"button": "take", "by": "Z"}', "one of the seats A, B, C"),
        (b'{"button": "take", "by": 5}', '"by"'),
        (b'{"button": "assign", "card": "9x", "to": "A"}', "card"),
        (b'{"event": "placed", "card": "9h"}', "'pressed' event"),
        (b'{"button": "take", "by": "\xff"}', "as JSON"),
    ],
)
def test_invalid_press_is_refused_with_one_sentence(
    client: FlaskClient, playing: SnapshotHub, presses: list[Pressed], body: bytes, wants: str
) -> None:
    answer = client.post("/api/press", data=body, content_type="application/json")
    assert answer.status_code == 400
    assert wants in answer.get_json()["error"]
    assert answer.get_json()["error"].count("\n") == 0
    assert presses == []


def test_too_long_press_is_refused(client: FlaskClient, playing: SnapshotHub) -> None:
    assert client.post("/api/press", data=b" " * 100_000, content_type="application/json").status_code == 413


def test_press_from_another_origin_is_refused(
    client: FlaskClient, playing: SnapshotHub, presses: list[Pressed]
) -> None:
    answer = client.post("/api/press", json={"button": "take", "by": "B"}, headers={"Origin": "http://evil.example"})
    assert answer.status_code == 403
    assert presses == []


def test_press_from_the_own_page_is_accepted(client: FlaskClient, playing: SnapshotHub) -> None:
    answer = client.post("/api/press", json={"button": "done"}, headers={"Origin": "http://localhost"})
    assert answer.status_code == 200


def test_press_requires_post(client: FlaskClient) -> None:
    assert client.get("/api/press").status_code == 405


@pytest.mark.parametrize("press", [{"button": "done"}, {"button": "take", "by": "A"}])
@pytest.mark.parametrize("path", ["/api/press", "/api/correct"])
def test_press_without_a_match_is_refused(board: SnapshotHub, path: str, press: dict[str, str]) -> None:
    answer = create_app(AppConfig(), board).test_client().post(path, json=press)
    assert (answer.status_code, "expected a match that is being refereed" in answer.json["error"]) == (503, True)


@pytest.mark.parametrize(
    ("method", "path", "status"), [("GET", "/api/nope", 404), ("POST", "/api/state", 405), ("POST", "/api/press", 413)]
)
def test_errors_of_flask_are_one_sentence(
    client: FlaskClient, playing: SnapshotHub, method: str, path: str, status: int
) -> None:
    answer = client.open(path, method=method, data=b" " * 100_000)
    assert answer.status_code == status
    assert re.fullmatch(r"expected [^.]+, got [^.]+; [^.]+|expected less than is sent [^.]+", answer.json["error"])


def test_health_describes_the_camera(client: FlaskClient, playing: SnapshotHub) -> None:
    values = client.get("/health").get_json()
    assert (values["ok"], values["camera"], values["frames_per_second"], values["frames_dropped"]) == (
        True,
        "watching",
        24.9,
        4,
    )
    assert values["last_event"]["event"] == "placed"
    assert values["disk_free_bytes"] > 0
    assert {"kozyr", "python", "onnxruntime"} <= set(values["versions"])


@pytest.mark.parametrize(
    "condition", [Condition.HIDDEN, Condition.SWAYING, Condition.LOST, Condition.GIVEN_UP, Condition.STOPPED]
)
def test_health_is_bad_if_the_table_is_not_visible(
    client: FlaskClient, board: SnapshotHub, condition: Condition
) -> None:
    board.publish(camera=CameraHealth(condition, "no picture"))
    answer = client.get("/health")
    assert answer.status_code == 503
    assert answer.get_json()["trouble"] == "no picture"


def test_metrics_have_the_prometheus_format(client: FlaskClient, playing: SnapshotHub) -> None:
    lines = client.get("/metrics").text.splitlines()
    assert 'kozyr_rulings_total{ruling="illegal"} 1' in lines
    assert "kozyr_frames_dropped_total 4" in lines
    for line in lines:
        assert line.startswith("# TYPE ") or len(line.rsplit(" ", 1)) == 2


@pytest.mark.parametrize("number", ["9223372036854775808", "1" * 5000, "-9223372036854775809", "\u0661", "x"])
def test_out_of_range_number_is_a_client_error(client: FlaskClient, number: str) -> None:
    for path in (
        "/api/crop.jpg?line=",
        "/api/picture.jpg?after=",
        "/api/lines?after=",
        "/api/matches/x/film?fragments=",
    ):
        assert client.get(path + number).status_code < 500, path


def test_internal_error_is_printed_on_standard_error(board: SnapshotHub, capsys: pytest.CaptureFixture[str]) -> None:
    app = create_app(AppConfig(), board)

    def broken() -> str:
        raise LookupError("no such seat")

    app.add_url_rule("/broken", view_func=broken)
    answer = app.test_client().get("/broken")
    assert (answer.status_code, "standard error" in answer.get_json()["error"]) == (500, True)
    noted = capsys.readouterr().err
    assert noted.count("LookupError: no such seat") == 1
    assert "Traceback" in noted


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_other_sites_may_link_and_not_embed(client: FlaskClient, site: str) -> None:
    for mode in ("no-cors", "cors", "websocket"):
        embedded = client.get("/api/picture.jpg", headers={"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode})
        assert embedded.status_code == 403
        assert "kozyr's own page" in embedded.get_json()["error"]
    navigated = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate"}
    for destination in ("iframe", "frame", "embed", "object", "fencedframe", ""):
        framed = client.get("/", headers={**navigated, "Sec-Fetch-Dest": destination})
        assert (framed.status_code, "kozyr's own page" in framed.get_json()["error"]) == (403, True)
    assert client.get("/", headers={**navigated, "Sec-Fetch-Dest": "document"}).status_code == 200
    own = {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "no-cors"}
    assert client.get("/api/picture.jpg", headers=own).status_code == 204


@pytest.mark.parametrize(
    ("site", "status"), [("cross-site", 403), ("same-site", 403), ("same-origin", 400), ("none", 400)]
)
def test_press_with_a_cross_site_header_is_refused(client: FlaskClient, site: str, status: int) -> None:
    answer = client.post("/api/film", data="{}", headers={"Sec-Fetch-Site": site})
    assert answer.status_code == status
