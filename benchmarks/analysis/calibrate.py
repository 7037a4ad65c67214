"""
Do three in ten end so where the search gives a chance of 0.3? Both sides go on with this search.

``python -m benchmarks.analysis.calibrate [--games 60] [--playouts 200] [--players 2]``
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict

from benchmarks.analysis.endings import house_of
from benchmarks.analysis.play_against import interval
from benchmarks.analysis.players import SearchPlayer, Table, play
from referee.analysis.tree_search import Estimate

BINS = 10


def estimates_of(rules: str, players: int, playouts: int, seed: int) -> list[tuple[float, bool]]:
    """Play one game: return each chance that was given to the deciding player, and whether that player lost."""
    given: list[tuple[int, float]] = []

    def heard(table: Table, estimate: Estimate) -> None:
        seat = table.position.asked
        given.append((seat, estimate.chance_of(seat)))

    player = SearchPlayer(playouts, heard)
    losers = play(house_of(rules, players), [player] * players, random.Random(f"calibrate {seed}"))
    return [(chance, bool(losers >> seat & 1)) for seat, chance in given]


def main() -> None:
    """Print the reliability diagram as a table and as bars."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--playouts", type=int, default=200)
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--rules", default="podkidnoy-36")
    asked = parser.parse_args()
    bins: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for seed in range(asked.games):
        for chance, lost in estimates_of(asked.rules, asked.players, asked.playouts, seed):
            bins[min(BINS - 1, int(chance * BINS))].append((chance, lost))
    print("| chance given | decisions | mean chance | lost | 95 % (decisions of a game are not independent) | |")
    print("|---|---|---|---|---|---|")
    for place, found in sorted(bins.items()):
        lost, mean = sum(lost for _, lost in found), sum(chance for chance, _ in found) / len(found)
        low, high = interval(lost, len(found))
        share = lost / len(found)
        print(
            f"| {place / BINS:.1f} to {(place + 1) / BINS:.1f} | {len(found)} | {mean:.2f} | {share:.2f} "
            f"| {low:.2f} to {high:.2f} | {'#' * round(20 * share)} |"
        )


if __name__ == "__main__":
    main()
