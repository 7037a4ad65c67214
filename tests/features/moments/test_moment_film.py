"""A moment of a film with a caption beneath it."""

from __future__ import annotations

import io
import tracemalloc
from datetime import UTC, datetime
from pathlib import Path

import cv2
import numpy as np
import pytest
from flask.testing import FlaskClient
from PIL import Image

from tests.webapp.conftest import HEADER
from vision.capture.video_writer import FilmWriter
from webapp.live.board import SnapshotHub
from webapp.store.database import Database
from webapp.store.films import Films
from webapp.store.matches import Matches, RecordEntry, Writing
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig

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


def test_moment_is_filmed_with_its_caption_or_refused_with_one_sentence(
    stored: tuple[Matches, str], client: FlaskClient, tmp_path: Path
) -> None:
    matches, match = stored
    writing, _ = matches.take_over(match)
    matches.append(writing, [RecordEntry(3, {"at": 500.0, "event": "pressed", "button": "wait", "by": "A"})])
    caption = cv2.imencode(".png", np.zeros((30, 320, 3), np.uint8))[1].tobytes()
    filmed = client.post(f"/api/matches/{match}/moment.mp4?line=2", data=caption)
    assert (filmed.status_code, filmed.mimetype) == (200, "video/mp4")
    path = tmp_path / "moment.mp4"
    path.write_bytes(filmed.data)
    assert cv2.VideoCapture(str(path)).get(cv2.CAP_PROP_FRAME_HEIGHT) > 90
    for line, data, status in ((3, caption, 404), (9, caption, 404), (2, b"", 400), (2, caption[:60], 400)):
        refused = client.post(f"/api/matches/{match}/moment.mp4?line={line}", data=data)
        assert (refused.status_code, refused.get_json()["error"][:8]) == (status, "expected"), (line, status)


@pytest.mark.parametrize("size", [(16, 16_000), (16, 600), (1, 4_000_000), (300, 320), (4_000_000, 1)])
def test_caption_that_would_grow_is_refused_in_little_memory(
    stored: tuple[Matches, str], client: FlaskClient, size: tuple[int, int]
) -> None:
    caption = io.BytesIO()
    Image.new("L", size).save(caption, "PNG")
    tracemalloc.start()
    refused = client.post(f"/api/matches/{stored[1]}/moment.mp4?line=2", data=caption.getvalue())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert refused.status_code == 400
    assert refused.get_json()["error"].startswith("expected a caption")
    assert peak < 40_000_000
