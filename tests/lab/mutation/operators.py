"""
Small changes to source code, one at a time: each should make some test fail.

A mutant is one change of one module: a comparison turned, a condition negated or one half of it dropped, a number or
text changed, a statement or a keyword left out, something else returned. Not changed, since no behaviour hangs on it:
annotations and names for types, decorators (``slots``, ``frozen``), docstrings, assertions, ``__all__`` (nobody imports
a star), ``strict`` of ``zip``, which asserts, the wording of errors and of what an option means, and what is only
there for type checkers.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

Place = tuple[ast.AST, str, int | None]
"""Where a node hangs: its parent, the parent's field, and the place in it where the field is a list."""

TURNED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
RECKONED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
SWAPPED_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}
WORDING = {"Option": 2, "count_of": 1, "number_of": 1, "cards_of": 1}
"""Calls one of whose arguments is wording: what an option means, what an error calls a field."""
CHANGES = ("replace",)
"""Calls whose keywords are what changes in a position; each may be left out."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """
    One change of one module.

    ``function``: the outermost function it is in, with its class, or "" in the module's own code; ``number``: which
    change of the module it is.
    """

    module: str
    number: int
    function: str
    line: int
    kind: str
    was: str
    now: str

    @property
    def id(self) -> str:
        """Return module and number."""
        return f"{self.module}:{self.number}"


@dataclass(frozen=True, slots=True)
class Point:
    """A change that could be made to a tree: ``make`` makes it there."""

    function: str
    node: ast.AST
    kind: str
    now: str
    make: Callable[[], None]


def mutants_of(path: Path, module: str) -> list[Mutant]:
    """Return all changes of one source file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        Mutant(
            module,
            number,
            point.function,
            getattr(point.node, "lineno", 0),
            point.kind,
            source_of(point.node),
            point.now,
        )
        for number, point in enumerate(points(tree))
    ]


