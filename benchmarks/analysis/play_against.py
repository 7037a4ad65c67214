"""
Count how often the search is the fool: against a random, a greedy and a plain determinized player.

``python -m benchmarks.analysis.play_against [--games 400] [--first 0] [--playouts 200] [--players 2] [--workers 2]``
With ``--keep FILE`` games already in the file are not played again.
"""

from __future__ import annotations

import argparse
import random
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import sqrt
from multiprocessing import get_context
from pathlib import Path

from benchmarks.analysis.endings import house_of
from benchmarks.analysis.players import DeterminizedPlayer, Player, SearchPlayer, greedy_player, play, random_player
from benchmarks.analysis.stored_games import StoredGames

OPPONENTS = ("random", "greedy", "determinized")


def opponent(name: str, playouts: int) -> Player:
    """Return the player of this name."""
    return {"random": random_player, "greedy": greedy_player}.get(name) or DeterminizedPlayer(playouts)


def fool_of(number: int, *, rules: str, players: int, name: str, playouts: int) -> str:
    """
    Play one game and return who was the fool: ``search``, ``other`` or ``draw``; the search sits in every seat in turn.
    """
    house, seat = house_of(rules, players), number % players
    others: list[Player] = [opponent(name, playouts) for _ in range(players)]
    others[seat] = SearchPlayer(playouts)
    losers = play(house, others, random.Random(f"{rules} {players} {name} {number // players}"))
    return "draw" if not losers else "search" if losers >> seat & 1 else "other"


def fools_of(asked: argparse.Namespace, name: str, stored: StoredGames[str]) -> list[str]:
    """Return who was the fool in each requested game; games that are not cached yet are played."""
    table = f"{asked.rules} {asked.players} {name} {asked.playouts}"
    numbers = range(asked.first, asked.first + asked.games)
    missing = [number for number in numbers if f"{table} {number}" not in stored]
    one = partial(fool_of, rules=asked.rules, players=asked.players, name=name, playouts=asked.playouts)
    if missing:
        with ProcessPoolExecutor(asked.workers, mp_context=get_context("spawn")) as pool:
            for number, fool in zip(missing, pool.map(one, missing), strict=True):
                stored.add(f"{table} {number}", fool)
    return [stored[f"{table} {number}"] for number in numbers]


def interval(count: int, of: int) -> tuple[float, float]:
    """Return Wilson's 95 % confidence interval of a share."""
    if not of:
        return 0.0, 1.0
    z, share = 1.96, count / of
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    wide = z * sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return max(0.0, middle - wide), min(1.0, middle + wide)


def main() -> None:
    """Print a row for each opponent."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--first", type=int, default=0, help="number of the first game: runs of other games add up")
    parser.add_argument("--playouts", type=int, default=200)
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--rules", default="podkidnoy-36")
    parser.add_argument("--against", nargs="*", default=OPPONENTS, choices=OPPONENTS)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="file of games played; those in it are not played again")
    asked = parser.parse_args()
    print("| against | players | games | search is the fool | others | draws | share | 95 % |")
    print("|---|---|---|---|---|---|---|---|")
    stored = StoredGames[str](asked.keep)
    for name in asked.against:
        fools = fools_of(asked, name, stored)
        lost, draws = fools.count("search"), fools.count("draw")
        low, high = interval(lost, asked.games)
        print(
            f"| {name} | {asked.players} | {asked.games} | {lost} | {fools.count('other')} | {draws} "
            f"| {100 * lost / asked.games:.1f} % | {100 * low:.1f} to {100 * high:.1f} % |",
            flush=True,
        )


if __name__ == "__main__":
    main()
