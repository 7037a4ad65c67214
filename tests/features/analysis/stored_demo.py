"""The game of the shipped recording, kept and analysed with few playouts."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from referee.record import Header, event_from_json
from webapp.match.log import MatchLog
from webapp.shipped_recording import DEMO_RECORD
from webapp.store.matches import Matches, RecordEntry, Writing


def keep_demo(matches: Matches, *, ended: bool = True, count: int | None = None) -> str:
    """Keep the game, or its first ``count`` events, and return its ID; it has a film nowhere."""
    header, *events = map(json.loads, DEMO_RECORD.read_text("utf-8").splitlines())
    entries: list[RecordEntry] = []

    class Store:
        def write(self, line: Any, lines: Any, result: Any) -> None:
            entries.append(RecordEntry(len(entries) + 1, line, lines, result))

    match = MatchLog(Header.parse(header), store=Store())
    match.open()
    for event in events[:count]:
        match.judge(event_from_json({key: value for key, value in event.items() if key != "fault"}))
    if count is None:
        match.finish()
    writing = Writing.begin("kitchen", datetime.now(UTC), {})
    matches.append(writing, entries)
    if ended:
        matches.end(writing)
    return writing.match
