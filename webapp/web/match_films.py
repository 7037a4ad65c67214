"""Serve stored matches for review: their films, also while they are being written, and their positions."""

from __future__ import annotations

import re
from collections import OrderedDict
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from flask import Blueprint, Response, jsonify, request
from werkzeug.http import parse_range_header

from referee.rulebook import PRESETS, rulebook
from vision.capture.film_file import Film
from vision.capture.sources import VIDEO_SUFFIXES
from webapp.errors import KozyrError, MatchGoesOnError, OutputLostError, UnusableInputError, one_line
from webapp.live.film_recorder import encoded_jpeg
from webapp.live.game_setup import GameSetup, SetupChoices
from webapp.live.position_proposal import proposed_start
from webapp.live.remembered import last_games
from webapp.live.shared_setup import MISSING
from webapp.store.films import IncomingFilms
from webapp.store.matches import Matches
from webapp.web.admission import asker_of_request
from webapp.web.app_services import AppConfig, ServedTable
from webapp.web.bodies import FilmBody, read_body, seconds, whole
from webapp.web.downloads import Downloads
from webapp.web.matches_api import available
from webapp.web.responses import fresh, language_of_request, refusal
from webapp.web.route_docs import ACCEPTED, JPEG, REFEREE, VIEWER, described
from webapp.web.setup_api import rules_as_json


def played_at(matches: Matches, table: ServedTable, match: str) -> dict[str, Any] | None:
    """
    Return where a match goes on, None if it has ended. ``here``: at this program's table. Else ``table``: the table
    that reports it, None if none does, as after a power cut; ``address``: of that table's page, None if others can't
    reach it. ``UnusableInputError`` if there is no such match.
    """
    about, _ = matches.about(match)
    if match == table.live_match:
        return {"here": True, "table": None, "address": None}
    if about["ended"]:
        return None
    live = next((table for table in matches.tables.reported() if table.is_live and table.data["match"] == match), None)
    shown = (None, None) if live is None else (live.table, live.data["address"])
    return {"here": False, "table": shown[0], "address": shown[1]}


def end_broken_off(matches: Matches, table: ServedTable, match: str) -> None:
    """List a match as ended whose program no longer runs. ``MatchGoesOnError`` if a table still plays it."""
    place = played_at(matches, table, match)
    if place is None:
        return
    if place["here"] or place["table"] is not None:
        raise MatchGoesOnError(f"expected a match that no table plays, got {match:.40}; end it at its table")
    writing, _ = matches.take_over(match)
    matches.end(writing)


A_DAY_S = 24 * 3600
MOST_PART_BYTES = 512 << 10
"""
A part of a film in one answer: a second or two of it. Larger ones would wait for slow clients in temporary files: with
200 clients that read nothing, 4 MB each made the referee wait for 1.7 s (``python -m benchmarks.crowd``).
"""
PICTURES_KEPT = 64
"""Single pictures of films that are kept: a page of the library shows about forty, to every viewer."""
PICTURE_PX = 480
"""Most pixels of a single picture's width: it is a preview in a list."""
USUAL_SHARE = 0.4
"""Where in a film the picture for the list is taken: some bouts lie behind, and the talon is still there."""


