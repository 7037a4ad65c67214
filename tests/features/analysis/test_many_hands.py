"""Exact search for more than two players, compared with brute force, and its use in ratings."""

from __future__ import annotations

import random

import pytest

from benchmarks.analysis.check_exact import differences_of_many
from benchmarks.analysis.endings import ending, house_of, tables_of_many
from features.analysis.deals import Deals
from features.analysis.decision_case import DecisionCase
from features.analysis.endgames import BudgetSpentError, ManyHands, best_for, goal_of
from features.analysis.position import Position
from features.analysis.rating import rate, solved
from referee.cards import Card, mask_of
from tests.features.analysis.decision_text import parsed

HEARTS = 1


def cards(text: str) -> int:
    return mask_of(map(Card.parse, text.split()))


def at_table(*hands: str) -> Position:
    """Return an ending under podkidnoy-36 with trump hearts; the first seat leads, an empty hand is out."""
    position = Position(house_of("podkidnoy-36", len(hands)), [cards(hand) for hand in hands], (), HEARTS)
    position.number, position.beaten_off = 5, 3
    position.out = tuple(seat for seat, hand in enumerate(hands) if not hand)
    position.begin(0, position.seating.next_living(0, position.out))
    return position


@pytest.mark.ordinary(6)
@pytest.mark.parametrize(("name", "players"), tables_of_many())
def test_exact_search_agrees_with_brute_force(name: str, players: int) -> None:
    assert differences_of_many(name, players, 12, seed=7) == []


def test_equally_good_decisions_are_equally_likely() -> None:
    outcomes = [(0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0), (1.0, 0.0, 0.0, 0.0)]
    assert best_for(0, outcomes) == (0.0, 0.5, 0.5, 0.0)
    assert best_for(1, outcomes) == (0.5, 0.0, 0.5, 0.0)
    assert goal_of((0.25, 0.25, 0.0, 0.5), 0) == 0.5


def test_only_player_with_cards_is_the_fool() -> None:
    # A leads his last card and is out; B beats it with his last and is out too.
    outcome = ManyHands(house_of("podkidnoy-36", 3), HEARTS).outcome(at_table("6s", "7s", "6c 6d"))
    assert outcome == (0.0, 0.0, 1.0, 0.0)


def test_last_two_players_are_solved_as_two() -> None:
    alone = ManyHands(house_of("podkidnoy-36", 2), HEARTS).outcome(at_table("6s Kh", "Ah 7s 9c"))
    of_three = ManyHands(house_of("podkidnoy-36", 3), HEARTS).outcome(at_table("6s Kh", "Ah 7s 9c", ""))
    assert of_three == (*alone[:2], 0.0, alone[2])


def test_all_hands_empty_is_a_draw() -> None:
    position = at_table("6s Kh", "Ah 7s", "9c Tc")
    assert ManyHands(position.house, HEARTS).outcome(position, 0) == (0.0, 0.0, 0.0, 1.0)


def test_search_over_budget_is_aborted() -> None:
    position = ending(house_of("podkidnoy-36", 3), (3, 3, 3), random.Random(1))
    with pytest.raises(BudgetSpentError):
        ManyHands(position.house, position.trump, budget=5).outcome(position)


def test_decisions_of_three_with_few_cards_are_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    position = at_table("6s 9h", "7s", "6c 6d")
    options = (parsed("6s"), parsed("9h"))
    outcomes = solved(position, 0, options)
    assert outcomes is not None
    # After the nine of trumps B takes and holds two cards; after the six he is out, and A or C is the fool.
    assert outcomes[parsed("6s")][1] == 0.0
    assert outcomes[parsed("9h")] != outcomes[parsed("6s")]
    monkeypatch.setattr("features.analysis.rating.MANY_CARDS", 4)
    assert solved(position, 0, options) is None


def test_hands_known_from_later_lines_are_solved() -> None:
    position, played = at_table("6s 9h", "7s", "6c 6d"), parsed("9h")
    gone = position.house.pack_mask & ~sum(position.hands)
    deals, options = Deals.known_to(position, 0, (0, 0, 0), gone), (parsed("6s"), played)
    assert not deals.is_one
    case = DecisionCase(2, 0, "A", ("A", "B", "C"), played, position, deals, options, True, position.hands[0])
    rating, outcomes = rate(case, 60, random.Random(1)), solved(position, 0, options)
    assert not rating.exact
    assert outcomes is not None
    assert rating.later is not None
    assert rating.later["exact"]
    assert rating.later["chance"] == round(outcomes[played][0], 3)
