"""Reread cards: a card was reported under a wrong name, or another card was laid exactly on it."""

from __future__ import annotations

from math import isclose
from typing import Any

import pytest

from referee.belief.rereading import ACROSS, FIRM, LAID_OVER, LEAST_DOUBT, lines_of_reread
from referee.events import Placed, Reread
from referee.header import Header
from referee.match_judge import MatchJudge
from referee.record import event_from_json
from referee.rulings import Message, Ruling
from tests.referee.belief.table import HEADER, event, faults, placed

REREAD = event("reread", 4, was="6s", card="9s", confidence=0.93)


def match(*lines: dict[str, Any], **header: Any) -> tuple[MatchJudge, list[Message]]:
    judge = MatchJudge(Header.parse({**HEADER, **header}))
    messages = [
        each for number, line in enumerate(lines, start=2) for each in judge.apply(number, event_from_json(line))
    ]
    return judge, [*messages, *judge.finish()]


AFTER = (
    event("swept", 6, to="heap"),
    event("drawn", 7, by="A", count=1),
    event("drawn", 8, by="B", count=1),
    placed(9, "7d", "B"),
    placed(10, "9d", "C", "7d"),
)


def test_beat_laid_exactly_on_its_attack_is_inferred() -> None:
    judge, messages = match(placed(2, "6s", "A"), REREAD, *AFTER)
    state = judge.state.as_json()
    assert (faults(messages), state["heap"], state["attacker"]) == ([], 2, "B")
    assert [each.what.play for each in messages if each.line == 3 and isinstance(each.what, Ruling)] == ["beat"]


def test_misread_card_is_renamed_once_it_is_beaten() -> None:
    judge, messages = match(placed(2, "6s", "A"), REREAD, placed(5, "Ts", "B", "9s"), *AFTER)
    state = judge.state.as_json()
    assert (faults(messages), state["heap"], state["attacker"]) == ([], 2, "B")
    assert str(judge.events[0].card) == "9s"  # type: ignore[attr-defined]


def weighed(**keys: Any) -> tuple[Placed, Placed]:
    report, revision = event_from_json(placed(2, "6s", "A", **keys)), event_from_json(REREAD)
    assert isinstance(report, Placed)
    assert isinstance(revision, Reread)
    found = lines_of_reread(report, revision)
    assert found is not None
    return found.was, found.over


def test_weights_of_both_lines_agree_for_each_explanation() -> None:
    was, over = weighed()
    assert was.confidence is not None
    assert over.confidence is not None
    (_, wrong), (_, nothing) = was.alternatives[0], over.otherwise[0]
    ways = {"name": was.confidence * nothing, "laid": wrong * (1 - nothing), "misread": wrong * nothing}
    assert isclose(ways["laid"] / ways["name"], LAID_OVER / FIRM, rel_tol=0.01)
    assert isclose(ways["misread"] / (ways["name"] + ways["laid"]), 0.07 / 0.93, rel_tol=0.01)
    assert isclose(over.confidence / (1 - nothing), 1 - ACROSS, rel_tol=0.01)


def test_reread_card_keeps_the_uncertainty_of_its_seat() -> None:
    was, _ = weighed(confidence=0.9, otherwise=[[{"by": "B"}, 0.05], [None, 0.05]])
    assert was.otherwise == (({"by": "B"}, 0.05),)


@pytest.mark.parametrize("sure", [1.0, 0.995])
def test_no_reread_is_certain(sure: float) -> None:
    revision = event_from_json({**REREAD, "confidence": sure})
    assert isinstance(revision, Reread)
    found = lines_of_reread(Placed(at=1, card=revision.was), revision)
    assert found is not None
    laid = sure * LAID_OVER / (FIRM + LAID_OVER)
    assert isclose(found.over.otherwise[0][1], LEAST_DOUBT / (LEAST_DOUBT + laid), rel_tol=0.01)


def test_uncertain_name_is_only_corrected() -> None:
    report = event_from_json(placed(2, "6s", "A", confidence=0.6, alternatives=[["9s", 0.4]]))
    revision = event_from_json(REREAD)
    assert isinstance(report, Placed)
    assert isinstance(revision, Reread)
    assert lines_of_reread(report, revision) is None
    same = event_from_json({**REREAD, "card": "6s"})
    assert isinstance(same, Reread)
    assert lines_of_reread(report, same) is None


def test_card_that_people_reread_is_certain() -> None:
    judge, _ = match(placed(2, "6s", "A"), {**REREAD, "confidence": None})
    assert len(judge.events) == 1
    judge, _ = match(placed(2, "6s", "A"), REREAD, witness="person")
    assert len(judge.events) == 1


def test_undo_of_a_reread_removes_the_inferred_card() -> None:
    judge, _ = match(placed(2, "6s", "A"), REREAD, event("pressed", 5, button="undo"))
    assert [str(each.card) for each in judge.events] == ["6s"]  # type: ignore[attr-defined]
