"""Serve analyses of stored matches, and the puzzles that they found."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify

from features.analysis.game_summary import likely_since, player_summary, turning_point
from features.analysis.judgements import judged
from features.analysis.stored_analyses import StoredAnalyses, check_is_over, is_over
from features.notation.notated_game import games_of_record
from features.notation.writer import write_games
from webapp.errors import UnusableInputError
from webapp.output import as_line
from webapp.web.app_services import AppConfig
from webapp.web.matches_api import available
from webapp.web.responses import fresh, language_of_request
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
        found = StoredAnalyses(store).read(match) if is_over(about) else None
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

    @blueprint.get("/api/matches/<match>/summary")
    @described(
        VIEWER,
        "How the last game of a match went: since when its end was likely, where it turned, each player's accuracy, "
        "best and costliest decision, takes and faults; without an analysis only takes and faults (`analysed`)",
        answer='{"result": {...}, "analysed": true, "since": {...}, "turning": {...}, "players": [...]}',
    )
    def summed_up(match: str) -> Response:
        store = available(matches)
        about, _ = store.about(match)
        replays = available(site.replays)
        steps = {step.line: step for step in replays.steps(match)}
        calls = replays.calls(match, language_of_request())
        before = [call["line"] for call in calls if call.get("announce") == "result"][:-1]  # of earlier deals
        found = StoredAnalyses(store).read(match) if is_over(about) else None
        decisions = [line for line in (found or {}).get("decisions", ()) if line["line"] > max(before, default=0)]
        result = about["result"]
        named = () if result is None else tuple(result["seats"])
        seats = about["seats"]
        losers = named if result is None or result["kind"].endswith("fool") else tuple(set(seats) - set(named))
        facts = replays.facts(match)

        def placed(line: int | None) -> dict[str, object] | None:
            step = None if line is None else steps.get(line)
            return None if step is None else {"line": step.line, "at": step.at, "bout": step.bout}

        turning = turning_point(decisions, losers)
        shown = {key: about[key] for key in ("match", "seats", "result", "film", "started", "rules")}
        shown |= {
            "analysed": found is not None,
            "since": placed(likely_since(decisions, losers) if losers else None),
            "turning": None if turning is None else {**turning, **(placed(turning["line"]) or {})},
            "mistakes": len((found or {}).get("mistakes", ())),
            "players": [
                {
                    "seat": seat,
                    **player_summary(decisions, seat),
                    "takes": facts.takes.get(seat, 0),
                    "faults": sum(facts.faults.get(seat, {}).values()),
                }
                for seat in seats
            ],
        }
        return fresh(jsonify(shown))

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
        check_is_over(about)
        return fresh(jsonify(available(work).start("analyse", match).as_json())), 202

    return blueprint
