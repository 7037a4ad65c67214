"""`kozyr review` of stored matches: from their films, or from their records if the film is missing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee.events import Pressed
from referee.record import event_from_json
from tests.webapp.commands.conftest import EVENTS
from tests.webapp.conftest import FakePipeline
from vision.data_home import data_home
from webapp.live import vision_opening
from webapp.live.match_options import MatchOptions
from webapp.match.log import judged
from webapp.match.stored_matches import statements
from webapp.store.database import Database
from webapp.store.films import FOLDER, Films
from webapp.store.matches import Matches

Call = Callable[..., tuple[int, list[Any], str]]


def rulings(lines: list[Any]) -> list[tuple[Any, ...]]:
    return [(line["ruling"], line["play"], line["cards"], line.get("by")) for line in lines if "ruling" in line]


def test_match_without_a_film_is_reviewed_from_its_record(kozyr: Call, filmed_match: str) -> None:
    Films(data_home() / FOLDER).delete(filmed_match)
    status, lines, noted = kozyr("review", filmed_match, "--json")
    assert status == 0
    assert "has no film (any more): judged by its record" in noted
    _, shown, _ = kozyr("matches", "show", filmed_match, "--json")
    assert lines[:-1] == shown
    assert lines[-1]["summary"]["rulings"]["illegal"] == 1
    _, lines, _ = kozyr("review", filmed_match, "--json", "--set", "attack_limit=5")
    assert lines[0]["options"]["attack_limit"] == 5


def test_match_with_a_film_is_reviewed_with_its_own_header(
    kozyr: Call, filmed_match: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[FakePipeline] = []

    def pipeline(options: MatchOptions, *more: object, **others: object) -> FakePipeline:
        assert options.header.seats == ("A", "B", "C")
        seen.append(FakePipeline({10: (event_from_json(EVENTS[0]),), 20: (event_from_json(EVENTS[3]),)}))
        return seen[-1]

    monkeypatch.setattr(vision_opening, "pipeline_for", pipeline)
    status, lines, noted = kozyr("review", filmed_match, "--json", "--set", "transfer=true")
    assert status == 0
    assert "no players were named" not in noted
    assert len(seen[0].seen) == 30
    assert (lines[0]["options"]["transfer"], lines[0]["dealer"]) == (True, "C")
    plays = [
        (line["event"], line.get("button"), line["at"])
        for line in lines
        if line.get("event") != "tick"
        if "event" in line
    ]
    assert plays == [("placed", None, 1.0), ("placed", None, 2.0), ("pressed", "wait", 4.0)]
    assert lines[-1]["summary"]["frames"] == 30


def test_matches_and_clips_are_reviewed_together(kozyr: Call, filmed_match: str, tmp_path: Path) -> None:
    Films(data_home() / FOLDER).delete(filmed_match)
    out = tmp_path / "out"
    other = "2020-01-01-000000-zzzz"
    status, lines, _ = kozyr("review", filmed_match, other, tmp_path / "nothing.mp4", "--out", out, "--json")
    assert status == 1
    assert [path.name for path in out.iterdir()] == [f"{filmed_match}.jsonl"]
    assert lines[0]["summary"]["rulings"]["legal"] == 2
    assert f"expected the ID of a kept match, got '{other}'" in lines[1]["error"]
    assert "found nothing there" in lines[2]["error"]
    status, lines, noted = kozyr("review", filmed_match, "--out", out, "--json")
    assert (status, lines) == (0, [])
    assert "1 of 1 clips are done already" in noted


def test_undone_statement_is_not_applied(filmed_match: str) -> None:
    database = Database.open()
    record = Matches(database).record(filmed_match)
    database.close()
    assert statements(judged(record, has_ended=True)) == (Pressed(at=4.0, button="wait", by="A"),)
