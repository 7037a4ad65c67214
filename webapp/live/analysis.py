"""
Analyse a match after it was played: list the decisions of its record and rate each one (docs/analysis.md).

Every decision has its own random numbers, seeded by seed and line, so the result depends neither on the order nor on
the number of processors. Analyses of kept matches are made once, in the background, and kept beside the store.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from referee.analysis.endgames import TwoHands
from referee.analysis.position import House
from referee.analysis.rating import DecisionCase, Rating, cases_of, puzzle_of, rate, summary_of
from referee.analysis.recorded import RecordStep
from referee.events import TableEvent
from referee.match_judge import MatchJudge
from referee.record import Header
from referee.rulebook import FREE
from vision.data_home import data_home
from webapp.errors import MatchGoesOnError
from webapp.live.kept_record import read_kept
from webapp.match.kept import this_referee
from webapp.store.matches import Matches

PLAYOUTS = 1000
"""For each decision; a standard error of about 0.015 for the decision made. Chosen by hand: a game of two takes a
minute or two on one core."""
Line = Mapping[str, Any]


def cases_of_match(
    header: Header, events: Iterable[tuple[int, TableEvent]], line: int, seed: int
) -> list[DecisionCase]:
    """
    Return the decisions of one match. ``events`` with their lines in the record, ``line``: that of the header.

    Raises ``RefereeError`` if the record can't be judged.
    """
    if header.rules == FREE:
        return []
    judge = MatchJudge(header, line)
    before = judge.state
    for number, event in events:
        judge.apply(number, event)
    judge.finish()
    steps = []
    for each, after in judge.positions:
        steps.append(RecordStep(each.line, each.event, before, after))
        before = after
    return cases_of(steps, random.Random(f"{seed} cards"))


def rated(case: DecisionCase, playouts: int, seed: int) -> Rating:
    """Rate one decision; the same case, playouts and seed give the same rating."""
    solver = _solver(case.truth.house, case.truth.trump)
    solver.forget()
    return rate(case, playouts, random.Random(f"{seed} {case.line} {case.name}"), solver)


@lru_cache(maxsize=8)
def _solver(house: House, trump: int) -> TwoHands:
    return TwoHands(house, trump)


def players_of(lines: Iterable[Line], header: Header) -> list[dict[str, Any]]:
    """Return the lines that follow those of the decisions: one per player."""
    return summary_of(lines, header.seats)


FOLDER = "analysed"
SEED = 0


class KeptAnalyses:
    """Store the analyses of matches as files of a folder; each can be made again at any time."""

    def __init__(self, matches: Matches, folder: Path | None = None) -> None:
        self._matches = matches
        self._folder = data_home() / FOLDER if folder is None else folder

    def read(self, match: str) -> Mapping[str, Any] | None:
        """Return the analysis of the match's current record by this version; None if none was made."""
        path = self._path(match)
        with suppress(OSError, ValueError):
            found: Mapping[str, Any] = json.loads(path.read_text("utf-8"))
            return found
        return None

    def make(self, match: str, report: Callable[[float], None]) -> Mapping[str, Any]:
        """
        Rate every decision of a match that has ended, and keep the lines. ``report`` is called with the share done.

        Raises ``MatchGoesOnError`` during the match: no analysis is shown at a live table.
        """
        about, _ = self._matches.about(match)
        if not about["ended"]:
            raise MatchGoesOnError(
                f"expected a match that has ended, got {match}, which goes on; analyse it afterwards"
            )
        header, events = read_kept(self._matches.record(match), f"match {match}")
        cases = cases_of_match(header, enumerate(events, start=2), 1, SEED)
        lines, puzzles = [], []
        for case in cases:
            rating = rated(case, PLAYOUTS, SEED)
            lines.append(rating.as_json())
            puzzle = puzzle_of(case, rating)
            if puzzle is not None:
                puzzles.append(puzzle)
            report(len(lines) / len(cases))
        made = {"decisions": lines, "players": players_of(lines, header), "puzzles": puzzles}
        path = self._path(match)
        with suppress(OSError):  # it can be made again
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished = path.with_suffix(".part")
            unfinished.write_text(json.dumps(made), "utf-8")
            unfinished.replace(path)
        return made

    def of_player(self, name: str) -> list[dict[str, Any]]:
        """Return for each analysed match of a player, oldest first, how many decisions he made and their mean loss."""
        found = []
        for about in reversed(self._matches.list()):
            made = self.read(about["match"]) if about["ended"] and name in about["seats"] else None
            for each in (made or {}).get("players", ()):
                if each["seat"] == name and each["decisions"]:
                    line = {"match": about["match"], "began": about["started"]}
                    found.append({**line, "decisions": each["decisions"], "mean_loss": each["mean_loss"]})
        return found

    def puzzles(self) -> list[dict[str, Any]]:
        """Return the puzzles of all analysed matches, each with the ``match`` it is of, newest match first."""
        found = []
        for about in self._matches.list():
            made = self.read(about["match"]) if about["ended"] else None
            found += [{"match": about["match"], **puzzle} for puzzle in (made or {}).get("puzzles", ())]
        return found

    def _path(self, match: str) -> Path:
        about, _ = self._matches.about(match)
        return self._folder / f"{about['match']}-{about['events']}-{this_referee()[:12]}.json"
