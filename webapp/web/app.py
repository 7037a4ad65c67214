"""Create the dashboard of a table as a Flask application, or that of a program without one: pages, API, access."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flask import Flask, Response, send_from_directory
from flask.json.provider import DefaultJSONProvider
from jinja2 import ChoiceLoader, FileSystemLoader
from werkzeug.exceptions import HTTPException, NotFound

from referee.errors import RefereeError
from webapp.errors import KozyrError, NotJudgedError, TooLongError, one_line
from webapp.features import features
from webapp.live.board import SnapshotHub
from webapp.web import (
    admission,
    api,
    background_api,
    camera_api,
    correction_api,
    match_films,
    matches_api,
    openapi,
    pages,
    pair_pages,
    request_guard,
    setup_api,
    sharing_api,
)
from webapp.web.app_services import AppConfig
from webapp.web.bodies import BodyError
from webapp.web.responses import is_for_person, refusal

if TYPE_CHECKING:
    from webapp.features import Routes

OF_EVERY_PROGRAM = (
    pair_pages.trust_pages,
    pair_pages.pair_pages,
    sharing_api.sharing,
    matches_api.matches_api,
    background_api.background,
    match_films.film_routes,
    match_films.film_upload,
    correction_api.corrections,
    pages.pages,
)
OF_A_TABLE = (api.interface, setup_api.setup_interface, camera_api.source_interface, camera_api.camera_interface)


FOLDERS = (Path(__file__).parent, *(feature.folder for feature in features()))
"""Folders of the core and of the features that may hold ``templates`` and ``static``."""


def create_app(config: AppConfig, board: SnapshotHub) -> Flask:
    """Create the dashboard as a Flask application over ``board``; ``webapp.web.serving`` serves it."""
    site = replace(config, board=board)
    app = _with_stored_matches(site)
    for routes in OF_A_TABLE:
        app.register_blueprint(routes(site))
    return app


def create_site(config: AppConfig, front_page: str, *routes: Routes) -> Flask:
    """
    Create the application of a program without a table: the stored matches, and ``routes`` of its own. ``front_page``:
    the template of `/`.
    """
    site = replace(config, front_page=front_page, shared_setup=None)
    app = _with_stored_matches(site)
    for route in routes:
        app.register_blueprint(route(site))
    return app


def failed(error: HTTPException) -> Response:
    """Return an error: where a person asks for a page that is not there, links to those that are; else a refusal."""
    if error.code == 404 and admission.is_for_page() and is_for_person():
        return pages.page("missing.html", 404, title="missing_title", why="missing_why")
    return api.failed(error)


class _Json(DefaultJSONProvider):
    """Writes keys in their order, and a lone surrogate of a damaged name as JSON's own \\uXXXX."""

    sort_keys = False
    ensure_ascii = False

    def dumps(self, obj: Any, **kwargs: Any) -> str:
        return super().dumps(obj, **kwargs).encode("utf-8", "backslashreplace").decode()


class _Site(Flask):
    """An application whose scripts and styles lie in several folders, at one address: the first that has a file."""

    def send_static_file(self, filename: str) -> Response:
        for folder in FOLDERS:
            with suppress(NotFound):
                return send_from_directory(folder / "static", filename, max_age=self.get_send_file_max_age(filename))
        raise NotFound


def _with_stored_matches(site: AppConfig) -> Flask:
    """Add what a table and a hall share: access control and the stored matches."""
    app = _Site(__name__, static_folder="static", template_folder="templates")
    app.jinja_loader = ChoiceLoader([FileSystemLoader(folder / "templates") for folder in FOLDERS])
    app.config["MAX_CONTENT_LENGTH"] = api.LONGEST_PRESS_BYTES
    app.json = _Json(app)
    app.register_error_handler(HTTPException, failed)
    app.register_error_handler(BodyError, lambda error: refusal(400, one_line(error)))
    app.register_error_handler(RefereeError, lambda error: refusal(422, one_line(error)))  # of a kept record
    app.register_error_handler(KozyrError, matches_api.failed)
    app.register_error_handler(NotJudgedError, lambda error: background_api.being_judged(site.long_work, error))
    app.register_error_handler(TooLongError, background_api.too_long)
    app.logger.disabled = True  # ``api.failed`` prints what went wrong, once
    request_guard.protect(app, site)
    admission.admit(app, site.pairing)
    for routes in (*OF_EVERY_PROGRAM, *(route.load() for feature in features() for route in feature.routes)):
        app.register_blueprint(routes(site))
    elsewhere = (routes.load() for feature in features() for routes in feature.routes_elsewhere)
    app.register_blueprint(openapi.description(*(routes(site) for routes in elsewhere)))
    return app
