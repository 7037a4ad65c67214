"""A correction that is taken back leaves nothing behind, whatever the eye has concluded from it meanwhile."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from referee.record import Header, event_from_json
from webapp.live.match import Match

RECORDING = Path(__file__).parents[3] / "webapp" / "recordings" / "demo.jsonl"


@pytest.fixture(scope="module")
def lines() -> list[dict[str, object]]:
    told = [json.loads(line) for line in RECORDING.read_text("utf-8").splitlines()]
    return [{key: value for key, value in line.items() if key != "fault"} for line in told]


def test_what_the_eye_concluded_from_a_correction_goes_with_it(lines: list[dict[str, object]]) -> None:
    header, *events = lines
    concluded = 0
    for number in range(10, 30, 2):
        match = Match(Header.parse({**header, "witness": "camera"}))
        match.open()
        for event in events[:31]:
            match.judge(event_from_json(event))
        state, taken, at = match.state, match.taken, events[30]["at"]
        wrong = {"event": "placed", "card": "7c", "by": "Vera"}
        match.correct(event_from_json({"event": "corrected", "line": number, "to": wrong, "at": at}))
        concluded += sum(line.get("event") == "corrected" for line in match.lines) - 1
        match.correct(event_from_json({"event": "pressed", "button": "undo", "at": at}))
        assert (match.state, match.taken) == (state, taken), f"line {number}"
    assert concluded, "from some the eye concluded something"
