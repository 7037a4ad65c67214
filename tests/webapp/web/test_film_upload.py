"""Film upload: accepted files and pieces, and interrupted refereeing of an uploaded film."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from flask.testing import FlaskClient

from referee.record import Header
from tests.webapp.conftest import HEADER
from vision.capture import decoder_process, film_reader
from webapp.commands.background_work import FILM_LIMITS, BackgroundWork
from webapp.live.background_jobs import BackgroundJob
from webapp.live.board import SnapshotHub
from webapp.live.position_proposal import SeenTable
from webapp.store.database import Database
from webapp.store.films import Films
from webapp.store.matches import Matches, RecordEntry, Writing
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig

GAME = {"name": "game.mp4", "bytes": 8, "seats": ["Anna", "Boris"], "rules": "podkidnoy-36"}


class Written(BackgroundWork):
    """Fake background work that collects jobs and never runs them."""

    asked: tuple[Any, ...] = ()

    def beginning_of(self, film: Path, pack: int) -> SeenTable:
        return SeenTable("Ad", has_talon=True, has_heap=True)

    def referee_film(self, film: Path, name: str, header: Header) -> BackgroundJob:
        self.asked = (film.read_bytes(), name, header.as_json())
        return BackgroundJob("j1", "film", name)


@pytest.fixture
def matches(tmp_path: Path) -> Matches:
    return Matches(Database.open(f"sqlite:///{tmp_path}/kozyr.db"), Films(tmp_path / "films"))


@pytest.fixture
def work(matches: Matches) -> Written:
    return Written(matches, None, None)


@pytest.fixture
def client(matches: Matches, work: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FlaskClient:
    monkeypatch.setenv("KOZYR_HOME", str(tmp_path / "home"))  # without earlier games
    return create_app(AppConfig(matches=matches, long_work=work), SnapshotHub()).test_client()


def test_film_is_uploaded_in_pieces_and_passed_on(client: FlaskClient, work: Written) -> None:
    choices = client.get("/api/films").json
    assert (choices["most_bytes"], choices["seats"]) == (8_000_000_000, [])
    begun = client.post("/api/films", json=GAME)
    assert begun.status_code == 201
    place = f"/api/films/{begun.json['upload']}"
    assert client.put(f"{place}?at=0", data=b"abcd").json == {"received": 4}
    assert client.put(f"{place}?at=2", data=b"xx").json == {"received": 4}
    assert client.get(place).status_code == client.post(place, json={"start": None}).status_code == 400
    assert client.put(f"{place}?at=4", data=b"efgh").json == {"received": 8}
    shown = client.get(place).json
    assert (shown["table"]["heap"], shown["pack"]) == (True, 36)
    assert (shown["proposal"]["turnup"], shown["proposal"]["talon"]) == ("Ad", None)
    assert client.post(place, json={"start": shown["proposal"]}).status_code == 400, "nobody has counted the deck"
    start = {**shown["proposal"], "talon": 12, "heap_count": 12, "bout": 2, "beaten_off": 1}
    done = client.post(place, json={"start": start})
    assert (done.status_code, done.json["job"]) == (202, "j1")
    film, name, header = work.asked
    assert (film, name, header["seats"]) == (b"abcdefgh", "game.mp4", ["Anna", "Boris"])
    assert (header["start"]["talon"], header["start"]["turnup"]) == (12, "Ad")
    assert client.put(f"{place}?at=8", data=b"").status_code == 400


@pytest.mark.parametrize(
    ("changes", "status", "words"),
    [
        ({"name": "notes.txt"}, 400, "expected a film such as game.mp4"),
        ({"name": 7}, 400, 'expected "name" and "bytes"'),
        ({"bytes": True}, 400, 'expected "name" and "bytes"'),
        ({"bytes": 10**11}, 400, "at most 8 GB"),
        ({"seats": ["Anna"]}, 400, "expected two to six different names"),
        ({"rules": "whist"}, 400, "whist"),
        ({"source": "rtsp://192.168.1.5/live"}, 400, "expected no source"),
        ({"bytes": 7_900_000_000}, 507, "of room for the film"),
    ],
)
def test_refusal_is_one_sentence(client: FlaskClient, work: Written, changes: Any, status: int, words: str) -> None:
    assert work.incoming is not None
    assert work.incoming.folder.name == "incoming"
    work.incoming._free_bytes = lambda folder: 3_000_000_000
    answer = client.post("/api/films", json={**GAME, **changes})
    assert answer.status_code == status
    assert words in answer.json["error"]


def test_beginning_of_a_film_names_no_other_source(client: FlaskClient) -> None:
    place = f"/api/films/{client.post('/api/films', json={**GAME, 'bytes': 8}).json['upload']}"
    client.put(f"{place}?at=0", data=b"abcdefgh")
    answer = client.post(place, json={"start": None, "source": "0"})
    assert (answer.status_code, "expected no source" in answer.json["error"]) == (400, True)


def test_upload_begun_by_another_serving_of_the_page_is_refused(
    client: FlaskClient, matches: Matches, work: Written
) -> None:
    place = f"/api/films/{client.post('/api/films', json=GAME).json['upload']}"
    assert client.put(f"{place}?at=0", data=b"abcdefgh").json == {"received": 8}
    other = create_app(AppConfig(matches=matches, long_work=work), SnapshotHub()).test_client()
    for answer in (other.get(place), other.post(place, json={"start": None})):
        assert (answer.status_code, "send it again" in answer.json["error"]) == (400, True)


def test_piece_larger_than_announced_is_refused(client: FlaskClient) -> None:
    begun = client.post("/api/films", json={**GAME, "bytes": 10_000_000})
    assert client.put(f"/api/films/{begun.json['upload']}?at=0", data=bytes(2 << 20)).status_code == 413
    assert client.delete(f"/api/films/{begun.json['upload']}").status_code == 202
    assert client.delete(f"/api/films/{begun.json['upload']}").status_code == 400


def test_interrupted_match_is_deleted_with_its_film(matches: Matches, tmp_path: Path) -> None:
    writing = Writing.begin("film", datetime.now(UTC), {})
    matches.append(writing, [RecordEntry(1, HEADER)])
    film = tmp_path / "film.mp4"
    film.touch()
    job = BackgroundJob("j", "film", "film.mp4", state="stopped", result={"match": writing.match})
    BackgroundWork(matches, None, None)._clear_up(film, job)
    assert (matches.list(), film.exists()) == ((), False)


def test_film_that_kills_its_decoder_is_a_sentence_and_is_dropped(
    matches: Matches, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KOZYR_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(decoder_process, "SERVER", "this")  # a process that ends at once
    work = BackgroundWork(matches, None, None)
    client = create_app(AppConfig(matches=matches, long_work=work), SnapshotHub()).test_client()
    place = f"/api/films/{client.post('/api/films', json=GAME).json['upload']}"
    client.put(f"{place}?at=0", data=b"abcdefgh")
    answer = client.get(place)
    assert answer.status_code == 400
    assert answer.json["error"] == (
        "the film: expected a film that can be decoded, got one that can't be decoded; convert it to MP4 (H.264)"
    )
    assert work.incoming is not None
    assert list(work.incoming.folder.iterdir()) == []


def test_no_film_that_was_handed_in_is_decoded_by_the_program_itself(
    matches: Matches, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opened(path: Path) -> None:
        raise AssertionError(f"decoded here: {path}")

    monkeypatch.setattr(film_reader.FilmReader, "__init__", lambda self, path: opened(path))
    path = tmp_path / "a.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, (640, 360))
    for _ in range(15):
        writer.write(np.full((360, 640, 3), 90, np.uint8))
    writer.release()
    seen = BackgroundWork(matches, None, None).beginning_of(path, 36)
    assert (seen.turnup, seen.has_talon) == (None, False)


def test_job_of_a_film_has_a_limit_of_memory(matches: Matches, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[int | None] = []
    work = BackgroundWork(matches, None, None)

    def submit(*job: Any, memory_bytes: int | None = None, **more: Any) -> BackgroundJob:
        limits.append(memory_bytes)
        return BackgroundJob("j1", "film", "a.mp4")

    monkeypatch.setattr(work.jobs, "submit", submit)
    (tmp_path / "a.mp4").write_bytes(b"film")
    work.referee_film(tmp_path / "a.mp4", "a.mp4", Header.parse(HEADER))
    assert limits == [FILM_LIMITS.memory_bytes]
