"""Serve background jobs: judge or analyse a kept match again; report progress and result."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, request

from features.analysis.judgements import judged
from features.analysis.kept_analyses import KeptAnalyses
from features.notation import games_of_record, write_games
from referee.errors import RulebookError
from referee.rulebook import FREE, PRESETS, rulebook
from webapp.errors import MatchGoesOnError, UnusableInputError
from webapp.output import as_line
from webapp.web.answers import fresh, language_of_request, refusal
from webapp.web.app_services import AppConfig
from webapp.web.bodies import AgainBody, BodyError, read_body
from webapp.web.described import ACCEPTED, REFEREE, TEXT, VIEWER, described
from webapp.web.kept_matches import kept
from webapp.web.setup_api import options_as_json, rules_as_json

EXAMPLE = 'JSON such as {"from": "record", "rules": "podkidnoy-36", "options": {"attack_limit": 5}}'


def background(site: AppConfig) -> Blueprint:
    """Return the routes of background jobs and of what they made; they answer 503 if no matches are kept."""
    blueprint, matches, work = Blueprint("background", __name__), site.matches, site.long_work

    @blueprint.get("/api/matches/<match>/again")
    @described(VIEWER, "Rules with which the match can be judged again", {"rules": "rule set"})
    def choices(match: str) -> Response:
        store = kept(matches if work is not None else None)
        about, _ = store.about(match)
        header = store.record(match)[0]
        rules = request.args.get("rules", header["rules"])
        options = header.get("options", {}) if rules == header["rules"] else {}
        if rules not in (*PRESETS, FREE):
            return refusal(400, f"expected a rule set out of {', '.join((*PRESETS, FREE))}, got {rules!r:.60}")
        language = language_of_request()
        sets = [rules_as_json(name, language) for name in (*PRESETS, FREE)]
        fitting = [each for each in sets if len(header["seats"]) in each["players"]]
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
        jobs = kept(work)
        kept(matches).about(match)
        asked = read_body(request.get_data(cache=False), AgainBody, EXAMPLE)
        try:
            rulebook(asked.rules or "podkidnoy-36", asked.options)
        except RulebookError as error:
            raise BodyError(str(error)) from None
        job = jobs.rejudge(match, asked.source == "film", asked.rules, asked.options, language_of_request())
        return fresh(jsonify(job.as_json())), 202

    @blueprint.get("/api/jobs")
    @described(VIEWER, "Background jobs", answer='{"jobs": [...]}')
    def listed() -> Response:
        jobs = () if work is None else work.jobs.all
        return fresh(jsonify({"jobs": [job.as_json(whole=False) for job in jobs]}))

    @blueprint.get("/api/jobs/<name>")
    @described(VIEWER, "One job with its progress", answer='{"state": "running", ...}')
    def shown(name: str) -> Response:
        job = None if work is None else work.jobs.job(name)
        return no_job(name) if job is None else fresh(jsonify(job.as_json()))

    @blueprint.delete("/api/jobs/<name>")
    @described(REFEREE, "Stop a job", answer=ACCEPTED, status=202)
    def ended(name: str) -> tuple[Response, int] | Response:
        if work is None or work.jobs.job(name) is None:
            return no_job(name)
        work.jobs.end(name)  # one that ended while somebody reached for the button is as wanted
        return fresh(jsonify({"accepted": True})), 202

    @blueprint.get("/api/matches/<match>/analysis")
    @described(
        VIEWER,
        "What each decision cost, 204 where it was not asked for yet",
        answer='{"decisions": [...], "players": [...]}',
    )
    def rated(match: str) -> Response:
        store = kept(matches)
        about, _ = store.about(match)
        found = KeptAnalyses(store).read(match) if about["ended"] else None
        return fresh(Response(status=204)) if found is None else fresh(jsonify(found))

    @blueprint.get("/api/matches/<match>/analysis.durak")
    @described(VIEWER, "The game in notation with judgements of its plays", media=TEXT)
    def notated(match: str) -> Response:
        store = kept(matches)
        found = KeptAnalyses(store).read(match)
        if found is None:
            raise UnusableInputError(f"expected an analysed match, got {match}, which was not; analyse it on its page")
        lines = [as_line(line) for line in judged(store.record(match), found["decisions"])]
        text = write_games(games_of_record(lines, f"match {match}"))
        return fresh(Response(text.encode("utf-8", "backslashreplace"), mimetype="text/plain"))

    @blueprint.get("/api/puzzles")
    @described(VIEWER, "Puzzles found by analyses", answer='{"puzzles": [...]}')
    def puzzles() -> Response:
        return fresh(jsonify({"puzzles": KeptAnalyses(kept(matches)).puzzles()}))

    @blueprint.post("/api/matches/<match>/analysis")
    @described(
        REFEREE,
        "Analyse a match that has ended, in the background",
        answer='{"job": "...", "state": "waiting"}',
        status=202,
    )
    def analyse(match: str) -> tuple[Response, int] | Response:
        about, _ = kept(matches).about(match)
        if not about["ended"]:
            raise MatchGoesOnError(
                f"expected a match that has ended, got {match}, which goes on; analyse it afterwards"
            )
        return fresh(jsonify(kept(work).analyse(match).as_json())), 202

    return blueprint


def no_job(name: str) -> Response:
    return refusal(404, f"expected work that goes on, got {name!r:.40}, which is over or never was; ask for it again")
