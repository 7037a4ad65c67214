"""Analysis of a stored match: made on request, stored, and refused for a running match."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from features.analysis import stored_analyses as analysis
from features.analysis.decision_case import DecisionCase
from features.analysis.judgements import judged
from features.analysis.rating import Rating
from features.analysis.stored_analyses import StoredAnalyses, StoredRatings
from features.notation.parser import read_games
from features.notation.writer import write_games
from tests.features.analysis.endings import RECORD
from webapp.errors import MatchGoesOnError
from webapp.live.background_jobs import BackgroundJob, BackgroundJobs
from webapp.live.board import SnapshotHub
from webapp.store.database import Database
from webapp.store.films import Films
from webapp.store.matches import Matches, RecordEntry, Writing
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig


class Asked:
    """Fake background work that only collects requests."""

    def __init__(self) -> None:
        self.jobs = BackgroundJobs()
        self.asked: list[str] = []

    def start(self, kind: str, match: str) -> BackgroundJob:
        self.asked.append(match)
        return BackgroundJob("j1", kind, match)


@pytest.fixture
def matches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Matches:
    monkeypatch.setenv("KOZYR_HOME", str(tmp_path / "home"))
    return Matches(Database.open(f"sqlite:///{tmp_path}/kozyr.db"), Films(tmp_path / "films"))


def stored(matches: Matches, *, ended: bool) -> str:
    """Store a match and return its ID."""
    writing = Writing.begin("kitchen", datetime.now(UTC), {})
    matches.append(writing, [RecordEntry(line, data) for line, data in enumerate(RECORD, start=1)])
    if ended:
        matches.end(writing)
    return writing.match


def test_analysis_is_made_stored_and_shown(matches: Matches) -> None:
    match, work = stored(matches, ended=True), Asked()
    client = create_app(AppConfig(matches=matches, long_work=work), SnapshotHub()).test_client()  # type: ignore[arg-type]
    assert client.get(f"/api/matches/{match}/analysis").status_code == 204
    assert client.post(f"/api/matches/{match}/analysis").status_code == 202
    assert work.asked == [match]
    shares: list[float] = []
    made = StoredAnalyses(matches).make(match, shares.append)
    assert shares[-1] == 1.0
    answer = client.get(f"/api/matches/{match}/analysis")
    assert answer.json == made
    assert [decision["line"] for decision in made["decisions"]] == [2, 3, 4, 5, 6]
    assert [player["seat"] for player in made["players"]] == ["A", "B"]


def test_stopped_analysis_goes_on_where_it_was(
    matches: Matches, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = stored(matches, ended=True)
    made = StoredAnalyses(matches).make(match, lambda share: None)
    (file,) = (tmp_path / "home" / "analysed").iterdir()
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:4]))
    assert StoredAnalyses(matches).read(match) is None
    again: list[int] = []
    rated = analysis.rated

    def counted(case: DecisionCase, playouts: int, seed: int) -> Rating:
        again.append(case.line)
        return rated(case, playouts, seed)

    monkeypatch.setattr(analysis, "rated", counted)
    assert StoredAnalyses(matches).make(match, lambda share: None) == made
    assert again == [5, 6]


def test_analysis_that_was_stopped_while_writing_lacks_no_decision(matches: Matches, tmp_path: Path) -> None:
    match = stored(matches, ended=True)
    made = StoredAnalyses(matches).make(match, lambda share: None)
    (file,) = (tmp_path / "home" / "analysed").iterdir()
    file.write_text(file.read_text()[: file.read_text().index("[2,") + 9])
    StoredAnalyses(matches).make(match, lambda share: None)
    assert StoredAnalyses(matches).read(match) == made


def test_analysis_without_room_for_a_decision_is_not_taken_for_whole(
    matches: Matches, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, keep, full = stored(matches, ended=True), StoredRatings.keep, [True]

    def stored_or_not(self: StoredRatings, place: int | None, found: Any, *more: Any) -> None:
        if place == 1 and full:
            self._add(place, found, *more)
            raise OSError(28, "No space left on device")
        keep(self, place, found, *more)

    monkeypatch.setattr(StoredRatings, "keep", stored_or_not)
    made = StoredAnalyses(matches).make(match, lambda share: None)
    assert StoredAnalyses(matches).read(match) is None
    full.clear()
    assert StoredAnalyses(matches).make(match, lambda share: None) == made
    assert StoredAnalyses(matches).read(match) == made


def test_running_match_is_not_analysed(matches: Matches) -> None:
    match, work = stored(matches, ended=False), Asked()
    client = create_app(AppConfig(matches=matches, long_work=work), SnapshotHub()).test_client()  # type: ignore[arg-type]
    assert client.get(f"/api/matches/{match}/analysis").status_code == 204
    answer = client.post(f"/api/matches/{match}/analysis")
    assert answer.status_code == 409
    assert "goes on" in answer.json["error"]
    assert work.asked == []
    with pytest.raises(MatchGoesOnError):
        StoredAnalyses(matches).make(match, lambda share: None)


def test_missing_analyses_and_matches_are_reported(matches: Matches) -> None:
    client = create_app(AppConfig(matches=matches), SnapshotHub()).test_client()
    assert client.get("/api/matches/2026-01-01-000000-aaaa/analysis").status_code == 404
    without = create_app(AppConfig(), SnapshotHub()).test_client()
    assert without.get("/api/matches/x/analysis").status_code == 503
    assert without.post("/api/matches/x/analysis").status_code == 503


def test_ending_with_a_single_saving_decision_becomes_a_puzzle(matches: Matches) -> None:
    client = create_app(AppConfig(matches=matches), SnapshotHub()).test_client()
    match = stored(matches, ended=True)
    assert client.get("/api/puzzles").json == {"puzzles": []}
    made = StoredAnalyses(matches).make(match, lambda share: None)
    (first, *_) = puzzles = client.get("/api/puzzles").json["puzzles"]  # type: ignore[index]
    assert puzzles == [{"match": match, **puzzle} for puzzle in made["puzzles"]]
    rated = {decision["line"]: decision for decision in made["decisions"]}
    assert all(puzzle["solution"] == rated[puzzle["line"]]["best"] for puzzle in puzzles)
    assert first["solution"] in first["choices"]
    assert set(first["hands"]) == {"A", "B"}
    assert create_app(AppConfig(matches=None), SnapshotHub()).test_client().get("/api/puzzles").status_code == 503


def test_notation_of_an_analysed_game_has_its_ratings(matches: Matches) -> None:
    client = create_app(AppConfig(matches=matches), SnapshotHub()).test_client()
    match = stored(matches, ended=True)
    assert client.get(f"/api/matches/{match}/analysis.durak").status_code == 404
    made = StoredAnalyses(matches).make(match, lambda share: None)
    text = client.get(f"/api/matches/{match}/analysis.durak").text
    (game,) = read_games(text)
    expected = [line.get("judgement") for line in judged(RECORD, made["decisions"])][1:]
    assert [line.get("judgement") for line in game.event_lines] == expected
    assert {"?", "??", "!"} & {*expected}
    assert game.event_lines[-1]["best_line"] == ["A: Kh over 7c", "A: 6c", "B: 9c over 6c"]
    assert write_games([game]) == text
    without = create_app(AppConfig(matches=None), SnapshotHub()).test_client()
    assert without.get(f"/api/matches/{match}/analysis.durak").status_code == 503


def test_costliest_of_several_decisions_on_a_line_is_rated() -> None:
    decisions = [{"line": 2, "loss": 0.05, "best": "take"}, {"line": 2, "loss": 0.2, "best": "8c"}]
    assert list(judged([{"kozyr": 1}, {"event": "swept"}, {"event": "tick"}], decisions)) == [
        {"kozyr": 1},
        {"event": "swept", "judgement": "?", "best": "8c"},
        {"event": "tick"},
    ]


def test_losses_of_a_players_decisions_are_listed_by_match(matches: Matches) -> None:
    match = stored(matches, ended=True)
    assert StoredAnalyses(matches).of_player("A") == []
    made = StoredAnalyses(matches).make(match, lambda share: None)
    (line,) = StoredAnalyses(matches).of_player("A")
    assert (line["match"], line["mean_loss"]) == (match, made["players"][0]["mean_loss"])
    assert StoredAnalyses(matches).of_player("nobody") == []
