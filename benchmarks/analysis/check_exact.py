"""
Compare exact search with brute force and measure its time; a second table for more than two players.

``python -m benchmarks.analysis.check_exact [--endings 2000] [--solve 100] [--only two|many]
[--rules NAME ...]``
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from contextlib import suppress

from benchmarks.analysis.brute_force import outcome_of, value_of
from benchmarks.analysis.endings import (
    ending,
    house_of,
    small_endings,
    small_endings_of_many,
    tables_of_many,
    tables_of_two,
)
from features.analysis.endgames import SAME, BudgetSpentError, ManyHands, TwoHands
from features.analysis.position import Position
from features.analysis.rating import MANY_BUDGET
from referee.rulebook import PRESETS

BUDGET = 3_000_000
CARDS_OF_MANY = 3
"""Cards in each hand of the endings of more than two that are solved within the budget of the program."""


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
    """Return the seconds of processor time for ``count`` endgames of two with ``cards`` cards each."""
    house, rng = house_of(name, 2), random.Random(f"{name} {seed} solve")
    taken = []
    for _ in range(count):
        position = ending(house, (cards, cards), rng)
        began = time.process_time()
        with suppress(BudgetSpentError):  # its time counts all the same
            TwoHands(house, position.trump, BUDGET).value(position)
        taken.append(time.process_time() - began)
    return sorted(taken)


def differences_of_many(name: str, players: int, count: int, seed: int) -> list[Position]:
    """Return endings of more than two whose outcome by the exact search is not that of brute force."""
    house, rng = house_of(name, players), random.Random(f"{name} {seed}")
    found = []
    for position in small_endings_of_many(house, count, rng):
        exact, expected = ManyHands(house, position.trump).outcome(position), outcome_of(position)
        if any(abs(one - other) > SAME for one, other in zip(exact, expected, strict=True)):
            found.append(position)
    return found


def solved_of_many(name: str, players: int, count: int, seed: int) -> tuple[int, list[float]]:
    """Count the endings of a few cards each that are solved within the budget, and all seconds of processor time."""
    house, rng = house_of(name, players), random.Random(f"{name} {seed} solve")
    taken, solved = [], 0
    for _ in range(count):
        position = ending(house, (CARDS_OF_MANY,) * players, rng)
        began = time.process_time()
        with suppress(BudgetSpentError):
            ManyHands(house, position.trump, MANY_BUDGET, BUDGET).outcome(position)
            solved += 1
        taken.append(time.process_time() - began)
    return solved, sorted(taken)


def p95_of(taken: list[float]) -> float:
    """Return the 95th percentile of sorted values."""
    return taken[min(len(taken) - 1, int(0.95 * len(taken)))]


def print_two(asked: argparse.Namespace) -> None:
    """Print a row for each rule set that two can play."""
    print("| two players: rule set | endings | differences | six cards each | median s | p95 s | longest s |")
    print("|---|---|---|---|---|---|---|")
    for name in [name for name in tables_of_two() if name in asked.rules]:
        wrong = differences(name, asked.endings, asked.seed)
        taken = solve_times(name, asked.solve, asked.seed)
        print(
            f"| {name} | {asked.endings} | {len(wrong)} | {len(taken)} | {statistics.median(taken):.3f} "
            f"| {p95_of(taken):.3f} | {taken[-1]:.3f} |",
            flush=True,
        )


def print_many(asked: argparse.Namespace) -> None:
    """Print a row for each rule set that more than two can play."""
    print("| more players: rule set | players | endings | differences | three cards each | solved | median s | p95 s |")
    print("|---|---|---|---|---|---|---|---|")
    for name, players in [table for table in tables_of_many() if table[0] in asked.rules]:
        wrong = differences_of_many(name, players, asked.endings, asked.seed)
        solved, taken = solved_of_many(name, players, asked.solve, asked.seed)
        print(
            f"| {name} | {players} | {asked.endings} | {len(wrong)} | {len(taken)} | {solved} "
            f"| {statistics.median(taken):.3f} | {p95_of(taken):.3f} |",
            flush=True,
        )


def main() -> None:
    """Print the tables asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--endings", type=int, default=2000)
    parser.add_argument("--solve", type=int, default=100, help="larger endings that are timed, at least 1")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rules", nargs="*", default=list(PRESETS))
    parser.add_argument("--only", choices=("two", "many"), help="the table of two players, or that of more")
    asked = parser.parse_args()
    if asked.only != "many":
        print_two(asked)
        print()
    if asked.only != "two":
        print_many(asked)


if __name__ == "__main__":
    main()
