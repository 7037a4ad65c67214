"""Simulated games for tests of the simulator and its scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.simulation.simulated_games import Setting, SimulatedGame, game_of


def games(count: int, **setting: Any) -> Iterator[SimulatedGame]:
    return (game_of(number, Setting(**setting)) for number in range(count))
