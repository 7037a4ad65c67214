"""
Measure how well the odds of hidden cards tell hands from the talon, by the share of decisions made by rules of thumb.

``python -m benchmarks.analysis.fit_odds [--games 60] [--playouts 100] [--shares 0.4 0.7 ...]`` plays development games
of the search against itself and prints, for each share, the mean log loss over the unseen cards of the others' hands
and of the talon: the smallest is best. ``RULE_OF_THUMB`` of ``features/analysis/hand_odds.py`` is this share.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from math import log

from benchmarks.analysis.endings import house_of
from benchmarks.analysis.players import DealtTable, SearchPlayer, dealt, moves_of
from features.analysis.hand_odds import HandOdds
from features.analysis.position import GOES_ON, Decision
from referee.cards import bits_of

ROUNDS = 12
"""Steps that find the factor by which the expected number of cards in the hand is right."""


def losses_of(table: DealtTable, seat: int) -> Iterator[float]:
    """Yield the log loss of each unseen card that another hand or the talon may hold."""
    position = table.position
    talon = sum(position.talon) - (position.talon[position.place] if position.place >= 0 else 0)
    for other, hand in enumerate(position.hands):
        hidden = hand & ~table.known[other]
        if other == seat or not hidden or not talon:
            continue
        cards, count = list(bits_of(hidden | talon)), hidden.bit_count()
        odds = table.odds.of(other, count, cards)
        factor = count / talon.bit_count()
        for _ in range(ROUNDS):
            factor *= count / sum(factor * odd / (1 + factor * odd) for odd in odds)
        for card, odd in zip(cards, odds, strict=True):
            held = factor * odd / (1 + factor * odd)
            yield -log(held if hidden & card else 1 - held)


def mean_loss(games: list[tuple[DealtTable, list[Decision]]], share: float) -> float:
    """Replay games with odds of this share and return the mean log loss at the decisions of the search."""
    found: list[float] = []
    for start, decisions in games:
        table = DealtTable(start.position.copy())
        table.odds = HandOdds(start.position.house.seats, share)
        for decision in decisions:
            if table.position.losers == GOES_ON:
                found += losses_of(table, table.position.asked)
            table.play(decision)
    return sum(found) / len(found)


def main() -> None:
    """Print a row for each share."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--playouts", type=int, default=100)
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--rules", default="podkidnoy-36")
    parser.add_argument("--shares", nargs="*", type=float, default=[0.0, 0.4, 0.6, 0.7, 0.8, 0.9])
    asked = parser.parse_args()
    house, games = house_of(asked.rules, asked.players), []
    for seed in range(asked.games):
        rng = random.Random(f"develop {seed}")
        start = dealt(house, rng)
        moves = moves_of(start, [SearchPlayer(asked.playouts)] * house.seats, rng)
        games.append((DealtTable(start.position.copy()), moves))
    print("| share by rules of thumb | mean log loss |")
    print("|---|---|")
    for share in asked.shares:
        print(f"| {share:.2f} | {mean_loss(games, share):.4f} |", flush=True)


if __name__ == "__main__":
    main()
