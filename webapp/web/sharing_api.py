"""Serve what people do with a kept match: comment on it, share a position, export, end or delete it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from flask import Blueprint, Response, jsonify, request

from webapp.errors import KozyrError, MatchGoesOnError, UnusableInputError
from webapp.live.replay import Replays
from webapp.store.matches import Matches
from webapp.store.moment_zip import export
from webapp.text.present import played_game
from webapp.web.api import fresh
from webapp.web.app_services import AppServices
from webapp.web.bodies import BodyError, CommentBody, read_body, whole
from webapp.web.kept_matches import failed, kept
from webapp.web.match_films import end_broken_off
from webapp.web.pages import language_of_request
from webapp.web.position_image import position_svg

LONGEST_COMMENT = 500
"""Characters: a few sentences, which a list still shows."""
PIECE_BYTES = 1 << 16


def sharing(matches: Matches | None, replays: Replays | None, table: AppServices) -> Blueprint:
    """Return the blueprint; ``matches``: None where nothing is kept; ``table``: the game that goes on."""
    blueprint = Blueprint("sharing", __name__)
    _add_texts_and_pictures(blueprint, replays)

    @blueprint.post("/api/matches/<match>/comment")
    def comment(match: str) -> Response:
        store = kept(matches)
        line, text = read_comment(request.get_data(cache=False))
        store.comment(match, line, text)
        return fresh(jsonify({"accepted": True, "line": line, "comment": text}))

    @blueprint.get("/api/matches/<match>/export.zip")
    def packed(match: str) -> Response:
        store = kept(matches)
        store.about(match)
        return fresh(_zip_of(store, match))

    @blueprint.post("/api/matches/<match>/end")
    def ended(match: str) -> Response:
        end_broken_off(kept(matches), table, match)
        return fresh(jsonify({"accepted": True}))

    @blueprint.delete("/api/matches/<match>")
    def deleted(match: str) -> Response:
        store = kept(matches)
        _check_ended(store, match)
        store.delete(match)
        return fresh(jsonify({"accepted": True}))

    blueprint.register_error_handler(KozyrError, failed)
    return blueprint


def _add_texts_and_pictures(blueprint: Blueprint, replays: Replays | None) -> None:
    """Add what shows a match elsewhere: the picture of a position, and the game in words."""

    @blueprint.get("/api/matches/<match>/position.svg")
    def position(match: str) -> Response:
        language = language_of_request()
        shown = kept(replays).of(match, language)
        line = request.args.get("line", 0, type=whole)
        step = next((each for each in shown["steps"] if each["line"] == line), None)
        if step is None:
            raise UnusableInputError(f"expected a line of match {match:.40} with a position, got {line}")
        calls = [call for call in shown["calls"] if call["line"] == line and "ruling" in call]
        title = calls[0]["text"] if calls else ""
        picture = position_svg(shown["seats"], step["state"], language, title)
        return fresh(Response(picture, mimetype="image/svg+xml"))

    @blueprint.get("/api/matches/<match>/game.txt")
    def noted(match: str) -> Response:
        language = language_of_request()
        return fresh(Response(played_game(kept(replays).of(match, language)["steps"], language), mimetype="text/plain"))


def read_comment(body: bytes) -> tuple[int, str]:
    """Return line and text of a comment from its JSON, the text on one line; ``ValueError`` says what is wrong."""
    comment = read_body(body, CommentBody, 'a comment as JSON such as {"line": 7, "comment": "well held"}')
    text = comment.comment
    if len(text) > LONGEST_COMMENT:
        raise BodyError(f"expected a comment of at most {LONGEST_COMMENT} characters, got {len(text)}; shorten it")
    return comment.line, " ".join(text.split())


def _check_ended(matches: Matches, match: str) -> None:
    about, _ = matches.about(match)
    if not about["ended"]:
        raise MatchGoesOnError(f"expected a match that has ended, got {match}, which goes on; end it first")


def _zip_of(matches: Matches, match: str) -> Response:
    """Return an exported match as a download; its temporary folder goes when the answer has been sent."""
    folder = TemporaryDirectory(prefix="kozyr-")
    path = Path(folder.name) / "match.zip"
    try:
        export(matches, match, path)
    except BaseException:
        folder.cleanup()
        raise
    answer = Response(_pieces(path), mimetype="application/zip")
    answer.content_length = path.stat().st_size
    answer.headers["Content-Disposition"] = f'attachment; filename="{match}.zip"'
    answer.call_on_close(folder.cleanup)
    return answer


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            yield piece
