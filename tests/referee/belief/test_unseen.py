"""Unseen events are inferred, also from later lines, and cause no accusation."""

from __future__ import annotations

from math import exp
from typing import Any

import pytest

from referee.belief.belief import Belief
from referee.belief.rates import RATES
from referee.corrections import RecordLine
from referee.events import Swept
from referee.header import Header
from referee.record import event_from_json
from referee.rulings import Message, Ruling
from tests.referee.belief.table import BOUT, HEADER, HEAP, START, belief_after, event, faults, placed

TWO = {"seats": ["A", "B"], "dealer": "B"}


def from_before_the_deal(*lines: dict[str, Any]) -> tuple[Belief, list[Message]]:
    belief = Belief(Header.parse({key: value for key, value in HEADER.items() if key != "start"}))
    messages: list[Message] = []
    for number, line in enumerate(lines, start=2):
        messages += belief.observe(RecordLine(number, event_from_json(line)))
    return belief, [*messages, *belief.finish()]


def test_unseen_deal_is_inferred_and_the_first_trump_reveals_its_suit() -> None:
    belief, messages = from_before_the_deal(
        placed(1, "7s", "A"),
        placed(2, "6d", "B", "7s"),
        event("swept", 3, to="heap"),
        event("drawn", 4, by="A", count=1),
        event("drawn", 5, by="B", count=1),
        placed(6, "Qs", "B"),
    )
    assert faults(messages) == []
    state = belief.state.as_json()
    assert state["trump"] == "d"
    assert (state["hands"], state["talon"], state["heap"]) == ({"A": 6, "B": 5, "C": 6}, 16, 2)


def test_events_ignored_before_the_deal_reduce_the_weight() -> None:
    belief, _ = from_before_the_deal(event("drawn", 1, by="A", count=1), placed(2, "7s", "A"))
    assert belief.state.dealt


GIVEN_UP = (
    event("blocked", 1, reason="no picture from the camera"),
    placed(31, "7s", "A"),
    placed(32, "8s", "B", "7s"),
    *(event("pressed", at, button="resign", by=seat) for at, seat in ((33, "B"), (34, "C"))),
)
"""A camera that has been away may have missed a deal; the players give up while cards lie on the table."""


@pytest.mark.parametrize(
    "gathered",
    [
        (event("drawn", 39, count=1, card="9h"),),
        (event("drawn", 39, count=1, by="A"), event("drawn", 40, count=17, card="9h", by="A")),
        (event("swept", 39, to="heap"), event("drawn", 40, count=18, card="9h", by="B")),
        (event("swept", 39, to="C"), event("drawn", 40, count=1)),
        (event("lifted", 39, card="8s", by="A"), event("lifted", 39.5, card="7s", by="A"), event("drawn", 40, count=1)),
    ],
)
def test_cards_gathered_after_giving_up_begin_no_deal(gathered: tuple[dict[str, Any], ...]) -> None:
    belief, messages = belief_after(*GIVEN_UP, *gathered)
    assert belief.state.result is not None, "the game stays given up"
    assert belief.state.session.deal == 1
    assert faults(messages) == []


def test_deal_after_a_game_that_was_given_up_begins_the_next_game() -> None:
    gathered = (event("swept", 39, to="heap"), event("drawn", 40, count=18, card="9h"))
    belief, _ = belief_after(*GIVEN_UP, *gathered, event("dealt", 60, turnup="6c"))
    assert (belief.state.result, belief.state.session.deal) == (None, 2)


def test_player_of_the_turn_up_had_exchanged_it_unseen() -> None:
    start = {"talon": 1, "hands": {"A": 6, "B": 6, "C": 6}}
    belief, messages = belief_after(
        placed(1, "7s", "A"),
        placed(2, "8s", "B", "7s"),
        event("swept", 3, to="heap"),
        event("drawn", 4, by="A", count=1),
        placed(5, "9h", "B"),
        placed(6, "Th", "C", "9h"),
        event("swept", 7, to="heap"),
        placed(8, "Qs", "C"),
        start={**start, "heap_count": 17},
    )
    assert faults([*messages, *belief.finish()]) == []
    assert {str(card) for card in belief.state.ledger.known["A"]} == {"6h"}


def test_unseen_sweep_is_inferred_from_the_next_one() -> None:
    # B takes the 7s unseen; A leads the 7d, which might as well have been thrown in.
    lines = (placed(1, "7s", "A"), placed(2, "7d", "A"), placed(3, "8d", "B", "7d"), event("swept", 4, to="heap"))
    start = {"talon": 0, "turnup": None, "hands": {"A": 6, "B": 6}}
    belief, messages = belief_after(*lines, placed(5, "7s", "B"), placed(6, "9s", "A", "7s"), start=start, **TWO)
    assert faults([*messages, *belief.finish()]) == []
    state = belief.state.as_json()
    assert (state["hands"], state["heap"], state["table"]) == ({"A": 3, "B": 5}, 26, [["7s", "9s"]])
    last = belief.best.last
    while last is not None and last.place > 2:
        last = last.before
    assert last is not None
    assert [event.to for event in last.unseen if isinstance(event, Swept)] == ["B"]
    assert "turn" in [announcement.kind for announcement in last.announced]


