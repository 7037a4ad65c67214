"""Odds of unseen cards in a hand, and random deals weighted by them."""

from __future__ import annotations

import random
from math import isclose

import pytest

from benchmarks.analysis.endings import house_of
from benchmarks.analysis.players import DealtTable, dealt, random_player
from features.analysis.deals import Deals
from features.analysis.hand_odds import RULE_OF_THUMB, HandOdds
from features.analysis.playouts import THROWS_HIGH_IN
from features.analysis.position import GOES_ON, Position, choices
from referee.cards import Card, bits_of, mask_of
from tests.features.analysis.decision_text import parsed

HEARTS = 1
NOTHING = (0, 0)
UNLIKELY = 1 - RULE_OF_THUMB


def cards(text: str) -> int:
    return mask_of(map(Card.parse, text.split()))


def position(seat: int, hand: str, table: str = "", *, beaten: str = "", taking: bool = False) -> Position:
    """Return a position early in a deal; cards of ``table`` lie unbeaten, unless all is ``beaten`` by these."""
    hands = [cards("8d 8c"), cards("8d 8c")]
    hands[seat] = cards(hand)
    found = Position(house_of("podkidnoy-36", 2), hands, [cards("6h"), cards("6d")], HEARTS, 0)
    found.begin(0, 1)
    found.table, found.unbeaten = cards(table) | cards(beaten), 0 if beaten else cards(table)
    found.attack_count, found.is_taking = len(table.split()), taking
    return found


@pytest.mark.parametrize(
    ("it", "seat", "decision", "unlikely", "as_likely"),
    [
        (position(0, "9s Kd"), 0, "9s", "6s 8c", "9h 6h Tc Ks"),
        (position(0, "9h 7d"), 0, "9h", "6s Ac 7h", "Th"),
        (position(0, "8c 7d", "8s", beaten="9s"), 0, "8c", "", "6s 9d 8h"),
        (position(0, "8h 7d", "8s", beaten="9s"), 0, "8h", "8d 9c", "Th"),
        (position(1, "Ks 7d", "8s"), 1, "Ks over 8s", "9s Qs", "7s As 9c 6h"),
        (position(1, "7h 7d", "8s"), 1, "7h over 8s", "9s As 6h", "9h 7c"),
        (position(1, "7h 7d", "8s"), 1, "take", "9s As", "7s 9c"),
        (position(1, "7d 7c", "8s Qc"), 1, "take", "", "9s Ac 6h"),
        (position(0, "7d 7c", "8s", beaten="9s"), 0, "pass", "8c 9d", "Td"),
        (position(0, "7d 7c", "8s", taking=True), 0, "pass", "8c 8d", "8h 9s"),
    ],
)
def test_cards_that_contradict_a_decision_become_unlikely(
    it: Position, seat: int, decision: str, unlikely: str, as_likely: str
) -> None:
    odds = HandOdds(2)
    odds.decided(it, seat, parsed(decision), NOTHING)
    hidden = (it.hands[seat] & ~parsed(decision)[1]).bit_count()
    assert all(odd <= 0.35 for odd in odds.of(seat, hidden, list(bits_of(cards(unlikely)))))
    assert all(isclose(odd, 1.0) for odd in odds.of(seat, hidden, list(bits_of(cards(as_likely)))))
    assert odds.of(1 - seat, 2, [cards("6s")]) == (1.0,)


def test_evidence_of_a_decision_follows_the_share_of_simple_players() -> None:
    odds = HandOdds(2)
    odds.decided(position(0, "7d 7c", "Ks", beaten="As"), 0, parsed("pass"), NOTHING)
    (high,) = odds.of(0, 2, [cards("Kd")])
    assert isclose(high, 1 - THROWS_HIGH_IN * RULE_OF_THUMB)
    odds.decided(position(1, "7d 7c", "Ks"), 1, parsed("take"), NOTHING)
    low_trump, high_trump = odds.of(1, 2, [cards("6h"), cards("Ah")])
    assert isclose(low_trump, UNLIKELY)
    assert low_trump < high_trump < 1


