"""Make the OpenAPI document: routes as they are described, schemas from the structs that read requests and records."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from flask import Blueprint, Flask, Response, current_app, jsonify
from msgspec.json import schema_components

from referee.events import Pressed, Unread
from referee.header import Header
from referee.record import CorrectedLine, Moment
from webapp.match.view import Sentence, View
from webapp.versions import versions
from webapp.web.bodies import Refusal
from webapp.web.route_docs import JSON, VIEWER, Route, described, routes_of

CARD = {"type": "string", "pattern": "^[2-9TJQKA][shdc]$"}
TEXT = {"type": "string", "description": "a sentence in the language of the request"}
PLACE = "#/components/schemas/"


def description(*elsewhere: Blueprint) -> Blueprint:
    """Return the blueprint that serves the document, with the routes of other programs of kozyr (``elsewhere``)."""
    blueprint, others = Blueprint("description", __name__), Flask(__name__)
    for routes in elsewhere:
        others.register_blueprint(routes)

    @blueprint.get("/api/openapi.json")
    @described(VIEWER, "This description as OpenAPI 3.1")
    def document() -> Response:
        return jsonify(openapi(others, current_app))

    return blueprint


def openapi(*apps: Flask) -> dict[str, Any]:
    routes = routes_of(*apps)
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    about = {"title": "kozyr", "version": versions()["kozyr"], "description": "A referee for Durak at a real table."}
    sent = [route.description.sends for route in routes if route.description.sends is not None]
    return {
        "openapi": "3.1.0",
        "info": about,
        "paths": paths,
        "components": {"schemas": record_schemas(PLACE, [Refusal, View, *sent])},
    }


def record_schemas(place: str = PLACE, others: Iterable[type] = ()) -> dict[str, Any]:
    """
    Return the JSON Schema of a record's lines and of ``others``. ``RecordLine`` is a line, ``Moment`` whatever but a
    correction may happen; ``place`` comes before the names in references.
    """
    (_, moment, *_), found = schema_components(
        [Header, Moment, CorrectedLine, *others],
        schema_hook=lambda kind: TEXT if kind is Sentence else CARD,
        ref_template=place + "{name}",
    )
    for schema in found.values():
        if {"at", "event"} <= set(schema.get("required", ())):
            schema["required"].remove("at")  # a line without it takes the time of the line before
    del found[Unread.__name__]  # a struct of this program alone: its line is that of a blocked view
    happened = {"$ref": place + "Moment"}
    found["CorrectedLine"]["properties"] |= {"to": {"anyOf": [happened, {"type": "null"}]}, "insert": happened}
    lines = ["Header", "Moment", "CorrectedLine"]
    return {**found, "Moment": moment, "RecordLine": {"anyOf": [{"$ref": place + name} for name in lines]}}


def _operation(route: Route) -> dict[str, Any]:
    said = route.description
    named = [part[1:].split("}")[0] for part in route.path.split("/") if part.startswith("{")]
    parameters: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in named
    ]
    for name, meaning in said.query.items():
        parameters.append({"name": name, "in": "query", "description": meaning, "schema": {"type": "string"}})
    content: dict[str, Any] = {said.media: {"example": _example(said.answer)} if said.answer else {}}
    refusal = {"schema": {"$ref": PLACE + Refusal.__name__}}
    if route.path.endswith("/view"):
        content[said.media]["schema"] = {"$ref": PLACE + View.__name__}
    operation: dict[str, Any] = {
        "summary": said.summary,
        "tags": [route.group],
        "x-role": said.role,
        "parameters": parameters,
        "responses": {
            str(said.status): {"description": "done", **({} if said.status in (204, 303) else {"content": content})},
            "default": {"description": "refused", "content": {JSON: refusal}},
        },
    }
    if said.body:
        kind = JSON if said.body.startswith("{") else "application/octet-stream"
        body: dict[str, Any] = {"example": _example(said.body)}
        if said.sends is not None:
            body["schema"] = {"$ref": PLACE + said.sends.__name__}
            if said.sends in (Pressed, CorrectedLine):  # the route says which event it is
                body["schema"] = {**body["schema"], "required": ["button"] if said.sends is Pressed else []}
        operation["requestBody"] = {"content": {kind: body}}
    return operation


def _example(text: str) -> Any:
    """Return an example as JSON, as text where it is no whole JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return text
