"""
Compute a player's figures from kept matches: games, losses, takes and faults, by opponent and by month.

Pure functions of the finished games and of the facts of each match (``MatchFacts``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from referee.fields import PlainValue
from webapp.store.evenings import FinishedGame

ACCUSING = ("illegal", "impossible")


class MatchFacts(PlainValue, frozen=True):
    """How often each seat of a match took the cards and broke a rule; ``faults``: seat -> fault id -> count."""

    takes: Mapping[str, int]
    faults: Mapping[str, Mapping[str, int]]


def match_facts(lines: Sequence[Mapping[str, Any]], rulings: Iterable[Mapping[str, Any]]) -> MatchFacts:
    """
    Return the facts of a match from its lines as they were printed, corrections applied, and the rulings that hold.

    >>> lines = [{"kozyr": 1}, {"event": "swept", "to": "A"}, {"event": "corrected", "line": 2,
    ...          "to": {"event": "swept", "to": "B"}}]
    >>> match_facts(lines, [{"ruling": "illegal", "fault": "too-early", "by": "B"}]).as_json()
    {'takes': {'B': 1}, 'faults': {'B': {'too-early': 1}}}
    """
    record = [line for line in lines if "kozyr" in line or "event" in line]
    events: dict[int, Mapping[str, Any] | None] = dict(enumerate(record, start=1))
    for line in record:
        if line.get("event") == "corrected" and line.get("line") in events:
            events[line["line"]] = line.get("to")
    takes = Counter(str(each["to"]) for each in events.values() if each and each.get("event") == "swept")
    takes.pop("heap", None)
    faults: dict[str, Counter[str]] = {}
    for ruling in rulings:
        if ruling.get("ruling") in ACCUSING and ruling.get("by"):
            faults.setdefault(str(ruling["by"]), Counter())[str(ruling["fault"])] += 1
    return MatchFacts(takes, faults)


def player_stats(name: str, games: Iterable[FinishedGame], facts: Mapping[str, MatchFacts]) -> dict[str, Any]:
    """
    Return the figures of a player, as ``/api/players/NAME`` gives them. ``facts``: match ID -> facts.

    ``opponents``: games against each other player and how many of them ``name`` lost; ``months``: the same by month
    (``2026-11``), oldest first.
    """
    own = sorted((game for game in games if name in game.seats), key=lambda game: game.began)
    opponents: dict[str, Counter[str]] = {}
    months: dict[str, Counter[str]] = {}
    for game in own:
        lost = name in game.losers
        team = next((side for side in game.sides if name in side), (name,))
        counts = [months.setdefault(f"{game.began.astimezone():%Y-%m}", Counter())]
        counts += [opponents.setdefault(seat, Counter()) for seat in game.seats if seat not in team]
        for each in counts:
            each.update({"games": 1, "lost": int(lost)})
    matches = {game.match: facts[game.match] for game in own if game.match in facts}
    faults: Counter[str] = sum((Counter(each.faults.get(name, {})) for each in matches.values()), Counter())
    return {
        "name": name,
        "games": len(own),
        "lost": sum(name in game.losers for game in own),
        "draws": sum(game.result["kind"] == "draw" for game in own),
        "takes": sum(each.takes.get(name, 0) for each in matches.values()),
        "faults": dict(faults.most_common()),
        "opponents": [{"name": each, **_counts(count)} for each, count in sorted(opponents.items())],
        "months": [{"month": each, **_counts(count)} for each, count in sorted(months.items())],
        "matches": [{**game.as_json(), "began": _local(game.began)} for game in reversed(own)],
    }


def _local(when: datetime) -> str:
    return when.astimezone().isoformat(timespec="seconds")


def _counts(count: Counter[str]) -> dict[str, int]:
    return {"games": count["games"], "lost": count["lost"]}
