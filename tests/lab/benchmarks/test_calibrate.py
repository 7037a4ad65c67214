"""Calibration: chances and results counted by tenths, the diagram, and cached games."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from argparse import Namespace
from pathlib import Path

import pytest

from benchmarks.analysis.calibrate import bins_of, diagram_of, estimates_of, games_of, mean_difference, odds_fitted
from benchmarks.analysis.play_against import fools_of
from benchmarks.analysis.stored_games import StoredGames


def test_chances_are_counted_by_tenths() -> None:
    bins = bins_of([(0.31, True), (0.35, False), (0.39, False), (1.0, True)])
    assert [(part.place, part.decisions, part.lost) for part in bins] == [(3, 3, 1), (9, 1, 1)]
    assert abs(bins[0].mean - 0.35) < 1e-9
    assert bins[1].share == 1.0
    assert mean_difference(bins) == pytest.approx((0.35 - 1 / 3) * 3 / 4)


def test_diagram_has_a_point_for_each_tenth() -> None:
    given = estimates_of("podkidnoy-24", 2, 2, "calibrate 1")
    assert given
    assert all(0 <= chance <= 1 for chance, _ in given)
    bins = bins_of(given)
    root = ET.fromstring(diagram_of(bins))
    assert len(root.findall("{http://www.w3.org/2000/svg}circle")) == len(bins)


def test_fitted_odds_give_the_observed_number_of_losses() -> None:
    given = [(0.2, True)] * 3 + [(0.2, False)] * 7
    assert odds_fitted(given) == pytest.approx((0.3 / 0.7) / (0.2 / 0.8), rel=0.01)


def test_cached_games_are_not_played_again(tmp_path: Path) -> None:
    asked = Namespace(rules="podkidnoy-24", players=2, playouts=2, first=0, games=1, develop=False)
    asked.keep = tmp_path / "games"
    first = games_of(asked)
    assert first
    assert list(map(tuple, games_of(asked))) == first
    assert len(asked.keep.read_text("utf-8").splitlines()) == 1


def test_games_against_others_are_cached(tmp_path: Path) -> None:
    stored = StoredGames[str](tmp_path / "games")
    for number, fool in enumerate(("search", "other", "draw")):
        stored.add(f"podkidnoy-36 2 greedy 400 {number}", fool)
    asked = Namespace(rules="podkidnoy-36", players=2, playouts=400, first=0, games=3)
    assert fools_of(asked, "greedy", StoredGames[str](tmp_path / "games")) == ["search", "other", "draw"]
