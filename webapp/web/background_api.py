"""Serve background jobs: their list, progress and result, the end of one, and those that a page waits for."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify

from webapp.errors import NotJudgedError, TooLongError, one_line
from webapp.text.catalogue import page_words
from webapp.web.app_services import AppConfig, LongWork
from webapp.web.responses import fresh, language_of_request, refusal
from webapp.web.route_docs import ACCEPTED, REFEREE, VIEWER, described

AGAIN_S = 2
"""Seconds after which a program may ask again for a match that is being judged."""


def background(site: AppConfig) -> Blueprint:
    blueprint, work = Blueprint("background", __name__), site.long_work

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

    return blueprint


def being_judged(work: LongWork | None, error: NotJudgedError) -> Response:
    """Have a match judged that is too long for a page to wait: 202 with the ``job``; ask again when that is over."""
    job = None if work is None else work.prepare(error.match)
    if job is None:
        return refusal(503, "expected few matches that wait to be judged, got one more; try again", "refused_busy")
    answer = refusal(202, one_line(error), "judging", job=job.as_json(whole=False))
    answer.headers["Retry-After"] = str(AGAIN_S)
    return answer


def too_long(error: TooLongError) -> Response:
    text = page_words(language_of_request())["judging_late"].format(seconds=round(error.seconds))
    return refusal(503, one_line(error), "judging_late", text=text)


def no_job(name: str) -> Response:
    return refusal(404, f"expected work that goes on, got {name!r:.40}, which is over or never was; ask for it again")
