"""
Halve and double each number that stages name, replay clips and records, and count the lines that change.

    python -m benchmarks.ablate [CLIP.mp4 ...] [--reel FOLDER] [--records FILE.jsonl ...] [--only TEXT]

Prints one line a number: its place, its value, and the number of output lines that change when it is halved and when
it is doubled. A number with 0 and 0 decides nothing in these inputs: it is a candidate for a constant, or for removal,
where the inputs contain the situation that it is about. An exception stands by its name; no other trial suffers.

It reaches the fields of the settings classes and the constants at the top of modules, those too that stand in tuples
and dictionaries. A constant changes in its module, in every module that has imported its name, and in the constants
computed from it. What a function, a class or an object was given at import keeps the old value: the default of an
argument, and a field's default that is written as the name of a constant (which is reached as a field). Numbers that
are written within functions or expressions have no name; they are not reached.

Clips are replayed from kept results of the networks (:mod:`benchmarks.replay_cache`), which the first run creates. A
changed number that asks for inference on another frame is reported as ``inference`` and not played on.
"""

from __future__ import annotations

import argparse
import ast
import functools
import gc
import importlib
import io
import json
import pkgutil
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout
from dataclasses import dataclass, fields, is_dataclass
from itertools import zip_longest
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import PropertyMock, patch

import numpy as np

from benchmarks.replay_cache import ReplayedDetector
from benchmarks.score_clip import play_clip
from webapp.commands.cli import run

STAGES = (
    "vision.pipeline",
    "vision.table_session",
    "vision.inference_schedule",
    "vision.motion",
    "vision.table",
    "vision.actions",
    "vision.geometry",
    "vision.layout",
    "vision.detection",
    "referee.belief",
)
"""Modules and packages whose numbers decide what is reported of a film or ruled on a record."""

SETTINGS = re.compile(r"\w+(Settings|Limits|Thresholds|Prior|Shares)|ActionModel|Limits|Thresholds|Rates|Timeouts")
"""Names of classes whose numbers are settings."""

FACTORS = (0.5, 2.0)

ROOT = Path(__file__).parent.parent


class OtherInferenceError(Exception):
    """The changed number asks for results of the networks that were not kept."""


@dataclass(frozen=True, slots=True)
class Number:
    """
    A number by its place.

    ``owner``: the module of a constant or the class of a setting; ``name``: that of the constant or of the field.
    ``place``: where the number stands in a value that holds several, by indices of tuples and keys of dictionaries.
    """

    owner: ModuleType | type
    name: str
    place: tuple[Any, ...]
    value: float

    def __str__(self) -> str:
        """Return ``CLASS.NAME`` or ``MODULE.NAME``, with the steps of the place in brackets."""
        return ".".join((self.owner.__name__, self.name)) + "".join(f"[{step}]" for step in self.place)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", nargs="*", type=Path, metavar="CLIP.mp4")
    parser.add_argument("--reel", type=Path, default=Path("runs/reel"), help="folder of kept results of the networks")
    parser.add_argument("--records", nargs="*", type=Path, default=[], metavar="FILE.jsonl")
    parser.add_argument("--only", default="", metavar="TEXT", help="only numbers whose place contains this")
    args = parser.parse_args(arguments)
    before = list(output(args.clips, args.records, args.reel))
    print(f"{len(before)} lines", flush=True)
    with only_kept_results():
        for number in numbers():
            if args.only in str(number):
                counts = []
                for factor in FACTORS:
                    with changed(number, type(number.value)(number.value * factor)):
                        try:
                            now = output(args.clips, args.records, args.reel)
                            counts.append(str(sum(old != new for old, new in zip_longest(before, now))))
                        except OtherInferenceError:
                            counts.append("inference")
                        except Exception as error:  # a size of zero, a share above one: part of the answer
                            counts.append(type(error).__name__)
                print(f"{number} = {number.value}: {' '.join(counts)}", flush=True)
    return 0


def numbers() -> Iterator[Number]:
    """Yield each number of the settings classes and of the constants of `STAGES`, whose modules it imports."""
    modules = stage_modules()
    kinds = {value: None for module in modules for value in vars(module).values() if isinstance(value, type)}
    for kind in kinds:
        if SETTINGS.fullmatch(kind.__name__) and is_dataclass(kind) and kind.__module__.startswith(STAGES):
            for field in fields(kind):
                for place, value in numbers_in(field.default):
                    yield Number(kind, field.name, place, value)
    for module in modules:
        for name in dict.fromkeys(name for names, _ in assignments(module.__name__) for name in names):
            for place, value in numbers_in(vars(module)[name]):
                yield Number(module, name, place, value)


@functools.cache
def stage_modules() -> Sequence[ModuleType]:
    """Return the modules of `STAGES`, imported."""
    found = []
    for stage in STAGES:
        module = importlib.import_module(stage)
        names = [info.name for info in pkgutil.walk_packages(getattr(module, "__path__", []), f"{stage}.")]
        found += [module, *map(importlib.import_module, names)]
    return found


def numbers_in(value: object) -> Iterator[tuple[tuple[Any, ...], float]]:
    """
    Yield place and value of each number in a value.

    >>> list(numbers_in((1, (0.5, True), "text")))
    [((0,), 1), ((1, 0), 0.5)]
    >>> list(numbers_in({"wait": 2.0}))
    [(('wait',), 2.0)]
    """
    if type(value) in (int, float):
        yield (), value  # type: ignore[misc]
    elif type(value) in (tuple, dict):
        for step, part in value.items() if isinstance(value, dict) else enumerate(value):  # type: ignore[arg-type]
            yield from (((step, *place), number) for place, number in numbers_in(part))


