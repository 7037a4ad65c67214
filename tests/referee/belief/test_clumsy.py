"""Systematic camera errors that are reported as certain lead to no false accusation."""

from __future__ import annotations

from math import exp

import pytest

from benchmarks.simulate import judge_games
from benchmarks.simulation.score import SimulationScore
from benchmarks.simulation.simulated_games import Setting
from referee.belief.decide import CUES, why
from referee.belief.rates import RATES
from referee.cards import Card
from tests.referee.belief.table import BOUT, DRAWS, HEAP, belief_after, event, faults, placed


def test_sweep_in_several_strokes_is_one_sweep() -> None:
    strokes = (event("swept", 2.5, to="heap", left=["7s", "8s"]), HEAP)
    belief, messages = belief_after(*BOUT, placed(2.2, "7d", "A"), placed(2.4, "9d", "B", "7d"), *strokes, *DRAWS)
    assert faults([*messages, *belief.finish()]) == []
    assert belief.state.as_json()["heap"] == 4


def test_attack_and_beat_of_one_inference_may_be_reversed() -> None:
    # B beats the 7s with the 8s, and the camera takes the 8s for the card below.
    belief, messages = belief_after(
        placed(1, "8s", "B"),
        placed(1.6, "7s", "A", "8s"),
        event("swept", 4, to="heap"),
        *(event("drawn", at, by=by, count=1) for at, by in ((5, "A"), (6, "B"))),
        placed(8, "Qs", "B"),
    )
    assert faults([*messages, *belief.finish()]) == []
    assert belief.state.as_json()["attacker"] == "B"


def test_draws_show_who_laid_a_card_that_another_seat_was_said_to_have_laid() -> None:
    # C threw in the 8c, which the camera gave A: so A draws two cards, not three, and C one.
    belief, messages = belief_after(
        placed(1, "8h", "A"),
        placed(2, "Jh", "B", "8h"),
        placed(3, "8c", "A"),
        placed(4, "Jc", "B", "8c"),
        placed(5, "Jd", "A"),
        event("swept", 7, to="B"),
        event("drawn", 8, by="A", count=2),
        event("drawn", 9, by="C", count=1),
        placed(11, "Qs", "C"),
        placed(13, "Ks", "A", "Qs"),
    )
    assert faults([*messages, *belief.finish()]) == []
    assert belief.state.ledger.hands == {"A": 5, "B": 9, "C": 5}


def test_lead_of_several_cards_shows_that_the_first_was_of_their_rank() -> None:
    # Of four kings led at once the camera took the first for a queen.
    together = [placed(1, card, "A") for card in ("Qc", "Kd", "Kh", "Ks")]
    belief, messages = belief_after(*together, placed(3, "Ac", "B", "Qc"), event("swept", 6, to="B"))
    assert faults([*messages, *belief.finish()]) == []
    assert belief.state.ledger.hands == {"A": 2, "B": 10, "C": 6}


def test_unread_card_may_have_the_rank_of_a_throw_in() -> None:
    belief, messages = belief_after(
        placed(1, "7s", "A"),
        event("blocked", 2, reason="unread", by="B", on="7s"),
        placed(4, "Qd", "A"),
        placed(5, "Kd", "B", "Qd"),
        event("swept", 7, to="heap"),
        *(event("drawn", at, by=by, count=2) for at, by in ((8, "A"), (9, "B"))),
    )
    assert faults([*messages, *belief.finish()]) == []


def test_beat_of_an_unread_card_is_legal() -> None:
    belief, messages = belief_after(
        event("blocked", 1, reason="unread", by="A"),
        placed(3, "8s", "B"),
        HEAP,
        event("drawn", 4, by="A", count=1),
        event("drawn", 5, by="B", count=1),
        placed(7, "Qs", "B"),
    )
    assert faults([*messages, *belief.finish()]) == []


def test_missed_event_makes_another_more_likely() -> None:
    after = RATES.after_a_miss()
    assert after.unseen_card > RATES.unseen_card
    assert after.after_a_miss() == after


@pytest.mark.parametrize(("keys", "cue"), [({"on": None}, CUES["on"]), ({"on": None, "by": "A"}, CUES["on"])])
def test_reason_from_any_key_of_a_record_has_a_text(keys: dict[str, str | None], cue: str) -> None:
    # C beats, which is B's to do, and takes it back; beside the 7s the 7d would have been thrown in.
    doubtful = placed(2, "7d", "C", "7s", confidence=0.9, otherwise=[[keys, 0.1]])
    belief, _ = belief_after(placed(1, "7s", "A"), doubtful, event("lifted", 4, card="7d", by="C"))
    assert cue in [reason["cue"] for reason in why(belief.beam, 2)]


@pytest.mark.thorough
def test_clumsy_camera_causes_few_false_accusations_in_20_games() -> None:
    score = judge_games(range(300, 320), Setting(level=0.5, clumsy=1.0), "belief", False)
    assert isinstance(score, SimulationScore)
    assert score.false_accusations <= 4


def test_card_of_an_unseen_seat_belongs_to_the_seat_that_takes_it_back() -> None:
    lines = (*BOUT, placed(4, "6d", None), event("lifted", 6, card="6d", by="C"))
    belief, _ = belief_after(*lines)
    six = Card.parse("6d")
    shares = [exp(hypothesis.log_weight) for hypothesis in belief.beam if hypothesis.state.ledger.holder(six) == "C"]
    assert sum(shares) > 0.8
