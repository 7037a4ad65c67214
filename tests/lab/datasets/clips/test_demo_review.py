"""The shipped recording through networks, tracking and referee, compared with its truth."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.runtime_checksum import checksum_of_runtime
from webapp.commands.cli import main

RECORDING = Path(__file__).parents[4] / "webapp" / "recordings" / "demo.mp4"
Lines = list[Mapping[str, Any]]


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> Lines:
    """Return the true events, each followed by the referee's lines on it."""
    return judged([json.loads(text) for text in RECORDING.with_suffix(".jsonl").read_text("utf-8").splitlines()])


@pytest.fixture(scope="module")
def seen(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Lines:
    """
    Return the lines of ``kozyr review --json``, started from the true opening position.

    The record is kept until something changes that decides it.
    """
    truth = RECORDING.with_suffix(".jsonl")
    kept = request.config.cache.mkdir("reviews") / f"{checksum_of_runtime(RECORDING, truth)}.jsonl"
    if not kept.exists():
        folder = tmp_path_factory.mktemp("review")
        start, record = folder / "start.json", folder / "seen.jsonl"
        start.write_text(truth.read_text("utf-8").splitlines()[0], "utf-8")
        assert main(["review", str(RECORDING), "--json", "--start", str(start), "--record", str(record)]) == 0
        for older in kept.parent.iterdir():
            older.unlink()
        shutil.move(record, kept)
    return judged([json.loads(text) for text in kept.read_text("utf-8").splitlines()])


def judged(lines: Lines) -> Lines:
    """Return a record's lines, each followed by the referee's lines on it."""
    from referee.record import Header, event_from_json
    from webapp.match.log import MatchLog

    match = MatchLog(Header.parse(lines[0]))
    judged_lines = list(match.open())
    for line in lines[1:]:
        judged_lines += match.judge(event_from_json({key: value for key, value in line.items() if key != "fault"}))
    return [*judged_lines, match.summary(frames=0, seconds_of_clip=0, seconds_taken=0)]


def events(lines: Lines, kind: str, *keys: str) -> list[tuple[Any, ...]]:
    return [tuple(line.get(key) for key in keys) for line in lines if line.get("event") == kind]


def test_every_play_has_the_true_card_place_and_seat(seen: Lines, truth: Lines) -> None:
    keys = ("card", "on", "by")
    assert events(seen, "placed", *keys) == events(truth, "placed", *keys)


def test_every_taken_back_card_is_reported(seen: Lines, truth: Lines) -> None:
    assert events(seen, "lifted", "card", "by") == events(truth, "lifted", "card", "by")


def test_every_sweep_has_the_true_destination(seen: Lines, truth: Lines) -> None:
    assert events(seen, "swept", "to") == events(truth, "swept", "to")


def test_number_of_drawn_cards_is_true_for_each_seat(seen: Lines, truth: Lines) -> None:
    def draws(lines: Lines) -> Counter[str]:
        counts: Counter[str] = Counter()
        for seat, count in events(lines, "drawn", "by", "count"):
            counts[seat] += count
        return counts

    assert draws(seen) == draws(truth)


def test_rulings_and_announcements_match_the_truth(seen: Lines, truth: Lines) -> None:
    def calls(lines: Lines) -> list[tuple[Any, ...]]:
        return [(line["ruling"], line.get("fault")) for line in lines if "ruling" in line]

    assert calls(seen) == calls(truth)
    assert [call for call in calls(seen) if call[0] == "illegal"] == [("illegal", "rank-not-on-table")]


def test_result_names_the_true_fool(seen: Lines, truth: Lines) -> None:
    assert seen[-1]["summary"]["result"] == truth[-1]["summary"]["result"]
    assert seen[-1]["summary"]["result"]["kind"] == "fool"
