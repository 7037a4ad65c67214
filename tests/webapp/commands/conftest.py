"""Fixtures for commands: a stored match with a film, and a function that calls `kozyr`."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from referee.record import Header, event_from_json
from tests.webapp.conftest import HEADER
from vision.capture.video_writer import FilmWriter
from vision.data_home import data_home
from webapp.commands import cli
from webapp.match.log import MatchLog
from webapp.store.database import Database
from webapp.store.films import FOLDER, Films
from webapp.store.matches import Matches, RecordEntry, Writing

EVENTS = (
    {"at": 1.0, "event": "placed", "card": "7s", "by": "A"},
    {"at": 1.5, "event": "pressed", "button": "take", "by": "B"},
    {"at": 1.6, "event": "pressed", "button": "undo"},
    {"at": 2.0, "event": "placed", "card": "Ts", "by": "B", "on": "7s"},
    {"at": 3.0, "event": "placed", "card": "Kd", "by": "A"},
    {"at": 4.0, "event": "pressed", "button": "wait", "by": "A"},
)
Call = Callable[..., tuple[int, list[Any], str]]


@pytest.fixture
def filmed_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Store a match with a film of three grey seconds; return its ID."""
    monkeypatch.setenv("KOZYR_HOME", str(tmp_path / "home"))
    database = Database.open()
    matches = Matches(database, Films(data_home() / FOLDER))
    writing = Writing.begin("kitchen", datetime.now(UTC), {})
    entries: list[RecordEntry] = []

    class Store:
        def write(self, line: object, rulings: object, result: object) -> None:
            entries.append(RecordEntry(len(entries) + 1, line, rulings, result))  # type: ignore[arg-type]

    played = MatchLog(Header.parse({**HEADER, "witness": "camera"}), store=Store())
    played.open()
    for event in EVENTS:
        played.judge(event_from_json(event))
    played.finish()
    matches.append(writing, entries)
    matches.end(writing)
    assert matches.films is not None
    with FilmWriter(matches.films.new_part(writing.match), (160, 90), 0.0) as film:
        for number in range(30):
            film.add(np.full((90, 160, 3), 90, np.uint8), number / 10, wait=True)
    database.close()
    return writing.match


@pytest.fixture
def kozyr(capsys: pytest.CaptureFixture[str]) -> Call:
    """Return a function that calls the command: status, lines of standard output as JSON, standard error."""

    def call(*arguments: object) -> tuple[int, list[Any], str]:
        capsys.readouterr()
        status = cli.main([str(argument) for argument in arguments])
        output = capsys.readouterr()
        return status, [json.loads(line) for line in output.out.splitlines()], output.err

    return call
