"""Open matters: the open question and the open faults, with their possible answers."""

from __future__ import annotations

from typing import Any

import pytest

from referee.record import Header, event_from_json
from tests.webapp.conftest import HEADER
from webapp.errors import NotAskedError
from webapp.match.log import MatchLog, judged
from webapp.match.open_matters import Answered
from webapp.match.stored_matches import replayed_calls

LEAD = {"at": 1.0, "event": "placed", "card": "7s", "by": "A"}
BEAT = {"at": 2.0, "event": "placed", "card": "8s", "by": "B", "on": "7s"}
WRONG = {"at": 2.0, "event": "placed", "card": "6d", "by": "B", "on": "7s"}
DOUBTED = WRONG | {"confidence": 0.999, "alternatives": [["8s", 0.001]]}
PAUSE = {"at": 30.0, "event": "tick"}
EARLY = {"at": 3.0, "event": "placed", "card": "8d", "by": "C"}
SWEPT = {"at": 3.0, "event": "swept", "to": "heap"}
STRICT = {"options": {"etiquette": "strict"}}


def match(*events: dict[str, Any], **header: Any) -> MatchLog:
    made = MatchLog(Header.parse(HEADER | header))
    made.open()
    made.judge(*map(event_from_json, events))
    return made


def answers(made: MatchLog) -> list[tuple[int, bool, list[dict[str, str]]]]:
    return [(matter.line, matter.question, matter.answers) for matter in made.view.matters]


def answered(made: MatchLog, line: int, **answer: str) -> list[dict[str, Any]]:
    """Return the events that the answer adds to the record."""
    lines = made.correct(Answered(line, answer, at=40.0)).lines
    return [{key: value for key, value in line.items() if key != "at"} for line in lines if "event" in line]


LEAVE = {"answer": "dismiss"}


def test_answer_to_a_question_is_added_as_an_event() -> None:
    made = match(LEAD, DOUBTED, PAUSE, witness="camera")
    assert answers(made) == [(3, True, [{"answer": "as_seen"}, LEAVE])]
    to = {"event": "placed", "card": "6d", "by": "B", "on": "7s"}
    assert answered(made, 3, answer="as_seen") == [{"event": "corrected", "line": 3, "to": to}]
    assert made.view.rulings["illegal"] == 1
    assert answers(made) == [(3, False, [{"answer": "forgive"}, LEAVE])], "the fault is open now"
    with pytest.raises(NotAskedError, match="on line 3"):
        answered(made, 3, answer="as_seen")


@pytest.mark.parametrize(
    ("what", "answer", "presses"),
    [
        (EARLY, "agreed", [{"button": "allow", "by": "A", "for": "C"}]),
        (EARLY, "not_agreed", [{"button": "wait", "by": "A"}]),
        (SWEPT, "agreed", [{"button": "done"}]),
        (SWEPT, "not_agreed", [{"button": "wait", "by": "A"}, {"button": "wait", "by": "C"}]),
    ],
)
def test_agreement_is_a_statement_during_and_inserted_after_the_game(
    what: dict[str, Any], answer: str, presses: list[dict[str, str]]
) -> None:
    made = match(LEAD, BEAT, what, **STRICT)
    assert answered(made, 4, answer=answer) == [{"event": "pressed", **press} for press in presses]
    assert not any(matter.question for matter in made.view.matters)
    stored = MatchLog(Header.parse(HEADER | STRICT))
    judged([stored.header.as_json(), LEAD, BEAT, what], has_ended=True, match=stored)
    added = [line for line in answered(stored, 4, answer=answer) if line["event"] == "corrected"]
    assert [event["insert"] for event in added] == [{"event": "pressed", **press} for press in presses]
    assert all(event["after"] == 3 for event in added)
    asked = [call for call in replayed_calls(stored.view, "en") if "answers" in call]
    assert asked == [], "answered"


def test_agreement_about_an_earlier_bout_is_inserted_there() -> None:
    made = match(LEAD, BEAT, SWEPT, {"at": 4.0, "event": "drawn", "by": "A", "count": 1}, **STRICT)
    stated = {"at": 40.0, "event": "corrected", "after": 3, "insert": {"event": "pressed", "button": "done"}}
    assert [line | {"at": 40.0} for line in answered(made, 4, answer="agreed")] == [stated]
    assert answers(made) == []
    assert made.view.rulings == {"legal": 2, "illegal": 0, "impossible": 0, "unclear": 0}


def test_accepted_fault_stays_in_the_record_until_undone() -> None:
    made = match(LEAD, DOUBTED, PAUSE, witness="camera")
    assert answered(made, 3, **LEAVE) == [{"event": "pressed", "button": "dismiss", "of": 3}]
    assert (answers(made), made.view.question) == ([], None)
    again = MatchLog(Header.parse(made.header.as_json()))
    judged(made.lines, match=again)
    assert answers(again) == []
    made.judge(event_from_json({"at": 50.0, "event": "pressed", "button": "undo"}))
    assert [line for line, *_ in answers(made)] == [3]


def test_forgiving_without_a_card_forgives_the_newest_fault() -> None:
    made = match(LEAD, WRONG, {"at": 3.0, "event": "placed", "card": "Kd", "by": "A"})
    assert answers(made) == [(3, False, [{"answer": "forgive"}, LEAVE]), (4, False, [{"answer": "forgive"}, LEAVE])]
    assert answered(made, 3, answer="forgive") == [{"event": "pressed", "button": "forgive", "card": "6d"}]
    assert [line for line, *_ in answers(made)] == [4]


def test_etiquette_notes_are_shown_only_in_the_replay() -> None:
    made = match(LEAD, BEAT, SWEPT)
    assert made.view.rulings["unclear"] == 1
    assert made.view.matters == ()
    assert [call.note for call in made.view.calls if call.kind == "unclear"] == [True]
    assert [call["fault"] for call in replayed_calls(made.view, "en") if call.get("note")] == ["attack-not-closed"]


def test_correction_log_survives_a_restart_until_undone() -> None:
    made = match(LEAD, BEAT)
    made.correct(event_from_json({"at": 4.0, "event": "corrected", "line": 2, "to": LEAD | {"card": "7d"}}))
    made.correct(event_from_json({"at": 5.0, "event": "corrected", "line": 3, "to": None}))
    again = match(*(line for line in made.lines if "event" in line))
    for played in (made, again):
        assert [(log.was and log.was["card"], log.now and log.now["card"]) for log in played.view.corrections] == [
            ("7s", "7d"),
            ("8s", None),
        ]
    again.judge(event_from_json({"at": 6.0, "event": "pressed", "button": "undo", "of": 4}))
    assert [log.about for log in again.view.corrections] == [3]


def test_correction_from_a_page_is_certain_without_a_name_and_with_a_confidence() -> None:
    made = match(LEAD, BEAT, PAUSE, witness="camera")
    to = {"event": "placed", "card": "6d", "by": "B", "on": "7s", "confidence": 0.98}
    done = made.correct(event_from_json({"at": 40.0, "event": "corrected", "line": 3, "to": to}))
    assert [line["ruling"] for line in done.lines if "ruling" in line] == ["illegal"]
