"""
Receive people's corrections and answers to what the referee asks, of the current match and of kept ones.

Also the owner's setting whether cards that were corrected are kept as pictures for training.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from flask import Blueprint, Response, jsonify, request
from msgspec import UNSET
from msgspec.structs import replace

from referee.errors import RefereeError
from referee.events import Corrected, Placed, Pressed
from referee.record import CorrectedLine, check_seats, event_from_json
from webapp.errors import ContradictsError, KozyrError, MatchGoesOnError, StoppedError, one_line
from webapp.live.board import SnapshotHub
from webapp.match.log import MatchUpdate
from webapp.match.open_matters import Answered
from webapp.match.stored_matches import believed_lines, call_on_page
from webapp.web.api import SWITCH, nobody_listens
from webapp.web.app_services import AppConfig
from webapp.web.bodies import AnswerBody, Switch, read_body, read_object, whole
from webapp.web.matches_api import available
from webapp.web.responses import fresh, language_of_request, refusal
from webapp.web.route_docs import LANGUAGE, REFEREE, VIEWER, described

Statement = Corrected | Pressed | Answered
CORRECTION = 'a correction as JSON such as {"line": 7, "to": {"event": "placed", "card": "6d", "by": "A"}}'
ANSWER = 'an answer as JSON such as {"line": 7, "answer": "card", "card": "6d"}'


def corrections(site: AppConfig) -> Blueprint:
    """Return the routes of corrections and answers; those about stored matches answer 503 if nothing is kept."""
    blueprint, board = Blueprint("corrections", __name__), site.board
    matches, replays, pictures = site.matches, site.replays, site.labelled

    @blueprint.get("/api/taken")
    @described(VIEWER, "The lines as they are believed now, for corrections", answer='{"lines": [...], "calls": [...]}')
    def live_lines() -> Response:
        return _lines_at_table(board)

    @blueprint.get("/api/lines")
    @described(
        VIEWER,
        "Record lines and rulings of the match in progress",
        {"after": "lines known"},
        answer='{"game": 1, "lines": [...], "next": 61}',
    )
    def lines() -> Response:
        newest = board.newest
        after = max(request.args.get("after", 0, type=whole), 0)
        shown = newest.lines[after:]
        return fresh(jsonify({"game": newest.game, "lines": list(shown), "next": after + len(shown)}))

    @blueprint.get("/api/steps")
    @described(
        VIEWER,
        "The lines of the match in progress as they are believed now, those that changed since the last request",
        {"after": "`next` of the last answer"},
        answer='{"game": 1, "steps": [{"line": 7, "event": {...}, "said": false, "call": null}], "next": 61}',
    )
    def steps() -> Response:
        return fresh(jsonify(board.newest.steps_since(request.args.get("after", 0, type=whole))))

    @blueprint.post("/api/correct")
    @described(
        REFEREE,
        "A `corrected` event, or an `undo`; 409 with `contradicts` where it contradicts what is known, unless `anyway`",
        body='{"line": 26, "to": null}',
        sends=CorrectedLine,
        answer='{"accepted": true, "line": 61, "said": [...], "text": "...", "stated": "..."}',
        status=202,
    )
    def correct() -> tuple[Response, int] | Response:
        return _at_table(site, read_correction)

    @blueprint.post("/api/answer")
    @described(
        REFEREE,
        "One of the `answers` of the state's `matters`; 409 if that is not open any more",
        body='{"line": 26, "answer": "card", "card": "9h"}',
        sends=AnswerBody,
        answer='{"accepted": true, "line": 61, "said": [...], "text": "...", "stated": "..."}',
        status=202,
    )
    def answer() -> tuple[Response, int] | Response:
        return _at_table(site, read_answer)

    @blueprint.get("/api/matches/<match>/taken")
    @described(VIEWER, "As `/api/taken`")
    def stored_lines(match: str) -> Response:
        if match == site.table.live_match:
            return _lines_at_table(board)
        return fresh(jsonify(available(replays).believed_lines(match, language_of_request())))

    @blueprint.get("/api/matches/<match>/view")
    @described(
        VIEWER,
        "All that is shown of a match, as a `View`: position, timeline, what holds, what is open",
        {"at": "as it was after so many lines of its record", **LANGUAGE},
        answer='{"line": 61, "position": {...}, "timeline": [...], "calls": [...], "headline": {...}}',
    )
    def stored_view(match: str) -> Response:
        return fresh(jsonify(available(replays).view(match, language_of_request(), request.args.get("at", type=whole))))

    @blueprint.post("/api/matches/<match>/correct")
    @described(
        REFEREE,
        "As `/api/correct`, for a match that has ended or is at this table",
        body='{"line": 26, "to": null}',
        sends=CorrectedLine,
        answer='{"accepted": true, "line": 61, ...}',
        status=202,
    )
    def correct_one(match: str) -> tuple[Response, int] | Response:
        return corrected(match, read_correction)

    @blueprint.post("/api/matches/<match>/answer")
    @described(
        REFEREE,
        "As `/api/answer`, for the same matches: one of the `answers` of a call of its replay",
        body='{"line": 26, "answer": "card", "card": "9h"}',
        sends=AnswerBody,
        answer='{"accepted": true, "line": 61, ...}',
        status=202,
    )
    def answer_one(match: str) -> tuple[Response, int] | Response:
        return corrected(match, lambda body: replace(read_answer(body), is_past=True))

    def corrected(match: str, read: Callable[[bytes], Statement]) -> tuple[Response, int] | Response:
        available(matches)
        if match == site.table.live_match:
            return _at_table(site, read)
        try:
            done = available(replays).correct(match, read(request.get_data(cache=False)))
        except (ValueError, RefereeError) as error:
            return refusal(400, one_line(error), "refused_correction")
        except ContradictsError as error:
            return _contradicts(error)
        except StoppedError as error:
            return refusal(409, one_line(error), "again_stopped")
        except MatchGoesOnError as error:
            return refusal(409, one_line(error))
        return _applied(site, match, done)

    def stored_pictures() -> Response:
        if pictures is None:
            return fresh(Response(status=204))
        shown = {"on": pictures.are_stored, "count": pictures.count, "folder": str(pictures.folder)}
        return fresh(jsonify(shown))

    @blueprint.get("/api/labelled")
    @described(VIEWER, "Whether corrected cards are kept as labelled pictures")
    def labelled() -> Response:
        return stored_pictures()

    @blueprint.post("/api/labelled")
    @described(REFEREE, "Keep them, or stop", body='{"on": true}', sends=Switch)
    def wish() -> Response:
        on = read_body(request.get_data(cache=False), Switch, SWITCH).on
        if pictures is not None:
            pictures.wish(on)
        return stored_pictures()

    @blueprint.delete("/api/labelled")
    @described(REFEREE, "Delete them")
    def delete() -> Response:
        if pictures is not None:
            pictures.delete()
        return stored_pictures()

    return blueprint


def _lines_at_table(board: SnapshotHub) -> Response:
    newest, language = board.newest, language_of_request()
    doubted = [call for call in newest.calls if call.content.get("ruling", "legal") != "legal"]
    calls = [call_on_page(call, language) for call in doubted]
    return fresh(jsonify({**believed_lines(newest.view), "calls": calls}))


def _at_table(site: AppConfig, read: Callable[[bytes], Statement]) -> tuple[Response, int] | Response:
    """Apply what the request states to the match at the table."""
    board = site.board
    try:
        statement = read(request.get_data(cache=False))
        if not isinstance(statement, Answered):
            check_seats(statement, board.newest.view.seats)
        game = site.table.game
        done = None if game is None else game.correct(statement)
    except (ValueError, RefereeError) as error:
        is_played = bool(board.newest.view.seats)
        return refusal(400, one_line(error), "refused_correction") if is_played else nobody_listens()
    except ContradictsError as error:
        return _contradicts(error)
    except TimeoutError:
        return refusal(503, "expected the referee to answer, got nothing; look at the table and try again")
    if done is None:
        return nobody_listens()
    return _applied(site, site.table.live_match, done)


def _contradicts(error: ContradictsError) -> Response:
    """Say what speaks against a correction; stated again with ``anyway`` it is applied."""
    sentence = error.texts[language_of_request()]
    return refusal(409, one_line(error), text=sentence, contradicts=sentence)


def _applied(site: AppConfig, match: str | None, done: MatchUpdate) -> tuple[Response, int]:
    """Keep the pictures of corrected cards under the names that people gave them, and answer what changed."""
    matches, pictures = site.matches, site.labelled
    if matches is not None and match is not None and pictures is not None and pictures.are_stored:
        for event in done.events:
            if isinstance(event, Corrected) and event.line is not None and isinstance(event.to, Placed):
                with suppress(KozyrError):  # the game goes on without the picture
                    game = site.table.game if match == site.table.live_match else None
                    unfilmed = None if game is None else game.crop_of(event.line)
                    crop = matches.crop(match, event.line) or unfilmed
                    if crop is not None:
                        deck = matches.about(match)[1].get("deck")
                        pictures.add(match, event.line, str(event.to.card), *crop, deck=deck)
    language = language_of_request()
    stated, details = done.texts.get(language), done.details.get(language, ())
    text = stated and " ".join((stated, *details))
    said = [line for line in done.lines if "event" not in line]
    return jsonify({"accepted": True, "line": done.line, "said": said, "text": text, "stated": stated}), 202


def read_correction(body: bytes) -> Corrected | Pressed:
    """
    Read a ``corrected`` event from its JSON, or an ``undo`` of the last one; the program sets ``at``.

    ``ValueError`` says what is wrong.
    """
    values = read_object(body, CORRECTION)
    event = event_from_json({"event": "corrected", **values, "at": 0.0})
    if isinstance(event, Corrected) or (isinstance(event, Pressed) and event.button == "undo"):
        return event
    raise ValueError(f"expected a 'corrected' event or an 'undo', got {values.get('event')!r:.60}")


def read_answer(body: bytes) -> Answered:
    """Read an answer to an open matter from its JSON: ``line``, ``answer`` and what that names (``card``, ``by``)."""
    answer = read_body(body, AnswerBody, ANSWER)
    named = {"answer": answer.answer, "card": answer.card, "by": answer.by}
    return Answered(answer.line, {key: value for key, value in named.items() if value is not UNSET})
