"""What a page of the table gets of a long match: faults, questions and corrections of all of it."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from tests.webapp.match.long_evening import long_evening
from webapp.live.board import SnapshotHub
from webapp.match.log import judged
from webapp.match.view import ROUTINE_CALLS_SHOWN, Call, Sentence, calls_shown
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig


def test_faults_and_corrections_stay_for_400_calls_and_more(board: SnapshotHub) -> None:
    view = judged(long_evening()).view
    assert len(view.calls) > 400
    snapshot = board.publish(moves=1, view=view)
    for calls in (snapshot.as_json()["calls"], [call["content"] for call in snapshot.as_json()["view"]["calls"]]):
        kinds = [call.get("ruling") or call["announce"] for call in calls]
        assert "illegal" in kinds
        assert "corrected" in kinds
        assert kinds.count("result") == 6
        assert len(calls) < ROUTINE_CALLS_SHOWN + 60, "routine calls are few"


def test_every_line_of_a_long_match_can_be_corrected(board: SnapshotHub) -> None:
    view = judged(long_evening()).view
    board.publish(moves=1, view=view)
    taken = create_app(AppConfig(), board).test_client().get("/api/taken").json
    assert taken is not None
    assert [line["line"] for line in taken["lines"]] == [step.line for step in view.timeline]
    assert any(call["ruling"] == "illegal" for call in taken["calls"])


@pytest.mark.parametrize(
    ("content", "note", "is_routine"),
    [
        ({"ruling": "legal"}, False, True),
        ({"ruling": "illegal", "fault": "already-beaten"}, False, False),
        ({"ruling": "impossible", "fault": "dead-card"}, False, False),
        ({"ruling": "unclear", "question": {"ask": "who"}}, False, False),
        ({"ruling": "unclear"}, True, True),
        ({"announce": "corrected"}, False, False),
        ({"announce": "talon", "count": 4}, False, True),
        ({"announce": "result"}, False, False),
    ],
)
def test_calls_that_accuse_ask_or_put_right_are_no_routine(
    content: dict[str, Any], note: bool, is_routine: bool
) -> None:
    call = Call(2, 2, 1.0, content, Sentence(lambda language, is_spelled: ""), note)
    assert call.is_routine is is_routine
    many = [structs.replace(call) for _ in range(ROUTINE_CALLS_SHOWN + 1)]
    assert len(calls_shown(many)) == (ROUTINE_CALLS_SHOWN if is_routine else len(many))
