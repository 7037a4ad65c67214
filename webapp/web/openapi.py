"""Make the OpenAPI document: routes from `http_routes`, schemas from the structs that read requests and records."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from flask import Blueprint, Response, jsonify
from msgspec.json import schema_components

from referee.events import Pressed, Unread
from referee.header import Header
from referee.record import CorrectedLine, Moment
from webapp.versions import versions
from webapp.web.bodies import Refusal
from webapp.web.http_routes import GROUPS, JSON, Route

CARD = {"type": "string", "pattern": "^[2-9TJQKA][shdc]$"}
PLACE = "#/components/schemas/"


def description() -> Blueprint:
    """Return the blueprint that serves the document."""
    blueprint = Blueprint("description", __name__)

    @blueprint.get("/api/openapi.json")
    def document() -> Response:
        return jsonify(openapi())

    return blueprint


def openapi() -> dict[str, Any]:
    """Return the routes as an OpenAPI 3.1 document."""
    paths: dict[str, dict[str, Any]] = {}
    for tag, routes in GROUPS.items():
        for route in routes:
            paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, tag)
    about = {"title": "kozyr", "version": versions()["kozyr"], "description": "A referee for Durak at a real table."}
    sent = [route.sends for routes in GROUPS.values() for route in routes if route.sends is not None]
    return {
        "openapi": "3.1.0",
        "info": about,
        "paths": paths,
        "components": {"schemas": record_schemas(PLACE, [Refusal, *sent])},
    }


def record_schemas(place: str = PLACE, others: Iterable[type] = ()) -> dict[str, Any]:
    """
    Return the JSON Schema of a record's lines and of ``others``. ``RecordLine`` is a line, ``Moment`` whatever but a
    correction may happen; ``place`` comes before the names in references.
    """
    (_, moment, *_), found = schema_components(
        [Header, Moment, CorrectedLine, *others], schema_hook=lambda kind: CARD, ref_template=place + "{name}"
    )
    for each in found.values():
        if {"at", "event"} <= set(each.get("required", ())):
            each["required"].remove("at")  # a line without it takes the time of the line before
    del found[Unread.__name__]  # a struct of this program alone: its line is that of a blocked view
    happened = {"$ref": place + "Moment"}
    found["CorrectedLine"]["properties"] |= {"to": {"anyOf": [happened, {"type": "null"}]}, "insert": happened}
    lines = ["Header", "Moment", "CorrectedLine"]
    return {**found, "Moment": moment, "RecordLine": {"anyOf": [{"$ref": place + name} for name in lines]}}


def _operation(route: Route, tag: str) -> dict[str, Any]:
    named = [part[1:].split("}")[0] for part in route.path.split("/") if part.startswith("{")]
    parameters: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in named
    ]
    for name, meaning in route.query.items():
        parameters.append({"name": name, "in": "query", "description": meaning, "schema": {"type": "string"}})
    content: dict[str, Any] = {route.media: {"example": _example(route.answer)} if route.answer else {}}
    refusal = {"schema": {"$ref": PLACE + Refusal.__name__}}
    operation: dict[str, Any] = {
        "summary": route.summary,
        "tags": [tag],
        "x-role": route.role,
        "parameters": parameters,
        "responses": {
            str(route.status): {"description": "done", **({} if route.status in (204, 303) else {"content": content})},
            "default": {"description": "refused", "content": {JSON: refusal}},
        },
    }
    if route.body:
        kind = JSON if route.body.startswith("{") else "application/octet-stream"
        body: dict[str, Any] = {"example": _example(route.body)}
        if route.sends is not None:
            body["schema"] = {"$ref": PLACE + route.sends.__name__}
            if route.sends in (Pressed, CorrectedLine):  # the route says which event it is
                body["schema"] = {**body["schema"], "required": ["button"] if route.sends is Pressed else []}
        operation["requestBody"] = {"content": {kind: body}}
    return operation


def _example(text: str) -> Any:
    """Return an example as JSON, as text where it is no whole JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return text
