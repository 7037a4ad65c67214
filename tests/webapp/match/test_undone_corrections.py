"""Corrections change every list, and undoing them restores it completely."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from referee.cards import Card
from referee.record import Header, event_from_json
from webapp.match.log import MatchLog
from webapp.match.played_game import played_game
from webapp.text.catalogue import LANGUAGES
from webapp.text.present import card_name

RECORDING = Path(__file__).parents[3] / "webapp" / "recordings" / "demo.jsonl"
JACK = {"event": "placed", "card": "Jh", "by": "Boris"}


@pytest.fixture(scope="module")
def lines() -> list[dict[str, object]]:
    recorded = [json.loads(line) for line in RECORDING.read_text("utf-8").splitlines()]
    return [{key: value for key, value in line.items() if key != "fault"} for line in recorded]


@pytest.mark.thorough
def test_undo_removes_conclusions_of_the_pipeline_from_a_correction(lines: list[dict[str, object]]) -> None:
    header, *events = lines
    concluded = 0
    for number in range(10, 30, 2):
        match = MatchLog(Header.parse({**header, "witness": "camera"}))
        match.open()
        for event in events[:31]:
            match.judge(event_from_json(event))
        state, believed_lines, at = match.view.state, match.believed_lines, events[30]["at"]
        wrong = {"event": "placed", "card": "7c", "by": "Vera"}
        match.correct(event_from_json({"event": "corrected", "line": number, "to": wrong, "at": at}))
        concluded += sum(line.get("event") == "corrected" for line in match.lines) - 1
        match.correct(event_from_json({"event": "pressed", "button": "undo", "at": at}))
        assert (match.view.state, match.believed_lines) == (state, believed_lines), f"line {number}"
    assert concluded, "the pipeline concludes something from some corrections"


@pytest.mark.parametrize("witness", ["camera", "person"])
def test_undo_keeps_later_events_of_the_pipeline(lines: list[dict[str, object]], witness: str) -> None:
    header, *events = lines

    def match_of(correction: dict[str, object] | None) -> MatchLog:
        match = MatchLog(Header.parse({**header, "witness": witness}))
        match.open()
        for number, event in enumerate(events[:14]):
            match.judge(event_from_json(event))
            if number == 9 and correction is not None:
                line = match.correct(event_from_json({**correction, "at": event["at"]})).line
        if correction is not None:
            match.correct(event_from_json({"event": "pressed", "button": "undo", "of": line, "at": events[13]["at"]}))
        return match

    original = match_of(None)
    wrong = {"event": "placed", "card": "7c", "by": "Vera"}
    missed = {"event": "drawn", "by": "Vera", "count": 1, "at": events[9]["at"]}
    for correction in ({"line": 10, "to": wrong}, {"after": 11, "insert": missed}, {"table": {"talon": 3}}):
        undone = match_of({"event": "corrected", **correction})
        assert undone.view.state == original.view.state, correction
        assert [line.event for line in undone.believed_lines] == [line.event for line in original.believed_lines], (
            correction
        )


def test_undo_of_a_line_without_a_correction_has_no_effect(lines: list[dict[str, object]]) -> None:
    header, *events = lines
    match = MatchLog(Header.parse(header))
    match.open()
    for event in events[:6]:
        match.judge(event_from_json(event))
    state, at = match.view.state, events[5]["at"]
    answers = match.judge(event_from_json({"event": "pressed", "button": "undo", "of": 3, "at": at}))
    assert [answer.get("reason") for answer in answers if answer.get("announce")] == ["nothing-to-undo"]
    assert match.view.state == state


@pytest.mark.parametrize("is_whole", [False, True])
def test_corrected_card_has_one_name_in_every_list(lines: list[dict[str, object]], is_whole: bool) -> None:
    """Correct a card after its bout, or after the match, in which the same card was laid once more."""
    header, *events = lines
    match = MatchLog(Header.parse({**header, "witness": "camera"}))
    match.open()
    number = next(place for place, event in enumerate(events, start=2) if event.get("card") == "As")
    swept = next(place for place in range(number, len(events)) if events[place]["event"] == "swept")
    swept = len(events) - 1 if is_whole else swept
    for event in events[: swept + 1]:
        match.judge(event_from_json(event))
    match.correct(event_from_json({"event": "corrected", "line": number, "to": JACK, "at": events[swept]["at"]}))
    view = match.view
    for language in LANGUAGES:
        calls = [call.text.in_language(language) for call in view.calls if call.kind != "corrected"]
        calls += [played_game(view.timeline, {}, language)]
        old, new = (card_name(Card.parse(card), language) for card in ("As", "Jh"))
        assert [text for text in calls if old in text] == []
        assert any(new in text for text in calls)
    assert [step for step in view.timeline if "As" in (step.event.get("card"), step.event.get("on"))] == []
    assert "As" not in str(view.state)


@pytest.mark.parametrize("later", [1, 2, 6])
def test_correction_after_a_missed_sweep_accuses_nobody_and_has_its_own_line(later: int) -> None:
    hands = {"A": 6, "B": 6, "C": 6}
    start = {"trump": "h", "turnup": None, "talon": 0, "hands": hands, "heap_count": 18, "attacker": "A", "bout": 5}
    header = {
        "kozyr": 1,
        "rules": "podkidnoy-36",
        "seats": [*hands],
        "dealer": "C",
        "witness": "camera",
        "start": start,
    }
    match = MatchLog(Header.parse(header))
    match.open()
    events: list[dict[str, object]] = [
        {"event": "placed", "card": "7s", "by": "A"},
        {"event": "placed", "card": "8s", "by": "B", "on": "7s"},
        {"event": "placed", "card": "Kd", "by": "B"},  # the sweep before it was missed
        {"event": "placed", "card": "Ad", "by": "C", "on": "Kd"},
        {"event": "swept", "to": "heap"},
        {"event": "placed", "card": "9c", "by": "C"},
        {"event": "placed", "card": "Tc", "by": "A", "on": "9c"},
        {"event": "swept", "to": "heap"},
        {"event": "placed", "card": "6s", "by": "A"},
    ]
    for at, event in enumerate(events[: 3 + later]):
        match.judge(event_from_json({"at": 4.0 * at, **event}))
    lead = {"event": "placed", "card": "Qd", "by": "B"}
    done = match.correct(event_from_json({"event": "corrected", "line": 4, "to": lead, "by": "A", "at": 40.0}))
    assert match.view.rulings["illegal"] == 0
    assert (done.texts["en"], done.details["en"]) == ("K♦ was Q♦.", ["Nothing else changes."])
    undo = {"event": "pressed", "button": "undo", "of": done.line, "at": 40.0}
    assert match.correct(event_from_json(undo)).texts["en"] == "The correction is undone."
    assert match.view.corrections == ()


def test_answer_says_from_when_on_the_cards_seen_do_not_fit(lines: list[dict[str, object]]) -> None:
    header, *events = lines
    match = MatchLog(Header.parse({**header, "witness": "camera"}))
    match.open()
    match.judge(*map(event_from_json, events))
    match.finish()
    beat = {"event": "placed", "card": "Qc", "by": "Boris", "on": "9c"}
    done = match.correct(event_from_json({"event": "corrected", "line": 29, "to": beat, "by": "Anya", "at": 95.0}))
    assert done.details["en"].count("From 1:15 on the cards seen do not fit what was stated.") == 1
    undo = event_from_json({"event": "pressed", "button": "undo", "at": 95.0})
    assert not any("do not fit" in text for text in match.correct(undo).details["en"])
