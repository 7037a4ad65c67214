"""The dashboard as a Flask application: its pages, what programs ask for, and who may ask."""

from __future__ import annotations

from flask import Flask

from webapp.live.board import Board
from webapp.web import (
    admission,
    api,
    background_api,
    card_faces,
    correction_api,
    film_upload,
    kept_matches,
    labelled_api,
    notation_api,
    pages,
    request_guard,
    watch_again,
)
from webapp.web.app_services import AppServices
from webapp.web.pair_pages import pair_pages
from webapp.web.setup_api import setup_interface
from webapp.web.stream_places import StreamPlaces


def create_app(config: AppServices, board: Board) -> Flask:
    """The dashboard as a Flask application over ``board``. Starts nothing: ``webapp.web.serving`` serves it."""
    app = Flask(__name__, static_folder="static", template_folder="templates")
    app.config["MAX_CONTENT_LENGTH"] = api.LONGEST_PRESS_BYTES
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    places = StreamPlaces(config.streams)
    request_guard.protect(app, config)
    admission.admit(app, config.pairing)
    app.register_blueprint(pair_pages(config.pairing, config.addresses, places))
    app.register_blueprint(pages.pages(config.desk, config.authority))
    app.register_blueprint(card_faces.card_faces())
    app.register_blueprint(api.interface(config, board, places))
    app.register_blueprint(setup_interface(config, board))
    app.register_blueprint(kept_matches.kept_matches(config.matches))
    app.register_blueprint(correction_api.corrections(config, board, config.matches))
    app.register_blueprint(background_api.background(config.matches, config.long_work))
    app.register_blueprint(film_upload.film_upload(config.long_work))
    app.register_blueprint(labelled_api.labelled(config.labelled))
    app.register_blueprint(notation_api.notation_interface())
    app.register_blueprint(watch_again.watch_again(config.matches, config.live_match))
    return app