def film_routes(site: AppConfig) -> Blueprint:
    """Return the routes of the films of matches, and of what their pages show."""
    blueprint, matches, table = Blueprint("films", __name__), site.matches, site.table
    pictures = FilmPictures()

    @blueprint.get("/api/matches/<match>/film")
    @described(VIEWER, "The film, by ranges", {"fragments": "only the first N seconds"}, media="video/mp4")
    def played(match: str) -> Response:
        film = _film(matches, match, request.args.get("fragments", type=whole))
        return no_film(match) if film is None else part_of(film, f"{match}.mp4", site.downloads)

    @blueprint.get("/api/matches/<match>/film/frames")
    @described(VIEWER, "The time of each frame")
    def frames(match: str) -> Response:
        film = _film(matches, match)
        if film is None:
            return fresh(Response(status=204))
        ms = np.round(film.frames_s * 1000).astype("<u4")  # milliseconds
        answer = fresh(Response(ms.tobytes(), mimetype="application/octet-stream"))
        answer.headers["X-Film-Fragments"] = str(film.fragments)
        return answer

    @blueprint.get("/api/live-film")
    @described(
        VIEWER,
        "Which match is being filmed, from which second to which",
        answer='{"match": "...", "fragments": 40, "from": 0.0, "to": 40.0}',
    )
    def live_film() -> Response:
        match = table.live_match
        film = None if match is None or matches is None or matches.films is None else matches.films.film(match)
        return spanned(match or "", film)

    @blueprint.get("/api/matches/<match>/film/span")
    @described(VIEWER, "From which second to which there is film")
    def span(match: str) -> Response:
        return spanned(match, _film(matches, match))

    @blueprint.get("/api/matches/<match>/picture.jpg")
    @described(VIEWER, "The film's frame at a second; 204 while there is none yet", {"at": "seconds"}, media=JPEG)
    def picture(match: str) -> Response:
        film = _film(matches, match)
        if film is None:
            has_begun = matches is not None and matches.films is not None and matches.films.has(match)
            return fresh(Response(status=204)) if has_begun else no_film(match)  # its first second is being written
        is_guest = asker_of_request(site.pairing).is_guest
        jpeg = pictures.picture(match, film, request.args.get("at", type=seconds), is_guest=is_guest)
        if jpeg is None:
            return no_film(match)
        answer = Response(jpeg, mimetype="image/jpeg")
        answer.headers["Cache-Control"] = f"private, max-age={A_DAY_S}"
        return answer

    @blueprint.get("/api/matches/<match>/crop.jpg")
    @described(VIEWER, "The card of a line as the camera saw it", {"line": "record line"}, media=JPEG)
    def crop(match: str) -> Response:
        return crop_of(matches, match)

    @blueprint.get("/api/crop.jpg")
    @described(VIEWER, "The card of a line as the camera saw it", {"line": "record line"}, media=JPEG)
    def live_crop() -> Response:
        return crop_of(matches, table.live_match)

    @blueprint.get("/api/matches/<match>/replay")
    @described(VIEWER, "Every step with position, text and times, as the review page shows them")
    def replayed(match: str) -> Response:
        goes_on = played_at(available(matches), table, match)
        newest = site.board.newest
        live = newest.view if match == newest.match else None
        shown = available(site.replays).replay(match, language_of_request(), live)
        return fresh(jsonify({**shown, "goes_on": goes_on}))

    @blueprint.get("/api/matches/<match>/moments")
    @described(VIEWER, "The film's frame of each record line")
    def moments(match: str) -> Response:
        if matches is None:
            return no_film(match)
        return fresh(jsonify({"moments": matches.moments(match)}))

    return blueprint


def _film(matches: Matches | None, match: str, fragments: int | None = None) -> Film | None:
    if matches is None or matches.films is None:
        return None
    matches.about(match)  # a film is served only with its match
    return matches.films.film(match, fragments)


class FilmPictures:
    """
    Reduced pictures of films, each drawn once.

    Of guests and of referees one at a time waits for a picture to be drawn: however many watch, no referee waits for
    them.
    """

    def __init__(self) -> None:
        self._drawn: OrderedDict[tuple[str, int, int], bytes | None] = OrderedDict()
        self._guests, self._others, self._keeping = Lock(), Lock(), Lock()

    def picture(self, match: str, film: Film, at_s: float | None, *, is_guest: bool) -> bytes | None:
        """Return the frame at a time of the match as JPEG, by default a usual one; None without one."""
        frames_s = film.frames_s
        number = int(len(frames_s) * USUAL_SHARE)
        if at_s is not None:
            number = int(np.searchsorted(frames_s, at_s, side="right")) - 1
        if number < 0:
            return None
        key = match, film.fragments, number
        with self._guests if is_guest else self._others:  # a crowd of viewers asks for the same one
            with self._keeping:
                if key in self._drawn:
                    return self._drawn[key]
            image = film.picture(float(frames_s[number]))
            jpeg = None if image is None else encoded_jpeg(image, PICTURE_PX)
            with self._keeping:
                while len(self._drawn) >= PICTURES_KEPT:
                    self._drawn.popitem(last=False)
                self._drawn[key] = jpeg
        return jpeg


