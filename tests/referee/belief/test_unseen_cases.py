"""Every case of an unseen event, tested with an example."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from math import exp, isclose
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from referee.belief import unseen_cases as cases
from referee.belief.belief import Belief
from referee.belief.rates import RATES
from referee.belief.reported_event import reported_event
from referee.belief.unseen_cases import candidates_before, candidates_without_effect
from referee.cards import Card
from referee.corrections import RecordLine
from referee.events import Placed, Pressed, TableEvent, Unread
from referee.game import GameState
from referee.header import Header
from referee.record import event_from_json
from tests.referee.belief.table import BOUT, DRAWS, HEADER, HEAP, START, event, placed

NO_LEADER = {key: value for key, value in START.items() if key != "attacker"}
FIVE = {"trump": "s", "turnup": None, "talon": 37, "hands": {"A": 5, "B": 5, "C": 5}, "attacker": "A"}


SEARCHES = ("before", "without_effect")


class Example(NamedTuple):
    """A case: the lines before, the line that does not fit, an unseen event that explains it, and a house."""

    case: Callable[..., Any]
    before: tuple[TableEvent | dict[str, Any], ...]
    line: dict[str, Any]
    unseen: TableEvent | dict[str, Any]
    header: Mapping[str, Any] = MappingProxyType({})


LEAD, FAULT = placed(1, "7s", "A"), placed(2, "6d", "B", "7s")
EXAMPLES = (
    Example(cases.deals, (), placed(1, "7s", "A"), event("dealt", 0, turnup="6c"), {"start": None}),
    Example(
        cases.cards_of_opening,
        (placed(1, "3c", "A"),),
        placed(1, "3h", "A"),
        placed(1, "3d", "A"),
        {"rules": "durek-platkowy", "start": FIVE},
    ),
    Example(cases.leads, (), placed(2, "8s", "B", "7s"), placed(0, "7s", "A"), {"start": NO_LEADER}),
    Example(cases.forgiven_faults, (LEAD, FAULT), HEAP, Pressed(at=0.0, button="forgive", card=Card.parse("6d"))),
    Example(cases.draws, (*BOUT, HEAP), placed(6, "Qs", "B"), event("drawn", 0, by="A", count=1)),
    Example(cases.takes, (LEAD,), placed(2, "7d", "A"), event("pressed", 0, button="take", by="B")),
    Example(cases.sweeps, BOUT, placed(6, "Qs", "B"), event("swept", 0, to="heap")),
    Example(
        cases.shown_trumps,
        (LEAD,),
        placed(2, "8s", "C", "7s"),
        event("shown", 0, card="7h", by="B"),
        {"rules": "perevodnoy", "options": {"transfer_show": "per_bout"}},
    ),
    Example(cases.lifts, BOUT, placed(3, "8s", "B", "7s"), event("lifted", 0, card="8s")),
    Example(cases.exchanges, (), placed(1, "9h", "A"), event("swapped", 0, card="6h", by="A")),
    Example(cases.names_of_unread, (Unread(at=1.0, by="A"),), placed(2, "8s", "B"), placed(0, "7s", "A")),
    Example(cases.cards_under, (LEAD,), placed(2, "9c", "B", "8c"), placed(0, "8c", "C")),
    Example(cases.attacks_beaten, (LEAD,), placed(2, "9c", "B"), placed(0, "7c", "C")),
    Example(cases.transfers, (LEAD,), placed(3, "8s", "C", "7s"), placed(0, "7c", "B"), {"rules": "perevodnoy"}),
    Example(cases.transfers, (LEAD,), placed(3, "8c", "C"), placed(0, "7c", "B"), {"rules": "perevodnoy"}),
    Example(cases.leads_of_attacker, (), placed(2, "8c", "B"), placed(0, "8d", "A"), {"rules": "perevodnoy"}),
    Example(cases.leads_of_attacker, (), placed(2, "8c", "C"), placed(0, "8d", "A")),
    Example(
        cases.beats_before_throw_in,
        (LEAD,),
        placed(2, "7d", "C"),
        Unread(at=0.0, by="B", on=Card.parse("7s")),
        {"options": {"throw_timing": "after_beaten"}},
    ),
    Example(cases.beats_of_rank, (LEAD,), placed(2, "8d", "C"), placed(0, "8s", "B", "7s")),
    Example(cases.beats_before_end, (LEAD,), HEAP, Unread(at=0.0, by="B", on=Card.parse("7s"))),
    Example(cases.throw_ins_before_end, BOUT, event("drawn", 4, by="A", count=2), placed(0, "7c", "A")),
    Example(cases.cards_of_take, (LEAD,), event("swept", 3, to="B"), Unread(at=0.0, by="A")),
    Example(
        cases.exchanges_before_draw,
        (*BOUT, HEAP),
        DRAWS[0],
        event("swapped", 0, card="6h"),
        {"start": {**START, "talon": 1, "heap_count": 17}},
    ),
    Example(cases.leads_beaten, (), placed(1, "8s", "B"), placed(0, "6s", "A"), {"start": NO_LEADER}),
)


def parsed(line: TableEvent | dict[str, Any]) -> TableEvent:
    return event_from_json(line) if isinstance(line, dict) else line


def state_before(example: Example) -> GameState:
    header = {key: value for key, value in {**HEADER, **example.header}.items() if value is not None}
    belief = Belief(Header.parse(header))
    for number, line in enumerate(example.before, start=2):
        belief.observe(RecordLine(number, parsed(line)))
    return belief.state


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.case.__name__)
def test_case_finds_the_unseen_event_of_its_example(example: Example) -> None:
    state, line = state_before(example), event_from_json(example.line)
    unseen = parsed(example.unseen)
    is_of_event = example.case in (*cases.CASES_OF_EVENT, *cases.CASES_WITHOUT_EFFECT)
    position = (state, state.bout) if "bout" in inspect.signature(example.case).parameters else (state,)
    assert unseen in [each for each, _, _ in example.case(*position, line if is_of_event else [line], RATES)]
    options = reported_event(line, state.seating.seats).options
    searched = [*candidates_before(state, options, RATES), *candidates_without_effect(state, line, RATES)]
    assert unseen in [each for each, _, _ in searched]


def test_two_cards_of_a_rank_stand_for_all_that_an_unseen_lead_may_have_been() -> None:
    example = Example(cases.attacks_beaten, (), placed(1, "Th", "B"), {})
    state, line = state_before(example), event_from_json(example.line)
    assert state.bout is not None
    found = {event: log_rate for event, log_rate, _ in cases.attacks_beaten(state, state.bout, line, RATES)}
    leads = [each.card.rank for each in found if isinstance(each, Placed)]
    assert (len(leads), max(map(leads.count, leads))) == (len(found), 2)
    assert isclose(sum(map(exp, found.values())), RATES.unseen_card)


def test_every_case_has_an_example() -> None:
    defined = {
        name
        for name, each in vars(cases).items()
        if inspect.isgeneratorfunction(each) and "rates" in inspect.signature(each).parameters and name[0] != "_"
    }
    assert {example.case.__name__ for example in EXAMPLES} == defined - {
        "candidates_before",
        "candidates_without_effect",
    }


def test_unseen_lead_of_an_unknown_leader_may_have_any_rank_that_the_card_beats() -> None:
    example = next(each for each in EXAMPLES if each.case is cases.leads_beaten)
    found = [
        event for event, _, _ in cases.leads_beaten(state_before(example), event_from_json(placed(1, "9s", "B")), RATES)
    ]
    cards = [str(event.card) for event in found if isinstance(event, Placed)]
    assert cards == ["6s", "7s", "8s"]
