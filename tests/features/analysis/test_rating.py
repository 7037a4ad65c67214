"""Decisions of whole records: extraction, consistent hands, and ratings."""

from __future__ import annotations

import random
from typing import Any

import pytest

from features.analysis.decision_case import DecisionCase
from features.analysis.endgames import TwoHands
from features.analysis.position import ATTACK, BEAT, PASS, SHOW, TAKE, TRANSFER, WAIT, legal, openings
from features.analysis.rating import cases_of, rate, summary_of
from features.analysis.recorded import HiddenCards, deals_of, decisions_of
from referee.cards import Card, mask_of
from tests.features.analysis.endings import ended, steps_of
from tests.referee.house import HOUSES
from tests.referee.random_play import RandomSession

TABLES = [(name, players) for name, (_, counts) in HOUSES.items() for players in counts[:1]]


def case_of(record: list[dict[str, Any]], line: int) -> DecisionCase:
    return next(case for case in cases_of(steps_of(record), random.Random(1)) if case.line == line)


@pytest.mark.ordinary(2)
@pytest.mark.parametrize(("name", "players"), TABLES)
def test_every_decision_of_a_record_is_rated(name: str, players: int) -> None:
    session = RandomSession(name, players, seed=11)
    session.play(1)
    cases = cases_of(steps_of(session.record), random.Random(5))
    laid = {line for line, data in enumerate(session.record, start=1) if data.get("event") == "placed"}
    rng = random.Random(2)
    assert len({case.line for case in cases} & laid) >= 0.6 * len(laid)
    for case in cases:
        position = case.truth
        assert case.decision in case.options
        found = legal(position, case.seat) if position.attack_count else openings(position)
        assert set(case.options) <= {*found, (PASS, 0, 0), (WAIT, 0, 0), case.decision}
        dealt = case.deals.deal(rng)
        assert dealt.hands[case.seat] == position.hands[case.seat]
        assert [hand.bit_count() for hand in dealt.hands] == [hand.bit_count() for hand in position.hands]
        everything = [card for hand in dealt.hands for card in [hand]] + dealt.talon
        assert sum(everything) & ~position.house.pack_mask == 0
    for case in cases[:: max(1, len(cases) // 5)]:
        if case.truth.house.seats == 2 and sum(hand.bit_count() for hand in case.truth.hands) > 16:
            continue  # long takings of random play: exact search would only be given up there
        rating = rate(case, 6, rng, TwoHands(case.truth.house, case.truth.trump))
        assert 0 <= rating.loss <= rating.chance <= 1
        assert rating.best_chance <= rating.chance
        assert all(0 <= chance <= 1 for chance in rating.chances.values())
        assert rating.as_json()["by"] == case.name


@pytest.mark.parametrize(("name", "players"), [("podkidnoy-36", 2), ("perevodnoy", 3), ("severnyi", 2), ("spanish", 2)])
def test_hands_agree_with_the_true_hands(name: str, players: int) -> None:
    held: list[dict[str, set[str]]] = []
    session = RandomSession(name, players, seed=3)
    session.after_event = lambda played: held.append({seat: set(hand) for seat, hand in played.deal.hands.items()})  # type: ignore[union-attr]
    session.play(1)
    (deal,) = deals_of(steps_of(session.record))
    hidden = HiddenCards.of(deal, random.Random(1))
    kinds = set()
    for made in decisions_of(deal):
        kinds.add(made.decision[0])
        hand, sure = hidden.hand(made.seat, made.step, made.state)
        assert hand & made.decision[1] == made.decision[1] or made.decision[0] == WAIT
        assert hand.bit_count() == made.state.ledger.hands[made.seat]
        if hand == sure:  # between two cards that are laid together the hand is part of the one before
            assert any(not hand & ~mask_of(map(Card.parse, message[made.seat])) for message in held)
        talon = hidden.talon(made.step, made.state)
        assert len(talon) == made.state.ledger.talon == len(set(talon))
    assert {ATTACK, BEAT, TAKE, PASS} <= kinds


def test_transfer_and_showing_are_decisions() -> None:
    kinds = set()
    for seed in range(6):
        session = RandomSession("hebrew-transfer", 3, seed=seed)
        session.play(1)
        for deal in deals_of(steps_of(session.record)):
            kinds |= {made.decision[0] for made in decisions_of(deal)}
    assert {TRANSFER, SHOW} <= kinds


def test_blunder_in_an_ending_loses_the_game() -> None:
    # With the trump ace kept B beats whatever comes; wasted on a six it is missing against the trump king.
    record = ended(
        "6s Kh",
        "Ah 7s 9c",
        {"event": "placed", "card": "6s", "by": "A"},
        {"event": "placed", "card": "Ah", "by": "B", "on": "6s"},
    )
    rating = rate(case_of(record, 3), 50, random.Random(1))
    assert rating.exact
    assert rating.played == "Ah over 6s"
    assert rating.loss in (0.0, 1.0)
    assert (rating.loss == 0.0) == (rating.played in rating.good)
    assert rating.best_line[:3] == ("B: 7s over 6s", "B: Ah", "A: take")
    assert sum(rating.chances.values()) == 1.0


def test_unannounced_sweep_counts_as_take_or_pass() -> None:
    record = ended(
        "6s 6c Kh",
        "7s 7c 9c",
        {"event": "placed", "card": "6s", "by": "A"},
        {"event": "placed", "card": "7s", "by": "B", "on": "6s"},
        {"event": "swept", "to": "heap"},
        {"event": "placed", "card": "7c", "by": "B"},
        {"event": "swept", "to": "A"},
    )
    made = [(case.line, case.decision[0]) for case in cases_of(steps_of(record), random.Random(1))]
    assert made == [(2, ATTACK), (3, BEAT), (4, PASS), (5, ATTACK), (6, TAKE)]


def test_cards_laid_together_are_one_decision() -> None:
    record = ended("6s 6c Kh", "7s 7c 9c", {"event": "placed", "card": "6s", "by": "A"})
    record += [{"at": 0.0, "event": "placed", "card": "6c", "by": "A"}]
    (case,) = cases_of(steps_of(record), random.Random(1))
    assert case.line == 2
    assert case.decision == (ATTACK, mask_of(map(Card.parse, ("6s", "6c"))), 0)


def test_early_throw_in_is_compared_with_waiting() -> None:
    record = ended(
        "6s 6c Kh",
        "7s 7c 9c",
        {"event": "placed", "card": "6s", "by": "A"},
        {"event": "placed", "card": "6c", "by": "A"},
    )
    case = case_of(record, 3)
    assert (WAIT, 0, 0) in case.options
    assert rate(case, 20, random.Random(1)).exact


def test_ending_over_budget_is_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("features.analysis.rating.EXACT_BUDGET", 1)
    record = ended("6s 6c Kh 9d", "7s 7c 9c Qd", {"event": "placed", "card": "6s", "by": "A"})
    rating = rate(case_of(record, 2), 40, random.Random(1))
    assert not rating.exact
    assert rating.playouts


def test_faults_and_unknown_trumps_are_not_rated() -> None:
    record = ended(
        "6s 6c Kh",
        "7s 7c 9c",
        {"event": "placed", "card": "6s", "by": "A"},
        {"event": "placed", "card": "9c", "by": "B", "on": "6s"},
    )
    assert [case.line for case in cases_of(steps_of(record), random.Random(1))] == [2]
    unknown = ended("6s", "7s", {"event": "placed", "card": "6s", "by": "A"}, trump=None)
    assert cases_of(steps_of(unknown), random.Random(1)) == []


def test_player_summary_has_the_two_worst_lines() -> None:
    lines = [{"by": "A", "line": n, "loss": loss} for n, loss in ((2, 0.1), (4, 0.0), (6, 0.4), (8, 0.2))]
    assert summary_of(lines, ("A", "B")) == [
        {"seat": "A", "decisions": 4, "mean_loss": 0.175, "worst": [6, 8]},
        {"seat": "B", "decisions": 0, "mean_loss": 0.0, "worst": []},
    ]


def test_ending_with_all_hands_stated_is_solved_though_the_discard_pile_is_not_known() -> None:
    plays = ({"at": 1.0, "event": "placed", "card": "6s", "by": "A"}, {"at": 2.0, "event": "swept", "to": "B"})
    record = ended("6s 6c Kh", "7s 7c 9c", *plays, heap=[])
    rating = rate(case_of(record, 2), 10, random.Random(1))
    assert (rating.exact, rating.playouts) == (True, 0)
