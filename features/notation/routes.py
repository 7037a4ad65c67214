"""Write stored matches in notation; read and judge games that are pasted on a page, of which nothing is kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from threading import Event, Lock
from typing import Any

from flask import Blueprint, Response, jsonify, request

from features.notation.notated_game import NotatedGame, games_of_record
from features.notation.parser import read_games
from features.notation.written_match import written_match
from referee.errors import RefereeError
from webapp.errors import KozyrError, NotationError, StoppedError, UnusableInputError, one_line
from webapp.live.timed_process import call_until
from webapp.match.log import project
from webapp.match.stored_matches import replay, replayed_calls, with_comment
from webapp.web.app_services import AppConfig
from webapp.web.matches_api import available
from webapp.web.responses import fresh, language_of_request, refusal
from webapp.web.route_docs import ACCEPTED, REFEREE, TEXT, VIEWER, described

MOST_BYTES = 64 << 10
"""Most bytes of a text: twice a long evening in notation; more would take seconds to read and judge."""
SMALL_BYTES, LONGEST_S = 4 << 10, 20.0
"""
Bytes up to which a text is judged at once, since its lines can't name alternatives for more than a second; a longer one
is judged in a process of its own, for this many seconds at most.
"""
ONE_AT_A_TIME = Lock()
"""Allows one text at a time, however many pages send one, so that the current game is not delayed."""


def written_matches(site: AppConfig) -> Blueprint:
    """Return the route of stored matches; it answers 503 if nothing is kept."""
    blueprint = Blueprint("written", __name__)

    @blueprint.get("/api/matches/<match>/game.durak")
    @described(VIEWER, "The exact notation", media=TEXT)
    def written(match: str) -> Response:
        return fresh(Response(written_match(available(site.matches), match), mimetype="text/plain"))

    return blueprint


def notation_interface(site: AppConfig) -> Blueprint:
    blueprint = Blueprint("notation", __name__)
    judging = dict[str, Event]()  # by the name of the request; set: to be stopped

    @blueprint.post("/api/notation")
    @described(
        REFEREE,
        "Judge a game in notation",
        {"reading": "any name, by which it can be stopped"},
        body="text of a `.durak` or `.jsonl` file",
    )
    def read() -> Response:
        request.max_content_length = MOST_BYTES
        text = request.get_data(cache=False).decode("utf-8", errors="replace")
        language, name = language_of_request(), request.args.get("reading", "")
        stop = judging.setdefault(name, Event()) if name else Event()
        try:
            with ONE_AT_A_TIME:
                shown = read_through(text, language) if len(text) <= SMALL_BYTES else read_apart(text, language, stop)
        except StoppedError as error:
            return refusal(409, one_line(error), "again_stopped")
        except NotationError as error:
            place = re.match(r"game:(\d+):(\d+): ", str(error))
            if place is None:
                return failed(error)
            line, column = map(int, place.groups())
            return refusal(400, str(error)[place.end() :], "refused_notation", line=line, column=column)
        finally:
            judging.pop(name, None)
        return fresh(jsonify({"games": shown}))

    @blueprint.delete("/api/notation")
    @described(REFEREE, "Stop judging a game in notation", {"reading": "its name"}, answer=ACCEPTED, status=202)
    def stopped() -> tuple[Response, int]:
        stop = judging.get(request.args.get("reading", ""))
        if stop is not None:  # one that was judged while somebody reached for the button is as wanted
            stop.set()
        return fresh(jsonify({"accepted": True})), 202

    @blueprint.errorhandler(KozyrError)
    @blueprint.errorhandler(RefereeError)
    def failed(error: Exception) -> Response:
        return refusal(400, one_line(error), "refused_notation")

    return blueprint


def read_apart(text: str, language: str, stop: Event) -> list[Mapping[str, Any]]:
    """
    Read the games of a text in a process of its own, which is ended once ``stop`` is set (``StoppedError``).
    ``UnusableInputError`` if that takes longer than it may.
    """
    try:
        return call_until(stop, LONGEST_S, read_through, text, language)
    except EOFError:
        raise UnusableInputError(
            "expected games that can be judged, the process that judged them died; send one game, and report this one"
        ) from None
    except TimeoutError:
        raise UnusableInputError(
            f"expected games that are judged within {LONGEST_S:.0f} s, these take longer; send one game, or review the "
            "record by the command: kozyr referee RECORD"
        ) from None


def read_through(text: str, language: str) -> list[Mapping[str, Any]]:
    """Read the games of a text: a record if it begins as JSON, else notation."""
    is_record = text.lstrip("\ufeff \r\n").startswith('{"')
    games = games_of_record(text.removeprefix("\ufeff").splitlines(), "game") if is_record else read_games(text, "game")
    if not games:
        raise UnusableInputError('expected a game, which begins with [Rules "podkidnoy-36"], got none')
    shown, before = [], 0
    for game in games:
        shown.append(stepped_through(game, before, language))
        before += 1 + len(game.event_lines)
    return shown


def stepped_through(game: NotatedGame, before: int, language: str) -> Mapping[str, Any]:
    """
    Return a game in the format of a match's page (``webapp.match.stored_matches``), with people's comments.
    ``before``: number of lines of other games before it in its text, which its corrections count too.
    """
    record = [game.header_line]
    for line in game.event_lines:
        keys = [key for key in ("line", "after") if line["event"] == "corrected" and isinstance(line.get(key), int)]
        record.append({**line, **{key: line[key] - before for key in keys}})
    view = project(record, has_ended=True)
    shown = replay(view, game.header)
    comments = {line: str(data["comment"]) for line, data in enumerate(game.event_lines, 2) if data.get("comment")}
    return {
        **shown,
        "steps": [with_comment(step, comments.get(step["line"])) for step in shown["steps"]],
        "calls": replayed_calls(view, language),
        "seats": game.header.seats,
        "rules": game.header.rules,
        "seconds": game.events[-1].at if game.events else 0.0,
        "comment": str(game.header_line.get("comment", "")),
    }
