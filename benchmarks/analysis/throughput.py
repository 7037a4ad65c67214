"""
Measure playouts a second and seconds a game, by processor time of one core.

``python -m benchmarks.analysis.throughput [--games 1] [--playouts 1000] [--analyse EVERY]``
"""

from __future__ import annotations

import argparse
import random
import time

from benchmarks.analysis.check_records import cases_of_random_match
from benchmarks.analysis.endings import house_of
from benchmarks.analysis.players import dealt, greedy_player
from features.analysis.endgames import TwoHands
from features.analysis.position import GOES_ON, choices
from features.analysis.stored_analyses import rated
from features.analysis.tree_search import TreeSearch

TABLES = (("podkidnoy-36", 2), ("perevodnoy", 2), ("podkidnoy-36", 4), ("podkidnoy-36", 6))


def measure(rules: str, players: int, playouts: int, seed: int) -> tuple[int, int, float]:
    """
    Play one game of greedy players: return the decisions with a choice, the playouts made for them, seconds of
    processor time.
    """
    rng = random.Random(f"throughput {seed}")
    table = dealt(house_of(rules, players), rng)
    decisions = made = 0
    solver = TwoHands(table.position.house, table.position.trump)
    began = time.process_time()
    while table.position.losers == GOES_ON and decisions < 1000:
        options = choices(table.position)
        if len(options) > 1:
            seat = table.position.asked
            search = TreeSearch(table.deals_for(seat).weighted(table.odds).deal, seat, rng, solver)
            played = greedy_player(table, rng)
            made += sum(estimate.playouts for estimate in search.estimates(options, playouts, played))
            decisions += 1
            table.play(played)
        else:
            table.play(options[0])
    return decisions, made, time.process_time() - began


def seconds_to_analyse(rules: str, players: int, playouts: int, seed: int, every: int) -> tuple[int, float]:
    """
    Rate one in ``every`` decisions of a random match: return the decisions of the match, and the seconds of processor
    time that all of them would take.
    """
    cases = cases_of_random_match(rules, players, seed)
    began = time.process_time()
    chosen = cases[seed % every :: every]
    for case in chosen:
        rated(case, playouts, seed)
    return len(cases), (time.process_time() - began) * len(cases) / len(chosen)


def main() -> None:
    """Print a row for each table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1)
    parser.add_argument("--playouts", type=int, default=1000)
    parser.add_argument(
        "--analyse", type=int, metavar="EVERY", help="analyse one in so many decisions of random matches"
    )
    parser.add_argument("--players", nargs="*", type=int, default=[2, 6], help="of the matches that are analysed")
    asked = parser.parse_args()
    if asked.analyse:
        print_analyses(asked)
    else:
        print_searches(asked)


def print_analyses(asked: argparse.Namespace) -> None:
    """Print how long ``kozyr analyse`` takes for matches of random play, which are longer than others."""
    print("| rule set | players | matches | decisions a match | seconds of one core a match |")
    print("|---|---|---|---|---|")
    for players in asked.players:
        found = [
            seconds_to_analyse("podkidnoy-36", players, asked.playouts, seed, asked.analyse)
            for seed in range(asked.games)
        ]
        decisions, taken = (sum(values) / asked.games for values in zip(*found, strict=True))
        print(f"| podkidnoy-36 | {players} | {asked.games} | {decisions:.0f} | {taken:.0f} |", flush=True)


def print_searches(asked: argparse.Namespace) -> None:
    """Print how fast the search alone is."""
    print("| rule set | players | games | decisions a game | playouts a second | seconds a game |")
    print("|---|---|---|---|---|---|")
    for rules, players in TABLES:
        found = [measure(rules, players, asked.playouts, seed) for seed in range(asked.games)]
        decisions, made, taken = (sum(values) for values in zip(*found, strict=True))
        print(
            f"| {rules} | {players} | {asked.games} | {decisions / asked.games:.0f} | {made / taken:.0f} "
            f"| {taken / asked.games:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
