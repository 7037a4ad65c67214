"""Endurance command: a short run, and detection of growing measures."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import endurance as module
from benchmarks.endurance import ROWS, Row, not_flat, run
from vision.data_home import HOME_VARIABLE

FLAT = [Row(number, 600 * number, 100.0 + number, 90.0, 70, 40, 20.0) for number in range(1, ROWS + 1)]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_short_run_plays_stores_and_serves_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    monkeypatch.setattr(module, "REQUESTS", 2)
    endurance = run(0.1, viewers=3, deals=1)
    rows = endurance.rows
    assert len(rows) == ROWS
    assert endurance.events >= rows[-1].events > 50
    assert max(row.threads for row in rows[3:]) <= rows[2].threads + 1
    assert max(row.handles for row in rows[3:]) <= rows[2].handles + 6
    assert all(row.p95_ms > 0 for row in rows)


def test_rows_without_growth_are_flat() -> None:
    assert not_flat(FLAT) == []


@pytest.mark.parametrize(
    ("grow", "expected"),
    [
        (lambda row: replace(row, memory_mb=100 + 4 * row.hours), "expected at most 3 MB more an hour, got 4.0"),
        (lambda row: replace(row, free_mb=20 * row.hours), "expected at most 150 MB of free pages, got 200"),
        (lambda row: replace(row, threads=70 + (row.hours > 8)), "expected at most 70 threads as before, got 71"),
        (lambda row: replace(row, handles=40 + int(row.hours)), "expected at most 45 handles as before, got 50"),
        (lambda row: replace(row, p95_ms=50 * row.hours), "expected /api/state within 450 ms at p95, got 475"),
    ],
)
def test_growing_measure_is_named(grow: Callable[[Row], Row], expected: str) -> None:
    assert not_flat([grow(row) for row in FLAT]) == [expected]
