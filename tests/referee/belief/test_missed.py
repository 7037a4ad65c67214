"""Events that may have gone unseen before a line, each with an example."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, isclose
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from referee.belief.belief import Belief
from referee.belief.hypotheses import held_by
from referee.belief.rates import RATES
from referee.belief.reported_event import reported_event
from referee.belief.unseen_events import missed_before, missed_without_effect
from referee.cards import Card, cards_of
from referee.corrections import RecordLine
from referee.events import Placed, Pressed, TableEvent, Unread
from referee.game import GameState
from referee.header import Header
from referee.record import event_from_json
from tests.referee.belief.table import BOUT, DRAWS, HEADER, HEAP, START, belief_after, event, faults, placed

NO_LEADER = {key: value for key, value in START.items() if key != "attacker"}
FIVE = {"trump": "s", "turnup": None, "talon": 37, "hands": {"A": 5, "B": 5, "C": 5}, "attacker": "A"}


class Example(NamedTuple):
    """The lines before, the line that does not fit, an unseen event that explains it, and a house."""

    name: str
    before: tuple[TableEvent | dict[str, Any], ...]
    line: dict[str, Any]
    unseen: TableEvent | dict[str, Any]
    header: Mapping[str, Any] = MappingProxyType({})


LEAD, FAULT = placed(1, "7s", "A"), placed(2, "6d", "B", "7s")
EXAMPLES = (
    Example("deals", (), placed(1, "7s", "A"), event("dealt", 0, turnup="6c"), {"start": None}),
    Example(
        "cards_of_opening",
        (placed(1, "3c", "A"),),
        placed(1, "3h", "A"),
        placed(1, "3d", "A"),
        {"rules": "durek-platkowy", "start": FIVE},
    ),
    Example("leads", (), placed(2, "8s", "B", "7s"), placed(0, "7s", "A"), {"start": NO_LEADER}),
    Example("forgiven_faults", (LEAD, FAULT), HEAP, Pressed(at=0.0, button="forgive", card=Card.parse("6d"))),
    Example("draws", (*BOUT, HEAP), placed(6, "Qs", "B"), event("drawn", 0, by="A", count=1)),
    Example("takes", (LEAD,), placed(2, "7d", "A"), event("pressed", 0, button="take", by="B")),
    Example("sweeps", BOUT, placed(6, "Qs", "B"), event("swept", 0, to="heap")),
    Example(
        "shown_trumps",
        (LEAD,),
        placed(2, "8s", "C", "7s"),
        event("shown", 0, card="7h", by="B"),
        {"rules": "perevodnoy", "options": {"transfer_show": "per_bout"}},
    ),
    Example("lifts", BOUT, placed(3, "8s", "B", "7s"), event("lifted", 0, card="8s")),
    Example("exchanges", (), placed(1, "9h", "A"), event("swapped", 0, card="6h", by="A")),
    Example("names_of_unread", (Unread(at=1.0, by="A"),), placed(2, "8s", "B"), placed(0, "7s", "A")),
    Example("cards_under", (LEAD,), placed(2, "9c", "B", "8c"), placed(0, "8c", "C")),
    Example("attacks_beaten", (LEAD,), placed(2, "9c", "B"), placed(0, "7c", "C")),
    Example("transfers", (LEAD,), placed(3, "8s", "C", "7s"), placed(0, "7c", "B"), {"rules": "perevodnoy"}),
    Example("transfers", (LEAD,), placed(3, "8c", "C"), placed(0, "7c", "B"), {"rules": "perevodnoy"}),
    Example("leads_of_attacker", (), placed(2, "8c", "B"), placed(0, "8d", "A"), {"rules": "perevodnoy"}),
    Example("leads_of_attacker", (), placed(2, "8c", "C"), placed(0, "8d", "A")),
    Example(
        "beats_before_throw_in",
        (LEAD,),
        placed(2, "7d", "C"),
        Unread(at=0.0, by="B", on=Card.parse("7s")),
        {"options": {"throw_timing": "after_beaten"}},
    ),
    Example("beats_of_rank", (LEAD,), placed(2, "8d", "C"), placed(0, "8s", "B", "7s")),
    Example("beats_before_end", (LEAD,), HEAP, Unread(at=0.0, by="B", on=Card.parse("7s"))),
    Example("throw_ins_before_end", BOUT, event("drawn", 4, by="A", count=2), placed(0, "7h", "A")),
    Example("cards_of_take", (LEAD,), event("swept", 3, to="B"), Unread(at=0.0, by="A")),
    Example(
        "exchanges_before_draw",
        (*BOUT, HEAP),
        DRAWS[0],
        event("swapped", 0, card="6h"),
        {"start": {**START, "talon": 1, "heap_count": 17}},
    ),
    Example("leads_beaten", (), placed(1, "8s", "B"), placed(0, "6s", "A"), {"start": NO_LEADER}),
)


def parsed(line: TableEvent | dict[str, Any]) -> TableEvent:
    return event_from_json(line) if isinstance(line, dict) else line


def state_before(example: Example) -> GameState:
    header = {key: value for key, value in {**HEADER, **example.header}.items() if value is not None}
    belief = Belief(Header.parse(header))
    for number, line in enumerate(example.before, start=2):
        belief.observe(RecordLine(number, parsed(line)))
    return belief.state


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_unseen_event_of_the_example_is_proposed(example: Example) -> None:
    state, line = state_before(example), event_from_json(example.line)
    options = reported_event(line, state.seating.seats).options
    proposed = [*missed_before(state, options, RATES), *missed_without_effect(state, line, RATES)]
    assert parsed(example.unseen) in [line.event for line in proposed]


def test_two_cards_of_a_rank_stand_for_all_that_an_unseen_lead_may_have_been() -> None:
    example = Example("lead", (), placed(1, "Th", "B"), {})
    state, options = state_before(example), reported_event(event_from_json(example.line), ("A", "B", "C")).options
    rates = {missed.event: exp(missed.log_rate) for missed in missed_before(state, options, RATES)}
    found = {event: rate for event, rate in rates.items() if isinstance(event, Placed) and event.card.rank != "T"}
    ranks = [event.card.rank for event in found]
    assert (len(ranks), max(map(ranks.count, ranks))) == (len(found), 2)
    assert isclose(sum(found.values()), RATES.unseen_card, rel_tol=0.2)


def test_unseen_lead_of_an_unknown_leader_may_have_any_rank_that_the_card_beats() -> None:
    example = next(example_of_list for example_of_list in EXAMPLES if example_of_list.name == "leads_beaten")
    found = missed_without_effect(state_before(example), event_from_json(placed(1, "9s", "B")), RATES)
    cards = {str(event.event.card) for event in found if isinstance(event.event, Placed)}
    assert {"6s", "7s", "8s"} <= cards


def test_card_of_an_open_fault_is_in_no_hand_even_if_the_hand_is_known() -> None:
    start = {**START, "hands": {"A": 6, "B": 2, "C": 6}, "talon": 2, "known": {"B": ["6d", "8c"]}}
    state = state_before(Example("fault", (LEAD, FAULT), {}, {}, {"start": start}))
    assert [matter.cards for matter in state.matters] == [(Card.parse("6d"),)]
    assert cards_of(held_by(state, "B")) == (Card.parse("8c"),)


def test_end_of_attacks_after_the_draws_suggests_no_unseen_lead() -> None:
    done = event("pressed", 6, button="done")
    wrong = placed(8, "Qs", "B"), placed(9, "6d", "C", "Qs")
    _, messages = belief_after(*BOUT, HEAP, *DRAWS, done, *wrong, event("tick", 60))
    assert faults(messages) == [(9, "does-not-beat")]
    assert "unread" not in [message.what.as_json().get("announce") for message in messages]


def test_three_cards_drawn_in_one_grip_accuse_nobody() -> None:
    others = [[{"count": count}, 0.0805] for count in range(2, 7)] + [[None, 0.0022]]
    grip = {"count": 1, "confidence": 0.595, "otherwise": others}
    bout = [placed(1 + k, f"7{suit}", "A") for k, suit in enumerate("sdc")]
    beats = [placed(5 + k, f"8{suit}", "B", f"7{suit}") for k, suit in enumerate("sdc")]
    draws = event("drawn", 11, by="A", **grip), event("drawn", 13, by="B", **grip)
    belief, messages = belief_after(*bout, *beats, event("swept", 9, to="heap"), *draws, placed(15, "Qs", "B"))
    assert faults(messages) == []
    assert belief.state.ledger.talon == START["talon"] - 6
