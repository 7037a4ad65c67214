"""Role and page of the camera: pairing, permissions, and errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from flask.testing import FlaskClient

from scripts.http_reference import all_routes
from vision.capture.phone import PhoneInbox
from webapp.live.board import SnapshotHub
from webapp.live.phone_camera import PhoneCamera
from webapp.web.app import create_app
from webapp.web.app_services import Addresses, AppConfig
from webapp.web.pairing import Ask, Pairing, RefusedError
from webapp.web.stored_devices import Role

JPEG = cv2.imencode(".jpg", np.full((90, 160, 3), 90, np.uint8))[1].tobytes()
HERE = "https://192.168.1.5:8036/"


class Clock:
    at_s = 1000.0

    def __call__(self) -> float:
        return self.at_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pairing(clock: Clock) -> Pairing:
    return Pairing(clock)


@pytest.fixture
def phone(clock: Clock) -> PhoneCamera:
    return PhoneCamera(PhoneInbox(clock))


class Browser(FlaskClient):
    """Client that requests over http or https."""

    scheme = "https"

    def open(self, *args: Any, **more: Any) -> Any:
        return super().open(*args, **{"base_url": f"{self.scheme}://localhost", **more})


Visit = Callable[..., FlaskClient]


@pytest.fixture
def visit(board: SnapshotHub, pairing: Pairing, phone: PhoneCamera, tmp_path: Path) -> Visit:
    """Return a function that opens a client on another device (or this machine), over http or https."""
    authority = tmp_path / "authority.pem"
    authority.write_text("a certificate")
    services = AppConfig(
        pairing=pairing,
        phone=phone,
        authority=authority,
        is_tls_optional=True,
        addresses=Addresses(elsewhere=("http://192.168.1.5:8036/",), camera=(HERE,)),
    )
    app = create_app(services, board)
    app.test_client_class = Browser

    def opened(address: str = "192.168.1.7", scheme: str = "https") -> FlaskClient:
        client = app.test_client()
        assert isinstance(client, Browser)
        client.scheme = scheme
        client.environ_base["REMOTE_ADDR"] = address
        return client

    return opened


@pytest.fixture
def camera(visit: Visit, pairing: Pairing) -> FlaskClient:
    """Return the client of a phone with the role of the camera."""
    client = visit()
    answer = client.post("/pair", data={"token": pairing.camera_token()})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/camera")
    return client


def sent(client: FlaskClient, n: int = 1, page: str = "a", body: bytes = JPEG) -> int:
    return client.post(f"/api/camera/frame?page={page}&n={n}&captured=1764093600000.5", data=body).status_code


def test_camera_sends_pictures_and_has_no_other_access(camera: FlaskClient, phone: PhoneCamera) -> None:
    page = camera.get("/camera")
    assert page.status_code == 200
    assert "camera=(self)" in page.headers["Permissions-Policy"]
    assert sent(camera) == 200
    newest = phone.inbox.newest(1.0)
    assert newest is not None
    assert (newest.jpeg, newest.captured_ms) == (JPEG, 1764093600000.5)
    assert camera.post("/api/camera/report", json={"battery": 0.4}).status_code == 200
    assert phone.report.battery == 0.4
    for path in ("/", "/setup", "/matches", "/nowhere"):
        answer = camera.get(path)
        assert (answer.status_code, answer.headers["Location"]) == (303, "/camera"), path
    for path in ("/api/state", "/api/events", "/api/picture.jpg", "/api/setup", "/api/camera", "/metrics"):
        assert camera.get(path).status_code == 403, path
    for path in ("/api/press", "/api/correct", "/api/setup", "/api/zones", "/pair/codes", "/api/camera/code"):
        assert camera.post(path, json={"button": "done"}).status_code == 403, path
    assert camera.get("/health").get_json() == {"ok": True}


def test_camera_on_this_machine_has_no_other_role(visit: Visit, pairing: Pairing) -> None:
    client = visit("127.0.0.1")
    client.post("/pair", data={"token": pairing.camera_token()})
    assert client.get("/api/state").status_code == 403
    assert client.get("/", headers={}).headers["Location"] == "/camera"


def test_camera_code_works_once_within_ten_minutes(visit: Visit, pairing: Pairing, clock: Clock) -> None:
    token = pairing.camera_token()
    assert pairing.is_for_camera(token)
    assert visit().post("/pair", data={"token": token}).status_code == 303
    for client in (visit("192.168.1.8"), visit()):  # two phones with one code, a code used twice
        answer = client.post("/pair", data={"token": token})
        assert answer.status_code == 403
        assert "has been used" in answer.get_data(as_text=True)
    late = pairing.camera_token()
    clock.at_s += 601.0
    assert visit().post("/pair", data={"token": late}).status_code == 403
    replaced = pairing.camera_token()
    pairing.camera_token()
    with pytest.raises(RefusedError, match="replaced"):
        pairing.join_with_token(replaced, "192.168.1.7", "iPhone")


def test_newest_camera_replaces_the_earlier_one(
    visit: Visit, camera: FlaskClient, pairing: Pairing, phone: PhoneCamera
) -> None:
    assert sent(camera) == 200
    other = visit("192.168.1.8")
    other.post("/pair", data={"token": pairing.camera_token()})
    assert [device.role for device in pairing.devices()] == [Role.CAMERA]
    assert sent(camera, 2) == 401
    assert sent(other, 1, "b") == 200
    again = other.post("/pair", data={"token": pairing.camera_token()})
    assert again.status_code == 303
    assert len(pairing.devices()) == 1
    assert sent(other, 2, "b") == 409, "the new page replaced the earlier one"


def test_two_pages_of_one_phone_are_one_camera(camera: FlaskClient) -> None:
    assert sent(camera, 50, "first") == 200
    assert sent(camera, 1, "second") == 200
    answer = camera.post("/api/camera/frame?page=first&n=51", data=JPEG)
    assert (answer.status_code, "another page" in answer.get_json()["error"]) == (409, True)


def test_viewer_gets_a_reason_on_the_camera_page(visit: Visit, pairing: Pairing) -> None:
    viewer = visit()
    viewer.post("/pair", data={"pin": pairing.codes.pin})
    page = viewer.get("/camera")
    assert page.status_code == 403
    assert "This device watches the table" in page.get_data(as_text=True)
    assert "camera.js" not in page.get_data(as_text=True)
    assert sent(viewer) == 403


def test_phone_is_not_camera_and_viewer_at_once(camera: FlaskClient, pairing: Pairing) -> None:
    answer = camera.post("/pair", data={"pin": pairing.codes.pin})
    assert answer.status_code == 409
    assert "it can&#39;t watch as well" in answer.get_data(as_text=True)
    assert camera.post("/camera/leave").headers["Location"] == "/pair"
    assert camera.post("/pair", data={"pin": pairing.codes.pin}).status_code == 303
    assert camera.get("/api/state").status_code == 200
    assert camera.post("/camera/leave").status_code == 403


def test_viewer_with_the_camera_code_becomes_the_camera(visit: Visit, pairing: Pairing) -> None:
    client = visit()
    client.post("/pair", data={"pin": pairing.codes.pin})
    client.post("/pair", data={"token": pairing.camera_token()})
    assert client.get("/api/state").status_code == 403
    assert [device.role for device in pairing.devices()] == [Role.CAMERA]


def test_camera_page_redirects_to_pairing(visit: Visit) -> None:
    answer = visit().get("/camera")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/pair?to=/camera")
    assert sent(visit()) == 401


@pytest.mark.parametrize(
    ("query", "body", "status"),
    [
        ("n=1", JPEG, 400),
        ("page=a", JPEG, 400),
        ("page=a&n=x", JPEG, 400),
        (f"page={'a' * 41}&n=1", JPEG, 400),
        ("page=a&n=1", bytes(1 << 21), 413),
        ("page=a&n=1", b"", 200),
    ],
)
def test_every_upload_gets_an_answer(camera: FlaskClient, query: str, body: bytes, status: int) -> None:
    answer = camera.post(f"/api/camera/frame?{query}", data=body)
    assert answer.status_code == status
    assert status == 200 or "expected" in answer.get_json()["error"]


@pytest.mark.parametrize("body", [b"", b"[1]", b"{", b'{"battery": "full"}', b'{"trouble": 3}'])
def test_invalid_report_is_refused(camera: FlaskClient, body: bytes) -> None:
    answer = camera.post("/api/camera/report", data=body)
    assert (answer.status_code, "expected" in answer.get_json()["error"]) == (400, True)


def test_referee_gets_the_code_and_the_state_of_the_phone(visit: Visit, pairing: Pairing) -> None:
    referee = visit("127.0.0.1", "http")
    answer = referee.post("/api/camera/code")
    assert answer.status_code == next(
        route.description.status for route in all_routes() if route.path == "/api/camera/code"
    )
    code = answer.get_json()
    assert code["url"].startswith(f"{HERE}pair?token=")
    assert "<svg" in code["qr"]
    assert pairing.is_for_camera(code["url"].partition("token=")[2])
    assert code["trust"] == "http://192.168.1.5:8036/trust"
    assert referee.get("/api/camera").get_json()["sending"] is False
    assert referee.post("/camera/leave").status_code == 409


def test_plain_http_redirects_only_the_camera_to_https(visit: Visit, pairing: Pairing) -> None:
    token = pairing.camera_token()
    client = visit(scheme="http")
    for path, status in (("/camera", 308), (f"/pair?token={token}", 308), ("/pair", 200), ("/pair?token=x", 200)):
        answer = client.get(path)
        assert answer.status_code == status, path
        assert status == 200 or answer.headers["Location"].startswith("https://")
    assert visit("127.0.0.1", "http").get("/camera").status_code == 200, "plain http is allowed on the own machine"


def test_missing_address_for_phones_is_one_sentence_with_the_way_on(board: SnapshotHub) -> None:
    for addresses, wants in ((Addresses(is_local=True), "can't reach this table yet"), (Addresses(), "in no network")):
        client = create_app(AppConfig(phone=PhoneCamera(), addresses=addresses), board).test_client()
        answer = client.post("/api/camera/code").get_json()
        assert (answer["url"], wants in answer["text"], answer["let_in"]) == (None, True, addresses.is_local)
    bare = create_app(AppConfig(), board).test_client()
    for answer in (
        sent(bare),
        bare.post("/api/camera/report", json={}).status_code,
        bare.get("/api/camera").status_code,
        bare.post("/api/camera/code").status_code,
    ):
        assert answer == 503


def test_phone_needs_no_code_without_pairing(board: SnapshotHub) -> None:
    services = AppConfig(phone=PhoneCamera(), addresses=Addresses(camera=(HERE,)))
    client = create_app(services, board).test_client()
    assert client.post("/api/camera/code").get_json()["url"] == f"{HERE}camera"
    assert sent(client) == 200


def test_pairing_always_includes_the_camera(clock: Clock) -> None:
    pairing = Pairing(clock, Ask.NEVER)
    cookie = pairing.join_with_token(pairing.camera_token(), "192.168.1.7", "iPhone")
    assert pairing.role(cookie, is_this_machine=False) is Role.CAMERA
    assert pairing.role(None, is_this_machine=False) is Role.REFEREE
