"""
Check the calibration of the search: how often a player loses who was given a chance of, say, 0.3.

``python -m benchmarks.analysis.calibrate [--games 60] [--playouts 200] [--players 2] [--svg FILE]`` prints the
reliability diagram as a table and writes it as a picture. ``--develop`` plays other games, to fit constants with.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp
from pathlib import Path

from benchmarks.analysis.endings import house_of
from benchmarks.analysis.play_against import interval
from benchmarks.analysis.players import DealtTable, SearchPlayer, play
from benchmarks.analysis.stored_games import StoredGames
from features.analysis.tree_search import Estimate, chances_of, with_odds

BINS = 10


def estimates_of(rules: str, players: int, playouts: int, seed: str) -> list[tuple[float, bool]]:
    """Play one game: return each chance that was given to the deciding player, and whether that player lost."""
    given: list[tuple[int, float]] = []

    def record_chance(table: DealtTable, estimate: Estimate) -> None:
        seat = table.position.asked
        is_hidden = not table.deals_for(seat).is_one
        given.append((seat, (chances_of(estimate, seat) if is_hidden else estimate.chances)[seat]))

    player = SearchPlayer(playouts, record_chance)
    losers = play(house_of(rules, players), [player] * players, random.Random(seed))
    return [(chance, bool(losers >> seat & 1)) for seat, chance in given]


@dataclass(frozen=True, slots=True)
class Bin:
    """Decisions whose chance lies in one tenth: how many, their mean chance, and in how many the player lost."""

    place: int
    decisions: int
    mean: float
    lost: int

    @property
    def share(self) -> float:
        """The share of the decisions whose player lost."""
        return self.lost / self.decisions


def bins_of(given: Iterable[tuple[float, bool]]) -> list[Bin]:
    """Count chances and results by tenths of the chance; tenths without a decision are left out."""
    found: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for chance, lost in given:
        found[min(BINS - 1, int(chance * BINS))].append((chance, lost))
    return [
        Bin(place, len(chances), sum(chance for chance, _ in chances) / len(chances), sum(lost for _, lost in chances))
        for place, chances in sorted(found.items())
    ]


def mean_difference(bins: Sequence[Bin]) -> float:
    """Return by how much the mean chance of a tenth differs from the share lost, weighted by decisions."""
    return sum(abs(part.mean - part.share) * part.decisions for part in bins) / sum(part.decisions for part in bins)


def diagram_of(bins: Sequence[Bin]) -> str:
    """Draw the share lost over the chance given as SVG: a point a bin, its 95 % interval, and the diagonal."""

    def x(value: float) -> float:
        return round(40 + 300 * value, 1)

    def y(value: float) -> float:
        return round(320 - 300 * value, 1)

    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 360 360" font-family="sans-serif" font-size="11">',
        '<rect width="360" height="360" fill="white"/>',
        f'<path d="M{x(0)} {y(1)}V{y(0)}H{x(1)}" fill="none" stroke="black"/>',
        f'<path d="M{x(0)} {y(0)}L{x(1)} {y(1)}" stroke="gray" stroke-dasharray="4"/>',
        f'<text x="{x(0.5)}" y="352" text-anchor="middle">chance given to lose</text>',
        f'<text x="12" y="{y(0.5)}" text-anchor="middle" transform="rotate(-90 12 {y(0.5)})">share lost</text>',
    ]
    for tenth in range(0, BINS + 1, 2):
        value = tenth / BINS
        parts.append(f'<text x="{x(value)}" y="335" text-anchor="middle">{value:.1f}</text>')
        parts.append(f'<text x="36" y="{y(value) + 4}" text-anchor="end">{value:.1f}</text>')
    for part in bins:
        low, high = interval(part.lost, part.decisions)
        parts.append(f'<path d="M{x(part.mean)} {y(low)}V{y(high)}" stroke="steelblue"/>')
        parts.append(
            f'<circle cx="{x(part.mean)}" cy="{y(part.share)}" r="4" fill="steelblue">'
            f"<title>{part.lost} of {part.decisions}</title></circle>"
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def odds_fitted(given: Sequence[tuple[float, bool]]) -> float:
    """Return the factor of the odds with which the chances given are the likeliest, as many lost as expected."""
    low, high = -3.0, 3.0
    lost = sum(is_lost for _, is_lost in given)
    for _ in range(40):
        shift = (low + high) / 2
        expected = sum(with_odds(chance, exp(shift)) for chance, _ in given)
        low, high = (shift, high) if expected < lost else (low, shift)
    return exp((low + high) / 2)


def games_of(asked: argparse.Namespace) -> list[tuple[float, bool]]:
    """Play the requested games that the file of ``--keep`` lacks; return all chances with the results."""
    stored = StoredGames[list[tuple[float, bool]]](asked.keep)
    given: list[tuple[float, bool]] = []
    for number in range(asked.first, asked.first + asked.games):
        seed = f"{'develop' if asked.develop else 'calibrate'} {number}"
        name = f"{asked.rules} {asked.players} {asked.playouts} {seed}"
        if name not in stored:
            stored.add(name, estimates_of(asked.rules, asked.players, asked.playouts, seed))
        given += stored[name]
    return given


def main() -> None:
    """Print the reliability diagram as a table, and draw it if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--first", type=int, default=0, help="number of the first game")
    parser.add_argument("--playouts", type=int, default=200, help="choose a decision; half as many more value it")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--rules", default="podkidnoy-36")
    parser.add_argument("--develop", action="store_true", help="games to fit with, none of which the figure is made of")
    parser.add_argument("--keep", type=Path, help="file of games played; those in it are not played again")
    parser.add_argument("--svg", type=Path)
    asked = parser.parse_args()
    given = games_of(asked)
    bins = bins_of(given)
    print("| chance given | decisions | mean chance | lost | 95 % (decisions of a game are not independent) |")
    print("|---|---|---|---|---|")
    for part in bins:
        low, high = interval(part.lost, part.decisions)
        print(
            f"| {part.place / BINS:.1f} to {(part.place + 1) / BINS:.1f} | {part.decisions} | {part.mean:.2f} "
            f"| {part.share:.2f} | {low:.2f} to {high:.2f} |"
        )
    print(f"mean difference of chance and share lost: {100 * mean_difference(bins):.1f} %")
    print(f"the odds fit best multiplied by {odds_fitted(given):.2f}")
    if asked.svg is not None:
        asked.svg.write_text(diagram_of(bins), encoding="utf-8")


if __name__ == "__main__":
    main()
