"""Serve the stored matches for programs: the list, a match by line, scores, statistics of players."""

from __future__ import annotations

import csv
import io
import logging
from collections.abc import Mapping
from typing import TypeVar

from flask import Blueprint, Response, abort, jsonify

from referee.errors import RefereeError
from webapp.errors import (
    KozyrError,
    MatchGoesOnError,
    NotAskedError,
    OutputLostError,
    StoreError,
    UnusableInputError,
    one_line,
)
from webapp.features import features
from webapp.live.board import Snapshot
from webapp.match.stored_matches import facts_then, match_facts
from webapp.store.evenings import MatchFacts, player_stats, score_rows, scores_as_json
from webapp.store.matches import Matches
from webapp.text.rule_paragraphs import paragraph
from webapp.web.app_services import AppConfig
from webapp.web.responses import fresh, language_of_request, refusal
from webapp.web.route_docs import VIEWER, described

logger = logging.getLogger(__name__)

Service = TypeVar("Service")


def matches_api(site: AppConfig) -> Blueprint:
    """Return the routes of all stored matches; they answer 503 if nothing is kept."""
    blueprint, matches = Blueprint("matches", __name__), site.matches

    @blueprint.get("/api/matches")
    @described(VIEWER, "The kept matches, newest first", answer='{"matches": [{"match": "..."}]}')
    def listed() -> Response:
        return fresh(jsonify({"matches": available(matches).list()}))

    @blueprint.get("/api/evenings")
    @described(VIEWER, "Scores", answer='{"evenings": [...], "all": {...}}')
    def scores() -> Response:
        return fresh(jsonify(scores_as_json(available(matches).games())))

    @blueprint.get("/api/evenings.csv")
    @described(VIEWER, "The same for spreadsheets", media="text/csv")
    def scores_for_spreadsheets() -> Response:
        written = io.StringIO()
        csv.writer(written).writerows(score_rows(available(matches).games()))
        # Without this byte order mark spreadsheets assume an older encoding.
        answer = Response("\ufeff" + written.getvalue(), mimetype="text/csv")
        answer.headers["Content-Disposition"] = 'attachment; filename="kozyr-scores.csv"'
        return fresh(answer)

    @blueprint.get("/api/matches/<match>")
    @described(VIEWER, "One match with all its lines", answer='{"match": "...", "lines": [...]}')
    def shown(match: str) -> Response:
        store = available(matches)
        about, _ = store.about(match)
        return fresh(jsonify({**about, "lines": store.show(match)}))

    @blueprint.get("/api/players/<name>")
    @described(VIEWER, "A player's games, losses, takes, faults and analysed matches")
    def one(name: str) -> Response:
        store = available(matches)
        stats = player_stats(name, store.games(), facts_of(store, site.board.newest))
        if not stats["games"]:
            raise UnusableInputError(f"expected a player of a finished game, got {name!r:.60}")
        shown = {**stats, "rules": _rules_of(stats["faults"])}
        for feature in features():
            if feature.player_facts is not None:
                shown |= feature.player_facts.load()(store, name)
        return fresh(jsonify(shown))

    @blueprint.get("/api/match-facts")
    @described(VIEWER, "Takes and faults of every kept match, by seat, and which of them are being played")
    def of_matches() -> Response:
        store = available(matches)
        found = facts_of(store, site.board.newest)
        playing = {str(table.data["match"]) for table in store.tables.reported() if table.is_live}
        if site.table.live_match is not None:
            playing.add(site.table.live_match)
        named = {fault for facts in found.values() for faults in facts.faults.values() for fault in faults}
        listed = {match: facts.as_json() for match, facts in found.items()}
        rules = _rules_of(dict.fromkeys(sorted(named), 0))
        return fresh(jsonify({"matches": listed, "rules": rules, "playing": sorted(playing)}))

    return blueprint


def available(store: Service | None) -> Service:
    """Return the store, or what reads it; end the request with 503 if nothing is kept."""
    if store is None:
        abort(refusal(503, "expected a store of kept matches, got none; start without --no-keep", "refused_unkept"))
    return store


def failed(error: KozyrError) -> Response:
    kinds = ((UnusableInputError, 404), (OutputLostError, 507), (MatchGoesOnError, 409), (NotAskedError, 409))
    return refusal(next((status for kind, status in kinds if isinstance(error, kind)), 503), one_line(error))


def facts_of(matches: Matches, live: Snapshot) -> Mapping[str, MatchFacts]:
    """
    Return match ID -> facts, those of the match that goes on at this table by its view.

    All others are kept in the store: by the view where the match has been judged since its last line, else they are
    read once from its lines, since judging thousands of matches takes minutes. A match that can't be read has none.
    """
    known, fresh = matches.facts(), dict[str, tuple[int, MatchFacts]]()
    found: dict[str, MatchFacts] = {}
    for about in matches.list():
        match, events = str(about["match"]), int(about["events"])
        if about["damaged"]:
            continue
        if match == live.match:
            found[match] = match_facts(live.view)
            continue
        if match not in known or known[match][0] != events:
            try:
                known[match] = fresh[match] = events, facts_then(matches.show(match))
            except (StoreError, RefereeError, UnusableInputError, KeyError, TypeError, ValueError) as error:
                logger.info("no facts of match %s: %r", match, error)  # a ruling may lack what a ruling has
                continue
        found[match] = known[match][1]
    if fresh:
        try:
            matches.keep_facts(fresh)
        except StoreError as error:  # they are made again
            logger.info("facts were not kept: %s", error)
    return found


def _rules_of(faults: Mapping[str, int]) -> dict[str, str]:
    found = {fault: paragraph(fault, language_of_request()) for fault in faults}
    return {fault: rule["text"] for fault, rule in found.items() if rule is not None}
