"""The figures of the code's structure and their limits."""

from __future__ import annotations

from pathlib import Path

from benchmarks.structure import LIMITS, ROOT, figures, named_numbers

EXAMPLE = """
from typing import Any
from vision.motion import other
LIMIT, SHARE = 3, 0.5
STEPS = ((4.0, 1), -2)
NAME = "text"
class GateSettings:
    wait_s: float = 0.5
class State:
    missed: int = 0
    most: int = 5
"""


def test_no_figure_exceeds_its_limit() -> None:
    found = figures(ROOT)
    assert {name: value for name, value in found.items() if value > LIMITS[name]} == {}


def test_figures_count_what_their_names_say(tmp_path: Path) -> None:
    for name in ("referee", "vision/motion"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "vision" / "motion" / "one.py").write_text(EXAMPLE, encoding="utf-8")
    (tmp_path / "vision" / "motion" / "other.py").write_text("import vision.motion.one\n", encoding="utf-8")
    (tmp_path / "referee" / "law.py").write_text("from typing import Any\nseat: Any = None\n", encoding="utf-8")
    found = figures(tmp_path)
    assert found["circles of imports"] == 1
    assert found['lines with "Any" in referee outside belief'] == 1
    assert found["numbers at module level"] == 5


def test_named_numbers_are_constants_settings_and_what_else_a_class_names(tmp_path: Path) -> None:
    (tmp_path / "vision" / "motion").mkdir(parents=True)
    (tmp_path / "vision" / "motion" / "one.py").write_text(EXAMPLE, encoding="utf-8")
    assert list(named_numbers(tmp_path)) == [
        ("vision.motion.one", "LIMIT", 1),
        ("vision.motion.one", "SHARE", 1),
        ("vision.motion.one", "STEPS", 3),
        ("GateSettings", "wait_s", 1),
        ("State", "most", 1),
    ]


def test_named_numbers_of_this_checkout_are_found() -> None:
    assert ("FilterSettings", "laid_from", 1) in set(named_numbers(ROOT))
