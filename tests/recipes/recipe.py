"""
Carry out a recipe of `docs/recipes` on a copy of the tree.

Blocks marked ``sh`` are run; ``python`` and ``kozyr`` in them are those of the tests. Blocks marked ``diff`` change the
file that their first line names: the lines with a blank or a minus must occur in it exactly once, in this order, and
are replaced by those with a blank or a plus. A file that does not exist is written from the lines with a plus.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
COPIED = ("referee", "vision", "webapp", "features", "scripts", "datasets", "models", "benchmarks", "tests", "docs")
FILES = ("pyproject.toml", "hatch_build.py", "CHANGELOG.md", "README.md")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.mp4", "history", "runs")
BLOCK = re.compile(r"^(?P<indent> *)```(?P<kind>sh|diff)\n(?P<text>.*?)^ *```$", re.M | re.S)
COMMANDS = {
    "python": f'"{sys.executable}"',
    "kozyr": f'"{sys.executable}" -c "from webapp.commands.cli import main; main()"',
}


def copied_tree(place: Path) -> Path:
    """Copy the tree without films to ``place`` and return it."""
    for name in COPIED:
        shutil.copytree(ROOT / name, place / name, ignore=LEFT_OUT)
    for name in FILES:
        shutil.copy(ROOT / name, place / name)
    return place


def blocks_of(recipe: Path) -> Iterator[tuple[str, str]]:
    """Yield the kind and text of each block to be carried out."""
    for block in BLOCK.finditer(recipe.read_text(encoding="utf-8")):
        yield block["kind"], textwrap.dedent(block["text"])


def carry_out(recipe: str, tree: Path) -> str:
    """Carry out every block of a recipe in ``tree`` and return what the commands printed."""
    blocks = list(blocks_of(ROOT / "docs" / "recipes" / f"{recipe}.md"))
    assert blocks, f"docs/recipes/{recipe}.md has no block to carry out"
    printed = [run(text, tree) if kind == "sh" else change(text, tree) for kind, text in blocks]
    return "".join(printed)


def run(commands: str, tree: Path) -> str:
    """Run shell commands in ``tree`` and return what they printed; `AssertionError` with it if one fails."""
    for name, command in COMMANDS.items():
        commands = re.sub(rf"^(?:\.venv/bin/)?{name}\b", command.replace("\\", r"\\"), commands, flags=re.M)
    surroundings = {**os.environ, "PYTHONPATH": str(tree), "KOZYR_HOME": str(tree / "home")}
    done = subprocess.run(
        ["/bin/sh", "-e", "-c", commands],
        cwd=tree,
        env=surroundings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{commands}\n{done.stdout}"
    return done.stdout


def change(diff: str, tree: Path) -> str:
    """Change one file of ``tree``."""
    name, *lines = diff.rstrip("\n").split("\n")
    lines = [line or " " for line in lines]
    file = tree / name
    before = "".join(f"{line[1:]}\n" for line in lines if line[0] in " -")
    after = "".join(f"{line[1:]}\n" for line in lines if line[0] in " +")
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    if before:
        assert text.count(before) == 1, (
            f"{name}: expected these lines once, found them {text.count(before)} times:\n{before}"
        )
        text = text.replace(before, after)
    else:
        text += after
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return ""
