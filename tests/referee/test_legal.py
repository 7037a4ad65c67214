"""Lists of legal plays, for hands that a spectator does not know."""

from __future__ import annotations

import pytest

from referee.cards import Card, CardSet
from referee.legal import legal_plays, possible_cards, ranks_to_add
from referee.plays import Lead, Take
from referee.rules import fault_of
from tests.referee.refereed import feed, placed, referee_of


def listed(referee: object, seat: str | None = None) -> list[str]:
    return [str(play) for play in legal_plays(referee.state, seat)]  # type: ignore[attr-defined]


def test_cards_that_may_be_thrown_in_have_a_rank_of_the_table() -> None:
    referee = referee_of()
    feed(referee, placed("7s", "A"), placed("9s", "B", on="7s"))
    assert set(listed(referee, "A")) == {"A: 9d", "A: 9c", "A: 7h", "A: 7d", "A: 7c", "A: pass", "A: swap 6h"}


def test_turn_up_and_discarded_cards_are_in_no_hand() -> None:
    referee = referee_of(heap=["Ts", "Js"], heap_count=2, talon=16)
    cards = possible_cards(referee.state, "A")
    assert not cards & CardSet.parse("9h Ts Js")
    assert len(cards) == 33


def test_a_known_hand_plays_its_cards_only() -> None:
    referee = referee_of(known={"A": ["6s", "6d", "Kc", "Kd", "7h", "8h"]})
    assert set(listed(referee, "A")) == {
        *("A: 6s", "A: 6d", "A: Kd", "A: Kc", "A: 7h", "A: 8h"),
        *("A: 6s 6d", "A: Kd Kc"),
    }


@pytest.mark.parametrize("seat", ["A", "B"])
def test_fault_of_agrees_with_the_list(seat: str) -> None:
    referee = referee_of()
    feed(referee, placed("7s", "A"))
    assert (fault_of(Take(seat), referee.state) is None) == (f"{seat}: take" in listed(referee, seat))
    assert fault_of(Lead("A", (Card.parse("7s"),)), referee.state) is not None


def test_nothing_is_legal_after_the_end_of_the_deal() -> None:
    referee = referee_of()
    feed(referee, *({"event": "pressed", "button": "resign", "by": seat} for seat in "AB"))
    assert listed(referee) == []


def test_ranks_to_add_are_those_of_the_table_while_somebody_may_add() -> None:
    referee = referee_of()
    assert ranks_to_add(referee.state) == ()
    feed(referee, placed("7s", "A"), placed("9s", "B", on="7s"))
    assert ranks_to_add(referee.state) == ("7", "9")
    feed(referee, {"event": "swept", "to": "heap"})
    assert ranks_to_add(referee.state) == ()


def test_a_rank_whose_cards_are_all_gone_is_not_to_be_added() -> None:
    referee = referee_of(heap=["7h", "7d", "7c", "8d"], talon=14, heap_count=4)
    feed(referee, placed("7s", "A"))
    assert ranks_to_add(referee.state) == ()
