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


def test_confidence_without_alternatives_gives_the_rest_to_similar_cards() -> None:
    found = shares(placed(1, "6s", "A", confidence=0.6), "card")
    assert isclose(found["6s"], 0.6)
    alike = {"6c", "8s", "8c", "9s", "9c"}
    assert found.keys() == {"6s", "nothing", *alike}
    assert all(isclose(found[card], 0.4 * UNLISTED.card / 5) for card in alike)
    assert isclose(found["nothing"], 0.4 * UNLISTED.nothing)


def test_listed_names_have_their_shares_and_others_the_rest() -> None:
    found = shares(placed(1, "6s", "A", confidence=0.6, alternatives=[["9s", 0.2]]), "card")
    assert isclose(found["9s"], 0.2)
    assert isclose(found["8c"], 0.2 * UNLISTED.card / 4)


def test_complete_list_leaves_no_rest() -> None:
    line = placed(1, "6s", "A", confidence=0.6, alternatives=[["9s", 0.4]])
    assert shares(line, "card").keys() == {"6s", "9s"}
    assert isclose(reported(line).unlisted, 0.0)


def test_nearly_certain_event_is_certain() -> None:
    line = placed(1, "6s", "A", confidence=0.99)
    assert len(reported(line).options) == 1
    assert isclose(reported(line).unlisted, 0.01)


def test_uncertain_sweep_has_every_other_destination() -> None:
    found = shares(event("swept", 3, to="heap", confidence=0.7), "to")
    assert found.keys() == {"heap", *SEATS, "nothing"}
    assert isclose(found["A"], 0.3 * UNLISTED.elsewhere / 3)


def test_uncertain_draw_varies_in_count_seat_and_existence() -> None:
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
def test_uncertain_event_may_not_have_happened(line: dict[str, Any]) -> None:
    assert shares(line, "event")["nothing"] > 0.0


def test_stated_event_has_one_option() -> None:
    assert len(reported(event("pressed", 1, button="take", by="A", confidence=0.6)).options) == 1
    event_stated = reported_event(event_from_json(placed(1, "6s", "A", confidence=0.6)), SEATS, PACK, is_stated=True)
    assert len(event_stated.options) == 1


@pytest.mark.parametrize(
    "line",
    [
        event("swept", 3, to="heap", confidence=0.8),
        event("blocked", 3, reason="unread", confidence=0.8),
        event("drawn", 3, by="A", count=1, confidence=0.8),
    ],
    ids=["swept", "unread", "drawn"],
)
def test_alternative_names_are_ignored_for_events_without_a_card(line: dict[str, Any]) -> None:
    named = reported({**line, "alternatives": [["9d", 0.2]]})
    assert named.options == reported(line).options


def test_turn_up_may_have_another_name() -> None:
    line = event("dealt", 0, turnup="9h", confidence=0.8, alternatives=[["9d", 0.2]])
    assert shares(line, "turnup") == pytest.approx({"9h": 0.8, "9d": 0.2})


def test_independent_alternatives_of_an_event_combine() -> None:
    line = placed(1, "6s", "A", confidence=0.56, alternatives=[["9s", 0.24]], otherwise=[[{"by": "B"}, 0.14]])
    options = {
        (str(option.event.card), option.event.by): exp(option.log_likelihood)
        for option in reported(line).options
        if isinstance(option.event, Placed)
    }
    assert isclose(options["9s", "B"], 0.24 * 0.14 / 0.56)
    assert isclose(sum(options.values()), 1.0)


def test_alternatives_of_one_key_exclude_each_other() -> None:
    line = placed(1, "6s", "A", confidence=0.6, otherwise=[[{"by": "B"}, 0.2], [{"by": "C"}, 0.2]])
    assert len(reported(line).options) == 3


def test_shares_above_one_are_scaled() -> None:
    line = placed(1, "6s", "A", confidence=0.8, alternatives=[["9s", 0.8]])
    assert shares(line, "card") == pytest.approx({"6s": 0.5, "9s": 0.5})


def test_without_confidence_the_rest_is_the_reported_event() -> None:
    line = placed(1, "6s", "A", alternatives=[["9s", 0.3]])
    assert shares(line, "card") == pytest.approx({"6s": 0.7, "9s": 0.3})


def test_negative_shares_count_as_zero() -> None:
    line = placed(1, "6s", "A", confidence=0.5, alternatives=[["9s", -1.0], ["8s", 0.5]])
    assert shares(line, "card") == pytest.approx({"6s": 0.5, "8s": 0.5})