def test_no_event_is_inferred_between_cards_laid_together() -> None:
    # Had the defender beaten the first one unseen, the second would be a throw-in; but both came at once.
    belief, messages = belief_after(
        placed(1, "Qc", "A"),
        placed(1, "As", "A"),
        event("swept", 2, to="B"),
        event("drawn", 3, by="A", count=2),
        placed(4, "Kd", "C"),
        placed(5, "Ad", "A", "Kd"),
    )
    assert [fault for _, fault in faults([*messages, *belief.finish()])] == ["opening-shape"]
    state = belief.state.as_json()
    assert (state["hands"], state["attacker"]) == ({"A": 5, "B": 8, "C": 5}, "C")


def test_drawing_more_after_too_few_is_no_fault() -> None:
    lines = (
        placed(1, "7s", "A"),
        placed(1, "7d", "A"),
        event("swept", 2, to="B"),
        event("drawn", 3, by="A", count=1),
        placed(4, "Ks", "C"),
        event("swept", 5, to="A"),
        event("drawn", 6, by="C", count=1),
        placed(7, "Qd", "B"),
        placed(8, "Kd", "C", "Qd"),
        event("swept", 9, to="heap"),
        event("drawn", 10, by="B", count=1),
    )
    belief, messages = belief_after(*lines)
    assert [fault for _, fault in faults([*messages, *belief.finish()]) if fault == "draw-too-many"] == []
    assert any(hypothesis.state.ledger.hands["A"] == 6 for hypothesis in belief.beam)


def test_weight_of_an_unseen_card_is_independent_of_its_seat() -> None:
    belief, _ = belief_after(placed(1, "7s", "A"), event("swept", 2, to="B"))
    unseen = [hypothesis for hypothesis in belief.beam if hypothesis.last is not None and hypothesis.last.unseen]
    assert len(unseen) == 2
    share = sum(exp(hypothesis.log_weight) for hypothesis in unseen)
    assert share < belief._sensor.rates(RATES).unseen_card * 1.2


def test_explanation_of_a_joint_throw_in_precedes_both_cards() -> None:
    belief, messages = belief_after(
        placed(1, "7s", "A"),
        placed(2, "8s", "B", "7s"),
        placed(3, "8c", "C"),
        placed(5, "7d", "A"),
        placed(5, "Qd", "A"),
        placed(6, "Kd", "B", "Qd"),
        placed(7, "Ad", "B", "7d"),
        event("swept", 8, to="heap"),
    )
    assert faults([*messages, *belief.finish()]) == []
    state = belief.state.as_json()
    assert (state["hands"], state["heap"]) == ({"A": 3, "B": 2, "C": 5}, 8)


def test_take_of_a_beaten_bout_implies_an_unseen_card() -> None:
    belief, messages = belief_after(
        placed(1, "7s", "A"),
        placed(2, "8s", "B", "7s"),
        event("swept", 3, to="B"),
        event("drawn", 4, by="A", count=2),
        placed(5, "Ks", "C"),
    )
    assert faults([*messages, *belief.finish()]) == []
    assert belief.state.as_json()["hands"] == {"A": 6, "B": 8, "C": 5}


def test_apparent_lead_may_beat_an_unseen_lead() -> None:
    start = {key: value for key, value in START.items() if key != "attacker"}
    belief = Belief(Header.parse({**HEADER, "start": start}))
    lines = (
        placed(1, "8s", "B"),
        event("swept", 2, to="heap"),
        event("drawn", 3, by="A", count=1),
        event("drawn", 4, by="B", count=1),
        placed(5, "Qs", "B"),
    )
    messages = [
        message
        for number, line in enumerate(lines, 2)
        for message in belief.observe(RecordLine(number, event_from_json(line)))
    ]
    assert faults([*messages, *belief.finish()]) == []
    state = belief.state.as_json()
    assert (state["attacker"], state["hands"], state["heap"]) == ("B", {"A": 6, "B": 5, "C": 6}, 2)


