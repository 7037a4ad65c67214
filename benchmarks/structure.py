"""
Measure the structure of the runtime packages, and check it against the limits below.

    python -m benchmarks.structure [--card]

Prints one line a measure: value, limit, target. The exit status is 1 if a value exceeds its limit. ``--card`` also
counts the files that one card enters: the shipped recording is reviewed until its first card is reported, and every
file of the runtime in which a function runs after the first frame was read is counted.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import io
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).parent.parent

PACKAGES = ("vision", "referee", "webapp", "features")

FRAMES_SKIPPED = 30
"""Frames read before calls are counted: networks are loaded and the first snapshot is built during them."""


@dataclass(frozen=True, slots=True)
class Measure:
    """
    A count with its limit and target.

    The limit is the value last reached: a change may lower it and must not exceed it.
    """

    name: str
    limit: int
    target: int


MEASURES = {
    "lines": Measure("runtime Python, lines", 50_400, 32_000),
    "imports": Measure("functions that import a module of the runtime packages", 3, 3),
    "told": Measure('the word "told" in runtime Python', 60, 100),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--card", action="store_true", help="count the files that one card enters (about a minute)")
    args = parser.parse_args(arguments)
    counts = counts_of(ROOT)
    for key, measure in MEASURES.items():
        excess = " EXCEEDED" if counts[key] > measure.limit else ""
        print(f"{measure.name}: {counts[key]} (limit {measure.limit}, target {measure.target}){excess}")
    if args.card:
        print(f"files entered by one card: {len(files_entered_by_a_card())} (target 45)")
        called = files_called_in_the_match()
        changes = sum(file != following for file, following in pairwise(called))
        files = len(set(called))
        print(f"inside the match: {len(called)} calls, {files} files (target 15), {changes} changes (target 100)")
    return int(any(counts[key] > measure.limit for key, measure in MEASURES.items()))


def counts_of(root: Path) -> Mapping[str, int]:
    """Return the value of every measure for a checkout."""
    counts = dict.fromkeys(MEASURES, 0)
    for package in PACKAGES:
        for file in sorted((root / package).rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            counts["lines"] += text.count("\n")
            counts["told"] += len(re.findall(r"\btold\b", text, re.IGNORECASE))
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    counts["imports"] += any(_own_imports(node))
    return counts


def _own_imports(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in PACKAGES:
            yield node.module or ""
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.split(".")[0] in PACKAGES)


class _FirstCardReported(BaseException):
    """The review has printed its first `placed` event."""


class _UntilFirstCard(io.StringIO):
    def write(self, text: str) -> int:
        if '"placed"' in text:
            raise _FirstCardReported
        return super().write(text)


def files_entered_by_a_card() -> set[str]:
    """Return the files in which a function runs between the first second of film and the first reported card."""
    from webapp.commands.cli import main as kozyr

    clip = ROOT / "webapp" / "recordings" / "demo.mp4"
    codes: set[CodeType] = set()
    entered: set[str] = set()
    inside = tuple(str(ROOT / package) for package in PACKAGES)
    reader = str(ROOT / "vision" / "capture")
    resumed = 0

    def record_call(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal resumed
        code = frame.f_code
        if event != "call" or code in codes or code.co_name == "<module>" or not code.co_filename.startswith(inside):
            return
        if code.co_flags & inspect.CO_GENERATOR and code.co_filename.startswith(reader):
            resumed += 1  # a source of frames is asked for the next one
        if resumed > FRAMES_SKIPPED:
            codes.add(code)
            entered.add(code.co_filename)

    sys.setprofile(record_call)
    try:
        with redirect_stdout(_UntilFirstCard()):
            kozyr(["review", str(clip), "--json", "--start", str(clip.with_suffix(".jsonl"))])
    except _FirstCardReported:
        pass
    finally:
        sys.setprofile(None)
    return entered


CARD_IN_THE_MATCH = 3
"""Which laid card of the recording is followed in the match: one in the middle of a bout."""


def files_called_in_the_match() -> list[str]:
    """Return the file of each call, in order, while the match judges one laid card that a camera reports."""
    from msgspec.structs import replace

    from referee.events import Placed
    from referee.header import Header
    from referee.match_judge import MatchJudge
    from referee.record import read_record

    record = (ROOT / "webapp" / "recordings" / "demo.jsonl").read_text("utf-8").splitlines()
    called: list[str] = []

    def record_call(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(str(ROOT / "referee")):
            called.append(frame.f_code.co_filename)

    cards = 0
    for line, each in read_record(record):
        if isinstance(each, Header):
            judge = MatchJudge(replace(each, witness="camera"))
            continue
        cards += isinstance(each, Placed)
        is_it = cards == CARD_IN_THE_MATCH and isinstance(each, Placed)
        sys.setprofile(record_call if is_it else None)
        list(judge.observe(line, each))
        sys.setprofile(None)
        if is_it:
            break
    return called


if __name__ == "__main__":
    sys.exit(main())
