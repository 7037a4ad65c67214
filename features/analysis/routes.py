"""Serve analyses of stored matches, and the puzzles that they found."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify

from features.analysis.judgements import judged
from features.analysis.stored_analyses import StoredAnalyses
from features.notation.notated_game import games_of_record
from features.notation.writer import write_games
from webapp.errors import MatchGoesOnError, UnusableInputError
from webapp.output import as_line
from webapp.web.app_services import AppConfig
from webapp.web.matches_api import available
from webapp.web.responses import fresh
from webapp.web.route_docs import REFEREE, TEXT, VIEWER, described


def analyses(site: AppConfig) -> Blueprint:
    """Return the routes; they answer 503 if no matches are kept."""
    blueprint, matches, work = Blueprint("analysis", __name__), site.matches, site.long_work

    @blueprint.get("/api/matches/<match>/analysis")
    @described(
        VIEWER,
        "What each decision cost, 204 where it was not asked for yet",
        answer='{"decisions": [...], "players": [...]}',
    )
    def rated(match: str) -> Response:
        store = available(matches)
        about, _ = store.about(match)
        found = StoredAnalyses(store).read(match) if about["ended"] else None
        return fresh(Response(status=204)) if found is None else fresh(jsonify(found))

    @blueprint.get("/api/matches/<match>/analysis.durak")
    @described(VIEWER, "The game in notation with judgements of its plays", media=TEXT)
    def notated(match: str) -> Response:
        store = available(matches)
        found = StoredAnalyses(store).read(match)
        if found is None:
            raise UnusableInputError(f"expected an analysed match, got {match}, which was not; analyse it on its page")
        lines = [as_line(line) for line in judged(store.record(match), found["decisions"])]
        text = write_games(games_of_record(lines, f"match {match}"))
        return fresh(Response(text.encode("utf-8", "backslashreplace"), mimetype="text/plain"))

    @blueprint.get("/api/puzzles")
    @described(VIEWER, "Puzzles found by analyses", answer='{"puzzles": [...]}')
    def puzzles() -> Response:
        return fresh(jsonify({"puzzles": StoredAnalyses(available(matches)).puzzles()}))

    @blueprint.post("/api/matches/<match>/analysis")
    @described(
        REFEREE,
        "Analyse a match that has ended, in the background",
        answer='{"job": "...", "state": "waiting"}',
        status=202,
    )
    def analyse(match: str) -> tuple[Response, int] | Response:
        about, _ = available(matches).about(match)
        if not about["ended"]:
            raise MatchGoesOnError(
                f"expected a match that has ended, got {match}, which goes on; analyse it afterwards"
            )
        return fresh(jsonify(available(work).start("analyse", match).as_json())), 202

    return blueprint
