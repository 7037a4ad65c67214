"""Serve the analysis of a kept match for its page, and start it on request."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify

from webapp.errors import KozyrError, MatchGoesOnError, UnusableInputError, one_line
from webapp.live.analysis import KeptAnalyses
from webapp.live.kept_record import judged
from webapp.notation import games_of_record, write_games
from webapp.output import as_line
from webapp.store.matches import Matches
from webapp.web.api import fresh, refusal
from webapp.web.app_services import LongWork
from webapp.web.kept_matches import nothing_kept


def analysis(matches: Matches | None, work: LongWork | None) -> Blueprint:
    """Return the blueprint; None if no matches are kept or no background jobs run."""
    blueprint = Blueprint("analysis", __name__)

    @blueprint.get("/api/matches/<match>/analysis")
    def shown(match: str) -> Response:
        if matches is None:
            return nothing_kept()
        about, _ = matches.about(match)
        found = KeptAnalyses(matches).read(match) if about["ended"] else None
        return fresh(Response(status=204)) if found is None else fresh(jsonify(found))

    @blueprint.get("/api/matches/<match>/analysis.durak")
    def written(match: str) -> Response:
        if matches is None:
            return nothing_kept()
        found = KeptAnalyses(matches).read(match)
        if found is None:
            raise UnusableInputError(f"expected an analysed match, got {match}, which was not; analyse it on its page")
        lines = [as_line(line) for line in judged(matches.record(match), found["decisions"])]
        text = write_games(games_of_record(lines, f"match {match}"))
        return fresh(Response(text.encode("utf-8", "backslashreplace"), mimetype="text/plain"))

    @blueprint.get("/api/puzzles")
    def puzzles() -> Response:
        if matches is None:
            return nothing_kept()
        return fresh(jsonify({"puzzles": KeptAnalyses(matches).puzzles()}))

    @blueprint.post("/api/matches/<match>/analysis")
    def begin(match: str) -> tuple[Response, int] | Response:
        if matches is None or work is None:
            return nothing_kept()
        about, _ = matches.about(match)
        if not about["ended"]:
            raise MatchGoesOnError(
                f"expected a match that has ended, got {match}, which goes on; analyse it afterwards"
            )
        return fresh(jsonify(work.analyse(match).as_json())), 202

    @blueprint.errorhandler(KozyrError)
    def failed(error: KozyrError) -> Response:
        status = 409 if isinstance(error, MatchGoesOnError) else 404 if isinstance(error, UnusableInputError) else 503
        return refusal(status, one_line(error))

    return blueprint
