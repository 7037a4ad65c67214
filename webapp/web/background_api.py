"""Serve background jobs: their list, progress and result, and the end of one."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify

from webapp.web.app_services import AppConfig
from webapp.web.responses import fresh, refusal
from webapp.web.route_docs import ACCEPTED, REFEREE, VIEWER, described


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


def no_job(name: str) -> Response:
    return refusal(404, f"expected work that goes on, got {name!r:.40}, which is over or never was; ask for it again")
