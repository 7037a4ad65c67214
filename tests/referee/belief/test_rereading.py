"""Reread cards: a card was reported under a wrong name, or another card was laid exactly on it."""

from __future__ import annotations

from math import isclose
from typing import Any

import pytest

from referee.corrections import ACROSS, FIRM, LAID_OVER, LEAST_DOUBT
from referee.events import Placed
from referee.header import Header
from referee.match_judge import MatchJudge
from referee.record import event_from_json
from referee.rulings import Message, Ruling
from tests.referee.belief.table import HEADER, event, faults, placed

REREAD = event("reread", 4, was="6s", card="9s", confidence=0.93)


def match(*lines: dict[str, Any], **header: Any) -> tuple[MatchJudge, list[Message]]:
    judge = MatchJudge(Header.parse({**HEADER, **header}))
    messages = [
        message for number, line in enumerate(lines, start=2) for message in judge.apply(number, event_from_json(line))
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
    assert [message.what.play for message in messages if message.line == 3 and isinstance(message.what, Ruling)] == [
        "beat"
    ]


def test_misread_card_is_renamed_once_it_is_beaten() -> None:
    judge, messages = match(placed(2, "6s", "A"), REREAD, placed(5, "Ts", "B", "9s"), *AFTER)
    state = judge.state.as_json()
    assert (faults(messages), state["heap"], state["attacker"]) == ([], 2, "B")
    assert str(judge.events[0].card) == "9s"  # type: ignore[attr-defined]


def doubted(reread: dict[str, Any] = REREAD, **keys: Any) -> tuple[Placed, ...]:
    judge, _ = match(placed(2, "6s", "A", **keys), reread)
    return tuple(event for event in judge.events if isinstance(event, Placed))


@pytest.mark.parametrize("sure", [0.93, 0.995, 1.0])
def test_weights_of_both_lines_agree_for_each_explanation(sure: float) -> None:
    was, over = doubted({**REREAD, "confidence": sure})
    assert was.confidence is not None
    assert over.confidence is not None
    (_, wrong), (_, nothing) = was.alternatives[0], over.otherwise[0]
    ways = {"name": was.confidence * nothing, "laid": wrong * (1 - nothing), "misread": wrong * nothing}
    doubt = max(1 - sure, LEAST_DOUBT)
    assert isclose(ways["laid"] / ways["name"], LAID_OVER / FIRM, rel_tol=0.05)
    assert isclose(ways["misread"] / (ways["name"] + ways["laid"]), doubt / sure, rel_tol=0.05)
    assert isclose(over.confidence / (1 - nothing), 1 - ACROSS, rel_tol=0.01)


def test_reread_card_keeps_the_uncertainty_of_its_seat() -> None:
    was, _ = doubted(confidence=0.9, otherwise=[[{"by": "B"}, 0.05], [None, 0.05]])
    assert was.otherwise == (({"by": "B"}, 0.05),)


def test_uncertain_name_is_only_corrected() -> None:
    assert len(doubted(confidence=0.6, alternatives=[["9s", 0.4]])) == 1
    assert len(doubted({**REREAD, "card": "6s"})) == 1


def test_card_that_people_reread_is_certain() -> None:
    judge, _ = match(placed(2, "6s", "A"), {**REREAD, "confidence": None})
    assert len(judge.events) == 1
    judge, _ = match(placed(2, "6s", "A"), REREAD, witness="person")
    assert len(judge.events) == 1


@pytest.mark.parametrize(
    "line", [{**REREAD, "confidence": None}, event("pressed", 4, button="assign", card="6s", to="B")]
)
def test_nothing_stays_uncertain_about_a_card_that_people_reread_or_assign(line: dict[str, Any]) -> None:
    (laid,) = doubted(line, confidence=0.8, otherwise=[[None, 0.1], [{"by": "B"}, 0.1]])
    assert (laid.confidence, laid.otherwise) == (None, ())


@pytest.mark.parametrize("of", [{}, {"of": 3}])
def test_undo_of_a_reread_removes_the_inferred_card(of: dict[str, int]) -> None:
    judge, _ = match(placed(2, "6s", "A"), REREAD, event("pressed", 5, button="undo", **of))
    assert [str(event.card) for event in judge.events] == ["6s"]  # type: ignore[attr-defined]
