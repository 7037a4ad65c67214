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
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).parent.parent

PACKAGES = ("vision", "referee", "webapp")

SETTINGS = re.compile(r"\w+(Settings|Limits|Thresholds)|Limits|Thresholds|Rates|Patience")
"""Names of classes whose numbers are settings."""

MOST_ATTRIBUTES = 12
MOST_LINES_OF_FUNCTION = 60
MOST_PARAMETERS = 6

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
    "lines": Measure("runtime Python, lines", 52_550, 33_000),
    "settings": Measure("numbers in settings classes", 115, 200),
    "attributes": Measure(f"classes with more than {MOST_ATTRIBUTES} attributes", 10, 10),
    "functions": Measure(f"functions over {MOST_LINES_OF_FUNCTION} lines", 0, 0),
    "parameters": Measure(f"functions with more than {MOST_PARAMETERS} parameters", 0, 0),
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
        print(f"files entered by one card: {len(files_entered_by_a_card())} (target 40)")
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
                if isinstance(node, ast.ClassDef):
                    counts["settings"] += _numbers(node) if SETTINGS.fullmatch(node.name) else 0
                    counts["attributes"] += len(_attributes(node)) > MOST_ATTRIBUTES
                elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    counts["functions"] += (node.end_lineno or node.lineno) - node.lineno + 1 > MOST_LINES_OF_FUNCTION
                    counts["parameters"] += _parameters(node) > MOST_PARAMETERS
                    counts["imports"] += any(_own_imports(node))
    return counts


def _numbers(settings: ast.ClassDef) -> int:
    fields = (node for node in settings.body if isinstance(node, ast.AnnAssign))
    return sum(bool(re.search("float|int", ast.unparse(field.annotation))) for field in fields)


def _attributes(definition: ast.ClassDef) -> set[str]:
    """Return the names of a class's fields and of the attributes that its methods assign on `self`."""
    fields = [node.target for node in definition.body if isinstance(node, ast.AnnAssign)]
    names = {field.id for field in fields if isinstance(field, ast.Name)}
    for node in ast.walk(definition):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names |= {node.attr} if isinstance(node.value, ast.Name) and node.value.id == "self" else set()
    return names


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return sum(argument.arg not in ("self", "cls") for argument in every)


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


if __name__ == "__main__":
    sys.exit(main())
