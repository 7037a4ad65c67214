"""
Compute evenings, scores and the figures of players from the results of many games.

A game is one deal that came to a result; a match may hold several. An *evening* is the games of one table with no pause
of ``PAUSE`` between them. Pure functions of the games (``webapp.store.matches.Matches.games``) and, for
takes and faults of a player, of the facts of each match (``MatchFacts``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any

from msgspec import ValidationError, convert

from referee.fields import PlainValue

PAUSE = timedelta(hours=4)
"""Pause after which the next game belongs to another evening. Set by hand, 2026-11."""
HEADINGS = ("table", "began", "player", "games", "lost", "draws")
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters by which spreadsheets take a cell for a formula."""


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """
    A game that is over. ``match``: the stored match's ID, empty if it is not kept. ``began``, ``ended``: those of
    the match. ``result``: ``kind`` and ``seats``, as in docs/record.md. ``recording``: a key of the film that was
    watched; None: a camera.

    >>> game = FinishedGame("", "kitchen", NEVER, NEVER, ("A", "B", "C"), {"kind": "winner", "seats": ["B"]})
    >>> game.losers
    ('A', 'C')
    """

    match: str
    table: str
    began: datetime
    ended: datetime
    seats: tuple[str, ...]
    result: Mapping[str, Any]
    recording: str | None = None

    @property
    def losers(self) -> tuple[str, ...]:
        """Return the losers: none in a draw, all others if there is a winner."""
        kind, named = str(self.result["kind"]), tuple(self.result["seats"])
        if kind == "draw":
            return ()
        return named if kind.endswith("fool") else tuple(seat for seat in self.seats if seat not in named)

    @property
    def sides(self) -> tuple[tuple[str, ...], ...]:
        """Return the teams, names in alphabetical order; empty if everybody played alone."""
        if not str(self.result["kind"]).startswith("team-"):
            return ()
        losers = self.losers
        return tuple(sorted(losers)), tuple(sorted(seat for seat in self.seats if seat not in losers))

    def as_json(self) -> dict[str, Any]:
        return {"match": self.match, "seats": list(self.seats), "result": dict(self.result), "lost": list(self.losers)}


NEVER = datetime.min


@dataclass(slots=True)
class LossCount:
    """
    Counts of a player or a team. ``lost_running`` and ``spared_running``: number of the newest games in a row that were
    lost, or not lost; ``longest_lost`` and ``longest_spared``: the longest such runs.
    """

    games: int = 0
    lost: int = 0
    draws: int = 0
    lost_running: int = 0
    longest_lost: int = 0
    spared_running: int = 0
    longest_spared: int = 0

    def count(self, *, lost: bool, draw: bool) -> None:
        self.games += 1
        self.lost += lost
        self.draws += draw
        self.lost_running = self.lost_running + 1 if lost else 0
        self.spared_running = 0 if lost else self.spared_running + 1
        self.longest_lost = max(self.longest_lost, self.lost_running)
        self.longest_spared = max(self.longest_spared, self.spared_running)

    def as_json(self) -> dict[str, int]:
        return {name: getattr(self, name) for name in LossCount.__dataclass_fields__}


@dataclass(slots=True)
class Scores:
    """Scores by player and by team, in the order in which they first played."""

    players: dict[str, LossCount] = field(default_factory=dict)
    teams: dict[tuple[str, ...], LossCount] = field(default_factory=dict)

    @classmethod
    def of(cls, games: Iterable[FinishedGame]) -> Scores:
        """
        Return the scores of games that are in order of time.

        >>> lost = [{"kind": "fool", "seats": [seat]} for seat in "ABB"]
        >>> games = [FinishedGame("", "", NEVER, NEVER, ("A", "B"), each) for each in lost]
        >>> {name: score.lost for name, score in Scores.of(games).players.items()}
        {'A': 1, 'B': 2}
        """
        scores = cls()
        for game in games:
            losers, is_draw = game.losers, game.result["kind"] == "draw"
            for seat in game.seats:
                scores.players.setdefault(seat, LossCount()).count(lost=seat in losers, draw=is_draw)
            for side in game.sides:
                scores.teams.setdefault(side, LossCount()).count(lost=set(side) <= set(losers), draw=False)
        return scores

    def as_json(self) -> dict[str, Any]:
        return {
            "players": [{"name": name, **score.as_json()} for name, score in self.players.items()],
            "teams": [{"seats": list(seats), **score.as_json()} for seats, score in self.teams.items()],
        }