def mutated(path: Path, number: int) -> ast.Module:
    """Return the file's tree with one change made."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for place, point in enumerate(points(tree)):
        if place == number:
            point.make()
            return ast.fix_missing_locations(tree)
    raise IndexError(f"expected at most {place} changes of {path}, got {number}")


def source_of(node: ast.AST) -> str:
    """Return the node as one line of source."""
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 100 else text[:97] + "..."


def points(tree: ast.Module) -> Iterator[Point]:
    """Yield every change that could be made, in the order of the source."""
    for place, node in enumerate(tree.body):
        yield from _in_statement(node, (tree, "body", place), "", frozenset(), False)


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_named(node: ast.Assign, name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in node.targets)


def _is_type(value: ast.expr) -> bool:
    """Check for a name for a type, such as ``Play = Laid | Sweep`` or ``Worlds = tuple[World, ...]``."""
    if isinstance(value, ast.BinOp):
        return isinstance(value.op, ast.BitOr) and _is_type(value.left) and _is_type(value.right)
    if isinstance(value, ast.Subscript):
        return isinstance(value.value, ast.Name) and value.value.id in ("Callable", "dict", "tuple")
    return isinstance(value, ast.Name | ast.Constant) and (not isinstance(value, ast.Constant) or value.value is None)


def _in_statement(node: ast.AST, at: Place, function: str, bound: frozenset[str], inside: bool) -> Iterator[Point]:
    """
    Yield the changes in a statement. ``bound``: names that have a value already, so that the next assignment to them
    could be left out.
    """
    if _is_docstring(node) or _is_type_checking(node) or isinstance(node, ast.Assert | ast.Import | ast.ImportFrom):
        return
    if not inside and isinstance(node, ast.Assign) and (_is_named(node, "__all__") or _is_type(node.value)):
        return
    if isinstance(node, ast.FunctionDef):
        name = function if inside else f"{function}.{node.name}".lstrip(".")
        names = frozenset(argument.arg for argument in [*node.args.args, *node.args.kwonlyargs])
        yield from _in_body(node, "body", name, names, True)
        return
    if isinstance(node, ast.ClassDef):
        yield from _in_body(node, "body", f"{function}.{node.name}".lstrip("."), frozenset(), inside)
        return
    owner = function if inside else ""
    if isinstance(node, ast.Raise):
        yield Point(owner, node, "statement", "pass", _setter(at, ast.Pass()))
        return
    yield from _whole_statement(node, at, owner, bound)
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list"):
            continue
        if field in ("body", "orelse", "finalbody"):
            yield from _in_body(node, field, function, bound | _names_in(node), inside)
        elif field in ("handlers", "cases"):
            for handler in value:
                yield from _in_body(handler, "body", function, bound | _names_in(node), inside)
        else:
            yield from _in_field(node, field, value, owner)


def _in_body(parent: ast.AST, field: str, function: str, bound: frozenset[str], inside: bool) -> Iterator[Point]:
    for place, statement in enumerate(getattr(parent, field)):
        yield from _in_statement(statement, (parent, field, place), function, bound, inside)
        bound |= _names_in(statement)


def _names_in(node: ast.AST) -> frozenset[str]:
    return frozenset(
        child.id for child in ast.walk(node) if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store)
    )


def _whole_statement(node: ast.AST, at: Place, function: str, bound: frozenset[str]) -> Iterator[Point]:
    # ``False`` is turned to ``True`` elsewhere; to whoever asks yes or no, None is the same.
    if isinstance(node, ast.Return) and node.value is not None and source_of(node.value) not in ("None", "False"):
        yield Point(function, node, "return", "return None", _setter((node, "value", None), ast.Constant(None)))
    removable = isinstance(node, ast.AugAssign | ast.Expr | ast.Continue | ast.Break)
    if isinstance(node, ast.Assign):
        removable = any(not isinstance(target, ast.Name) or target.id in bound for target in node.targets)
    if removable and function:
        yield Point(function, node, "statement", "pass", _setter(at, ast.Pass()))
    if isinstance(node, ast.AugAssign) and type(node.op) in RECKONED:
        yield _reckoned(node, node.op, function)
    if isinstance(node, ast.If | ast.While):
        yield from _negated(node, "test", node.test, function)


def _in_field(parent: ast.AST, field: str, value: object, function: str, excluded: int = -1) -> Iterator[Point]:
    """Yield the changes in a field. ``excluded``: the place in a list that is left alone."""
    if isinstance(value, list):
        for place, child in enumerate(value):
            if isinstance(child, ast.AST) and place != excluded:
                yield from _in_expression(child, (parent, field, place), function)
    elif isinstance(value, ast.AST):
        yield from _in_expression(value, (parent, field, None), function)


def _in_expression(node: ast.AST, at: Place, function: str) -> Iterator[Point]:
    if isinstance(node, ast.Call) and (_makes_an_error(node) or getattr(node.func, "id", "") == "cast"):
        return  # neither wording nor a type is behaviour
    yield from _of_expression(node, at, function)
    for field, value in ast.iter_fields(node):
        if isinstance(node, ast.Call) and field == "args":
            wording = WORDING.get(getattr(node.func, "id", ""), len(value))
            yield from _in_field(node, field, value, function, wording)
        elif field not in ("annotation", "ctx", "op", "ops"):
            yield from _in_field(node, field, value, function)


def _makes_an_error(node: ast.Call) -> bool:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    return name.endswith("Error") or name in ("_fail", "fail")


def _of_expression(node: ast.AST, at: Place, function: str) -> Iterator[Point]:
    if isinstance(node, ast.Compare):
        for place, operator in enumerate(node.ops):
            for other in TURNED[type(operator)]:
                make = _setter((node, "ops", place), other())
                yield Point(function, node, "comparison", other.__name__, make)
    elif isinstance(node, ast.BoolOp):
        other_word = ast.Or if isinstance(node.op, ast.And) else ast.And
        yield Point(function, node, "and/or", other_word.__name__, _setter((node, "op", None), other_word()))
        for place, part in enumerate(node.values):
            rest = _setter(at, node.values[1 - place]) if len(node.values) == 2 else _dropper(node.values, place)
            yield Point(function, node, "drop", f"without {source_of(part)}", rest)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield Point(function, node, "sign", source_of(node.operand), _setter(at, node.operand))
    elif isinstance(node, ast.BinOp) and type(node.op) in RECKONED:
        yield _reckoned(node, node.op, function)
    elif isinstance(node, ast.IfExp):
        yield from _negated(node, "test", node.test, function)
    elif isinstance(node, ast.comprehension):
        for place, test in enumerate(node.ifs):
            yield Point(function, test, "drop", "always", _setter((node, "ifs", place), ast.Constant(True)))
    elif isinstance(node, ast.Constant):
        yield from _other_constant(node, at, function)
    elif isinstance(node, ast.Call):
        yield from _other_call(node, function)


def _other_constant(node: ast.Constant, at: Place, function: str) -> Iterator[Point]:
    value = node.value
    if isinstance(at[0], ast.keyword) and at[0].arg == "strict":
        return
    if isinstance(value, bool):
        other: object = not value
    elif isinstance(value, int | float):
        other = value + 1
    elif isinstance(value, str) and not isinstance(at[0], ast.JoinedStr):
        other = f"XX{value}"
    else:
        return
    yield Point(function, node, "constant", repr(other), _setter(at, ast.Constant(other)))  # type: ignore[arg-type]


def _other_call(node: ast.Call, function: str) -> Iterator[Point]:
    name = node.func
    if isinstance(name, ast.Name) and name.id in SWAPPED_CALLS:
        other = SWAPPED_CALLS[name.id]
        yield Point(function, node, "call", other, _setter((name, "id", None), other))
    called = name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")
    if called in CHANGES:
        for place, keyword in enumerate(node.keywords):
            yield Point(function, node, "drop", f"without {keyword.arg}=", _dropper(node.keywords, place))


def _negated(parent: ast.AST, field: str, test: ast.expr, function: str) -> Iterator[Point]:
    if not isinstance(test, ast.Compare | ast.UnaryOp):
        make = _setter((parent, field, None), ast.UnaryOp(ast.Not(), test))
        yield Point(function, test, "negation", f"not ({source_of(test)})", make)


def _reckoned(node: ast.BinOp | ast.AugAssign, operator: ast.operator, function: str) -> Point:
    other = RECKONED[type(operator)]
    return Point(function, node, "reckoning", other.__name__, _setter((node, "op", None), other()))


def _setter(at: Place, new: object) -> Callable[[], None]:
    parent, field, place = at

    def make() -> None:
        if place is None:
            setattr(parent, field, new)
        else:
            getattr(parent, field)[place] = new

    return make


def _dropper(parts: list[ast.expr] | list[ast.keyword], place: int) -> Callable[[], None]:
    def make() -> None:
        del parts[place]

    return make
