"""Serve a whole match and moments of it for others, and the judging again of a stored match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

from flask import Blueprint, Response, jsonify, request
from msgspec import Meta, Struct, field

from features.moments.board_film import write_board_film
from features.moments.moment_film import read_caption, write_moment
from features.moments.moment_zip import pack_moment, packed_match
from features.moments.options import RejudgeOptions
from referee.errors import RulebookError
from referee.rulebook import FREE, PRESETS, rulebook
from webapp.errors import UnusableInputError
from webapp.match.stored_matches import rulings_then
from webapp.store.matches import event_times
from webapp.web.app_services import AppConfig
from webapp.web.bodies import BodyError, read_body, whole
from webapp.web.matches_api import available
from webapp.web.responses import fresh, language_of_request, refusal
from webapp.web.route_docs import REFEREE, VIEWER, ZIP, described
from webapp.web.setup_api import options_as_json, rules_as_json

PIECE_BYTES = 1 << 20
CAPTION_BYTES = 1 << 20
FRAMES_BYTES = 1 << 20
"""Most bytes of the pictures of a board's film together: the server takes no longer request."""
"""Most bytes of a caption."""
EXAMPLE = 'JSON such as {"from": "record", "rules": "podkidnoy-36", "options": {"attack_limit": 5}}'


class AgainBody(Struct, frozen=True):
    """How a match is judged again; without `rules` by its own."""

    source: Literal["film", "record"] = field(name="from")
    rules: Annotated[str, Meta(description="the name of a rule set")] | None = None
    options: Mapping[str, Any] = {}


def moments(site: AppConfig) -> Blueprint:
    """Return the routes; they answer 503 if no matches are kept."""
    blueprint, matches, work, downloads = Blueprint("moments", __name__), site.matches, site.long_work, site.downloads

    @blueprint.get("/api/matches/<match>/again")
    @described(VIEWER, "Rules with which the match can be judged again", {"rules": "rule set"})
    def choices(match: str) -> Response:
        store = available(matches if work is not None else None)
        about, _ = store.about(match)
        header = store.record(match)[0]
        rules = request.args.get("rules", header["rules"])
        options = header.get("options", {}) if rules == header["rules"] else {}
        if rules not in (*PRESETS, FREE):
            return refusal(400, f"expected a rule set out of {', '.join((*PRESETS, FREE))}, got {rules!r:.60}")
        language = language_of_request()
        sets = [rules_as_json(name, language) for name in (*PRESETS, FREE)]
        fitting = [rule_set for rule_set in sets if len(header["seats"]) in rule_set["players"]]
        shown = {"rules": rules, "options": options, "film": about["film"], "seconds": about["seconds"]}
        return fresh(jsonify({**shown, "sets": fitting, "choices": options_as_json(rules, options, language)}))

    @blueprint.post("/api/matches/<match>/again")
    @described(
        REFEREE,
        "Judge it again in the background",
        body='{"from": "record"}',
        sends=AgainBody,
        answer='{"job": "...", "state": "waiting"}',
        status=202,
    )
    def again(match: str) -> tuple[Response, int] | Response:
        jobs = available(work)
        available(matches).about(match)
        asked = read_body(request.get_data(cache=False), AgainBody, EXAMPLE)
        try:
            rulebook(asked.rules or "podkidnoy-36", asked.options)
        except RulebookError as error:
            raise BodyError(str(error)) from None
        options, language = tuple(asked.options.items()), language_of_request()
        wanted = RejudgeOptions(from_film=asked.source == "film", rules=asked.rules, options=options, language=language)
        job = jobs.start("rejudge", match, wanted)
        return fresh(jsonify(job.as_json())), 202

    @blueprint.get("/api/matches/<match>/export.zip")
    @described(VIEWER, "Record, notation, film and versions", media=ZIP)
    def packed(match: str) -> Response:
        store = available(matches)
        store.about(match)
        answer = downloads.answer(lambda: packed_match(store, match), "application/zip")
        answer.headers["Content-Disposition"] = f'attachment; filename="{match}.zip"'
        return answer

    @blueprint.get("/api/matches/<match>/moment.zip")
    @described(VIEWER, "Ten seconds of film and the record before them", {"line": "record line"}, media=ZIP)
    def moment(match: str) -> Response:
        store = available(matches)
        line = request.args.get("line", 0, type=whole)

        def packed() -> Iterator[bytes]:
            moment = pack_moment(store, match, line, rulings_then(store.show(match)))
            return iter([moment[at : at + PIECE_BYTES] for at in range(0, len(moment), PIECE_BYTES)])

        answer = downloads.answer(packed, "application/zip")
        answer.headers["Content-Disposition"] = f'attachment; filename="{match}-{line}.zip"'
        return answer

    @blueprint.post("/api/matches/<match>/moment.mp4")
    @described(
        REFEREE,
        "Ten seconds of film with a caption beneath; the body is the caption as PNG",
        {"line": "record line"},
        media="video/mp4",
    )
    def moment_film(match: str) -> Response:
        store, line = available(matches), request.args.get("line", 0, type=whole)
        request.max_content_length = CAPTION_BYTES
        png = request.get_data(cache=False)

        def filmed() -> Iterator[bytes]:
            at_s = event_times(store.record(match)).get(line)
            film = None if store.films is None else store.films.film(match)
            try:
                caption = read_caption(png)
            except ValueError as error:
                raise BodyError(str(error)) from None
            with TemporaryDirectory() as folder:
                path = Path(folder) / "moment.mp4"
                if at_s is None or film is None or not write_moment(film, at_s, caption, path):
                    raise UnusableInputError(f"expected a filmed line of match {match:.40}, got {line}")
                return iter([path.read_bytes()])

        return downloads.answer(filmed, "video/mp4")

    @blueprint.post("/api/matches/<match>/board.mp4")
    @described(
        REFEREE,
        "A small film of the board, out of the pictures that are sent",
        body="form: `frame`, a WebP, JPEG or PNG for each position, in order; 1 MB in all",
        media="video/mp4",
    )
    def board_film(match: str) -> Response:
        available(matches).about(match)
        request.max_content_length = FRAMES_BYTES
        pictures = [sent.read() for sent in request.files.getlist("frame")]

        def filmed() -> Iterator[bytes]:
            with TemporaryDirectory() as folder:
                path = Path(folder) / "board.mp4"
                try:
                    write_board_film(pictures, path)
                except ValueError as error:
                    raise BodyError(str(error)) from None
                return iter([path.read_bytes()])

        return downloads.answer(filmed, "video/mp4")

    return blueprint