def test_forced_pass_does_not_change_the_odds() -> None:
    full = position(0, "7d 7c", "8s", beaten="9s")
    full.limit = 1
    odds = HandOdds(2)
    odds.decided(full, 0, parsed("pass"), NOTHING)
    assert odds.of(0, 2, [cards("8c")]) == (1.0,)


def test_take_without_a_talon_makes_trumps_unlikely() -> None:
    it = position(1, "7d 7c", "8s")
    it.put_talon([], -1)
    odds = HandOdds(2)
    odds.decided(it, 1, parsed("take"), NOTHING)
    assert all(isclose(odd, UNLIKELY) for odd in odds.of(1, 2, [cards("6h"), cards("Ah")]))


def test_decision_does_not_change_the_odds_of_later_draws() -> None:
    odds = HandOdds(2)
    odds.decided(position(0, "9s Kd Qc"), 0, parsed("9s"), NOTHING)
    two_old_one_new = odds.of(0, 3, [cards("6c")])[0]
    assert two_old_one_new == pytest.approx((2 * (1 - 0.95 * RULE_OF_THUMB) + 1) / 3)


def test_laid_card_was_more_likely_drawn_after_the_last_decision() -> None:
    odds = HandOdds(2)
    odds.decided(position(0, "9s Kd Qc"), 0, parsed("9s"), NOTHING)  # two of the three cards remain
    odds.decided(position(0, "6c Kd Qc"), 0, parsed("6c"), NOTHING)  # the third one is new
    left = odds.of(0, 2, [cards("6d")])[0]
    assert left < (2 * (1 - 0.95 * RULE_OF_THUMB) + 1) / 3


def test_odds_of_played_or_known_cards_are_dropped() -> None:
    odds = HandOdds(2)
    odds.decided(position(0, "9s Kd"), 0, parsed("9s"), NOTHING)
    odds.decided(position(0, "Kd"), 0, parsed("Kd"), (cards("Kd"), 0))
    assert odds.of(0, 1, [cards("6s")]) == (1.0,)
    odds.decided(position(0, "Ks"), 0, parsed("Ks"), NOTHING)  # the last one
    assert odds.of(0, 1, [cards("6s")]) == (1.0,)


@pytest.mark.parametrize("players", [2, 4])
def test_weighted_deals_keep_known_cards_and_follow_the_odds(players: int) -> None:
    house, rng = house_of("podkidnoy-36", players), random.Random(5)
    table = dealt(house, rng)
    for _ in range(12):
        table.play(random_player(table, rng))
    truth, seat = table.position, table.position.asked
    assert truth.losers == GOES_ON
    assert choices(truth)
    even = table.deals_for(seat)
    deals = even.weighted(table.odds)
    for _ in range(20):
        position = deals.deal(rng)
        everything = sum(position.hands) + sum(position.talon) + position.table + table.gone
        assert everything == house.pack_mask
        assert position.hands[seat] == truth.hands[seat]
        assert [hand.bit_count() for hand in position.hands] == [hand.bit_count() for hand in truth.hands]
        assert len(position.talon) == len(truth.talon)


def test_unlikely_cards_are_rarely_dealt_to_the_hand() -> None:
    it = position(0, "9s Kd Qc")
    it.talon = [cards("6h"), *bits_of(it.house.pack_mask & ~cards("6h 9s Kd Qc 8d 8c"))]
    odds = HandOdds(2)
    odds.decided(it, 0, parsed("9s"), NOTHING)
    after = it.copy()
    after.hands[0] = cards("Kd Qc")
    after.table = cards("9s")
    deals, rng = Deals.known_to(after, 1, NOTHING, 0).weighted(odds), random.Random(2)
    low = cards("6s 6d 6c 7s 7d 7c 8s")
    held = sum((deals.deal(rng).hands[0] & low).bit_count() for _ in range(400)) / 800
    assert 0.02 < held < 0.15  # 7 of 30 cards: 0.23 if all were as likely


def test_attackers_who_are_not_asked_count_as_passing() -> None:
    table = DealtTable(position(0, "9s Kd"))
    table.position.hands[1] = cards("Ts 7c")
    table.play(parsed("9s"))
    table.play(parsed("Ts over 9s"))
    assert table.position.number == 2
    assert table.odds.of(0, 1, [cards("Td")])[0] < 1
