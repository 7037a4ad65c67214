"""
Exact search against brute force, and how long it takes.

``python -m benchmarks.analysis.check_exact [--endings 2000] [--solve 100]``
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from contextlib import suppress

from benchmarks.analysis.brute_force import value_of
from benchmarks.analysis.endings import ending, house_of, small_endings, tables_of_two
from referee.analysis.position import Position
from referee.analysis.two_hands import BudgetSpentError, TwoHands

BUDGET = 3_000_000


def differences(name: str, count: int, seed: int) -> list[Position]:
    """Return endgames of a rule set whose value by the exact search differs from that of brute force."""
    house, rng = house_of(name, 2), random.Random(f"{name} {seed}")
    found = []
    for position in small_endings(house, count, rng):
        exact = TwoHands(house, position.trump).value(position)
        seen_by_first = exact if position.attacker == 0 else -exact
        if seen_by_first != value_of(position):
            found.append(position)
    return found


def solve_times(name: str, count: int, seed: int, cards: int = 6) -> list[float]:
    """Return the seconds of processor time for endgames of two with so many cards each."""
    house, rng = house_of(name, 2), random.Random(f"{name} {seed} solve")
    taken = []
    for _ in range(count):
        position = ending(house, (cards, cards), rng)
        began = time.process_time()
        with suppress(BudgetSpentError):  # its time counts all the same
            TwoHands(house, position.trump, BUDGET).value(position)
        taken.append(time.process_time() - began)
    return sorted(taken)


def main() -> None:
    """Print a line for each rule set that two can play."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--endings", type=int, default=2000)
    parser.add_argument("--solve", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rules", nargs="*", default=tables_of_two())
    asked = parser.parse_args()
    print("| rule set | endings | differences | solved | median s | p95 s | longest s |")
    print("|---|---|---|---|---|---|---|")
    for name in asked.rules:
        wrong = differences(name, asked.endings, asked.seed)
        taken = solve_times(name, asked.solve, asked.seed)
        p95 = taken[min(len(taken) - 1, int(0.95 * len(taken)))]
        print(
            f"| {name} | {asked.endings} | {len(wrong)} | {len(taken)} | {statistics.median(taken):.3f} "
            f"| {p95:.3f} | {taken[-1]:.3f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
