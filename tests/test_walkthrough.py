"""`docs/walkthrough.md` names files, classes and functions that exist, in at most ten stops."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.source_tree import ROOT, text_of

TEXT = (ROOT / "docs" / "walkthrough.md").read_text(encoding="utf-8")
STOP = re.compile(r"`(?P<file>[\w/]+\.py)`\s+\(`(?P<name>[\w.]+)`\)")


def names_of(file: Path) -> set[str]:
    """Return the functions and classes of a module, and the methods as ``Class.method``."""
    found = set()
    for node in ast.parse(text_of(file)).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{function.name}" for function in node.body if isinstance(function, ast.FunctionDef)}
    return found


def test_every_stop_names_code_that_exists() -> None:
    stops = [(match["file"], match["name"]) for match in STOP.finditer(TEXT)]
    assert len(stops) >= 12
    assert [stop for stop in stops if stop[1] not in names_of(ROOT / stop[0])] == []


def test_walk_has_at_most_ten_stops_and_names_methods_that_exist() -> None:
    assert [int(number) for number in re.findall(r"^(\d+)\. \*\*", TEXT, re.M)] == list(range(1, 11))
    session = names_of(ROOT / "webapp" / "live" / "session.py")
    assert {"MatchSession.open", "MatchSession.on_press", "MatchSession.on_correction"} <= session
    assert "CardFilter.apply_label" in names_of(ROOT / "vision" / "table" / "card_filter.py")
