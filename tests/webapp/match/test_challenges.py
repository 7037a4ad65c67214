"""A challenge that finds nothing new says which fault was called in its bout already, on the page and in the lines."""

from __future__ import annotations

from typing import Any

import pytest

from referee.record import Header, event_from_json
from tests.webapp.conftest import HEADER
from webapp.match.log import MatchLog

LEAD = {"at": 1.0, "event": "placed", "card": "7s", "by": "A"}
WRONG = {"at": 2.0, "event": "placed", "card": "6d", "by": "B", "on": "7s"}
BACK = {"at": 3.0, "event": "lifted", "card": "6d", "by": "B"}
CHALLENGE = {"at": 7.0, "event": "pressed", "button": "challenge"}


@pytest.mark.parametrize(
    ("events", "answer"),
    [
        ((LEAD, WRONG, BACK), "Called already: 6♦ does not beat 7♠."),
        ((LEAD,), "The last bout: nothing was found."),
        ((LEAD, WRONG), "The last bout: one thing was seen."),
    ],
)
def test_challenge_says_what_was_called_in_this_bout(events: tuple[dict[str, Any], ...], answer: str) -> None:
    match = MatchLog(Header.parse(HEADER))
    match.open()
    lines = match.judge(*map(event_from_json, (*events, CHALLENGE)))
    (call,) = (call for call in match.view.calls if call.kind == "challenge")
    assert call.text.in_language("en") == answer
    (text,) = (line["text"] for line in lines if line.get("announce") == "challenge")
    assert text == answer, "the terminal says the same as the page"
