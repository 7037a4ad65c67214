"""Films of matches: byte ranges, growing films, and one sentence for a missing film."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.patience import PATIENCE_S
from tests.webapp.conftest import HEADER
from tests.webapp.services import FakeTable
from vision.capture.video_writer import FilmWriter
from webapp.live.board import SnapshotHub
from webapp.store.database import Database
from webapp.store.films import Films
from webapp.store.matches import Matches, RecordEntry, Writing
from webapp.web import match_films
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig
from webapp.web.downloads import DOWNLOADS

LAID = {"at": 1.2, "event": "placed", "card": "9s", "by": "A"}


@pytest.fixture
def stored(tmp_path: Path) -> tuple[Matches, str]:
    """Return a store and the ID of a match with a film of three seconds."""
    matches = Matches(Database.open(f"sqlite:///{tmp_path}/kozyr.db"), Films(tmp_path / "films"))
    writing = Writing.begin("kitchen", datetime.now(UTC), {})
    matches.append(writing, [RecordEntry(1, HEADER), RecordEntry(2, LAID, moment=(12, 1.2))])
    assert matches.films is not None
    with FilmWriter(matches.films.new_part(writing.match), (160, 90), 0.0) as film:
        for number in range(30):
            film.add(np.full((90, 160, 3), 90 + number, np.uint8), number / 10, wait=True)
    return matches, writing.match


@pytest.fixture
def client(stored: tuple[Matches, str]) -> FlaskClient:
    return create_app(AppConfig(matches=stored[0]), SnapshotHub()).test_client()


def test_film_in_its_first_second_has_no_picture_yet(stored: tuple[Matches, str], client: FlaskClient) -> None:
    matches, match = stored
    assert matches.films is not None
    (path,) = matches.films.parts(match)
    path.write_bytes(path.read_bytes()[:600])
    answer = client.get(f"/api/matches/{match}/picture.jpg")
    assert (answer.status_code, answer.data) == (204, b"")
    path.unlink()
    assert client.get(f"/api/matches/{match}/picture.jpg").status_code == 404


def test_any_byte_range_of_the_film_is_served(stored: tuple[Matches, str], client: FlaskClient) -> None:
    whole = client.get(f"/api/matches/{stored[1]}/film")
    assert (whole.status_code, whole.mimetype, whole.headers["Accept-Ranges"]) == (200, "video/mp4", "bytes")
    size = len(whole.data)
    for asked, begin, end in (
        ("0-", 0, size),
        ("100-199", 100, 200),
        ("-50", size - 50, size),
        (f"{size - 1}-", size - 1, size),
    ):
        part = client.get(f"/api/matches/{stored[1]}/film", headers={"Range": f"bytes={asked}"})
        assert part.status_code == 206
        assert part.headers["Content-Range"] == f"bytes {begin}-{end - 1}/{size}"
        assert part.data == whole.data[begin:end]
    beyond = client.get(f"/api/matches/{stored[1]}/film", headers={"Range": f"bytes={size}-"})
    assert (beyond.status_code, beyond.headers["Content-Range"]) == (416, f"bytes */{size}")
    head = client.head(f"/api/matches/{stored[1]}/film")
    assert (head.status_code, head.content_length, head.data) == (200, size, b"")


def test_picture_that_many_ask_for_is_drawn_once(
    stored: tuple[Matches, str], client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Any] = []
    encode = match_films.encoded_jpeg
    monkeypatch.setattr(match_films, "encoded_jpeg", lambda image, most: drawn.append(image) or encode(image, most))
    place = f"/api/matches/{stored[1]}/picture.jpg"
    asked = ("", "", "?at=1.0", "?at=1.0", "?at=1.0001", "?at=2.0", "?at=1e9", "?at=2e9")
    assert len([client.get(f"{place}{at}").data for at in asked]) == len(asked)
    assert len(drawn) == 4
    assert client.get(f"{place}?at=-1").status_code == 404


def test_referee_waits_for_no_picture_of_a_guest(stored: tuple[Matches, str], monkeypatch: pytest.MonkeyPatch) -> None:
    matches, match = stored
    assert matches.films is not None
    film = matches.films.film(match)
    assert film is not None
    begun, may_end = threading.Event(), threading.Event()
    encode = match_films.encoded_jpeg

    def slow(image: Any, most: int) -> bytes:
        if threading.current_thread().name == "guest":
            begun.set()
            assert may_end.wait(PATIENCE_S)
        return encode(image, most)

    monkeypatch.setattr(match_films, "encoded_jpeg", slow)
    pictures = match_films.FilmPictures()
    guest = threading.Thread(target=lambda: pictures.picture(match, film, 1.0, is_guest=True), name="guest")
    guest.start()
    assert begun.wait(PATIENCE_S)
    assert pictures.picture(match, film, 2.0, is_guest=False)
    assert guest.is_alive()
    may_end.set()
    guest.join(PATIENCE_S)


def test_film_is_sent_in_pieces_with_a_limit_of_whole_films(
    stored: tuple[Matches, str], client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_films, "MOST_PART_BYTES", 1000)
    path = f"/api/matches/{stored[1]}/film"
    part = client.get(path, headers={"Range": "bytes=500-"})
    size = part.headers["Content-Range"].partition("/")[2]
    assert (part.headers["Content-Range"], len(part.data)) == (f"bytes 500-1499/{size}", 1000)

    def asked(address: str) -> TestResponse:
        return client.get(path, buffered=False, environ_base={"REMOTE_ADDR": address})

    held = [asked("10.0.0.1") for _ in range(DOWNLOADS.most)]
    assert asked("10.0.0.1").status_code == 503
    another = asked("10.0.0.2")
    assert another.status_code == 200
    first, *others = [len(b"".join(answer.response)) for answer in (*held, another)]
    assert first < int(size), "the client with most requests was interrupted"
    assert others == [int(size)] * 4
    for answer in (*held, another):
        answer.close()
    with asked("10.0.0.1") as again:
        assert len(again.data) == int(size)
    assert client.head(path).content_length == int(size)


def test_film_requested_up_to_a_fragment_stays_the_same(stored: tuple[Matches, str], client: FlaskClient) -> None:
    two = client.get(f"/api/matches/{stored[1]}/film?fragments=2")
    assert len(two.data) < len(client.get(f"/api/matches/{stored[1]}/film").data)
    assert "max-age" in two.headers["Cache-Control"]


def test_times_of_frames_and_frames_of_events(stored: tuple[Matches, str], client: FlaskClient) -> None:
    frames = client.get(f"/api/matches/{stored[1]}/film/frames")
    assert np.frombuffer(frames.data, "<u4").tolist() == [number * 100 for number in range(30)]
    assert frames.headers["X-Film-Fragments"] == "3"
    assert client.get(f"/api/matches/{stored[1]}/moments").json == {"moments": [{"line": 2, "frame": 12, "at": 1.2}]}


def test_missing_film_is_one_sentence(stored: tuple[Matches, str], client: FlaskClient) -> None:
    matches, match = stored
    assert matches.films is not None
    matches.films.delete(match)
    answer = client.get(f"/api/matches/{match}/film")
    assert answer.status_code == 404
    assert "its record replays without one" in answer.json["error"]
    assert client.get(f"/api/matches/{match}/film/frames").status_code == 204
    assert client.get("/api/matches/nobody/film/frames").status_code == 404
    assert client.get("/api/matches/nobody/film").status_code == 404
    assert client.get("/api/matches/..%2F..%2Fetc/film").status_code == 404
    assert client.get(f"/api/matches/{match}").json["film"] is False


def test_filming_is_switched_off_and_on() -> None:
    taps: list[bool] = []
    client = create_app(AppConfig(FakeTable(on_film=lambda on: taps.append(on) is None)), SnapshotHub()).test_client()
    assert client.post("/api/film", json={"on": False}).status_code == 202
    assert client.post("/api/film", json={"on": True}).status_code == 202
    assert taps == [False, True]
    assert client.post("/api/film", json={"on": "yes"}).status_code == 400
    assert client.post("/api/film", data=b"[" * 3000).status_code == 400
    unfilmed = create_app(AppConfig(), SnapshotHub()).test_client()
    assert unfilmed.post("/api/film", json={"on": True}).status_code == 503
