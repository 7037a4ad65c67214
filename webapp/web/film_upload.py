"""Receive a film that is dropped on the page: in pieces, refereed in the background, and kept."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, jsonify, request

from referee.rulebook import PRESETS
from webapp.errors import KozyrError, OutputLostError, one_line
from webapp.live.game_setup import GameSetup
from webapp.live.remembered import last_games
from webapp.web.api import fresh, refusal
from webapp.web.app_services import LongWork
from webapp.web.bodies import FilmBody, read_body
from webapp.web.kept_matches import nothing_kept
from webapp.web.pages import language_of_request
from webapp.web.query import whole
from webapp.web.setup_api import rules_as_json

FILM = '"name" and "bytes" of a film such as {"name": "a.mp4", "bytes": 9000000, "seats": ["A", "B"]}'
PIECE_BYTES = 512 << 10
"""Bytes of a piece of a film: the server accepts at most twice that in one request."""


def film_upload(work: LongWork | None) -> Blueprint:
    """Return the blueprint; None if nothing is kept."""
    blueprint = Blueprint("film_upload", __name__)
    asked: dict[str, tuple[str, dict[str, Any]]] = {}

    @blueprint.get("/api/films")
    def choices() -> Response:
        if work is None or work.incoming is None:
            return nothing_kept()
        last = next(iter(last_games()), {})
        sets = [rules_as_json(name, language_of_request()) for name in PRESETS]
        most = int(work.incoming.limits.gigabytes * 1e9)
        shown = {"sets": sets, "most_bytes": most, "piece_bytes": PIECE_BYTES}
        return fresh(jsonify({**shown, "seats": last.get("seats", []), "rules": last.get("rules")}))

    @blueprint.post("/api/films")
    def begin() -> tuple[Response, int] | Response:
        if work is None or work.incoming is None:
            return nothing_kept()
        try:
            film = read_body(request.get_data(cache=False), FilmBody, FILM)
            name, size = film.name, film.bytes
            setup = GameSetup(source=name).changed(film.choices())
            setup.header()
        except ValueError as error:
            return refusal(400, one_line(error))
        upload = work.incoming.begin(work.film_suffix(name), size)
        asked[upload] = (name, {"seats": setup.seats, "rules": setup.rules, "options": dict(setup.options)})
        return fresh(jsonify({"upload": upload, "piece_bytes": PIECE_BYTES})), 201

    @blueprint.put("/api/films/<upload>")
    def add(upload: str) -> tuple[Response, int] | Response:
        if work is None or work.incoming is None:
            return nothing_kept()
        request.max_content_length = 2 * PIECE_BYTES
        received = work.incoming.add(upload, request.args.get("at", -1, type=whole), request.get_data(cache=False))
        film = work.incoming.take(upload)
        if film is None:
            return fresh(jsonify({"received": received}))
        job = work.referee_film(film, *asked.pop(upload))
        return fresh(jsonify(job.as_json())), 202

    @blueprint.delete("/api/films/<upload>")
    def drop(upload: str) -> tuple[Response, int] | Response:
        if work is None or work.incoming is None:
            return nothing_kept()
        work.incoming.drop(upload)
        asked.pop(upload, None)
        return fresh(jsonify({"accepted": True})), 202

    @blueprint.errorhandler(KozyrError)
    def failed(error: KozyrError) -> Response:
        return refusal(507 if isinstance(error, OutputLostError) else 400, one_line(error))

    return blueprint
