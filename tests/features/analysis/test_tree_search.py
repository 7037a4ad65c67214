"""Random deals of the unknown cards, playouts, and the tree search."""

from __future__ import annotations

import random

import pytest

from benchmarks.analysis.endings import ending, house_of
from features.analysis.deals import Deals
from features.analysis.endgames import TwoHands
from features.analysis.playouts import any_of, lowest, play_out
from features.analysis.position import GOES_ON, Position, choices
from features.analysis.tree_search import Estimate, TreeSearch, best_of, chances_of
from referee.cards import Card, cards_of, mask_of, pack
from referee.rulebook import PRESETS


def dealt(name: str, players: int, seed: int) -> Position:
    """Return a new deal with every card known."""
    house = house_of(name, players)
    cards = [card.bit for card in pack(house.rules.pack)]
    random.Random(seed).shuffle(cards)
    size = house.rules.hand_size
    hands = [sum(cards[n * size : n * size + size]) for n in range(players)]
    talon = cards[players * size :][::-1]
    turnup = (1 if house.rules.second_trump != "none" else 0) if house.swap and talon else -1
    position = Position(house, hands, talon, seed % 4, turnup)
    position.begin(0, position.seating.next_living(0, position.out))
    return position


def cards(text: str) -> int:
    return mask_of(map(Card.parse, text.split()))


def test_deals_keep_known_cards_and_shuffle_the_others() -> None:
    truth = dealt("podkidnoy-36", 3, 5)
    shown = truth.hands[1] & -truth.hands[1]
    deals = Deals.known_to(truth, 0, (0, shown, 0), gone=0)
    rng, others = random.Random(1), set()
    for _ in range(20):
        position = deals.deal(rng)
        everything = sum(position.hands) + sum(position.talon)
        assert everything == truth.house.pack_mask
        assert position.hands[0] == truth.hands[0]
        assert position.hands[1] & shown
        assert [hand.bit_count() for hand in position.hands] == [6, 6, 6]
        assert position.talon[position.place] == truth.talon[truth.place]
        others.add(position.hands[1])
    assert len(others) > 10
    assert not deals.is_one


def test_one_unknown_hand_without_talon_gives_one_deal() -> None:
    house = house_of("podkidnoy-24", 2)
    truth = ending(house, (3, 3), random.Random(2))
    gone = house.pack_mask & ~(truth.hands[0] | truth.hands[1])
    deals = Deals.known_to(truth, 0, (0, 0), gone)
    assert deals.is_one
    assert deals.deal(random.Random(1)).hands == truth.hands


def test_talon_without_turn_up_is_dealt() -> None:
    truth = dealt("spanish", 2, 5)
    position = Deals.known_to(truth, 0, (0, 0), gone=0).deal(random.Random(1))
    assert len(position.talon) == len(truth.talon)


def test_lowest_plain_card_precedes_every_trump() -> None:
    hearts = 1
    assert lowest(cards("Ks 7d Qc 6h"), hearts) == cards("7d")
    assert lowest(cards("Kh 7h"), hearts) == cards("7h")
    assert {any_of(cards("Ks 7d"), random.Random(seed).random) for seed in range(20)} == {cards("Ks"), cards("7d")}


@pytest.mark.parametrize("name", PRESETS)
def test_playouts_end_and_name_losers(name: str) -> None:
    players = PRESETS[name].players[-1]
    rng, losers = random.Random(4), []
    for seed in range(12):
        losers.append(play_out(dealt(name, players, seed), rng))
    assert all(0 <= mask < 1 << players for mask in losers)
    assert any(losers)


def test_playouts_of_two_players_solve_the_ending_exactly() -> None:
    rng, values = random.Random(4), set()
    for seed in range(60):
        position = ending(house_of("podkidnoy-24", 2), (2, 2), random.Random(seed))
        solver = TwoHands(position.house, position.trump)
        exact = solver.value(position)
        values.add(exact)
        assert play_out(position, rng, solver) == {1: 2, 0: 0, -1: 1}[exact]
    assert values == {-1, 0, 1}


