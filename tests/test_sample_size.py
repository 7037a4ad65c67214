"""`make nightly` runs every test with a larger nightly sample."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
NAMED = "DRAWN_BY_LOT :="


def test_make_nightly_runs_every_test_with_a_larger_sample() -> None:
    line = next(
        splitline for splitline in (ROOT / "Makefile").read_text("utf-8").splitlines() if splitline.startswith(NAMED)
    )
    run = [ROOT / place for place in line.removeprefix(NAMED).split()]
    drawing = {
        path
        for path in (ROOT / "tests").rglob("test_*.py")
        if "sample_size" in path.read_text("utf-8") and path != Path(__file__)
    }
    assert len(drawing) >= 5
    assert [path for path in drawing if not any(path.is_relative_to(place) for place in run)] == []
    assert all(place.exists() for place in run)