def crop_of(matches: Matches | None, match: str | None) -> Response:
    """Return the picture of the requested line's card; an empty answer (204) if none was kept."""
    line = request.args.get("line", type=whole)
    found = None if matches is None or match is None or line is None else matches.crop(match, line)
    if found is None:
        return fresh(Response(status=204))
    answer = Response(found[1], mimetype="image/jpeg")
    answer.headers["X-Card"] = found[0]
    is_of_one = "match" in (request.view_args or {})  # else another game may go on next
    answer.headers["Cache-Control"] = f"private, max-age={A_DAY_S}" if is_of_one else "no-store"
    return answer


def spanned(match: str, film: Film | None) -> Response:
    """Return first and last filmed second of the match and the number of fragments; 204 if there is no film."""
    if film is None:
        return fresh(Response(status=204))
    shown = {"match": match, "fragments": film.fragments, "began": film.began_s, "end": float(film.frames_s[-1])}
    return fresh(jsonify(shown))


def no_film(match: str) -> Response:
    return refusal(404, f"expected a film of match {match:.40}, found none; its record replays without one")


def part_of(film: Film, name: str, downloads: Downloads) -> Response:
    """
    Return the film, or the part of it that was asked for, ``MOST_PART_BYTES`` of it at most.

    A part is handed to the server at once, so that a client that stops reading holds no thread (RFC 9110, 15.3.7, lets
    a server send less than was asked for; players ask for the rest). A whole film is a download.

    The bytes of fragments never change, though the film grows: a player asks with ``fragments`` and sees one
    and the same film until it is loaded again.
    """
    tag = f"{film.fragments}-{film.size}"
    asked = parse_range_header(request.headers.get("Range"))
    if request.headers.get("If-Range") not in (None, f'"{tag}"'):
        asked = None
    begin, end = 0, film.size
    if asked is not None:
        found = asked.range_for_length(film.size)
        if found is None:
            answer = refusal(416, f"expected a part of {film.size} bytes, got {request.headers['Range']!r:.60}")
            answer.headers["Content-Range"] = f"bytes */{film.size}"
            return answer
        begin, end = found[0], min(found[1], found[0] + MOST_PART_BYTES)
    if end - begin > MOST_PART_BYTES:
        answer = downloads.answer(lambda: film.read(begin, end), "video/mp4")
        if answer.status_code != 200:
            return answer
    else:
        part = b"" if request.method == "HEAD" else b"".join(film.read(begin, end))
        answer = Response(part, mimetype="video/mp4")
    answer.status_code = 206 if asked is not None else 200
    answer.content_length = end - begin
    if asked is not None:
        answer.headers["Content-Range"] = f"bytes {begin}-{end - 1}/{film.size}"
    answer.headers["Accept-Ranges"] = "bytes"
    answer.headers["Content-Disposition"] = f'inline; filename="{name}"'
    answer.headers["Cache-Control"] = f"private, max-age={A_DAY_S}" if "fragments" in request.args else "no-store"
    answer.set_etag(tag)
    return answer


FILM = '"name" and "bytes" of a film such as {"name": "a.mp4", "bytes": 9000000, "seats": ["A", "B"]}'
BEGINNING = 'how the game begins such as {"start": null, "dealer": "A"}'
PIECE_BYTES = 512 << 10
"""Bytes of a piece of a film: the server accepts at most twice that in one request."""


def film_suffix(name: str) -> str:
    """
    Return the suffix of a film's name.

    >>> film_suffix("Evening.MP4")
    '.mp4'
    >>> film_suffix("notes.txt")
    Traceback (most recent call last):
        ...
    webapp.errors.UnusableInputError: expected a film such as game.mp4, got 'notes.txt'; choose a video
    """
    suffix = Path(name).suffix.lower()
    if suffix not in VIDEO_SUFFIXES or not re.fullmatch(r"\.[a-z0-9]{1,8}", suffix):
        raise UnusableInputError(f"expected a film such as game.mp4, got {name!r:.80}; choose a video")
    return suffix


def _of_the_game(choices: dict[str, Any]) -> dict[str, Any]:
    """Return the choices of a game that is on a film; ``ValueError`` if they name a source of their own."""
    if choices.get("source") is not None:
        raise ValueError("expected no source, since the film is it, got one; leave it out")
    return choices


