"""Create the dashboard of a table or a hall as a Flask application: pages, API and access control."""

from __future__ import annotations

from typing import Any

from flask import Flask, Response
from flask.json.provider import DefaultJSONProvider
from werkzeug.exceptions import HTTPException

from referee.errors import RefereeError
from webapp.errors import one_line
from webapp.live.board import Board
from webapp.match.kept import KeptMatches
from webapp.store.live_tables import LiveTables
from webapp.web import (
    admission,
    api,
    background_api,
    camera_api,
    correction_api,
    hall_api,
    kept_matches,
    match_films,
    notation_api,
    openapi,
    pages,
    request_guard,
    sharing_api,
)
from webapp.web.answers import refusal
from webapp.web.app_services import AppConfig
from webapp.web.bodies import BodyError
from webapp.web.downloads import Downloads
from webapp.web.pair_pages import pair_pages, trust_pages
from webapp.web.setup_api import setup_interface
from webapp.web.stream_places import PlaceShares, StreamPlaces


def create_app(config: AppConfig, board: Board) -> Flask:
    """Create the dashboard as a Flask application over ``board``; ``webapp.web.serving`` serves it."""
    places = StreamPlaces(PlaceShares.of(config.streams))
    app = _with_kept_matches(config, board, places)
    app.register_blueprint(
        pages.pages(config.desk, config.authority, matches=config.matches, elsewhere=config.addresses.elsewhere)
    )
    app.register_blueprint(api.interface(config, board, places))
    app.register_blueprint(setup_interface(config, board))
    app.register_blueprint(camera_api.source_interface(config, board))
    app.register_blueprint(camera_api.camera_interface(config, board))
    return app


def create_hall_app(config: AppConfig, tables: LiveTables) -> Flask:
    """Create the application of a hall: all tables that share a store, with their kept matches, without a referee."""
    app = _with_kept_matches(config, Board(), StreamPlaces(PlaceShares.of(config.streams)))
    app.register_blueprint(pages.pages(None, config.authority, matches=config.matches, of_hall=True))
    app.register_blueprint(hall_api.hall_interface(config, tables))
    return app


def failed(error: HTTPException) -> Response:
    """Return an error: a page if a person requests an unknown address, else one sentence as JSON."""
    return pages.missing_page() if error.code == 404 and pages.wants_page() else api.failed(error)


class _Json(DefaultJSONProvider):
    """Writes keys in their order, and a lone surrogate of a damaged name as JSON's own \\uXXXX."""

    sort_keys = False
    ensure_ascii = False

    def dumps(self, obj: Any, **kwargs: Any) -> str:
        return super().dumps(obj, **kwargs).encode("utf-8", "backslashreplace").decode()


def _with_kept_matches(config: AppConfig, board: Board, places: StreamPlaces) -> Flask:
    """Add what a table and a hall share: access control and the kept matches."""
    app = Flask(__name__, static_folder="static", template_folder="templates")
    app.config["MAX_CONTENT_LENGTH"] = api.LONGEST_PRESS_BYTES
    app.json = _Json(app)
    app.register_error_handler(HTTPException, failed)
    app.register_error_handler(BodyError, lambda error: refusal(400, one_line(error)))
    app.register_error_handler(RefereeError, lambda error: refusal(422, one_line(error)))  # of a kept record
    app.logger.disabled = True  # ``api.failed`` prints what went wrong, once
    request_guard.protect(app, config)
    admission.admit(app, config.pairing)
    admission.limit_busy_devices(app, config.pairing)
    downloads = Downloads(config.pairing)
    app.register_blueprint(trust_pages(config.authority))
    app.register_blueprint(
        pair_pages(config.pairing, config.addresses, (places, downloads.places), config.phone, config.table)
    )
    app.register_blueprint(sharing_api.card_faces())
    app.register_blueprint(kept_matches.kept_matches(config.matches, downloads))
    app.register_blueprint(background_api.background(config.matches, config.long_work))
    app.register_blueprint(background_api.analysis(config.matches, config.long_work))
    app.register_blueprint(match_films.film_upload(config.long_work))
    app.register_blueprint(correction_api.labelled(config.labelled))
    app.register_blueprint(notation_api.notation_interface())
    app.register_blueprint(openapi.description(hall_api.hall_interface(config, None)))
    replays = None if config.matches is None else KeptMatches(config.matches)
    app.register_blueprint(kept_matches.players(config.matches, board))
    app.register_blueprint(correction_api.corrections(config, board, replays))
    app.register_blueprint(match_films.film_routes(config.matches, replays, config.table, downloads))
    app.register_blueprint(sharing_api.sharing(config.matches, replays, config.table, downloads))
    return app
