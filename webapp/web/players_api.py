"""Serve the statistics of players over the kept matches, and the faults and takes of each match."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock

from flask import Blueprint, Response, jsonify

from webapp.errors import KozyrError, UnusableInputError, one_line
from webapp.live.analysis import KeptAnalyses
from webapp.live.comparison import standing_rulings
from webapp.store.matches import Matches
from webapp.store.player_stats import MatchFacts, match_facts, player_stats
from webapp.text.rule_paragraphs import paragraph
from webapp.web.api import fresh, refusal
from webapp.web.kept_matches import nothing_kept
from webapp.web.pages import language_of_request


class FactsOfMatches:
    """Caches the facts of every kept match; a match is read again only when it has more lines."""

    def __init__(self, matches: Matches) -> None:
        self._matches = matches
        self._known: dict[str, tuple[int, MatchFacts]] = {}
        self._lock = Lock()

    def all(self) -> Mapping[str, MatchFacts]:
        """Return match ID -> facts."""
        with self._lock:
            known: dict[str, tuple[int, MatchFacts]] = {}
            for about in self._matches.list():
                match, events = str(about["match"]), int(about["events"])
                found = self._known.get(match)
                known[match] = found if found is not None and found[0] == events else (events, self._facts(match))
            self._known = known
            return {match: facts for match, (_, facts) in known.items()}

    def _facts(self, match: str) -> MatchFacts:
        lines = self._matches.show(match)
        return match_facts(lines, standing_rulings(lines))


def players(matches: Matches | None) -> Blueprint:
    """Return the blueprint; ``matches``: None where nothing is kept."""
    blueprint = Blueprint("players", __name__)
    facts = None if matches is None else FactsOfMatches(matches)

    @blueprint.get("/api/players/<name>")
    def one(name: str) -> Response:
        if matches is None or facts is None:
            return nothing_kept()
        stats = player_stats(name, matches.games(), facts.all())
        if not stats["games"]:
            raise UnusableInputError(f"expected a player of a finished game, got {name!r:.60}")
        analysed = KeptAnalyses(matches).of_player(name)
        return fresh(jsonify({**stats, "rules": _rules_of(stats["faults"]), "analysed": analysed}))

    @blueprint.get("/api/match-facts")
    def of_matches() -> Response:
        if facts is None:
            return nothing_kept()
        found = facts.all()
        named = {fault for each in found.values() for faults in each.faults.values() for fault in faults}
        listed = {match: each.as_json() for match, each in found.items()}
        return fresh(jsonify({"matches": listed, "rules": _rules_of(dict.fromkeys(sorted(named), 0))}))

    @blueprint.errorhandler(KozyrError)
    def failed(error: KozyrError) -> Response:
        return refusal(404 if isinstance(error, UnusableInputError) else 503, one_line(error))

    return blueprint


def _rules_of(faults: Mapping[str, int]) -> dict[str, str]:
    """Return fault id -> the rule that it breaks, in the language of the request."""
    found = {fault: paragraph(fault, language_of_request()) for fault in faults}
    return {fault: rule["text"] for fault, rule in found.items() if rule is not None}
