"""Exact search for two players, compared with brute force, and its limits."""

from __future__ import annotations

import random

import pytest

from benchmarks.analysis.brute_force import value_of
from benchmarks.analysis.check_exact import differences
from benchmarks.analysis.endings import ending, house_of, tables_of_two
from features.analysis.endgames import BudgetSpentError, TwoHands
from features.analysis.position import Position, SearchRules
from referee.cards import Card, Suit, mask_of
from referee.rulebook import rulebook
from referee.seating import Seating


def cards(text: str) -> int:
    return mask_of(map(Card.parse, text.split()))


def at_table(house: SearchRules, attacker: str, defender: str) -> Position:
    """Return an endgame with hearts as trumps, the first to lead."""
    position = Position(house, (cards(attacker), cards(defender)), (), list(Suit).index(Suit.HEARTS))
    position.number, position.beaten_off = 5, 3
    position.begin(0, 1)
    return position


@pytest.mark.parametrize("name", tables_of_two())
def test_exact_search_agrees_with_brute_force(name: str) -> None:
    assert differences(name, 120, seed=7) == []


@pytest.mark.parametrize(
    "options",
    [
        {"throw_timing": "after_beaten", "give_on": "off"},
        {"end_check": "immediate"},
        {"end_check": "immediate", "transfer": True},
        {"end_check": "immediate", "transfer": True, "transfer_show": "free", "result": "first_out_wins"},
        {"transfer": True, "transfer_when": "single_rank", "attack_limit": 2},
        {"transfer": True, "transfer_when": "one_unbeaten"},
        {"low_limit": 1, "low_limit_until": "first_bout"},
        {"low_limit": 1, "low_limit_until": "first_discard", "all_out": "defender_loses"},
        {"result": "first_out_wins"},
    ],
)
def test_exact_search_agrees_with_brute_force_under_house_rules(options: dict[str, object]) -> None:
    house = SearchRules.of(rulebook("podkidnoy-36", options), Seating.of(("A", "B"), "none"))
    rng = random.Random(3)
    for _ in range(150):
        in_all = 3 if house.rules.transfer_show != "off" else 4 if house.rules.transfer else 5
        first = rng.randint(1, in_all - 1)
        position = ending(house, (first, rng.randint(1, in_all - first)), rng, rng.choice((0, 1, 2)))
        value = TwoHands(house, position.trump).value(position)
        assert (value if position.attacker == 0 else -value) == value_of(position)


def test_last_card_that_is_beaten_by_the_last_card_is_a_draw() -> None:
    assert TwoHands(house_of("podkidnoy-36", 2), 1).value(at_table(house_of("podkidnoy-36", 2), "7s", "9s")) == 0


def test_decided_position_has_the_value_of_its_result() -> None:
    position = at_table(house_of("podkidnoy-36", 2), "7s", "9c Ts")
    position.add(0, cards("7s"))
    position.take()
    assert position.losers == 2
    assert TwoHands(position.house, 1).value(position) == 1


def test_endless_transfer_is_a_draw() -> None:
    position = at_table(house_of("perevodnoy", 2), "7s 7c", "7h 7d")
    assert TwoHands(position.house, 1).value(position) == value_of(position)


def test_search_over_budget_is_aborted() -> None:
    position = ending(house_of("podkidnoy-36", 2), (6, 6), random.Random(1))
    with pytest.raises(BudgetSpentError):
        TwoHands(position.house, position.trump, budget=5).value(position)


def test_full_transposition_table_is_emptied(monkeypatch: pytest.MonkeyPatch) -> None:
    position = ending(house_of("podkidnoy-36", 2), (3, 3), random.Random(1))
    solver = TwoHands(position.house, position.trump)
    before = solver.value(position)
    solver.forget()
    seen = solver.visited
    solver.value(position)
    assert solver.visited == seen
    monkeypatch.setattr("features.analysis.endgames.MOST_KEPT", 0)
    solver.forget()
    assert solver.value(position) == before
    assert solver.visited > seen


@pytest.mark.parametrize(
    "options",
    [
        {"transfer": True, "transfer_first_bout": False},
        {"low_limit": 5, "low_limit_until": "first_discard", "low_limit_gives": False},
    ],
)
def test_first_bout_with_special_rules_is_solved(options: dict[str, object]) -> None:
    house = SearchRules.of(rulebook("podkidnoy-36", options), Seating.of(("A", "B"), "none"))
    position = Position(house, (cards("6s 7s"), cards("9c Ts")), (), 1)
    position.begin(0, 1)
    assert TwoHands(house, 1).value(position) == value_of(position)


@pytest.mark.parametrize(
    ("attack", "defence", "options"),
    [
        ("6s 6c 7d", "7s 6d 9c", {"transfer": True, "transfer_when": "single_rank"}),
        ("6s 6c 7d", "6d 9c", {"transfer": True, "attack_limit": 2}),
    ],
)
def test_transfer_requires_one_rank_and_room_within_the_limit(
    attack: str, defence: str, options: dict[str, object]
) -> None:
    house = SearchRules.of(rulebook("podkidnoy-36", options), Seating.of(("A", "B"), "none"))
    position = at_table(house, attack, defence)
    position.add(0, cards("6s 6c"))
    if "7s" in defence:
        position.beat(cards("7s"), cards("6s"))
    value = TwoHands(house, 1).value(position)
    assert (value if position.attacker == 0 else -value) == value_of(position)
