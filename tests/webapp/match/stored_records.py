"""Stored matches of a few lines, for tests of what is made of them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from referee.record import Header, event_from_json
from tests.webapp.conftest import HEADER
from webapp.match.log import MatchLog
from webapp.store.database import Database
from webapp.store.matches import Matches, RecordEntry, Writing

LAID = {"at": 1.0, "event": "placed", "card": "7s", "by": "A"}
WRONG = {"at": 3.0, "event": "placed", "card": "Kd", "by": "A"}
PUT_RIGHT = {"at": 4.0, "event": "corrected", "line": 3, "to": {"event": "placed", "card": "7d", "by": "A"}}


def stored(folder: Path, *events: dict[str, Any], store: Matches | None = None) -> tuple[Matches, str]:
    """Return a store with a match of these events."""
    matches = store or Matches(Database.open(f"sqlite:///{folder}/kozyr.db"))
    writing = Writing.begin("kitchen", datetime.now(UTC), {})
    entries: list[RecordEntry] = []

    class Store:
        def write(self, line: Any, rulings: Any, result: Any) -> None:
            entries.append(RecordEntry(len(entries) + 1, line, rulings, result))

    match = MatchLog(Header.parse(HEADER), store=Store())
    match.open()
    for event in events:
        match.judge(event_from_json(event))
    matches.append(writing, entries)
    return matches, writing.match
