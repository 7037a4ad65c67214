"""Names are unique: no two classes and no two modules share one, but for the modules listed. Tests import no tests."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("vision", "referee", "webapp", "datasets", "models", "benchmarks")

SAME_MODULES = {
    "classifier": "one network: how it is used, and how it is trained",
    "finder": "one network: how it is used, and how it is trained",
    "overlap_network": "one network: how it is used, and how it is trained",
    "errors": "each package's own errors",
    "pipeline": "from frames in a row to events, and from single pictures to cards",
}
"""Module names that occur in several folders, each with the reason."""

COMMANDS = "webapp/commands"
"""Files here are named after their commands, even if another folder has a file of that name."""


def first_party() -> Iterator[Path]:
    for package in PACKAGES:
        yield from (file.relative_to(ROOT) for file in sorted((ROOT / package).rglob("*.py")))


def classes() -> dict[str, list[str]]:
    """Return for each class name the files that define such a class."""
    found: dict[str, list[str]] = defaultdict(list)
    for file in first_party():
        for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(str(file))
    return found


def test_class_names_are_unique() -> None:
    shared = {name: files for name, files in classes().items() if len(files) > 1}
    assert shared == {}


def test_module_names_are_unique() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for file in first_party():
        if file.stem not in ("__init__", "__main__") and file.parent.as_posix() != COMMANDS:
            found[file.stem].append(str(file))
    shared = {name: files for name, files in found.items() if len(files) > 1}
    assert {name: files for name, files in shared.items() if name not in SAME_MODULES} == {}
    assert SAME_MODULES.keys() <= shared.keys(), "an unused exception"


def test_classes_are_found() -> None:
    assert len(classes()) > 300


def test_test_modules_are_not_imported() -> None:
    imports = re.compile(r"^\s*(?:from tests(?:\.\w+)*\.test_\w+ import|from tests[.\w]* import test_)", re.MULTILINE)
    assert imports.search("from tests.vision.test_pipeline import bout")
    importing = [
        str(file) for file in (ROOT / "tests").rglob("*.py") if imports.search(file.read_text(encoding="utf-8"))
    ]
    assert importing == [], "put what several tests need into a module of its own"
