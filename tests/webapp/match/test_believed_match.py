"""Matches recorded by a camera: rulings are delayed or withdrawn, and refereeing the record again repeats them."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from benchmarks.simulation.simulated_games import Setting, game_of
from referee.events import TableEvent, Tick
from referee.record import Header, event_from_json
from tests.webapp.conftest import HEADER, placed
from webapp.commands.options import RuleOptions
from webapp.commands.referee import RulingWriter, judge_record
from webapp.match.log import REPORT_DELAY_S, MatchLog

Line = Mapping[str, Any]
CAMERA = {**HEADER, "witness": "camera"}


def played(match: MatchLog, events: list[TableEvent]) -> Iterator[Line]:
    """Yield the lines of a match, with the clock read between any two events."""
    yield from match.open()
    before: TableEvent | None = None
    for event in events:
        for share in (0.25, 0.5, 0.75, 1.0) if before is not None else ():
            yield from match.pass_time(before.at + share * (event.at - before.at))
        yield from match.judge(event)
        before = event
    yield from match.finish()


def is_of_record(line: Line) -> bool:
    return "kozyr" in line or "event" in line


def judged_again(record: list[Line]) -> list[Line]:
    """Return what ``kozyr referee --json`` prints."""
    out = io.StringIO()
    judge_record(map(json.dumps, record), "record", RulingWriter(out, True, False, "en"), RuleOptions(language="en"))
    return [json.loads(line) for line in out.getvalue().splitlines()]


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("number", range(4))
def test_refereeing_the_record_gives_the_live_lines(number: int) -> None:
    game = game_of(number, Setting(seed=5, breakers=0.05))
    header = Header.parse(game.truth.header)
    assert header.witness == "camera"
    lines = [
        json.loads(json.dumps(line))
        for line in played(MatchLog(header), [event_from_json(e.event) for e in game.reported])
    ]
    record = [line for line in lines if is_of_record(line)]
    assert [line for line in lines if not is_of_record(line)] == judged_again(record)
    assert any(line.get("event") == "tick" for line in record)


def test_ruling_is_announced_during_a_pause() -> None:
    match = MatchLog(Header.parse(CAMERA))
    match.open()
    assert not any("ruling" in line for line in match.judge(placed(1.0, "7s", "A")))
    assert match.pass_time(2.0) == ()
    tick, ruling = match.pass_time(3.5 + REPORT_DELAY_S)
    assert (tick["event"], tick["at"]) == ("tick", 3.5)
    assert (ruling["line"], ruling["at"], ruling["ruling"]) == (2, 1.0, "legal")
    assert match.pass_time(60.0) == ()


def test_end_of_events_decides_delayed_rulings() -> None:
    match = MatchLog(Header.parse(CAMERA))
    match.open()
    match.judge(placed(1.0, "7s", "A"))
    tick, ruling = match.finish()
    assert (tick["event"], ruling["line"], ruling["ruling"]) == ("tick", 2, "legal")
    assert match.finish() == ()
    assert match.line == 3


def test_corrected_fault_is_announced_and_counted_once() -> None:
    match = MatchLog(Header.parse(CAMERA))
    match.open()
    lines = match.judge(placed(1.0, "7s", "A"), placed(2.0, "6d", "B", "7s"))
    assert not any(line.get("ruling") == "illegal" for line in lines)
    lines = match.judge(event_from_json({"at": 3.0, "event": "lifted", "card": "6d", "by": "B"}))
    fault = next(line for line in lines if line.get("ruling") == "illegal")
    assert (fault["line"], fault["at"], fault["fault"]) == (3, 2.0, "does-not-beat")
    assert fault["probability"] > 0.95
    assert match.view.rulings["illegal"] == 1


def test_note_does_not_count_as_uncertain() -> None:
    match = MatchLog(Header.parse(CAMERA))
    match.open()
    match.judge(placed(1.0, "7s", "A"), placed(2.0, "8s", "B", "7s"))
    match.judge(event_from_json({"at": 3.0, "event": "swept", "to": "heap"}))
    match.pass_time(60.0)
    summary = match.summary(frames=1, seconds_of_clip=1.0, seconds_taken=1.0)["summary"]
    assert (summary["rulings"]["unclear"], summary["doubts"]) == (1, 0)
    assert match.view.question is None


def test_withdrawn_fault_is_removed_from_the_page() -> None:
    match = MatchLog(Header.parse(CAMERA))
    match.open()
    match.judge(placed(1.0, "7s", "A"), placed(2.0, "6d", "B", "7s"))
    match.judge(event_from_json({"at": 3.0, "event": "lifted", "card": "6d", "by": "B"}))
    assert [call.line for call in match.view.calls if call.content.get("ruling") == "illegal"] == [3]
    right = {"at": 4.0, "event": "corrected", "line": 3, "to": {"event": "placed", "card": "8s", "by": "B", "on": "7s"}}
    lines = match.judge(event_from_json(right))
    assert [line["of"] for line in lines if "withdrawn" in line] == [3]
    assert [call for call in match.view.calls if call.content.get("ruling") == "illegal"] == []
    assert match.view.rulings["illegal"] == 0


def test_question_is_open_until_later_events_answer_it() -> None:
    match = MatchLog(Header.parse(CAMERA))
    match.open()
    doubted = {"card": "6d", "by": "B", "on": "7s", "confidence": 0.999, "alternatives": [["8s", 0.001]]}
    match.judge(placed(1.0, "7s", "A"), event_from_json({"at": 2.0, "event": "placed", **doubted}))
    match.judge(Tick(at=30.0))
    question = match.view.question
    assert question is not None
    assert (question.line, question.fault, question.answers[0]) == (3, "does-not-beat", {"answer": "as_seen"})
    match.judge(event_from_json({"at": 31.0, "event": "lifted", "card": "6d", "by": "B"}))
    assert match.view.question is None
