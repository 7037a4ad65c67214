"""
Analyse a match after it was played: list the decisions of its record and rate each one (docs/analysis.md).

Every decision has its own random numbers, seeded by seed and line, so the result depends neither on the order nor on
the number of processors. Analyses of stored matches are made once, in the background, and kept beside the store.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from features.analysis.decision_case import DecisionCase
from features.analysis.endgames import TwoHands
from features.analysis.mistakes import mistake_of
from features.analysis.position import SearchRules
from features.analysis.rating import Rating, cases_of, puzzle_of, rate, summary_of
from features.analysis.recorded import RecordStep
from referee.events import TableEvent
from referee.match_judge import MatchJudge
from referee.record import Header, read_record
from referee.rulebook import FREE
from vision.data_home import data_home
from webapp.errors import MatchGoesOnError
from webapp.live.background_jobs import JobTools
from webapp.match.stored_matches import this_referee
from webapp.output import as_line
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
    for judged, after in judge.positions:
        steps.append(RecordStep(judged.line, judged.event, before, after))
        before = after
    return cases_of(steps, random.Random(f"{seed} cards"))


def rated(case: DecisionCase, playouts: int, seed: int) -> Rating:
    """Rate one decision; the same case, playouts and seed give the same rating."""
    solver = _solver(case.truth.house, case.truth.trump)
    solver.forget()
    return rate(case, playouts, random.Random(f"{seed} {case.line} {case.name}"), solver)


def tried(case: DecisionCase, rating: Rating, seed: int) -> dict[str, Any] | None:
    """Return the exercise of a rated decision; the same case, rating and seed give the same one."""
    chance = random.Random(f"{seed} {case.line} {case.name} tries")
    return mistake_of(case, rating, chance, _solver(case.truth.house, case.truth.trump))


@lru_cache(maxsize=8)
def _solver(house: SearchRules, trump: int) -> TwoHands:
    return TwoHands(house, trump)


FOLDER = "analysed"
"""In the user's data folder."""
SEED = 0


class StoredRatings:
    """
    The decisions of a record that were rated so far, by their place in it, and what is shown of them all once they are
    ended. An analysis that was stopped goes on with them; each can be made again at any time.
    """

    def __init__(self, name: str, folder: Path | None = None) -> None:
        self._path = (data_home() / FOLDER if folder is None else folder) / f"{name}.jsonl"
        self.lines: dict[int, Line] = {}
        self._puzzles: dict[int, Line] = {}
        self._mistakes: dict[int, Line] = {}
        self._players: list[Line] | None = None
        with suppress(OSError):
            for text in self._path.read_text("utf-8").splitlines():
                with suppress(ValueError, TypeError):  # an incomplete line: the program was stopped while writing
                    self._add(*json.loads(text))

    def _add(self, place: int | None, found: Any, puzzle: Line | None = None, mistake: Line | None = None) -> None:
        if place is None:
            self._players = found
            return
        self.lines[place] = found
        if puzzle is not None:
            self._puzzles[place] = puzzle
        if mistake is not None:
            self._mistakes[place] = mistake

    def keep(self, place: int | None, found: Any, puzzle: Line | None = None, mistake: Line | None = None) -> None:
        """
        Append the line of a decision with its puzzle and its exercise, or those of the players (None); ``OSError``
        without room.
        """
        self._add(place, found, puzzle, mistake)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            # A line may have been cut off before: each begins a new one.
            file.write("\n" + json.dumps([place, found, puzzle, mistake]))

    @property
    def whole(self) -> Mapping[str, Any] | None:
        """Return ``decisions``, ``players``, ``puzzles`` and ``mistakes``; None until all decisions are rated."""
        if self._players is None or sum(player["decisions"] for player in self._players) != len(self.lines):
            return None
        decisions, puzzles, mistakes = (
            [stored[place] for place in sorted(stored)] for stored in (self.lines, self._puzzles, self._mistakes)
        )
        return {"decisions": decisions, "players": self._players, "puzzles": puzzles, "mistakes": mistakes}


def is_over(about: Line) -> bool:
    """Check whether a kept match has ended, or is decided while its table has not begun the next one."""
    return bool(about["ended"] or about["result"] is not None)


def check_is_over(about: Line) -> None:
    if not is_over(about):
        raise MatchGoesOnError(
            f"expected a match that has ended, got {about['match']}, which goes on; analyse it afterwards"
        )


class StoredAnalyses:
    def __init__(self, matches: Matches, folder: Path | None = None) -> None:
        self._matches, self._folder = matches, folder

    def read(self, match: str) -> Mapping[str, Any] | None:
        """Return the analysis of the match's current record by this version; None if none was made."""
        about, _ = self._matches.about(match)
        return self._of(about).whole

    def _of(self, about: Line) -> StoredRatings:
        return StoredRatings(f"{about['match']}-{about['events']}-{this_referee()[:12]}", self._folder)

    def make(self, match: str, report: Callable[[float], None]) -> Mapping[str, Any]:
        """
        Rate every decision of a match that is over, and keep the lines. ``report`` is called with the share done.

        Raises ``MatchGoesOnError`` during the match: no analysis is shown at a live table.
        """
        about, _ = self._matches.about(match)
        check_is_over(about)
        (_, header), *lines = read_record(map(as_line, self._matches.record(match)), f"match {match}")
        assert isinstance(header, Header)
        events = [event for _, event in lines if not isinstance(event, Header)]
        stored, cases = self._of(about), cases_of_match(header, enumerate(events, start=2), 1, SEED)
        for place, case in enumerate(cases):
            if place not in stored.lines:
                rating = rated(case, PLAYOUTS, SEED)
                with suppress(OSError):  # it can be made again
                    stored.keep(place, rating.as_json(), puzzle_of(case, rating), tried(case, rating, SEED))
            report((place + 1) / len(cases))
        if stored.whole is None:
            with suppress(OSError):
                stored.keep(None, summary_of(stored.lines.values(), header.seats))
        made = stored.whole
        assert made is not None
        return made

    def of_player(self, name: str) -> list[dict[str, Any]]:
        """Return for each analysed match of a player, oldest first, how many decisions he made and their mean loss."""
        found = []
        for about in reversed(self._matches.list()):
            is_known = about["ended"] and not about["damaged"] and name in about["seats"]
            made = self._of(about).whole if is_known else None
            for player in (made or {}).get("players", ()):
                if player["seat"] == name and player["decisions"]:
                    line = {"match": about["match"], "began": about["started"]}
                    found.append({**line, "decisions": player["decisions"], "mean_loss": player["mean_loss"]})
        return found

    def puzzles(self) -> list[dict[str, Any]]:
        """Return the puzzles of all analysed matches, each with the ``match`` it is of, newest match first."""
        found = []
        for about in self._matches.list():
            made = self._of(about).whole if about["ended"] else None
            found += [{"match": about["match"], **puzzle} for puzzle in (made or {}).get("puzzles", ())]
        return found


def analyse_stored(tools: JobTools, match: str, request: None) -> None:
    """Analyse a match in the background."""
    StoredAnalyses(tools.matches).make(match, tools.report)


def analysed_matches(matches: Matches, name: str) -> Mapping[str, Any]:
    """Return what the answer about a player has of analyses."""
    return {"analysed": StoredAnalyses(matches).of_player(name)}