def film_upload(site: AppConfig) -> Blueprint:
    """Return the routes by which a film is handed in; they answer 503 if nothing is kept."""
    blueprint, work = Blueprint("film_upload", __name__), site.long_work
    asked: dict[str, GameSetup] = {}

    def incoming() -> IncomingFilms:
        return available(available(work).incoming)

    def asked_for(upload: str) -> GameSetup:
        if upload not in asked:  # the page was served again in between
            raise UnusableInputError("expected a film whose sending this page began; send it again")
        return asked[upload]

    @blueprint.get("/api/films")
    @described(VIEWER, "Rule sets and sizes for a film that is handed in")
    def choices() -> Response:
        uploads = incoming()
        last = next(iter(last_games()), {})
        sets = [rules_as_json(name, language_of_request()) for name in PRESETS]
        most = int(uploads.limits.gigabytes * 1e9)
        shown = {"sets": sets, "most_bytes": most, "piece_bytes": PIECE_BYTES}
        return fresh(jsonify({**shown, "seats": last.get("seats", []), "rules": last.get("rules")}))

    @blueprint.post("/api/films")
    @described(
        REFEREE,
        "Begin to hand a film in",
        body='{"name": "evening.mp4", "bytes": 1000000, "seats": ["A", "B"], "rules": "podkidnoy-36"}',
        sends=FilmBody,
        status=201,
    )
    def begin() -> tuple[Response, int] | Response:
        uploads = incoming()
        try:
            film = read_body(request.get_data(cache=False), FilmBody, FILM)
            setup = GameSetup(source=film.name).changed(_of_the_game(film.choices()))
            setup.header()
        except ValueError as error:
            return refusal(400, one_line(error), "refused_choice")
        upload = uploads.begin(film_suffix(film.name), film.bytes)
        asked[upload] = setup
        return fresh(jsonify({"upload": upload, "piece_bytes": PIECE_BYTES})), 201

    @blueprint.put("/api/films/<upload>")
    @described(REFEREE, "A piece of it", {"at": "byte"}, body="bytes", answer='{"received": 4000000}')
    def add(upload: str) -> Response:
        uploads = incoming()
        request.max_content_length = 2 * PIECE_BYTES
        received = uploads.add(upload, request.args.get("at", -1, type=whole), request.get_data(cache=False))
        return fresh(jsonify({"received": received}))

    @blueprint.get("/api/films/<upload>")
    @described(
        VIEWER,
        "What the whole film shows of a game under way, and as `proposal` its position",
        answer='{"table": {"turnup": "Ad", "talon": true, "heap": true, "bout": []}, "proposal": {...}, "pack": 36}',
    )
    def beginning(upload: str) -> Response:
        film, setup = incoming().file(upload), asked_for(upload)
        pack = rulebook(setup.rules, setup.options).pack
        try:
            table = available(work).beginning_of(film, pack)
        except KozyrError:
            incoming().drop(upload)
            raise
        proposal = proposed_start(setup.rules, setup.options, setup.seats, table)
        return fresh(jsonify({"table": table.as_json(), "proposal": proposal, "pack": pack}))

    @blueprint.post("/api/films/<upload>")
    @described(
        REFEREE,
        "Referee it, from before the deal or from a position",
        body='{"start": null, "dealer": "A"}',
        sends=SetupChoices,
        answer='{"job": "3f", "state": "waiting", ...}',
        status=202,
    )
    def referee(upload: str) -> tuple[Response, int] | Response:
        incoming().file(upload)
        setup = asked_for(upload)
        try:
            begins = read_body(request.get_data(cache=False), SetupChoices, BEGINNING)
            setup = setup.changed(_of_the_game(begins.choices()))
            if setup.missing:
                raise ValueError(f"expected {MISSING[setup.missing[0]]}, got none; name it")
            header = setup.header()
        except ValueError as error:
            return refusal(400, one_line(error), "refused_position")
        job = available(work).referee_film(incoming().take(upload), str(setup.source), header)
        del asked[upload]
        return fresh(jsonify(job.as_json())), 202

    @blueprint.delete("/api/films/<upload>")
    @described(REFEREE, "Drop it", answer=ACCEPTED, status=202)
    def drop(upload: str) -> tuple[Response, int] | Response:
        incoming().drop(upload)
        asked.pop(upload, None)
        return fresh(jsonify({"accepted": True})), 202

    @blueprint.errorhandler(KozyrError)
    def refused(error: KozyrError) -> Response:
        is_full = isinstance(error, OutputLostError)
        return refusal(507 if is_full else 400, one_line(error), None if is_full else "refused_film")

    return blueprint
