"""The description of the HTTP interface: complete, with the roles that the program checks, and as documented."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from flask import Flask

from scripts import http_reference
from webapp.live.board import Board
from webapp.store.database import Database
from webapp.store.live_tables import LiveTables
from webapp.web.admission import OF_CAMERA, OF_REFEREE, OPEN, READING
from webapp.web.app import create_app, create_hall_app
from webapp.web.app_services import AppConfig
from webapp.web.http_routes import ANYONE, CAMERA, GROUPS, REFEREE, VIEWER, Route

ROUTES = [route for routes in GROUPS.values() for route in routes]


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
def test_role_is_the_one_that_admission_checks(route: Route) -> None:
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


def test_examples_that_are_complete_are_json() -> None:
    for route in ROUTES:
        for example in (route.body, route.answer):
            if example.startswith("{") and "..." not in example:
                json.loads(example)


def test_document_is_generated_from_the_table() -> None:
    assert http_reference.main(["--check"]) == 0