def test_unseen_transfer_by_showing_a_trump_is_inferred() -> None:
    belief, messages = belief_after(
        placed(1, "7s", "A"),
        placed(2, "8s", "A", "7s"),
        event("swept", 3, to="heap"),
        placed(4, "Qs", "A"),
        start={"talon": 0, "turnup": None, "hands": {"A": 6, "B": 6}},
        rules="perevodnoy",
        options={"transfer_show": "per_bout"},
        **TWO,
    )
    assert faults([*messages, *belief.finish()]) == []
    state = belief.state.as_json()
    assert (state["hands"], state["heap"], state["known"]) == ({"A": 3, "B": 6}, 26, {"B": ["7h"]})


def test_seat_of_an_unseen_first_lead_is_inferred() -> None:
    dealt, taken, swept = event("dealt", 0, turnup="9h"), event("swept", 4, to="B"), event("swept", 4, to="heap")
    a_draws, b_draws = event("drawn", 5, by="A", count=1), event("drawn", 6, by="B", count=1)
    after_take = (a_draws, placed(7, "6d", "C"), placed(9, "7d", "A", "6d"))
    after_beat = (a_draws, b_draws, placed(7, "6d", "B"), placed(9, "7d", "C", "6d"))
    for lines, attacker, hands in (
        ((dealt, taken, *after_take), "C", {"A": 5, "B": 7, "C": 5}),
        ((dealt, swept, *after_beat), "B", {"A": 6, "B": 5, "C": 5}),
        ((dealt, placed(2, "8s", "B", "7s"), swept, *after_beat), "B", {"A": 6, "B": 5, "C": 5}),
    ):
        belief, messages = from_before_the_deal(*lines)
        state = belief.state.as_json()
        assert (faults(messages), state["attacker"], state["hands"]) == ([], attacker, hands)


PAIRS = {"rules": "durek-platkowy", "seats": ["A", "B", "C"], "dealer": "C"}
FIVE = {"trump": "s", "turnup": None, "talon": 37, "hands": {"A": 5, "B": 5, "C": 5}, "attacker": "A"}


def test_card_of_an_opening_may_be_seen_only_when_beaten() -> None:
    # A opens with 3c 3h and one more that nobody saw; B beats the 3c, then that one.
    belief, messages = belief_after(
        *(placed(1, card, "A") for card in ("3c", "3h")),
        placed(3, "7c", "B", "3c"),
        placed(5, "Qc", "B"),
        placed(7, "4h", "B", "3h"),
        event("swept", 9, to="heap"),
        event("drawn", 10, by="A", count=3),
        start=FIVE,
        **PAIRS,
    )
    assert faults([*messages, *belief.finish()]) == []
    assert belief.state.as_json()["heap"] == 6


def test_opening_with_an_unseen_card_has_no_wrong_shape() -> None:
    # 4d Kd Kh 3d 4h is two pairs and one more; without the 4d it is none.
    belief, messages = belief_after(
        *(placed(1, card, "A") for card in ("3d", "Kd", "4h", "Kh")),
        event("swept", 9, to="B"),
        event("drawn", 10, by="A", count=5),
        placed(12, "9c", "C"),
        start=FIVE,
        **PAIRS,
    )
    assert faults([*messages, *belief.finish()]) == []
    assert belief.state.as_json()["hands"] == {"A": 5, "B": 10, "C": 4}


def test_uncertain_card_without_alternatives_may_be_any_fitting_card() -> None:
    # C throws in the 6c, which is reported as a card of another rank; the 7c beats it.
    belief, messages = belief_after(
        placed(1, "6s", "A"),
        placed(3, "Qs", "B", "6s"),
        placed(5, "6d", "C"),
        placed(5, "8d", "C", confidence=0.455),
        placed(7, "7c", "B", "8d"),
        placed(8, "9d", "B", "6d"),
        placed(9, "9c", "A"),
        event("swept", 11, to="B"),
        *(event("drawn", at, by=by, count=2) for at, by in ((12, "A"), (13, "C"))),
        placed(15, "Qd", "C"),
    )
    assert faults([*messages, *belief.finish()]) == []
    assert belief.state.as_json()["known"]["B"] == ["6c", "6d", "6s", "7c", "9c", "9d", "Qs"]


def test_transfer_of_an_unseen_lead_is_no_lead_out_of_turn() -> None:
    # A leads the Kh unseen; B passes it on, and C beats it with a card that lies across none that was seen.
    lines = (placed(1, "Kd", "B"), placed(2, "Ah", "C"), placed(3, "As", "B"))
    belief, messages = belief_after(*lines, event("swept", 5, to="heap"), placed(8, "7c", "C"), rules="perevodnoy")
    assert faults([*messages, *belief.finish()]) == []


def test_unannounced_take_does_not_explain_a_sweep() -> None:
    # If B had taken the 7d unseen, the Jd would be a lead, and a lead is not taken back.
    start = {"talon": 22, "hands": {"A": 8, "B": 6}}
    lines = (placed(1, "7d", "A"), placed(2, "Jd", "A"), event("lifted", 3, card="Jd", by="A"), placed(4, "7c", "A"))
    _, messages = belief_after(*lines, event("swept", 5, to="B"), start=start, **TWO)
    assert faults(messages) == [(3, "rank-not-on-table")]


