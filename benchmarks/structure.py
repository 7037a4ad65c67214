"""
Measure the structure of the code, and check it against limits that a change may lower and must not exceed.

    python -m benchmarks.structure

Prints one line a figure. The exit status is 1 if a figure exceeds its limit. Lines are printed to watch them; nobody
is asked to lower them.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path

from benchmarks.ablate import SETTINGS, STAGES, numbers
from vision.table.track import Track

ROOT = Path(__file__).parent.parent
SECONDS = ROOT / ".pytest_cache" / "make-test-seconds"
"""Where ``make test`` writes how long it took."""
RUNTIME = ("referee", "vision", "webapp", "features")
LABORATORY = ("datasets", "models", "benchmarks", "scripts")

LIMITS = {
    "circles of imports": 0,
    "packages that import each other": 0,
    'lines with "Any" in referee outside belief': 14,
    "numbers at module level": 529,
    "named numbers that ablate does not reach": 0,
    "fields of a tracked card": 25,
}
"""
Figures last reached (2026-11-29). The first counts what only annotations need, too.
"""


def main() -> int:
    """Print every figure; return 1 if one exceeds its limit."""
    for package in RUNTIME:
        print(f"runtime lines, {package}: {lines_of(ROOT / package)}")
    for feature in sorted(path.name for path in (ROOT / "features").iterdir() if (path / "__init__.py").exists()):
        print(f"runtime lines, features/{feature}: {lines_of(ROOT / 'features' / feature)}")
    if SECONDS.exists():
        print(f"seconds of the last make test here: {SECONDS.read_text('utf-8').strip()}")
    found = figures(ROOT)
    named = sum(count for _, _, count in named_numbers(ROOT))
    share = 1 - found["named numbers that ablate does not reach"] / named
    print(f"named numbers of what decides on events and rulings: {named}, reached by ablate: {share:.1%}")
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
        "named numbers that ablate does not reach": sum(unreached(root).values()),
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


def named_numbers(root: Path) -> Iterator[tuple[str, str, int]]:
    """
    Yield module or class, name and count of the numbers that stages name, as the source has them.

    Those are constants at the top of modules, fields of settings classes, and what else a class names but 0, 1 and -1,
    with which a state begins. A tuple or dictionary holds several.
    """
    for module, tree in modules_of(root, STAGES):
        for name, count in _named_in(tree.body):
            yield module, name, count
        for kind in ast.walk(tree):
            if isinstance(kind, ast.ClassDef):
                for name, count in _named_in(kind.body, least=0 if SETTINGS.fullmatch(kind.name) else 2):
                    yield kind.name, name, count


def unreached(root: Path) -> Counter[tuple[str, str]]:
    """Return by module or class and name how many numbers of a checkout ``ablate`` does not reach."""
    named = Counter({(owner, name): count for owner, name, count in named_numbers(root)})
    return named - Counter((number.owner.__name__, number.name) for number in numbers())


def lines_of(place: Path) -> int:
    """Return the number of lines of a package."""
    return sum(path.read_text(encoding="utf-8").count("\n") for path in place.rglob("*.py"))


def _lines_with_any(path: Path) -> int:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return len({node.lineno for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == "Any"})


def _module_numbers(tree: ast.Module) -> int:
    """Return how many numbers are named at the top of a module."""
    return sum(count for _, count in _named_in(tree.body))


def _named_in(statements: Sequence[ast.stmt], least: int = 0) -> Iterator[tuple[str, int]]:
    """Yield name and count of the numbers that these statements assign, of at least this size."""
    for node in statements:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(target.elts, node.value.elts, strict=True))
            for name, value in pairs:
                if isinstance(name, ast.Name) and (count := _count_numbers(value, least)):
                    yield name.id, count


def _count_numbers(value: ast.expr, least: int) -> int:
    match value:
        case ast.Constant(value=int() | float() as number):
            return int(not isinstance(number, bool) and abs(number) >= least)
        case ast.UnaryOp(operand=operand):
            return _count_numbers(operand, least)
        case ast.BinOp(left=left, right=right):
            return int(_count_numbers(left, 0) == _count_numbers(right, 0) == 1)
        case ast.Tuple(elts=parts):
            return sum(_count_numbers(part, least) for part in parts)
        case ast.Dict(values=parts):
            return sum(_count_numbers(part, least) for part in parts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
