"""Every described route requested by every role from another machine: only the described roles have access."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from scripts.http_reference import all_routes
from webapp.live.board import SnapshotHub
from webapp.live.game_setup import GameSetup
from webapp.live.phone_camera import PhoneCamera
from webapp.live.shared_setup import SharedSetup
from webapp.store.database import Database
from webapp.store.labelled_pictures import LabelledPictures
from webapp.store.matches import Matches
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig
from webapp.web.pairing import Pairing
from webapp.web.route_docs import ANYONE, CAMERA, VIEWER, Route

ROUTES = all_routes()
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND")
REFUSED = (401, 403)
OUTSIDE = "192.168.1.7"
Client = Callable[[str], FlaskClient]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Client:
    """Return a function that gives a client on another device by its role."""
    folder = tmp_path_factory.mktemp("roles")
    database = Database.open(f"sqlite:///{folder}/kozyr.db")
    pairing = Pairing(lambda: 1000.0)
    config = AppConfig(
        matches=Matches(database),
        shared_setup=SharedSetup(GameSetup(source="0"), begins=False),
        pairing=pairing,
        phone=PhoneCamera(),
        labelled=LabelledPictures(folder / "labelled"),
    )
    app = create_app(config, SnapshotHub())
    clients = {}
    for role in ("stranger", "viewer", "camera", "referee"):
        clients[role] = app.test_client()
        clients[role].environ_base["REMOTE_ADDR"] = OUTSIDE
    assert clients["viewer"].post("/pair", data={"pin": pairing.codes.pin}).status_code == 303
    assert clients["referee"].post("/pair", data={"token": pairing.codes.token}).status_code == 303
    assert clients["camera"].post("/pair", data={"token": pairing.camera_token()}).status_code == 303
    return clients.__getitem__


def path_of(route: Route) -> str:
    return re.sub(r"\{\w+\}", "x", route.path)


def is_kept_out(client: FlaskClient, method: str, path: str) -> bool:
    """Check whether the request is refused, or redirected to the page where this device may be."""
    answer = client.open(path, method=method, buffered=False)
    status, place = answer.status_code, answer.headers.get("Location", "")
    answer.close()
    return status in REFUSED or (status == 303 and place.partition("?")[0] in ("/pair", "/camera"))


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_only_the_described_roles_have_access(client: Client, route: Route) -> None:
    path = path_of(route)
    if route.description.role != ANYONE:
        for method in METHODS:
            assert is_kept_out(client("stranger"), method, path), method
    if route.description.role not in (ANYONE, CAMERA):
        for method in METHODS:
            assert is_kept_out(client("camera"), method, path), method
    if route.description.role not in (ANYONE, CAMERA):
        reading = {"GET", "HEAD"} if route.description.role == VIEWER or route.method not in ("GET", "HEAD") else set()
        for method in set(METHODS) - reading:
            assert is_kept_out(client("viewer"), method, path), method
    if route.description.role == VIEWER and route.path != "/api/events":
        assert not is_kept_out(client("viewer"), route.method, path)


@pytest.mark.parametrize(
    "path",
    [
        *(
            "//api/state",
            "/api//state",
            "/./api/state",
            "/pair/../api/state",
            "/pair/",
            "/pair/codes",
            "/static/x/../../",
        ),
        *(
            "/API/STATE",
            "/api/state/",
            "/api/state;x",
            "/%61pi/state",
            "/pair%2f..%2fapi/state",
            "/static/pair.css/../x",
        ),
        *("/trust/../api/state", "/health/../api/setup", "/api/state%00", "/.well-known/x"),
    ],
)
def test_path_variants_give_no_access_without_a_role(client: Client, path: str) -> None:
    answer = client("stranger").get(path)
    assert answer.status_code in (303, 308, 401, 403, 404), path
    assert b"seats" not in answer.data
    if answer.status_code == 308:
        assert is_kept_out(client("stranger"), "GET", answer.headers["Location"])
