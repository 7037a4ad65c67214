"""
The tree's Python files, each read once for all tests of a process.

Syntax trees are not kept: the garbage collector goes through millions of nodes again and again, which costs more than
parsing. Tests look for a pattern in the text first and parse the few files that have it.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]


@cache
def python_files(*folders: str) -> tuple[Path, ...]:
    """Return the Python files in these folders of the tree, sorted folder by folder."""
    return tuple(file for folder in folders for file in sorted((ROOT / folder).rglob("*.py")))


@cache
def text_of(file: Path) -> str:
    """Return the text of a file."""
    return file.read_text(encoding="utf-8")
