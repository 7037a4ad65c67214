"""Description of the HTTP interface: complete, with the checked roles, and equal to the documentation."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from flask import Flask

from features.hall.routes import create_hall_app
from referee.events import TableEvent
from referee.fields import read
from referee.record import Moment, event_from_json
from scripts import http_reference
from scripts.http_reference import all_routes
from tests.referee.match_files import MATCHES
from webapp.live.board import SnapshotHub
from webapp.store.database import Database
from webapp.store.live_tables import LiveTables
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig
from webapp.web.openapi import openapi
from webapp.web.route_docs import ANYONE, CAMERA, REFEREE, VIEWER, Route, description_of

ROUTES = all_routes()
TRUSTED = ("/trust/kozyr.crt", "/trust/kozyr.mobileconfig")
WITH_JSON = [route for route in ROUTES if route.description.body.startswith("{")]


@pytest.fixture
def apps(tmp_path: Path) -> tuple[Flask, Flask]:
    """Return the applications of a table and of a hall."""
    database = Database.open(f"sqlite:///{tmp_path / 'kept.sqlite'}")
    return create_app(AppConfig(), SnapshotHub()), create_hall_app(AppConfig(), LiveTables(database))


def test_every_route_is_described(apps: tuple[Flask, Flask]) -> None:
    for app in apps:
        for rule in app.url_map.iter_rules():
            assert rule.endpoint == "static" or description_of(app, rule.endpoint) is not None, rule.rule


def test_routes_that_change_something_are_for_a_referee(apps: tuple[Flask, Flask]) -> None:
    """Check the few routes for others by name: a description is what admission reads, so a slip there opens a door."""
    roles = {(route.method, route.path): route.description.role for route in ROUTES}
    others = {route: role for route, role in roles.items() if role != VIEWER}
    changing = {other for other in others if other[0] != "GET"}
    assert {route: others[route] for route in changing if others[route] != REFEREE} == {
        ("POST", "/pair"): ANYONE,
        ("POST", "/camera/leave"): CAMERA,
        ("POST", "/api/camera/frame"): CAMERA,
        ("POST", "/api/camera/report"): CAMERA,
    }
    assert {route: others[route] for route in others.keys() - changing} == {
        **{("GET", path): ANYONE for path in ("/pair", "/health", "/trust", *TRUSTED)},
        ("GET", "/camera"): CAMERA,
        ("GET", "/api/setup/thumbnail"): REFEREE,
    }
    assert {method for (method, _), role in roles.items() if role == VIEWER} == {"GET"}


def test_openapi_document_has_every_route(apps: tuple[Flask, Flask]) -> None:
    answer = apps[0].test_client().get("/api/openapi.json")
    described = answer.get_json()
    assert described["openapi"] == "3.1.0"
    found = {(method.upper(), path) for path, methods in described["paths"].items() for method in methods}
    assert found == {(route.method, route.path) for route in ROUTES}
    names = {
        parameter["name"] for parameter in described["paths"]["/api/matches/{match}/crop.jpg"]["get"]["parameters"]
    }
    assert names == {"match", "line"}


def test_complete_examples_are_json() -> None:
    for route in ROUTES:
        for example in (route.description.body, route.description.answer):
            if example.startswith("{") and "..." not in example:
                assert isinstance(json.loads(example), dict), route.path


@pytest.mark.parametrize("route", WITH_JSON, ids=lambda route: route.path)
def test_documented_body_matches_its_type(route: Route) -> None:
    assert route.description.sends is not None
    values = json.loads(route.description.body)
    if issubclass(route.description.sends, TableEvent):
        assert isinstance(
            event_from_json({"event": route.description.sends.__struct_config__.tag, **values}), TableEvent
        )
    else:
        read(values, route.description.sends, "it")


def test_openapi_document_describes_every_body_and_record_line(apps: tuple[Flask, Flask]) -> None:
    described = apps[0].test_client().get("/api/openapi.json").get_json()
    schemas = described["components"]["schemas"]
    text = json.dumps(described)
    assert set(re.findall(r'"#/components/schemas/(\w+)"', text)) <= set(schemas)
    for route in WITH_JSON:
        body = described["paths"][route.path][route.method.lower()]["requestBody"]["content"]["application/json"]
        assert set(body["example"]) <= set(schemas[body["schema"]["$ref"].split("/")[-1]]["properties"])
    assert set(schemas["Moment"]["discriminator"]["mapping"]) == {kind.__name__.lower() for kind in Moment.__args__}
    assert schemas["Placed"]["required"] == ["event", "card"]
    assert schemas["Drawn"]["properties"]["count"]["minimum"] == 1
    assert "start" in schemas["Header"]["properties"]


def test_stored_records_fit_the_schema_keys() -> None:
    schemas = openapi(create_app(AppConfig(), SnapshotHub()))["components"]["schemas"]
    for path in MATCHES:
        for line in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            kind = line.get("event", "Header").title().replace("Corrected", "CorrectedLine")
            assert set(schemas[kind]["required"]) <= set(line) <= set(schemas[kind]["properties"]) | {"fault"}


def test_document_is_generated_from_the_descriptions() -> None:
    assert http_reference.main(["--check"]) == 0
