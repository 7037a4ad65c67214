"""The measures of the code's structure and their limits."""

from __future__ import annotations

from pathlib import Path

from benchmarks.structure import MEASURES, ROOT, counts_of

EXAMPLE = '''
class SearchSettings:
    """Example."""

    width: int
    share: float = 0.5
    name: str = ""


class Wide:
    def __init__(self):
        self.a = self.b = self.c = self.d = self.e = self.f = self.g = 0
        self.h = self.i = self.j = self.k = self.l = self.m = 0

    def method(self, a, b, c, d, e, f):
        from vision import geometry

        return "told"


def seven(a, b, c, *, d, e, f, g):
    return None
'''


def test_no_measure_exceeds_its_limit() -> None:
    counts = counts_of(ROOT)
    assert {key: counts[key] for key, measure in MEASURES.items() if counts[key] > measure.limit} == {}


def test_measures_count_what_their_names_say(tmp_path: Path) -> None:
    (tmp_path / "vision").mkdir()
    (tmp_path / "vision" / "example.py").write_text(EXAMPLE + "\n\ndef long():\n" + "    pass\n" * 60, encoding="utf-8")
    counts = counts_of(tmp_path)
    assert counts["settings"] == 2
    assert counts["attributes"] == counts["functions"] == counts["parameters"] == counts["imports"] == 1
    assert counts["told"] == 1
    assert counts["lines"] == EXAMPLE.count("\n") + 63