def with_number(value: Any, place: Sequence[Any], number: float) -> Any:
    """
    Return a value with another number at a place.

    >>> with_number((1, (0.5, True)), (1, 0), 0.25)
    (1, (0.25, True))
    """
    if not place:
        return number
    step, *rest = place
    if isinstance(value, dict):
        return {**value, step: with_number(value[step], rest, number)}
    return (*value[:step], with_number(value[step], rest, number), *value[step + 1 :])


@contextmanager
def changed(number: Number, value: float) -> Iterator[None]:
    """Set a number to another value wherever the loaded program has it, and set it back."""
    change = changed_setting if isinstance(number.owner, type) else changed_constant
    forget_results()
    try:
        with change(number, value):
            yield
    finally:
        forget_results()


@contextmanager
def changed_setting(number: Number, value: float) -> Iterator[None]:
    """Change a field of a settings class: its default, and all instances that have the default."""
    kind, name = number.owner, number.name
    init: Any = vars(kind)["__init__"]
    names, defaults = [field.name for field in fields(kind) if field.init], init.__defaults__  # type: ignore[arg-type]
    place = names.index(name) - len(names)
    was = defaults[place]
    new = with_number(was, number.place, value)
    instances = [one for one in gc.get_objects() if type(one) is kind and getattr(one, name) == was]
    init.__defaults__ = (*defaults[:place], new, *defaults[len(defaults) + place + 1 :])
    for instance in instances:
        object.__setattr__(instance, name, new)
    try:
        yield
    finally:
        init.__defaults__ = defaults
        for instance in instances:
            object.__setattr__(instance, name, was)


@contextmanager
def changed_constant(number: Number, value: float) -> Iterator[None]:
    """Change a constant: in its module, in all modules that imported it, and in the constants computed from it."""
    home = number.owner.__name__
    whole = vars(number.owner)[number.name]
    with ExitStack() as stack:
        if isinstance(whole, dict):  # others hold the same dictionary
            stack.enter_context(patch.dict(whole, with_number(whole, number.place, value)))
            waiting = []
        else:
            waiting = [(home, number.name, with_number(whole, number.place, value))]
        holders = modules_with_names(len(sys.modules))
        while waiting:
            home, name, new = waiting.pop(0)
            for holder, alias in holders[home, name]:
                stack.enter_context(patch.object(sys.modules[holder], alias, new))
                waiting += computed_from(holder, alias)
        yield


@functools.cache
def modules_with_names(_loaded: int) -> Mapping[tuple[str, str], list[tuple[str, str]]]:
    """Return by module and name of a constant the loaded modules that have it, each with the name it has there."""
    holders: defaultdict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    origins = {
        (module, alias): origin
        for module in list(sys.modules)
        if is_ours(module)
        for alias, origin in imported_names(module).items()
    }
    for place in origins:
        origin = place
        while origin in origins:
            origin = origins[origin]
        if hasattr(sys.modules[place[0]], place[1]):
            holders[origin].append(place)
    for module in stage_modules():
        for names, _ in assignments(module.__name__):
            for name in names:
                holders[module.__name__, name].insert(0, (module.__name__, name))
    return holders


def is_ours(module: str) -> bool:
    """Check whether a loaded module belongs to this checkout."""
    file = getattr(sys.modules[module], "__file__", None)
    return file is not None and Path(file).suffix == ".py" and Path(file).is_relative_to(ROOT) and ".venv" not in file


@functools.cache
def syntax_tree(module: str) -> ast.Module:
    """Return the parsed source of a loaded module."""
    return ast.parse(Path(str(sys.modules[module].__file__)).read_text(encoding="utf-8"))


@functools.cache
def imported_names(module: str) -> Mapping[str, tuple[str, str]]:
    """Return by each name that a module imports at its top the module and the name that it comes from."""
    return {
        alias.asname or alias.name: (node.module, alias.name)
        for node in syntax_tree(module).body
        if isinstance(node, ast.ImportFrom) and node.module and not node.level
        for alias in node.names
    }


@functools.cache
def assignments(module: str) -> Sequence[tuple[tuple[str, ...], ast.expr]]:
    """Return the names and the expression of each assignment at the top of a module."""
    found = []
    for node in syntax_tree(module).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]
            found.append((tuple(names), node.value))
    return found


def computed_from(module: str, name: str) -> Iterator[tuple[str, str, object]]:
    """Yield module, name and present value of each number, tuple or array that a module computes from a constant."""
    for names, expression in assignments(module) if module.startswith(STAGES) else ():
        if any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(expression)):
            was = vars(sys.modules[module])[names[0]]
            if len(names) == 1 and isinstance(was, int | float | tuple | np.ndarray):
                compiled = compile(ast.Expression(expression), module, "eval")
                yield module, names[0], eval(compiled, vars(sys.modules[module]))


def forget_results() -> None:
    """Empty the caches of functions that compute with numbers; the networks stay loaded."""
    for module in stage_modules():
        for value in vars(module).values() if not module.__name__.startswith("vision.detection") else ():
            if isinstance(value, functools._lru_cache_wrapper):
                value.cache_clear()


@contextmanager
def only_kept_results() -> Iterator[None]:
    """Raise ``OtherInferenceError`` where the networks would run."""

    with patch.object(ReplayedDetector, "networks", PropertyMock(side_effect=OtherInferenceError)):
        yield


def output(clips: Sequence[Path], records: Sequence[Path], reel: Path) -> Iterator[str]:
    """Yield what is reported of the clips and ruled on the records."""
    for clip in clips:
        yield from (json.dumps(line, ensure_ascii=False) for line, _ in play_clip(clip, stored=reel).reported)
    for record in records:
        printed = io.StringIO()
        with redirect_stdout(printed):
            run(["referee", str(record), "--json"])
        yield from printed.getvalue().splitlines()


if __name__ == "__main__":
    sys.exit(main())
