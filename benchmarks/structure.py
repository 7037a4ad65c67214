"""
Measure the structure of the code, and check it against limits that a change may lower and must not exceed.

    python -m benchmarks.structure

Prints one line a figure. The exit status is 1 if a figure exceeds its limit. Lines are printed to watch them; nobody
is asked to lower them.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path

from benchmarks.ablate import SETTINGS, STAGES
from vision.table.track import Track

ROOT = Path(__file__).parent.parent
SECONDS = ROOT / ".pytest_cache" / "make-test-seconds"
"""Where ``make test`` writes how long it took."""
RUNTIME = ("referee", "vision", "webapp", "features")
LABORATORY = ("datasets", "models", "benchmarks", "scripts")

LIMITS = {
    "circles of imports": 1,
    "packages that import each other": 0,
    'lines with "Any" in referee outside belief': 68,
    "numbers at module level": 482,
    "fields of a tracked card": 31,
}
"""
Figures last reached (2026-11-28). The circle is ``webapp.features``, which names in annotations what the core hands to
a feature; nothing is imported in a circle when the program runs. The target of the third is 15, of the fourth what
``ablate`` reaches.
"""


def main() -> int:
    """Print every figure; return 1 if one exceeds its limit."""
    for package in RUNTIME:
        print(f"runtime lines, {package}: {lines_of(ROOT / package)}")
    for feature in sorted(path.name for path in (ROOT / "features").iterdir() if (path / "__init__.py").exists()):
        print(f"runtime lines, features/{feature}: {lines_of(ROOT / 'features' / feature)}")
    if SECONDS.exists():
        print(f"seconds of the last make test here: {SECONDS.read_text('utf-8').strip()}")
    in_classes = sum(1 for _ in numbers_of_settings(ROOT))
    at_module = figures(ROOT)["numbers at module level"]
    print(f"numbers of settings classes, reached by ablate: {in_classes} ({in_classes / (in_classes + at_module):.0%})")
    found = figures(ROOT)
    for name, value in found.items():
        excess = " EXCEEDED" if value > LIMITS[name] else ""
        print(f"{name}: {value} (limit {LIMITS[name]}){excess}")
    return int(any(value > LIMITS[name] for name, value in found.items()))


def figures(root: Path) -> Mapping[str, int]:
    """Return every figure that has a limit, for a checkout."""
    graph = {name: imports_of(tree, name) for name, tree in modules_of(root, (*RUNTIME, *LABORATORY))}
    packages = {(one.split(".")[0], other.split(".")[0]) for one, imported in graph.items() for other in imported}
    mutual = [(one, other) for one, other in packages if one < other and (other, one) in packages]
    referee = [path for path in (root / "referee").rglob("*.py") if "belief" not in path.parts]
    return {
        "circles of imports": len(circles(graph)),
        "packages that import each other": len(mutual),
        'lines with "Any" in referee outside belief': sum(_lines_with_any(path) for path in referee),
        "numbers at module level": sum(_module_numbers(tree) for _, tree in modules_of(root, STAGES)),
        "fields of a tracked card": len(fields(Track)),
    }


def modules_of(root: Path, packages: Sequence[str]) -> Iterator[tuple[str, ast.Module]]:
    """Yield name and syntax tree of every module of these packages (dotted names)."""
    for package in packages:
        place = root.joinpath(*package.split("."))
        for path in sorted(place.rglob("*.py")) if place.is_dir() else root.glob(f"{package.replace('.', '/')}.py"):
            name = ".".join(path.relative_to(root).with_suffix("").parts)
            yield name.removesuffix(".__init__"), ast.parse(path.read_text(encoding="utf-8"))


def imports_of(tree: ast.Module, name: str) -> set[str]:
    """Return the modules that one imports, those too that only its annotations need."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found - {name}


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """
    Return the sets of modules that import each other, directly or round a circle.

    >>> circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})
    [['a', 'b', 'c']]
    """
    reached = {name: {other for other in imported if other in graph} for name, imported in graph.items()}
    for middle in graph:
        for name in graph:
            if middle in reached[name]:
                reached[name] |= reached[middle]
    rings = {
        tuple(sorted(other for other in graph if other in reached[name] and name in reached[other])) for name in graph
    }
    return [list(ring) for ring in sorted(rings) if ring]


def numbers_of_settings(root: Path) -> Iterator[tuple[str, str]]:
    """Yield class and name of each number that ``ablate`` changes."""
    for _, tree in modules_of(root, STAGES):
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and SETTINGS.fullmatch(node.name):
                for field in node.body:
                    match field:
                        case ast.AnnAssign(target=ast.Name(id=name), value=ast.Constant(value=int() | float())):
                            yield node.name, name


def lines_of(place: Path) -> int:
    """Return the number of lines of a package."""
    return sum(path.read_text(encoding="utf-8").count("\n") for path in place.rglob("*.py"))


def _lines_with_any(path: Path) -> int:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return len({node.lineno for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == "Any"})


def _module_numbers(tree: ast.Module) -> int:
    """Return how many numbers are named at the top of a module."""
    found = 0
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            found += sum(isinstance(value, ast.Constant) and type(value.value) in (int, float) for value in values)
    return found


if __name__ == "__main__":
    sys.exit(main())
