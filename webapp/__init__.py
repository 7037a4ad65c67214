"""Tells the players: the command, the page, the live stream. Importing it starts nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask import Flask

    from webapp.board import Board
    from webapp.house import House


def create_app(config: House, board: Board) -> Flask:
    """The dashboard as a Flask application over ``board``. Starts nothing: ``webapp.serving`` serves it."""
    from flask import Flask

    from webapp import api, guard, views

    app = Flask(__name__, static_folder="static", template_folder="templates")
    app.config["MAX_CONTENT_LENGTH"] = api.LONGEST_PRESS_BYTES
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    guard.protect(app, config)
    app.register_blueprint(views.pages())
    app.register_blueprint(api.interface(config, board))
    return app