def test_unseen_throw_in_and_beat_are_inferred_from_the_draws() -> None:
    draws = (event("drawn", 4, by="A", count=2), event("drawn", 5, by="B", count=2))
    belief, _ = belief_after(*BOUT, HEAP, *draws, placed(7, "Qs", "B"), placed(8, "Ks", "C", "Qs"))
    assert max(belief.probabilities.values()) < 0.1
    assert belief.state.as_json()["heap"] == 4


def test_sweep_is_explained_in_each_likely_hypothesis() -> None:
    # The seat of the 7d and its beat by B are unseen; D draws for it.
    swept = event("swept", 4, to="heap", confidence=0.738, otherwise=[[{"to": "A"}, 0.151], [{"to": "D"}, 0.111]])
    draws = (event("drawn", at, by=by, count=count) for at, by, count in ((5, "A", 1), (6, "D", 1), (7, "B", 2)))
    four: dict[str, Any] = {"seats": ["A", "B", "C", "D"], "start": {"talon": 12, "hands": dict.fromkeys("ABCD", 6)}}
    lead = (placed(1, "7s", "A"), placed(2, "8s", None, "7s"), placed(3, "7d", None))
    belief, _ = belief_after(*lead, swept, *draws, placed(8, "Qs", "B"), **four)
    assert max(belief.probabilities.values()) < 0.05


def test_fault_that_final_hands_prove_is_asked_about_and_not_called() -> None:
    # B holds nine cards and lays nine, so that he had not beaten the 6s; that shows eight bouts later.
    lines = [placed(1, "6s", "A"), event("swept", 2, to="heap")]
    beaten = zip(
        ("7c", "7d", "7s", "8c", "8d", "8s"), ("Tc", "Td", "Ts", "Jc", "Jd", "Js"), "BABABA", "ABABAB", strict=True
    )
    for at, (card, over, attacker, defender) in enumerate(beaten, start=1):
        lines += [placed(3 * at, card, attacker), placed(3 * at + 1, over, defender, card)]
        lines += [event("swept", 3 * at + 2, to="heap")]
    lines += [placed(21, "Kc", "B"), placed(22, "Kd", "B"), event("swept", 23, to="A")]
    lines += [placed(24, "9c", "B"), event("swept", 25, to="A")]
    start = {"talon": 0, "turnup": None, "hands": {"A": 9, "B": 9}}
    belief, messages = belief_after(*lines, start=start, **TWO)
    messages += belief.finish()
    assert faults(messages) == []
    asked = [message.what for message in messages if message.line == 3 and isinstance(message.what, Ruling)]
    assert [ruling.question for ruling in asked][-1] == {"ask": "fault", "fault": "unbeaten-cards"}
    assert belief.probabilities[3] > 0.99


@pytest.mark.parametrize("hidden", ["unread", "a hand", None])
@pytest.mark.parametrize("statement", [("take", "B"), ("pass", "A"), ("done", "A")])
def test_statement_on_a_lead_that_was_not_read_or_not_seen_is_no_fault(
    hidden: str | None, statement: tuple[str, str]
) -> None:
    button, by = statement
    lead = {"unread": [event("blocked", 1, reason="unread", by="A")], "a hand": [event("blocked", 1, reason="a hand")]}
    belief, messages = belief_after(
        *lead.get(str(hidden), []),
        event("pressed", 12, button=button, by=by),
        event("swept", 14, to="B"),
        event("drawn", 16, by="A", count=1),
        placed(18, "7c", "C"),
        placed(20, "8c", "A", "7c"),
    )
    assert faults([*messages, *belief.finish()]) == []
    assert belief.state.ledger.hands == {"A": 5, "B": 7, "C": 5}


@pytest.mark.parametrize("hidden", ["unread", "a hand", None])
def test_beat_of_a_lead_that_was_not_read_or_not_seen_shows_in_the_draws(hidden: str | None) -> None:
    lead = {"unread": [event("blocked", 1, reason="unread", by="A")], "a hand": [event("blocked", 1, reason="a hand")]}
    belief, messages = belief_after(
        *lead.get(str(hidden), []),
        event("pressed", 12, button="done", by="A"),
        event("swept", 14, to="heap"),
        event("drawn", 16, by="A", count=1),
        event("drawn", 18, by="B", count=1),
        placed(20, "7c", "B"),
        placed(22, "8c", "C", "7c"),
    )
    assert faults([*messages, *belief.finish()]) == []
    assert belief.state.ledger.hands == {"A": 6, "B": 5, "C": 5}
