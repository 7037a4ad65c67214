"""Completely observed records: the belief gives the rulings of the rules alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmarks.simulation.score import events_of
from benchmarks.simulation.simulated_games import Setting, game_of
from referee.belief.belief import Belief
from referee.corrections import RecordLine
from referee.events import TableEvent, is_same_play
from referee.header import Header
from referee.match_judge import MatchJudge
from referee.record import event_from_json
from referee.rulings import Message, Ruling, Verdict
from tests.referee.belief.certain import ALL_SEEN
from tests.referee.scenarios import load

CASES = [case for path in sorted((Path(__file__).parents[2] / "cases").glob("*.yaml")) for case in load(path)]

TWO_READINGS = {"open-cards-swept-back-to-where-they-came-from"}
"""Cases whose sweep may be either of two faults; the rules alone name one, the belief the other."""


def is_certain(record: list[dict[str, Any]]) -> bool:
    """Check whether a record has only events that are seen with certainty, each with its seat."""
    header, *lines = record
    is_sure = all(
        line.get("event") in ("placed", "lifted", "swept", "drawn", "swapped", "shown", "dealt")
        and "confidence" not in line
        and ("by" in line or line["event"] in ("swept", "dealt"))
        for line in lines
    )
    return is_sure and header.get("tone", "call") == "call"


def accused(messages: Iterable[Message]) -> set[tuple[int, str]]:
    return {
        (message.line, str(message.what.fault))
        for message in messages
        if isinstance(message.what, Ruling) and message.what.verdict in (Verdict.ILLEGAL, Verdict.IMPOSSIBLE)
    }


def by_law(header: Header, events: Sequence[TableEvent]) -> set[tuple[int, str]]:
    judge, messages = MatchJudge(header), []
    for line, (event, following) in enumerate(zip(events, [*events[1:], None], strict=True), start=2):
        messages += judge.apply(line, event)
        if judge.holds_back_ruling and not is_same_play(event, following):
            messages += judge.end_play()
    return accused(messages)


def by_belief(header: Header, events: Sequence[TableEvent]) -> set[tuple[int, str]]:
    belief, messages = Belief(header, ALL_SEEN), []
    for line, event in enumerate(events, start=2):
        messages += belief.observe(RecordLine(line, event))
    return accused([*messages, *belief.finish()])


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if is_certain(case["record"]) and case["id"] not in TWO_READINGS],
    ids=lambda case: case["id"],
)
def test_certain_case_is_ruled_as_by_the_rules_alone(case: dict[str, Any]) -> None:
    header = Header.parse(case["record"][0])
    at, events = 0.0, []
    for line in case["record"][1:]:
        events.append(event_from_json(line, at))
        at = events[-1].at
    assert by_belief(header, events) == by_law(header, events)


@pytest.mark.parametrize("number", range(8))
def test_certain_game_without_faults_has_no_accusation(number: int) -> None:
    game = game_of(number, Setting(level=0.0, rules="all"))
    header, events = Header.parse(game.truth.header), events_of(game)
    assert by_belief(header, events) == by_law(header, events) == set()
