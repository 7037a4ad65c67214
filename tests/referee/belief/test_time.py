"""Passing time, a hidden table, and one question at a time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from referee.belief.belief import Belief
from referee.belief.decide import THRESHOLDS, Outcome
from referee.belief.rates import RATES, SENSOR_PRIOR, SensorModel
from referee.corrections import RecordLine
from referee.events import Placed
from referee.match_judge import MatchJudge
from referee.record import Header, event_from_json
from referee.rulings import Message, Ruling, Verdict, Withdrawal
from tests.referee.belief.table import HEADER, belief_after, event, faults, placed

TICK = event("tick", 30)


def test_line_is_not_ruled_before_its_waiting_time() -> None:
    belief, messages = belief_after(placed(1, "7s", "A"))
    due = belief.due
    assert due == 1 + THRESHOLDS.plain_s
    assert [message for message in messages if isinstance(message.what, Ruling)] == []
    assert belief.observe(RecordLine(3, event_from_json(event("tick", due - 0.01)))) == ()
    assert [message.line for message in belief.observe(RecordLine(4, event_from_json(event("tick", due))))] == [2]
    assert belief.due is None


def test_uncertain_line_waits_longer() -> None:
    belief, _ = belief_after(
        placed(1, "7s", "A"), placed(2, "6d", "B", "7s", confidence=0.97, alternatives=[["8s", 0.03]])
    )
    assert belief.due == 2 + THRESHOLDS.doubtful_s


def test_refereeing_again_repeats_decisions_by_time() -> None:
    lines = [placed(1, "7s", "A"), event("tick", 3.5), placed(9, "8s", "B", "7s"), event("tick", 20)]
    belief, messages = belief_after(*lines)
    again, messages_again = belief_after(*lines)
    assert messages == messages_again
    assert [message.line for message in messages if isinstance(message.what, Ruling)] == [2, 4]
    assert belief.before(1).due == again.before(1).due == 1 + THRESHOLDS.plain_s


def test_fault_is_ruled_after_a_long_pause() -> None:
    ticks = [event("tick", 4 + number) for number in range(40)]
    lines = [placed(1, "7s", "A"), placed(2, "6s", "B", "7s"), event("lifted", 3, card="6s", by="B"), *ticks]
    _, messages = belief_after(*lines, placed(50, "8s", "B", "7s"), event("swept", 52, to="heap"))
    assert faults(messages) == [(3, "does-not-beat")]
    assert not any(isinstance(message.what, Withdrawal) for message in messages)


@pytest.mark.parametrize(("hidden_s", "accused"), [(None, True), (60.0, False)])
def test_hidden_table_explains_an_apparent_fault(hidden_s: float | None, accused: bool) -> None:
    # C beats nothing that was seen: a card not seen, or a card beside all rules?
    hidden = () if hidden_s is None else (event("blocked", 2, reason="a coat"),)
    at = 2 + (hidden_s or 0)
    lines = (placed(1, "7s", "A"), *hidden, placed(at + 1, "Kd", "C"), event("lifted", at + 2, card="Kd", by="C"))
    belief, messages = belief_after(*lines)
    assert bool(faults([*messages, *belief.finish()])) is accused


def test_longer_hidden_table_makes_unseen_events_more_likely() -> None:
    brief, long = (SensorModel().blocked(10.0).seeing(at).rates(RATES) for at in (10.5, 40.0))
    assert RATES.unseen_card < brief.unseen_card < long.unseen_card <= SENSOR_PRIOR.hidden
    assert SensorModel().rates(RATES).unseen_card < brief.unseen_card
    assert SensorModel().seeing(40.0).hidden_s == 0
    assert SensorModel().blocked(10.0).blocked(12.0).hidden_since == 10.0


def test_effect_of_a_hidden_table_ends_with_later_events() -> None:
    card = event_from_json(placed(1, "7s", "A"))
    assert isinstance(card, Placed)
    pipeline = SensorModel().blocked(1.0).seeing(20.0)
    for _ in range(12):
        pipeline = pipeline.after(card)
    assert pipeline.hidden_s == 0.0


ASKS_AT_ONCE = replace(THRESHOLDS, accuse=0.999999, ask=0.001, clear=0.0005, wait=1)
"""Thresholds by which no fault is announced and every one is asked about."""


def asking(*lines: dict[str, Any]) -> tuple[Belief, list[Message]]:
    belief = Belief(Header.parse(HEADER), thresholds=ASKS_AT_ONCE)
    return belief, [
        message
        for line, data in enumerate(lines, start=2)
        for message in belief.observe(RecordLine(line, event_from_json(data)))
    ]


def questions(messages: list[Message]) -> list[int]:
    return [
        message.line for message in messages if isinstance(message.what, Ruling) and message.what.question is not None
    ]


TWO_FAULTS = (
    placed(1, "7s", "A"),
    placed(2, "6d", "B", "7s", confidence=0.9, alternatives=[["8d", 0.1]]),
    placed(3, "Kc", "C", confidence=0.9, alternatives=[["Qc", 0.1]]),
)


def test_only_one_question_is_open() -> None:
    belief, messages = asking(*TWO_FAULTS, TICK)
    assert len(questions(messages)) == 1
    # What can't wait for its turn any longer becomes a note.
    end = list(belief.finish())
    assert questions(end) == []
    notes = [message.what for message in end if isinstance(message.what, Ruling)]
    assert [note.verdict for note in notes if note.fault] == [Verdict.UNCLEAR] * (2 - len(questions(messages)))


def test_question_is_closed_by_later_events() -> None:
    judge = MatchJudge(Header.parse(HEADER))
    lines = [placed(1, "7s", "A"), placed(2, "6d", "B", "7s", confidence=0.999, alternatives=[["8s", 0.001]])]
    for line, data in enumerate([*lines, event("tick", 20)], start=2):
        judge.apply(line, event_from_json(data))
    assert judge.question is not None, judge.holding
    assert judge.question.line == 3
    judge.apply(5, event_from_json(event("lifted", 21, card="6d", by="B")))
    assert judge.question is None
    assert [str(message.what.fault) for message in judge.holding if isinstance(message.what, Ruling)][-1] == (
        "does-not-beat"
    )


def test_restored_belief_has_its_decisions() -> None:
    belief, _ = belief_after(placed(1, "7s", "A"), placed(2, "6d", "B", "7s"), event("lifted", 3, card="6d", by="B"))
    fault = belief._log.lines[1]
    called = belief._log.decision_on(fault)
    assert called is not None
    assert called.outcome is Outcome.ACCUSED
    belief.observe(RecordLine(5, event_from_json(placed(4, "8s", "B", "7s"))))
    belief._log.keep(fault, replace(called, outcome=Outcome.LEGAL), 4)
    assert belief.before(3)._log.decision_on(fault) == called
    assert belief.before(2)._log.decision_on(fault) is None
