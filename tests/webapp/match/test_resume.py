"""Resuming a match of an earlier run of the program."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from referee.record import Header, event_from_json
from tests.referee.random_play import RandomSession
from webapp.match.log import MatchLog, judged

Line = Mapping[str, Any]


class LineStore:
    """Store in memory."""

    def __init__(self) -> None:
        self.lines: list[tuple[Line, tuple[Line, ...], Line | None]] = []

    def write(self, line: Line, rulings: tuple[Line, ...], result: Line | None) -> None:
        self.lines.append((line, rulings, result))


@pytest.mark.ordinary(2)
@pytest.mark.parametrize("seed", range(6))
def test_position_is_rebuilt_from_a_record_cut_at_any_line(seed: int) -> None:
    session = RandomSession("podkidnoy-36", 2 + seed % 5, seed)
    session.play()
    header, *events = session.record
    for stop in (0, 1, len(events) // 3, len(events) // 2, len(events)):
        through, stored = MatchLog(Header.parse(header)), LineStore()
        through.open()
        through.judge(*map(event_from_json, events[:stop]))
        resumed = MatchLog(Header.parse(header), store=stored)
        judged(session.record[: stop + 1], match=resumed)
        assert json.dumps(resumed.view.state) == json.dumps(through.view.state)
        assert (resumed.view.as_json(), resumed.result) == (through.view.as_json(), through.result)
        assert stored.lines == []


def test_resumed_match_records_the_interruption(table: Any) -> None:
    first, stored = MatchLog(Header.parse(table.header)), LineStore()
    record = [*first.open(), *first.judge(table.placed(3.5, "7s", "A"))]
    second = MatchLog(first.header, store=stored)
    judged(record, match=second)
    away, *_ = second.open()
    assert away == {"at": 3.5, "event": "blocked", "reason": "the program was away for a while"}
    beaten, *_ = second.judge(table.placed(4.0, "Ts", "B", "7s"))
    # Events may have gone unseen meanwhile, so the ruling waits for what people do next.
    _, ruling, *_ = second.finish()
    assert (ruling["line"], ruling["play"], ruling["ruling"]) == (4, "beat", "legal")
    assert [line for line, _, _ in stored.lines][:2] == [away, beaten]


def test_line_is_stored_with_its_rulings_before_it_is_returned(table: Any) -> None:
    class Full(LineStore):
        def write(self, line: Line, rulings: tuple[Line, ...], result: Line | None) -> None:
            raise RuntimeError("no line may be returned")

    stored = LineStore()
    match = MatchLog(Header.parse(table.header), store=stored)
    lines = (*match.open(), *match.judge(table.placed(3.5, "7s", "A")))
    assert [written for line, rulings, _ in stored.lines for written in (line, *rulings)] == list(lines)
    broken = MatchLog(match.header, store=Full())
    with pytest.raises(RuntimeError):
        broken.open()
    assert broken.lines == []
