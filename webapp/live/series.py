"""A series of games of one evening: whoever loses so many first is its fool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.store.evenings import FinishedGame, Scores

MOST_LOSSES = 20
"""Most losses to which a series is played; more than an evening has games."""


@dataclass(frozen=True, slots=True)
class Series:
    """``to``: losses that end it. ``since``: games of the evening that were over before it began."""

    to: int
    since: int = 0

    def standing(self, games: Sequence[FinishedGame], seats: Sequence[str]) -> Mapping[str, Any]:
        """
        Return ``to``, the number of ``games``, how often each player has ``lost``, own seats first, and its ``fool``:
        who lost so many first, several where they lost together; empty while it goes on.

        ``games``: all of the evening. On another evening it counts from the first game.
        """
        played = games[self.since if self.since <= len(games) else 0 :]
        fool: list[str] = []
        for count in range(1, len(played) + 1):
            scores = Scores.of(played[:count]).players
            fool = [name for name, score in scores.items() if score.lost >= self.to]
            if fool:
                break
        scores = Scores.of(played).players
        names = [*seats, *(name for name in scores if name not in seats)]
        lost = {name: scores[name].lost if name in scores else 0 for name in names}
        return {"to": self.to, "games": len(played), "lost": lost, "fool": fool}
