"""Statistics of a player over finished games."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from webapp.store.evenings import FinishedGame, MatchFacts, player_stats


def game(match: str, month: int, seats: str, kind: str, named: str) -> FinishedGame:
    began = datetime(2026, month, 11, 12, tzinfo=UTC)
    return FinishedGame(match, "kitchen", began, began, tuple(seats), {"kind": kind, "seats": list(named)})


GAMES = (
    game("1", 10, "ABC", "fool", "A"),
    game("2", 11, "AB", "draw", ""),
    game("3", 11, "ABCD", "team-fool", "AC"),
    game("4", 11, "BC", "fool", "B"),
)


def test_figures_by_opponent_and_month() -> None:
    facts = {
        "1": MatchFacts({"A": 2, "B": 1}, {"A": {"too-early": 1}}),
        "3": MatchFacts({"A": 1}, {"B": {"priority": 1}}),
    }
    stats: dict[str, Any] = player_stats("A", GAMES, facts)
    assert (stats["games"], stats["lost"], stats["draws"], stats["takes"]) == (3, 2, 1, 3)
    assert stats["faults"] == {"too-early": 1}
    assert stats["opponents"] == [
        {"name": "B", "games": 3, "lost": 2},
        {"name": "C", "games": 1, "lost": 1},
        {"name": "D", "games": 1, "lost": 1},
    ], "the partner is no opponent"
    assert stats["months"] == [{"month": "2026-10", "games": 1, "lost": 1}, {"month": "2026-11", "games": 2, "lost": 1}]
    assert [match["match"] for match in stats["matches"]] == ["3", "2", "1"]


def test_unknown_player_has_no_games() -> None:
    stats = player_stats("Z", GAMES, {})
    assert (stats["games"], stats["opponents"], stats["faults"]) == (0, [], {})