@dataclass(frozen=True, slots=True)
class Evening:
    """The games of one table on one evening, in order of time; at least one."""

    games: tuple[FinishedGame, ...]

    @property
    def scores(self) -> Scores:
        return Scores.of(self.games)

    @property
    def ended(self) -> datetime:
        return max(game.ended for game in self.games)

    def as_json(self) -> dict[str, Any]:
        return {
            "table": self.games[0].table,
            "began": self.games[0].began.astimezone().isoformat(timespec="seconds"),
            "ended": self.ended.astimezone().isoformat(timespec="seconds"),
            "games": [game.as_json() for game in self.games],
            **self.scores.as_json(),
        }


def counted_once(games: Iterable[FinishedGame]) -> tuple[FinishedGame, ...]:
    """
    Return the games without those of a recording that was watched several times, but for one match of it.

    It is the match with the most games, and of these the first.
    """
    every = tuple(games)
    in_match = Counter(game.match for game in every)
    chosen: dict[str, str] = {}
    for game in every:
        if game.recording is not None:
            best = chosen.setdefault(game.recording, game.match)
            if in_match[game.match] > in_match[best]:
                chosen[game.recording] = game.match
    return tuple(game for game in every if game.recording is None or chosen[game.recording] == game.match)


def evenings(games: Iterable[FinishedGame]) -> tuple[Evening, ...]:
    found: list[Evening] = []
    by_table = sorted(games, key=lambda game: (game.table, game.began))
    for _, of_table in groupby(by_table, key=lambda game: game.table):
        evening: list[FinishedGame] = []
        for game in of_table:
            if evening and game.began - max(played.ended for played in evening) >= PAUSE:
                found.append(Evening(tuple(evening)))
                evening = []
            evening.append(game)
        found.append(Evening(tuple(evening)))
    return tuple(sorted(found, key=lambda evening: evening.games[0].began, reverse=True))


def evening_so_far(games: Iterable[FinishedGame], table: str, now: datetime) -> tuple[FinishedGame, ...]:
    """Return the games of the current evening at a table; none if the last game is too long ago."""
    newest = next(iter(evenings(game for game in games if game.table == table)), None)
    return () if newest is None or now - newest.ended >= PAUSE else newest.games


def scores_of_today(games: Sequence[FinishedGame], now: datetime) -> Scores:
    """Return the scores of the current evenings of all tables together: the standings of a hall."""
    going_on = (evening.games for evening in evenings(games) if now - evening.ended < PAUSE)
    return Scores.of(sorted((game for of_table in going_on for game in of_table), key=lambda game: game.began))


def scores_as_json(games: Sequence[FinishedGame]) -> dict[str, Any]:
    """Return ``evenings``, the newest first, and ``all``: the scores of all games together."""
    in_order = sorted(games, key=lambda game: game.began)
    return {"evenings": [evening.as_json() for evening in evenings(games)], "all": Scores.of(in_order).as_json()}


def score_rows(games: Iterable[FinishedGame]) -> list[tuple[str, ...]]:
    """Return a row for each player of each evening, below ``HEADINGS``: a table for spreadsheets."""
    rows: list[tuple[str, ...]] = [HEADINGS]
    for evening in evenings(games):
        shown = evening.as_json()
        rows += [
            (plain(shown["table"]), shown["began"], plain(name), str(score.games), str(score.lost), str(score.draws))
            for name, score in evening.scores.players.items()
        ]
    return rows


def plain(name: str) -> str:
    """
    Return the name so that no spreadsheet takes it for a formula.

    >>> plain("Anna"), plain("=1+1")
    ('Anna', "'=1+1")
    """
    return f"'{name}" if name.startswith(FORMULA) else name


class MatchFacts(PlainValue, frozen=True):
    """How often each seat of a match took the cards and broke a rule; ``faults``: seat -> fault id -> count."""

    takes: Mapping[str, int]
    faults: Mapping[str, Mapping[str, int]]


def read_facts(data: object) -> MatchFacts | None:
    """Return facts that were kept as JSON; None if they are damaged."""
    try:
        return convert(data, MatchFacts)
    except ValidationError:
        return None


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
        for count in counts:
            count.update({"games": 1, "lost": int(lost)})
    matches = {game.match: facts[game.match] for game in own if game.match in facts}
    faults: Counter[str] = sum((Counter(match.faults.get(name, {})) for match in matches.values()), Counter())
    return {
        "name": name,
        "games": len(own),
        "lost": sum(name in game.losers for game in own),
        "draws": sum(game.result["kind"] == "draw" for game in own),
        "takes": sum(match.takes.get(name, 0) for match in matches.values()),
        "faults": dict(faults.most_common()),
        "opponents": [{"name": opponent, **count} for opponent, count in sorted(opponents.items())],
        "months": [{"month": month, **count} for month, count in sorted(months.items())],
        "matches": [
            {**game.as_json(), "began": game.began.astimezone().isoformat(timespec="seconds")} for game in reversed(own)
        ],
    }
