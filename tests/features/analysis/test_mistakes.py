"""Costly decisions as exercises, and the page that sums a game up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from features.analysis import stored_analyses
from features.analysis.judgements import MUCH
from features.analysis.mistakes import PLIES
from features.analysis.stored_analyses import StoredAnalyses
from tests.features.analysis.stored_demo import keep_demo
from webapp.errors import MatchGoesOnError
from webapp.live.board import SnapshotHub
from webapp.store.database import Database
from webapp.store.matches import Matches
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig


@pytest.fixture
def matches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Matches]:
    monkeypatch.setenv("KOZYR_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(stored_analyses, "PLAYOUTS", 60)
    database = Database.open(f"sqlite:///{tmp_path / 'kept.sqlite'}")
    yield Matches(database)
    database.close()


def made(matches: Matches, match: str) -> dict[str, Any]:
    return dict(StoredAnalyses(matches).make(match, lambda share: None))


def test_each_costly_decision_can_be_tried_again(matches: Matches) -> None:
    analysis = made(matches, keep_demo(matches))
    costly = [decision for decision in analysis["decisions"] if decision["loss"] >= MUCH]
    assert costly
    assert [mistake["line"] for mistake in analysis["mistakes"]] == [decision["line"] for decision in costly]
    for mistake, decision in zip(analysis["mistakes"], costly, strict=True):
        rated = {tried["play"]: tried["chance"] for tried in mistake["tries"]}
        assert len(rated) == decision["choices"], "every legal play"
        assert rated[decision["played"]] == decision["chance"]
        assert rated[decision["best"]] == decision["best_chance"] == min(rated.values())
        for tried in mistake["tries"]:
            first, *following = tried["goes_on"]
            assert (first["by"], first["play"]) == (mistake["by"], tried["play"])
            assert len(following) <= PLIES
            laid = [card for card in mistake["hand"] if card in tried["play"].split()]
            left = len(mistake["hand"]) - len(laid)
            assert first["after"]["hands"][mistake["by"]] >= left


def test_same_match_gives_the_same_exercises(matches: Matches, tmp_path: Path) -> None:
    match = keep_demo(matches)
    one, other = (StoredAnalyses(matches, tmp_path / name).make(match, lambda share: None)["mistakes"] for name in "ab")
    assert one == other


def test_game_that_is_decided_is_analysed_while_its_table_waits(matches: Matches) -> None:
    assert made(matches, keep_demo(matches, ended=False))["decisions"]
    with pytest.raises(MatchGoesOnError):
        made(matches, keep_demo(matches, ended=False, count=10))


def test_summary_has_turning_point_and_players(matches: Matches) -> None:
    match = keep_demo(matches)
    client = create_app(AppConfig(matches=matches), SnapshotHub()).test_client()
    before = client.get(f"/api/matches/{match}/summary").get_json()
    assert (before["analysed"], before["turning"], before["players"][0]["accuracy"]) == (False, None, None)
    assert before["result"] == {"kind": "fool", "seats": ["Vera"]}
    analysis = made(matches, match)
    summary = client.get(f"/api/matches/{match}/summary").get_json()
    assert summary["analysed"] is True
    assert summary["mistakes"] == len(analysis["mistakes"])
    assert summary["since"]["line"] <= max(decision["line"] for decision in analysis["decisions"])
    assert {"line", "at", "bout", "by", "played"} <= summary["turning"].keys()
    assert [player["seat"] for player in summary["players"]] == summary["seats"]
    assert all(0 <= player["accuracy"] <= 100 for player in summary["players"])
    assert sum(player["faults"] for player in summary["players"]) == 1
    assert client.get("/api/matches/none/summary").status_code == 404
