"""
Analyse a match after it was played: list the decisions of its record and rate each one (docs/analysis.md).

Every decision has its own random numbers, seeded by seed and line, so the result depends neither on the order nor on
the number of processors.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from referee.analysis.hidden_cards import RecordStep
from referee.analysis.house import House
from referee.analysis.rating import DecisionCase, Rating, cases_of, rate, summary_of
from referee.analysis.two_hands import TwoHands
from referee.events import TableEvent
from referee.match_judge import MatchJudge, positions
from referee.record import Header
from referee.rulebook import FREE

PLAYOUTS = 1000
"""For each decision; a standard error of about 0.015 for the decision made. Chosen by hand: a game of two takes a
minute or two on one core."""
Line = Mapping[str, Any]


def cases_of_match(
    header: Header, events: Iterable[tuple[int, TableEvent]], line: int, seed: int
) -> list[DecisionCase]:
    """
    Return the decisions of one match. ``events`` with their lines in the record, ``line``: that of the header.

    Raises ``RefereeError`` if the record can't be judged.
    """
    if header.rules == FREE:
        return []
    judge = MatchJudge(header, line)
    before = judge.state
    for number, event in events:
        judge.apply(number, event)
    judge.finish()
    steps = []
    for each, after in positions(header, judge.lines):
        steps.append(RecordStep(each.line, each.event, before, after))
        before = after
    return cases_of(steps, random.Random(f"{seed} cards"))


def rated(case: DecisionCase, playouts: int, seed: int) -> Rating:
    """Rate one decision; the same case, playouts and seed give the same rating."""
    solver = _solver(case.truth.house, case.truth.trump)
    solver.forget()
    return rate(case, playouts, random.Random(f"{seed} {case.line} {case.name}"), solver)


@lru_cache(maxsize=8)
def _solver(house: House, trump: int) -> TwoHands:
    return TwoHands(house, trump)


def players_of(lines: Iterable[Line], header: Header) -> list[dict[str, Any]]:
    """Return the lines that follow those of the decisions: one per player."""
    return summary_of(lines, header.seats)
