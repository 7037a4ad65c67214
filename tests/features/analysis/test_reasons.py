"""Reasons why a decision was worse or better: one case for each, and cases without a reason."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from benchmarks.analysis.endings import house_of
from features.analysis.deals import Deals
from features.analysis.decision_case import DecisionCase
from features.analysis.position import Decision, Position
from features.analysis.rating import cases_of
from features.analysis.reasons import REASONS, Reason, praise_of, reason_of
from referee.cards import Card, mask_of
from tests.features.analysis.decision_text import parsed
from tests.features.analysis.endings import ended, steps_of

HEARTS = 1

Compared = tuple[DecisionCase, Decision]
"""A decision, and the best one."""


def cards(text: str) -> int:
    return mask_of(map(Card.parse, text.split()))


def compared(
    seat: int, hand: str, table: str, played: str, best: str, *, taking: bool = False, talon: str = "", beaten: str = ""
) -> Compared:
    """
    Return a decision of ``seat`` (0 attacks, 1 defends) who holds ``hand``; the cards of ``table`` lie unbeaten, unless
    all is ``beaten`` by these cards.
    """
    hands = [cards("8d"), cards("8d")]
    hands[seat] = cards(hand)
    position = Position(house_of("perevodnoy", 2), hands, [cards(card) for card in talon.split()], HEARTS)
    position.begin(0, 1)
    position.table = cards(table) | cards(beaten)
    position.unbeaten = 0 if beaten else cards(table)
    position.attack_count = len(table.split())
    position.is_taking = taking
    deals = Deals(position, (0, 0), (), 0)
    made = DecisionCase(1, seat, "AB"[seat], ("A", "B"), parsed(played), position, deals, (), True, hands[seat])
    return made, parsed(best)


WORSE: list[tuple[Compared, Reason]] = [
    (
        compared(1, "9s Ks", "8s", "Ks over 8s", "9s over 8s"),
        {"id": "lower_beats", "card": "Ks", "over": "8s", "lower": "9s"},
    ),
    (
        compared(1, "9s 7h", "8s", "7h over 8s", "9s over 8s"),
        {"id": "lower_beats", "card": "7h", "over": "8s", "lower": "9s"},
    ),
    (
        compared(1, "9s 7d", "8s Kc", "9s over 8s", "take"),
        {"id": "beats_in_vain", "card": "9s", "left": "Kc"},
    ),
    (
        compared(1, "9s Kd", "8s Qd Kc", "9s over 8s", "take"),
        {"id": "beats_in_vain", "card": "9s", "left": "Kc"},
    ),
    (
        compared(1, "7h 9d", "8s", "7h over 8s", "take"),
        {"id": "trump_spent", "card": "7h", "over": "8s"},
    ),
    (
        compared(1, "7h Qh Ah", "8s", "7h over 8s", "take"),
        {"id": "take_keeps_trumps", "taken": "8s", "kept": "7h Qh Ah"},
    ),
    (compared(1, "8c 7d", "8s", "take", "transfer 8c"), {"id": "could_transfer", "card": "8c"}),
    (compared(1, "9s 7d", "8s", "take", "9s over 8s"), {"id": "could_beat", "card": "9s", "over": "8s"}),
    (compared(1, "8h 9s", "8s", "transfer 8h", "9s over 8s"), {"id": "transfer_spent_trump", "card": "8h"}),
    (
        compared(0, "8h 7d", "8s", "8h", "pass", taking=True),
        {"id": "gave_strong", "card": "8h", "who": "B"},
    ),
    (
        compared(0, "Kd 7d", "Ks", "Kd", "pass", taking=True),
        {"id": "gave_strong", "card": "Kd", "who": "B"},
    ),
    (compared(0, "8h 7d", "8s", "8h", "pass", beaten="9s"), {"id": "threw_trump", "card": "8h"}),
    (compared(0, "Kd 7d", "Qs", "Kd", "pass", beaten="Ks"), {"id": "threw_high", "card": "Kd"}),
    (compared(0, "8c 7d", "8s", "pass", "8c", beaten="9s"), {"id": "could_add", "card": "8c"}),
    (
        compared(0, "8c 7d", "8s", "pass", "8c", taking=True),
        {"id": "could_give", "card": "8c", "who": "B"},
    ),
    (compared(0, "8c 8s 9d", "", "8c", "8s 8c"), {"id": "led_several", "cards": "8s 8c"}),
    (compared(0, "8c 8s 9d", "", "8s 8c", "8c"), {"id": "led_too_many", "cards": "8s 8c", "kept": "8s"}),
    (compared(0, "8h 9d", "", "8h", "9d"), {"id": "led_trump", "card": "8h", "lower": "9d"}),
    (compared(0, "Kc 9d", "", "Kc", "9d"), {"id": "led_high", "card": "Kc", "lower": "9d"}),
]


@pytest.mark.parametrize(("it", "reason"), WORSE, ids=[f"{reason['id']}-{n}" for n, (_, reason) in enumerate(WORSE)])
def test_each_reason_has_a_matching_case(it: Compared, reason: Reason) -> None:
    assert reason_of(*it) == reason


def test_reason_names_the_new_rank_if_a_card_of_it_is_thrown_in() -> None:
    record = ended(
        "6s Tc Kh",
        "Ts 9s 9c",
        {"event": "placed", "card": "6s", "by": "A"},
        {"event": "placed", "card": "Ts", "by": "B", "on": "6s"},
        {"event": "placed", "card": "Tc", "by": "A"},
        {"event": "pressed", "button": "take", "by": "B"},
    )
    case = next(case for case in cases_of(steps_of(record), random.Random(1)) if case.line == 3)
    assert reason_of(case, parsed("take")) == {"id": "gave_rank", "card": "Ts", "who": "A", "given": "Tc"}
    assert reason_of(case, parsed("9s over 6s")) == {"id": "lower_beats", "card": "Ts", "over": "6s", "lower": "9s"}


def test_take_is_better_if_only_trumps_would_beat() -> None:
    it = compared(1, "7h Qh 9d", "8s 8c", "take", "take", talon="6s 6c")
    assert praise_of(it[0]) == {"id": "take_kept_trumps", "taken": "8s 8c", "kept": "7h Qh"}
    assert praise_of(compared(1, "7h Qh 9s 9c", "8s 8c", "take", "take", talon="6s 6c")[0]) is None
    assert praise_of(compared(1, "7h 9d", "8s", "take", "take", talon="6s")[0]) is None
    assert praise_of(compared(1, "7h Qh", "8s", "take", "take")[0]) is None


@pytest.mark.parametrize(
    "it",
    [
        compared(1, "9s Ks", "8s", "9s over 8s", "Ks over 8s"),
        compared(1, "9s 9c", "8s", "9s over 8s", "take"),
        compared(1, "9s 7d", "8s Kc", "take", "9s over 8s"),
        compared(0, "8c 7d", "8s", "8c", "pass", taking=True),
        compared(0, "8c 7d", "8s", "8c", "pass", beaten="9s"),
        compared(0, "8c 8d 7d", "8s", "8c", "8d", beaten="9s"),
        compared(0, "8c 9d", "", "8c", "9d"),
        compared(0, "8h 9h", "", "9h", "8h"),
        compared(1, "8c 8h 9s", "8s", "transfer 8c", "9s over 8s"),
    ],
)
def test_no_reason_is_given_without_a_matching_check(it: Compared) -> None:
    assert reason_of(*it) is None


def test_every_reason_is_covered_by_a_case() -> None:
    assert {reason["id"] for _, reason in WORSE} | {"gave_rank", "take_kept_trumps"} == set(REASONS)


@pytest.mark.parametrize(
    ("it", "sure", "reason"),
    [
        (compared(1, "9s Ks", "8s", "Ks over 8s", "9s over 8s"), "Ks", None),
        (compared(0, "8h 7d", "8s", "8h", "7d", beaten="7s"), "8h", {"id": "threw_trump", "card": "8h"}),
        (compared(1, "9s 7d", "8s Kc", "9s over 8s", "take"), "9s", None),
        (compared(1, "7h 9d", "8s", "7h over 8s", "take"), "7h", None),
    ],
)
def test_reasons_use_only_certain_cards(it: Compared, sure: str, reason: Reason | None) -> None:
    assert reason_of(replace(it[0], is_sure=False, sure=cards(sure)), it[1]) == reason


def test_take_with_an_uncertain_hand_has_no_reason() -> None:
    it = compared(1, "7h Qh 9d", "8s 8c", "take", "take", talon="6s 6c")
    assert praise_of(replace(it[0], is_sure=False, sure=cards("7h Qh"))) is None
