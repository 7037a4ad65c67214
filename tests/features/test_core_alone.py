"""A tree without `features/` is a whole program: it referees a film with its page, and its tests pass."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S
from vision.capture.sources import open_source
from vision.capture.video_writer import FilmSettings, FilmWriter
from webapp.shipped_recording import DEMO_CLIP

ROOT = Path(__file__).parents[2]
CORE = ("referee", "vision", "webapp", "models", "tests")
FILM_S = 12.0
"""Seconds of the shipped recording that the demo plays here: the first cards are laid by then."""
TESTS = (
    "tests/referee/test_cases.py",
    "tests/webapp/live/test_session.py",
    "tests/webapp/web/test_api.py",
    "tests/webapp/web/test_background_api.py",
    "tests/webapp/web/test_correction_api.py",
    "tests/webapp/commands/test_rules.py",
)


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the tree without features, in which nothing finds those of an installed kozyr."""
    tree = tmp_path_factory.mktemp("core")
    left_out = shutil.ignore_patterns("__pycache__", "features", "lab", "browser", "demo.mp4", "history", "runs")
    for name in CORE:
        shutil.copytree(ROOT / name, tree / name, ignore=left_out)
    for name in ("pyproject.toml", "CHANGELOG.md"):
        shutil.copy(ROOT / name, tree)
    (tree / "benchmarks").mkdir()
    for name in ("__init__.py", "stored_results.py"):  # of tests/conftest.py
        shutil.copy(ROOT / "benchmarks" / name, tree / "benchmarks")
    with open_source(str(DEMO_CLIP)) as film:
        frames = iter(film)
        first = next(frames)
        height, width = first.image_bgr.shape[:2]
        writer = FilmWriter(tree / DEMO_CLIP.relative_to(ROOT), (width, height), 0.0, FilmSettings())
        for frame in itertools.chain((first,), itertools.takewhile(lambda frame: frame.at < FILM_S, frames)):
            writer.add(frame.image_bgr, frame.at, wait=True)
        writer.close()
    (tree / "sitecustomize.py").write_text('import sys\n\nsys.modules["features"] = None\n', "utf-8")
    return tree


def run(core: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a module in the copy."""
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=core,
        env={**os.environ, "PYTHONPATH": str(core), "KOZYR_HOME": str(core / "home")},
        capture_output=True,
        text=True,
        timeout=4 * PATIENCE_S,
        check=False,
    )


@pytest.mark.thorough
def test_core_referees_its_recording_with_the_page(core: Path) -> None:
    done = run(core, "webapp.commands.cli", *("demo", "--exit", "--no-browser", "--no-keep", "--json", "--port", "0"))
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["card"] for line in lines if line.get("event") == "placed"] != []
    assert lines[-1]["summary"]["seconds_of_clip"] == pytest.approx(FILM_S, abs=1.0)


@pytest.mark.thorough
def test_core_offers_its_own_commands_and_options(core: Path) -> None:
    helped = run(core, "webapp.commands.cli", "--help").stdout
    offered = [line.split()[1] for line in helped.splitlines() if line.startswith("  kozyr ") and line[8] != " "]
    assert offered == ["demo", "watch", "rules", "matches", "doctor", "review", "referee"]
    watch = run(core, "webapp.commands.cli", "watch", "--help").stdout
    assert "--weights" in watch
    assert [option for option in ("--deck", "--notify") if option in watch] == []


@pytest.mark.thorough
def test_tests_of_the_core_pass(core: Path) -> None:
    done = run(core, "pytest", "-p", "no:cacheprovider", *TESTS)
    assert done.returncode == 0, done.stdout
