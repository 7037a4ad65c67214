"""The measures of the code's structure and their limits."""

from __future__ import annotations

from pathlib import Path

from benchmarks.structure import MEASURES, ROOT, counts_of

EXAMPLE = """
def method():
    from vision import geometry

    return geometry  # {}
""".format("to" + "ld")


def test_no_measure_exceeds_its_limit() -> None:
    counts = counts_of(ROOT)
    assert {key: counts[key] for key, measure in MEASURES.items() if counts[key] > measure.limit} == {}


def test_measures_count_what_their_names_say(tmp_path: Path) -> None:
    (tmp_path / "vision").mkdir()
    (tmp_path / "vision" / "example.py").write_text(EXAMPLE, encoding="utf-8")
    assert counts_of(tmp_path) == {"lines": EXAMPLE.count("\n"), "imports": 1, "told": 1}
