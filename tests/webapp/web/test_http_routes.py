"""Description of the HTTP interface: complete, with the checked roles, and equal to the documentation."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from flask import Flask

from referee.events import TableEvent
from referee.fields import read
from referee.record import Moment, event_from_json
from scripts import http_reference
from tests.referee.match_files import MATCHES
from webapp.live.board import Board
from webapp.store.database import Database
from webapp.store.live_tables import LiveTables
from webapp.web.admission import OF_CAMERA, OF_REFEREE, OPEN, READING
from webapp.web.app import create_app, create_hall_app
from webapp.web.app_services import AppConfig
from webapp.web.http_routes import ANYONE, CAMERA, GROUPS, REFEREE, VIEWER, Route
from webapp.web.openapi import openapi

ROUTES = [route for routes in GROUPS.values() for route in routes]
WITH_JSON = [route for route in ROUTES if route.body.startswith("{")]


def routes_of(app: Flask) -> set[tuple[str, str]]:
    """Return (method, path) of every route but static files, paths as OpenAPI writes them."""
    return {
        (method, re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule))
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.endpoint != "static"
    }


@pytest.fixture
def apps(tmp_path: Path) -> tuple[Flask, Flask]:
    """Return the applications of a table and of a hall."""
    database = Database.open(f"sqlite:///{tmp_path / 'kept.sqlite'}")
    return create_app(AppConfig(), Board()), create_hall_app(AppConfig(), LiveTables(database))


def test_every_route_is_described_once_and_every_described_route_exists(apps: tuple[Flask, Flask]) -> None:
    described = [(route.method, route.path) for route in ROUTES]
    assert len(described) == len(set(described))
    assert set(described) == routes_of(apps[0]) | routes_of(apps[1])


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_role_equals_the_checked_role(route: Route) -> None:
    if route.path in OPEN:
        expected = {ANYONE}
    elif route.path in OF_CAMERA:
        expected = {CAMERA}
    elif route.path in OF_REFEREE:
        expected = {REFEREE}
    else:
        expected = {VIEWER} if route.method in READING else {REFEREE}
    assert route.role in expected


def test_openapi_document_has_every_route(apps: tuple[Flask, Flask]) -> None:
    answer = apps[0].test_client().get("/api/openapi.json")
    described = answer.get_json()
    assert described["openapi"] == "3.1.0"
    found = {(method.upper(), path) for path, methods in described["paths"].items() for method in methods}
    assert found == {(route.method, route.path) for route in ROUTES}
    names = {each["name"] for each in described["paths"]["/api/matches/{match}/crop.jpg"]["get"]["parameters"]}
    assert names == {"match", "line"}


def test_complete_examples_are_json() -> None:
    for route in ROUTES:
        for example in (route.body, route.answer):
            if example.startswith("{") and "..." not in example:
                assert isinstance(json.loads(example), dict), route.path


@pytest.mark.parametrize(
    "route", [route for route in ROUTES if route.body.startswith("{")], ids=lambda route: route.path
)
def test_documented_body_matches_its_type(route: Route) -> None:
    assert route.sends is not None
    values = json.loads(route.body)
    if issubclass(route.sends, TableEvent):
        assert isinstance(event_from_json({"event": route.sends.__struct_config__.tag, **values}), TableEvent)
    else:
        read(values, route.sends, "it")


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
    schemas = openapi()["components"]["schemas"]
    for path in MATCHES:
        for line in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            kind = line.get("event", "Header").title().replace("Corrected", "CorrectedLine")
            assert set(schemas[kind]["required"]) <= set(line) <= set(schemas[kind]["properties"]) | {"fault"}


def test_document_is_generated_from_the_table() -> None:
    assert http_reference.main(["--check"]) == 0