def test_unsolved_ending_is_played_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("features.analysis.endgames.MOST_IN_A_ROW", -1)
    position = ending(house_of("perevodnoy", 2), (3, 3), random.Random(1))
    solver = TwoHands(position.house, position.trump)
    assert play_out(position, random.Random(4), solver) in (0, 1, 2)


def test_endless_playouts_count_as_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("features.analysis.playouts.MOST_DECISIONS", 3)
    assert play_out(dealt("podkidnoy-36", 2, 1), random.Random(1)) == 0


def test_search_finds_a_winning_decision() -> None:
    asked = found = 0
    for seed in range(40):
        position = ending(house_of("podkidnoy-24", 2), (4, 4), random.Random(seed))
        options, good = choices(position), set()
        for option in options:
            after = position.copy()
            after.play(option)
            value = TwoHands(after.house, after.trump).value(after)
            if (value if after.attacker == 0 else -value) == 1:
                good.add(option)
        if not good or len(good) == len(options):
            continue
        asked += 1
        search = TreeSearch(lambda chance, it=position: it.copy(), 0, random.Random(1))  # type: ignore[misc]
        estimates = search.estimates(options, 600, options[0])
        found += best_of(estimates, estimates[0]).decision in good
    assert asked >= 10
    assert found >= 0.9 * asked


def test_the_same_seed_gives_the_same_estimates() -> None:
    truth = dealt("perevodnoy", 3, 2)
    deals = Deals.known_to(truth, 0, (0, 0, 0), 0)
    options = choices(truth)
    runs = [TreeSearch(deals.deal, 0, random.Random(9)).estimates(options, 60, options[-1]) for _ in range(2)]
    assert runs[0] == runs[1]
    assert all(sum(run.losses) <= run.playouts for run in runs[0])
    most = max(run.playouts for run in runs[0])
    assert runs[0][-1].playouts == most


def test_search_without_playouts_gives_no_estimate() -> None:
    empty = Estimate((0, 1, 0), 0, [0, 0])
    assert (empty.chances[0], empty.gain, empty.gain_error) == (0.0, 0.0, 0.0)
    assert best_of([empty], empty) is empty


def test_gain_within_its_standard_error_is_ignored() -> None:
    kept = Estimate((0, 1, 0), 100, [50, 50])
    unsure = Estimate((0, 2, 0), 100, [49, 51], gained=1.0, squares=9.0)
    sure = Estimate((0, 4, 0), 100, [30, 70], gained=20.0, squares=30.0)
    left_early = Estimate((0, 8, 0), 50, [0, 50], gained=25.0, squares=25.0)
    assert best_of([kept, unsure], kept) is kept
    assert best_of([kept, unsure, sure, left_early], kept) is sure


def test_hands_are_read_back_from_masks() -> None:
    assert [str(card) for card in cards_of(cards("Ah 6s"))] == ["6s", "Ah"]
    assert dealt("podkidnoy-36", 2, 1).losers == GOES_ON


def test_values_come_from_separate_playouts() -> None:
    truth = dealt("podkidnoy-36", 2, 2)
    options = choices(truth)
    search = TreeSearch(Deals.known_to(truth, 0, (0, 0), 0).deal, 0, random.Random(9))
    chosen = search.estimates(options, 60, options[-1])
    valued = search.valued(options[:2], 40)
    assert [estimate.decision for estimate in valued] == options[:2]
    assert [estimate.playouts for estimate in valued] == [20, 20]
    assert all(0 < sum(estimate.losses) <= 20 for estimate in valued)
    assert chosen[0] is not valued[0]


def test_chance_of_the_deciding_player_is_corrected_upwards() -> None:
    estimate = Estimate((0, 1, 0), 100, [40, 30, 20])
    chances = chances_of(estimate, 0)
    assert 0.4 < chances[0] < 0.5
    assert chances[1] / chances[2] == pytest.approx(1.5)
    assert sum(chances) < 1
    assert chances_of(Estimate((0, 1, 0), 10, [10, 0]), 0) == [1.0, 0.0]
    assert chances_of(Estimate((0, 1, 0), 10, [0, 10]), 0) == [0.0, 1.0]
