"""Serve a hall's API: the current state of its tables, its health and metrics."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from flask import Blueprint, Flask, Response, jsonify

from webapp.errors import StoreError, one_line
from webapp.store.evenings import scores_of_today
from webapp.store.live_tables import LiveTables, ReportedTable
from webapp.versions import versions
from webapp.web.admission import is_admitted
from webapp.web.app import create_site
from webapp.web.app_services import AppConfig
from webapp.web.responses import fresh, language_of_request
from webapp.web.route_docs import ANYONE, VIEWER, described


def hall_interface(services: AppConfig, tables: LiveTables | None) -> Blueprint:
    """Return the blueprint with what is no page of a hall; ``tables``: None where its routes are only described."""
    blueprint = Blueprint("hall", __name__)
    one_at_a_time = threading.Lock()  # however many pages send requests, the store gets one at a time

    def reported() -> tuple[ReportedTable, ...]:
        with one_at_a_time:
            return () if tables is None else tables.reported()

    @blueprint.get("/api/tables")
    @described(VIEWER, "The tables of a hall", answer='{"tables": [...]}')
    def listed() -> Response:
        language = language_of_request()
        live_first = sorted(reported(), key=lambda table: not table.is_live)
        return fresh(jsonify({"tables": [table_as_json(table, language) for table in live_first]}))

    @blueprint.get("/api/standings")
    @described(VIEWER, "Scores of the current evenings, all tables together")
    def standings() -> Response:
        games = () if services.matches is None else services.matches.games()
        return fresh(jsonify(scores_of_today(games, datetime.now().astimezone()).as_json()))

    @blueprint.get("/health")
    @described(
        ANYONE,
        "Health of camera, disk and threads; unpaired devices get `ok` alone",
        answer='{"ok": true, "fps": 25.0, "dropped": 0, ...}',
    )
    def health() -> tuple[Response, int]:
        try:
            live, trouble = sum(table.is_live for table in reported()), None
        except StoreError as error:
            live, trouble = 0, one_line(error)
        values: dict[str, Any] = {"ok": trouble is None}
        if is_admitted():
            values |= {
                "trouble": trouble,
                "tables": live,
                "disk_free_bytes": services.free_bytes,
                "versions": versions(),
            }
        return fresh(jsonify(values)), 200 if trouble is None else 503

    @blueprint.get("/metrics")
    @described(VIEWER, "The same for Prometheus", media="text/plain; version=0.0.4")
    def metrics() -> Response:
        figures = "# TYPE kozyr_tables_live gauge\nkozyr_tables_live " + str(sum(table.is_live for table in reported()))
        return fresh(Response(figures + "\n", mimetype="text/plain; version=0.0.4"))

    return blueprint


def described_hall(services: AppConfig) -> Blueprint:
    """Return the routes of a hall for their description alone."""
    return hall_interface(services, None)


def create_hall_app(config: AppConfig, tables: LiveTables) -> Flask:
    """Create the application of a hall: all tables that share a store, with their stored matches, without a referee."""
    return create_site(config, "hall.html", lambda site: hall_interface(site, tables))


def table_as_json(table: ReportedTable, language: str) -> Mapping[str, Any]:
    """Return a table of ``/api/tables`` (docs/hall.md): its report, and besides its ``state`` a summary for people."""
    data = table.data
    state, call = data["state"], data["call"]
    if call is not None:
        text = call["texts"].get(language, call["text"])  # a table of another version may know other languages
        call = {**{key: value for key, value in call.items() if key != "texts"}, "text": text}
    return {
        "table": table.table,
        "live": table.is_live,
        "open": bool(data.get("open")),
        "told": table.reported.astimezone().isoformat(timespec="milliseconds"),
        "age_s": round(table.age_s, 1),
        "match": data["match"],
        "rules": data["rules"],
        "seats": data["seats"],
        **{key: state.get(key) for key in ("phase", "attacker", "defender", "due", "talon", "trump", "result")},
        "call": call,
        "camera": data["camera"],
        "warnings": data["warnings"],
        "evening": data["evening"],
        "address": data["address"],
        "state": state,
    }
