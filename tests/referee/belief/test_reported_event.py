"""Alternatives of a line of a record, with and without stated uncertainty."""

from __future__ import annotations

from math import exp, isclose
from typing import Any

import pytest

from referee.belief.reported_event import UNLISTED, ReportedEvent, pack_in_order, reported_event
from referee.events import Placed
from referee.record import event_from_json, event_to_json
from referee.rulebook import rulebook
from tests.referee.belief.table import event, placed

SEATS = ("A", "B", "C")
PACK = pack_in_order(rulebook("podkidnoy-36"))


def reported(line: dict[str, Any]) -> ReportedEvent:
    return reported_event(event_from_json(line), SEATS, PACK)


def shares(line: dict[str, Any], key: str) -> dict[Any, float]:
    """Sum the probabilities of the options by their value of this key (``"nothing"`` for no event)."""
    found: dict[Any, float] = {}
    for option in reported(line).options:
        name = "nothing" if option.event is None else event_to_json(option.event).get(key)
        found[name] = found.get(name, 0.0) + exp(option.log_likelihood)
    return found


def test_a_confidence_without_alternatives_leaves_the_rest_to_similar_cards() -> None:
    found = shares(placed(1, "6s", "A", confidence=0.6), "card")
    assert isclose(found["6s"], 0.6)
    alike = {"6c", "8s", "8c", "9s", "9c"}
    assert found.keys() == {"6s", "nothing", *alike}
    assert all(isclose(found[card], 0.4 * UNLISTED.card / 5) for card in alike)
    assert isclose(found["nothing"], 0.4 * UNLISTED.nothing)


def test_names_that_are_listed_have_what_is_listed_and_the_others_the_rest() -> None:
    found = shares(placed(1, "6s", "A", confidence=0.6, alternatives=[["9s", 0.2]]), "card")
    assert isclose(found["9s"], 0.2)
    assert isclose(found["8c"], 0.2 * UNLISTED.card / 4)


def test_where_everything_is_listed_nothing_is_left() -> None:
    line = placed(1, "6s", "A", confidence=0.6, alternatives=[["9s", 0.4]])
    assert shares(line, "card").keys() == {"6s", "9s"}
    assert isclose(reported(line).unlisted, 0.0)


def test_who_is_sure_by_a_hair_is_sure() -> None:
    line = placed(1, "6s", "A", confidence=0.99)
    assert len(reported(line).options) == 1
    assert isclose(reported(line).unlisted, 0.01)


def test_a_sweep_in_doubt_may_have_gone_anywhere_else() -> None:
    found = shares(event("swept", 3, to="heap", confidence=0.7), "to")
    assert found.keys() == {"heap", *SEATS, "nothing"}
    assert isclose(found["A"], 0.3 * UNLISTED.elsewhere / 3)


def test_a_draw_in_doubt_may_be_of_more_or_fewer_or_anothers_or_none() -> None:
    line = event("drawn", 3, by="A", count=1, confidence=0.7)
    assert shares(line, "count").keys() == {1, 2, "nothing"}
    assert shares(line, "by").keys() == {*SEATS, "nothing"}


@pytest.mark.parametrize(
    "line",
    [
        event("dealt", 1, turnup="9h", confidence=0.8),
        event("swapped", 1, card="6h", by="A", confidence=0.8),
        event("lifted", 1, card="6h", by="A", confidence=0.8),
        event("shown", 1, card="6h", by="A", confidence=0.8),
    ],
    ids=["dealt", "swapped", "lifted", "shown"],
)
def test_whatever_is_in_doubt_may_be_nothing(line: dict[str, Any]) -> None:
    assert shares(line, "event")["nothing"] > 0.0


def test_what_people_say_and_press_leaves_no_rest() -> None:
    assert len(reported(event("pressed", 1, button="take", by="A", confidence=0.6)).options) == 1
    said = reported_event(event_from_json(placed(1, "6s", "A", confidence=0.6)), SEATS, PACK, is_stated=True)
    assert len(said.options) == 1


@pytest.mark.parametrize(
    "line",
    [
        event("swept", 3, to="heap", confidence=0.8),
        event("blocked", 3, reason="unread", confidence=0.8),
        event("drawn", 3, by="A", count=1, confidence=0.8),
    ],
    ids=["swept", "unread", "drawn"],
)
def test_other_names_of_what_has_no_card_say_nothing(line: dict[str, Any]) -> None:
    named = reported({**line, "alternatives": [["9d", 0.2]]})
    assert named.options == reported(line).options


def test_a_turnup_may_have_another_name() -> None:
    line = event("dealt", 0, turnup="9h", confidence=0.8, alternatives=[["9d", 0.2]])
    assert shares(line, "turnup") == pytest.approx({"9h": 0.8, "9d": 0.2})


def test_two_doubts_of_one_event_may_both_be_right() -> None:
    line = placed(1, "6s", "A", confidence=0.56, alternatives=[["9s", 0.24]], otherwise=[[{"by": "B"}, 0.14]])
    options = {
        (str(each.event.card), each.event.by): exp(each.log_likelihood)
        for each in reported(line).options
        if isinstance(each.event, Placed)
    }
    assert isclose(options["9s", "B"], 0.24 * 0.14 / 0.56)
    assert isclose(sum(options.values()), 1.0)


def test_two_doubts_of_one_thing_are_never_both_right() -> None:
    line = placed(1, "6s", "A", confidence=0.6, otherwise=[[{"by": "B"}, 0.2], [{"by": "C"}, 0.2]])
    assert len(reported(line).options) == 3


def test_what_a_record_lists_twice_over_is_scaled() -> None:
    line = placed(1, "6s", "A", confidence=0.8, alternatives=[["9s", 0.8]])
    assert shares(line, "card") == pytest.approx({"6s": 0.5, "9s": 0.5})


def test_without_a_confidence_what_is_not_listed_is_as_reported() -> None:
    line = placed(1, "6s", "A", alternatives=[["9s", 0.3]])
    assert shares(line, "card") == pytest.approx({"6s": 0.7, "9s": 0.3})


def test_shares_below_nothing_are_none() -> None:
    line = placed(1, "6s", "A", confidence=0.5, alternatives=[["9s", -1.0], ["8s", 0.5]])
    assert shares(line, "card") == pytest.approx({"6s": 0.5, "8s": 0.5})
