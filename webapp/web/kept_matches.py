"""Serve the kept matches for programs: the list, a match line by line and in notation, evenings and scores."""

from __future__ import annotations

import csv
import io

from flask import Blueprint, Response, jsonify, request

from webapp.errors import KozyrError, UnusableInputError, one_line
from webapp.live.comparison import standing_rulings
from webapp.store.evenings import score_rows, scores_as_json
from webapp.store.matches import Matches
from webapp.store.moment_zip import notation, pack_moment
from webapp.web.api import fresh, refusal
from webapp.web.query import whole


def kept_matches(matches: Matches | None) -> Blueprint:
    """Return the blueprint; None if nothing is kept."""
    blueprint = Blueprint("matches", __name__)

    @blueprint.get("/api/matches")
    def listed() -> Response:
        if matches is None:
            return nothing_kept()
        return fresh(jsonify({"matches": matches.list()}))

    @blueprint.get("/api/evenings")
    def scores() -> Response:
        if matches is None:
            return nothing_kept()
        return fresh(jsonify(scores_as_json(matches.games())))

    @blueprint.get("/api/evenings.csv")
    def scores_for_spreadsheets() -> Response:
        if matches is None:
            return nothing_kept()
        written = io.StringIO()
        csv.writer(written).writerows(score_rows(matches.games()))
        # Without this byte order mark spreadsheets assume an older encoding.
        answer = Response("\ufeff" + written.getvalue(), mimetype="text/csv")
        answer.headers["Content-Disposition"] = 'attachment; filename="kozyr-scores.csv"'
        return fresh(answer)

    @blueprint.get("/api/matches/<match>")
    def shown(match: str) -> Response:
        if matches is None:
            return nothing_kept()
        about, _ = matches.about(match)
        return fresh(jsonify({**about, "lines": matches.show(match)}))

    @blueprint.get("/api/matches/<match>/game.durak")
    def written(match: str) -> Response:
        if matches is None:
            return nothing_kept()
        return fresh(Response(notation(matches, match), mimetype="text/plain"))

    @blueprint.get("/api/matches/<match>/moment.zip")
    def moment(match: str) -> Response:
        if matches is None:
            return nothing_kept()
        line = request.args.get("line", 0, type=whole)
        packed = pack_moment(matches, match, line, standing_rulings(matches.show(match)))
        answer = fresh(Response(packed, mimetype="application/zip"))
        answer.headers["Content-Disposition"] = f'attachment; filename="{match}-{line}.zip"'
        return answer

    @blueprint.errorhandler(KozyrError)
    def failed(error: KozyrError) -> Response:
        return refusal(404 if isinstance(error, UnusableInputError) else 503, one_line(error))

    return blueprint


def nothing_kept() -> Response:
    """Return the answer of a program that keeps no matches."""
    return refusal(503, "expected a store of kept matches, got none; start without --no-keep")
