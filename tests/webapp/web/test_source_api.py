"""Choice of the source: thumbnails of cameras, and tests of addresses."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import pytest
from flask.testing import FlaskClient

from tests.webapp.services import FakeTable
from vision.capture.sources import Frame, Source, SourceError
from webapp.live.board import Picture, SnapshotHub
from webapp.live.game_setup import GameSetup
from webapp.live.shared_setup import SharedSetup
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig
from webapp.web.camera_api import Thumbnails
from webapp.web.pairing import Pairing

GREY = np.full((90, 160, 3), 90, np.uint8)


class Camera(Source):
    """Fake camera with one picture or none."""

    def __init__(self, has_picture: bool) -> None:
        super().__init__("camera", 30.0, (160, 90), True, None)
        self._has_picture = has_picture

    def __iter__(self) -> Iterator[Frame]:
        if self._has_picture:
            yield Frame(GREY, 0, 0.0)


def test_camera_is_opened_once_within_an_interval() -> None:
    opened: list[str] = []
    now_s = 0.0

    def open_camera(source: str) -> Source:
        opened.append(source)
        if source == "2":
            raise SourceError("none there")
        return Camera(source == "1")

    thumbnails = Thumbnails(open_camera, lambda: now_s)
    assert (thumbnails.of("1"), opened) == (None, [])
    for source in ("1", "1", "2", "3"):
        thumbnails.take(source)
    picture = thumbnails.of("1")
    assert picture is not None
    assert cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR).shape == (90, 160, 3)
    assert (thumbnails.of("1"), thumbnails.of("2"), thumbnails.of("3")) == (picture, None, None)
    now_s = 11.0
    thumbnails.take("1")
    assert opened == ["1", "2", "3", "1"]


@pytest.fixture
def shared_setup() -> SharedSetup:
    return SharedSetup(GameSetup(source="0"), begins=False)


@pytest.fixture
def client(board: SnapshotHub, shared_setup: SharedSetup) -> FlaskClient:
    offered = [{"source": "0", "name": ""}, {"source": "77", "name": ""}, {"source": "/films/demo.mp4", "name": "demo"}]
    pairing = Pairing(lambda: 0.0)
    client = create_app(
        AppConfig(FakeTable(sources=offered), shared_setup=shared_setup, pairing=pairing), board
    ).test_client()
    client.environ_base["REMOTE_ADDR"] = "192.168.1.7"
    client.post("/pair", data={"token": pairing.codes.token})
    return client


def test_chosen_camera_has_a_current_thumbnail(client: FlaskClient, board: SnapshotHub) -> None:
    assert client.get("/api/setup/thumbnail?source=0").mimetype == "image/svg+xml"
    board.show(Picture(0, GREY, None))
    for source in ("0", "77"):
        assert client.post("/api/setup/thumbnail", json={"source": source}).status_code == 200
    assert client.get("/api/setup/thumbnail?source=0").mimetype == "image/jpeg"
    assert client.get("/api/setup/thumbnail?source=77").mimetype == "image/svg+xml", (
        "the camera was offered and is missing"
    )


@pytest.mark.parametrize("source", ["", "5", "/films/demo.mp4", "/etc/passwd", "../x"])
def test_only_cameras_of_this_machine_are_opened(client: FlaskClient, source: str) -> None:
    for answer in (
        client.get("/api/setup/thumbnail", query_string={"source": source}),
        client.post("/api/setup/thumbnail", json={"source": source}),
    ):
        assert (answer.status_code, "expected a camera" in answer.get_json()["error"]) == (404, True)


def test_viewer_cannot_open_a_camera(board: SnapshotHub, shared_setup: SharedSetup) -> None:
    pairing = Pairing(lambda: 0.0)
    client = create_app(AppConfig(shared_setup=shared_setup, pairing=pairing), board).test_client()
    client.environ_base["REMOTE_ADDR"] = "192.168.1.7"
    client.post("/pair", data={"pin": pairing.codes.pin})
    assert client.get("/api/setup/thumbnail?source=0").status_code == 403
    assert client.post("/api/setup/thumbnail", json={"source": "0"}).status_code == 403


def test_no_camera_is_opened_without_a_shared_setup(board: SnapshotHub) -> None:
    client = create_app(AppConfig(), board).test_client()
    assert client.get("/api/setup/thumbnail?source=0").status_code == 503
