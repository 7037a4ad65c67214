"""Sentences about a correction: what it states, and each consequence with its reason."""

from __future__ import annotations

import json
from typing import Any

import pytest

from referee.record import Header, event_from_json
from webapp.match.log import MatchLog, MatchUpdate
from webapp.text.catalogue import LANGUAGES

SEATS = ["Ann", "Bob", "Vera"]
START = {"trump": "h", "turnup": "9h", "talon": 18, "hands": dict.fromkeys(SEATS, 6), "attacker": "Ann"}
HEADER = {"kozyr": 1, "rules": "podkidnoy-36", "seats": SEATS, "dealer": "Vera", "start": START}
PLAYED: list[dict[str, Any]] = [
    {"at": 1.0, "event": "placed", "card": "7s", "by": "Ann"},
    {"at": 2.0, "event": "placed", "card": "Ts", "by": "Bob", "on": "7s"},
    {"at": 3.0, "event": "swept", "to": "heap"},
    {"at": 4.0, "event": "drawn", "by": "Ann", "count": 1},
    {"at": 5.0, "event": "drawn", "by": "Bob", "count": 1},
]


def corrected(count: int, correction: dict[str, Any]) -> tuple[MatchLog, MatchUpdate]:
    """Correct a match of the first ``count`` events."""
    match = MatchLog(Header.parse(HEADER))
    match.open()
    match.judge(*map(event_from_json, PLAYED[:count]))
    return match, match.correct(event_from_json({"event": "corrected", "at": 9.0, "anyway": True, **correction}))


def test_hand_that_changes_has_its_reason() -> None:
    _, done = corrected(2, {"line": 3, "to": None})
    assert done.texts["en"] == "That did not happen."
    assert done.details["en"] == ["Bob now holds 6 cards, not 5: Bob did not lay 10♠."]


def test_draws_that_no_longer_count_are_the_reason_of_hands_and_talon() -> None:
    _, done = corrected(5, {"line": 3, "to": None})
    details = done.details["en"]
    assert "Ann now holds 5 cards, not 6: Ann has nothing to draw now." in details
    assert "The draw pile now has 18 cards, not 16: Ann has nothing to draw now." in details
    assert "The beaten pile now has 0 cards, not 2: The bout can't go to the beaten pile: 7♠ is not beaten." in details


def test_take_is_the_reason_of_a_hand_and_of_the_beaten_pile() -> None:
    match = MatchLog(Header.parse(HEADER))
    match.open()
    match.judge(*map(event_from_json, (PLAYED[0], {"at": 3.0, "event": "swept", "to": "heap"})))
    take = {"event": "corrected", "at": 9.0, "line": 3, "to": {"event": "swept", "to": "Bob"}}
    done = match.correct(event_from_json(take))
    assert done.texts["en"] == "Bob took the cards."
    assert "Bob now holds 7 cards, not 6: Bob took the cards at 0:03." in done.details["en"]


def test_count_that_was_stated_is_its_own_reason() -> None:
    _, done = corrected(2, {"table": {"hands": {"Ann": 4, "Bob": 5, "Vera": 6}}})
    assert any("Ann now holds 4 cards, not 5: It was counted so." in text for text in done.details["en"])


def test_fault_that_a_correction_makes_is_the_headline() -> None:
    match, done = corrected(2, {"line": 3, "to": {"event": "placed", "card": "6d", "by": "Bob", "on": "7s"}})
    headline = match.view.headline
    assert headline.tone == "illegal"
    assert [call.text.in_language("en") for call in headline.calls] == ["6♦ does not beat 7♠.", "10♠ was 6♦."]
    assert done.details["en"][0] == "6♦ does not beat 7♠."


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_says_what_follows_and_why(language: str) -> None:
    match, done = corrected(5, {"line": 3, "to": None})
    assert len(done.details[language]) == len(done.details["en"])
    shown = match.view.as_json(language)
    (call,) = (each for each in shown["calls"] if each["content"].get("announce") == "corrected")
    assert list(call["details"]) == done.details[language]
    assert len(done.texts[language]) < 40 < len(json.dumps(call["details"]))
