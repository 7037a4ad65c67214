"""
The mutation run: does some test fail for each small change of the referee?

    python -m tests.lab.mutation.driver --count 800 --results FILE       a seeded sample, goes on where it stopped
    python -m tests.lab.mutation.driver --report --results FILE          the figures and the survivors
    python -m tests.lab.mutation.driver --only referee/game.py:17        one change, and which test finds it

The tests are collected once. Then each mutant gets a forked process, where the code of the changed function is put in
place of the right one and the tests that run that function are run, the quick ones and those that have found mutants
before first, until one fails. For a change outside functions that process reads the changed source and the tests
again. A mutant that takes far longer than the tests do is found too.
"""

from __future__ import annotations

import argparse
import ast
import json
import math
import os
import random
import resource
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib.machinery import PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from tests.lab.mutation.operators import Mutant, mutants_of, mutated

ROOT = Path(__file__).parents[3]
TESTS = ("tests/referee", "tests/test_promises.py", "referee")
SEED = 36
SLACK_S = 1
"""Seconds of processor time that a mutant may take beyond twice the time of its tests."""
READING_S = 60
"""Seconds for one test where referee and tests are imported again with the change."""
MOST_MEMORY = 3 << 30


def all_mutants() -> list[Mutant]:
    """Return every change of every module of the referee."""
    found = []
    for path in sorted((ROOT / "referee").rglob("*.py")):
        found += mutants_of(path, path.relative_to(ROOT).as_posix())
    return found


# putting a change in place


def functions_of(module: ModuleType) -> dict[str, FunctionType]:
    """Return functions and methods of a module by qualified name."""
    found = {}

    def gather(names: dict[str, Any], owner: str) -> None:
        for name, value in names.items():
            if isinstance(value, property):
                value = value.fget
            value = getattr(value, "__func__", value)
            if isinstance(value, type) and value.__module__ == module.__name__ and not owner:
                gather(dict(vars(value)), f"{name}.")
            elif isinstance(value, FunctionType) and value.__module__ == module.__name__:
                found[f"{owner}{name}"] = value

    gather(dict(vars(module)), "")
    return found


def code_of(tree: ast.Module, filename: str, function: str) -> CodeType:
    """Return the compiled code of one function of a module's tree."""
    code = compile(tree, filename, "exec")
    for part in function.split("."):
        code = next(
            constant for constant in code.co_consts if isinstance(constant, CodeType) and constant.co_name == part
        )
    return code


def put_in_place(mutant: Mutant) -> None:
    """Change the function where it lives: whoever holds it now runs the changed code."""
    path = ROOT / mutant.module
    module = sys.modules[mutant.module.removesuffix(".py").removesuffix("/__init__").replace("/", ".")]
    function = functions_of(module)[mutant.function]
    function.__code__ = code_of(mutated(path, mutant.number), str(path), mutant.function)


class ChangedSource(PathFinder):
    """Finds one module with a change made to it; for changes outside functions."""

    wanted = ("", 0)

    @classmethod
    def find_spec(cls, fullname: str, path: Any = None, target: Any = None) -> Any:
        """Return the usual spec, except for the changed module."""
        module, number = cls.wanted
        if fullname != module.removesuffix(".py").removesuffix("/__init__").replace("/", "."):
            return None
        spec = super().find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            tree = mutated(ROOT / module, number)

            class Loader(SourceFileLoader):
                def get_code(self, fullname: str) -> CodeType:
                    return compile(tree, str(ROOT / module), "exec")

            spec.loader = Loader(fullname, str(ROOT / module))
        return spec


# running


class Quick:
    """A pytest plugin that lets property tests be the same each time, and short."""

    def pytest_collection(self) -> None:
        """Set hypothesis up, once pytest has loaded it."""
        from hypothesis import HealthCheck, Phase, settings

        settings.register_profile(
            "mutants",
            max_examples=30,
            derandomize=True,
            database=None,
            deadline=None,
            phases=(Phase.explicit, Phase.generate),
            suppress_health_check=list(HealthCheck),
        )
        settings.load_profile("mutants")


class Run(Quick):
    """A pytest plugin whose test loop tries mutants instead of running the tests once."""

    def __init__(
        self, mutants: list[Mutant], results: Path | None, seconds: float, most: float, tests: Sequence[str]
    ) -> None:
        self.mutants, self.results, self.seconds, self.most, self.tests = mutants, results, seconds, most, tests
        self.cost: dict[str, float] = {}
        self.running: dict[tuple[str, str], set[str]] = defaultdict(set)
        self.killed_by: Counter[str] = Counter()
        self.items: dict[str, pytest.Item] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the tests once as they are, then for each mutant."""
        if session.testsfailed:
            raise session.Interrupted("expected tests that can be collected")
        self.items = {item.nodeid: item for item in session.items}
        began = time.monotonic()
        self._baseline()
        say(f"{len(self.items)} tests take {sum(self.cost.values()):.1f} s; {len(self.mutants)} mutants to go")
        killed = 0
        for number, mutant in enumerate(self.mutants, start=1):
            if time.monotonic() - began > self.seconds:
                say("time is up")
                break
            found_by, seconds = self._try(mutant)
            killed += found_by is not None
            self.killed_by[found_by or ""] += 1
            if self.results is not None:
                with self.results.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(mutant) | {"found_by": found_by, "seconds": seconds}) + "\n")
            if found_by is None or self.results is None:
                change = f"{mutant.kind}: {mutant.was} -> {mutant.now}"
                say(f"{found_by or 'SURVIVED'}: {mutant.module}:{mutant.line} {change}")
            if number % 25 == 0:
                say(f"{number} tried, {killed} found")
        return True

    def _baseline(self) -> None:
        """Measure the time of each test and the functions of the referee it runs; store both beside the results."""
        memory = self.results.with_suffix(".tests.json") if self.results is not None else None
        if memory is not None and memory.exists():
            remembered = json.loads(memory.read_text(encoding="utf-8"))
            if set(remembered) == set(self.items):
                for nodeid, (cost, called) in remembered.items():
                    self._note(nodeid, cost, [(module, name) for module, name in called])
                return
        folder = str(ROOT / "referee")
        found: dict[str, tuple[float, list[tuple[str, str]]]] = {}
        for nodeid, item in self.items.items():
            codes: set[CodeType] = set()
            began = time.process_time()
            sys.settrace(lambda frame, event, argument, codes=codes: codes.add(frame.f_code))  # type: ignore[misc]
            reports = runtestprotocol(item, log=False, nextitem=None)
            sys.settrace(None)
            if any(report.failed for report in reports):
                raise pytest.UsageError(f"expected all tests to pass before anything is changed, {nodeid} fails")
            called = {
                (Path(code.co_filename).relative_to(ROOT).as_posix(), code.co_qualname.partition(".<locals>")[0])
                for code in codes
                if code.co_filename.startswith(folder)
            }
            found[nodeid] = (time.process_time() - began, sorted(called))
            self._note(nodeid, *found[nodeid])
        if memory is not None:
            memory.write_text(json.dumps(found), encoding="utf-8")

    def _note(self, nodeid: str, cost: float, called: list[tuple[str, str]]) -> None:
        self.cost[nodeid] = cost
        for module, name in called:
            self.running[module, name].add(nodeid)

    def _try(self, mutant: Mutant) -> tuple[str | None, float]:
        chosen = self.running.get((mutant.module, mutant.function), set()) if mutant.function else set(self.items)
        order = sorted(chosen, key=lambda nodeid: self.cost[nodeid] / (1 + self.killed_by[nodeid]))
        if mutant.function:
            order = self._affordable(order)
        # Outside functions all tests are imported again and run; to stop them early would count as finding the mutant.
        slack = SLACK_S if mutant.function else READING_S
        allowed = 2 * sum(self.cost[nodeid] for nodeid in order) + slack
        reading, writing = os.pipe()
        began = time.monotonic()
        child = os.fork()
        if not child:
            os.close(reading)
            limit_and_silence(allowed)
            if mutant.function:
                self._run_here(mutant, order, writing)
            run_fresh(mutant, writing, self.tests)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            failed_test = pipe.read()
        _, status = os.waitpid(child, 0)
        seconds = round(time.monotonic() - began, 2)
        if failed_test:
            return failed_test, seconds
        return (None, seconds) if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0 else ("time", seconds)

    def _affordable(self, order: list[str]) -> list[str]:
        """Return as many of the tests as may be run for one mutant."""
        spent, chosen = 0.0, []
        for nodeid in order:
            spent += self.cost[nodeid]
            if spent > self.most:
                break
            chosen.append(nodeid)
        return chosen

    def _run_here(self, mutant: Mutant, order: list[str], writing: int) -> None:
        put_in_place(mutant)
        for nodeid in order:
            try:
                failed = any(report.failed for report in runtestprotocol(self.items[nodeid], log=False, nextitem=None))
            except BaseException:
                failed = True
            if failed:
                os.write(writing, nodeid.encode())
                break
        os._exit(0)


def limit_and_silence(seconds: float) -> None:
    """
    Limit processor time and memory, and silence output: a mutant may loop for ever, eat all memory or print a lot.
    """
    spent = resource.getrusage(resource.RUSAGE_SELF)
    most = math.ceil(spent.ru_utime + spent.ru_stime + seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def run_fresh(mutant: Mutant, writing: int, tests: Sequence[str]) -> None:
    """
    Import the referee and its tests again, with the changed source; all else stays imported, which saves the most.
    """
    for name in list(sys.modules):
        if name.partition(".")[0] in ("referee", "tests", "webapp") and not name.startswith("tests.lab.mutation"):
            del sys.modules[name]
    fresh(mutant, writing, tests)
    os._exit(0)


class FirstFailure(Quick):
    """A pytest plugin that writes the first failing test's name to a pipe."""

    def __init__(self, writing: int) -> None:
        self.writing = writing

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Report the failure."""
        if report.failed and self.writing >= 0:
            os.write(self.writing, report.nodeid.encode())
            self.writing = -1


def fresh(mutant: Mutant, writing: int, tests: Sequence[str]) -> None:
    """Run the tests with a change outside functions, until one fails."""
    ChangedSource.wanted = (mutant.module, mutant.number)
    sys.meta_path.insert(0, ChangedSource)
    teller = FirstFailure(writing)
    try:
        status = pytest.main([*arguments(tests), "-x"], plugins=[teller])
    except BaseException:
        status = 3
    if status and teller.writing >= 0:
        os.write(writing, b"the referee can't be imported")


def arguments(tests: Sequence[str] = TESTS) -> list[str]:
    """Return the arguments of pytest."""
    plain = ["-p", "no:cacheprovider", "-p", "no:randomly", "-s", "-q", "--no-header", "--tb=no"]
    return [*plain, "--doctest-modules", *tests]


# the figures


def interval(found: int, tried: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share."""
    z, share = 1.96, found / tried
    middle = (share + z * z / (2 * tried)) / (1 + z * z / tried)
    half = z / (1 + z * z / tried) * math.sqrt(share * (1 - share) / tried + z * z / (4 * tried * tried))
    return middle - half, middle + half


def read(results: Path) -> dict[str, dict[str, Any]]:
    """Read what was tried so far, the newest try of each."""
    if not results.exists():
        return {}
    lines = results.read_text(encoding="utf-8").splitlines()
    return {f"{entry['module']}:{entry['number']}": entry for entry in map(json.loads, lines)}


def report(results: Path) -> None:
    """Print the figures, by file and by kind, and every survivor."""
    tried = list(read(results).values())
    for key in ("module", "kind"):
        for name in sorted({entry[key] for entry in tried}):
            group = [entry for entry in tried if entry[key] == name]
            say(f"{name:34} {sum(bool(entry['found_by']) for entry in group):5} of {len(group)}")
    for entry in sorted(tried, key=lambda entry: (entry["module"], entry["line"])):
        if not entry["found_by"]:
            say(f"survived {entry['module']}:{entry['line']} {entry['kind']}: {entry['was']} -> {entry['now']}")
    found = sum(bool(entry["found_by"]) for entry in tried)
    low, high = interval(found, len(tried))
    say(
        f"{found} of {len(tried)} found: {100 * found / len(tried):.1f} % "
        f"(95 % interval {100 * low:.1f} to {100 * high:.1f}), of {len(all_mutants())} in all"
    )


def say(text: str) -> None:
    """Print a line of progress."""
    print(text, flush=True)


def sample(count: int, seed: int) -> Iterator[Mutant]:
    """Yield the first ``count`` of all mutants in an order that the seed shuffles."""
    mutants = all_mutants()
    random.Random(seed).shuffle(mutants)
    # Those outside functions, which cost most, come last.
    yield from sorted(mutants[: count or None], key=lambda mutant: not mutant.function)


def main() -> int:
    """Run the command; return 0 unless it was called wrongly."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=800, help="how many of the sample; 0: all")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after so long")
    parser.add_argument("--most", type=float, default=1e9, help="seconds of tests that one mutant may cost")
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "mutants.jsonl")
    parser.add_argument("--again", action="store_true", help="try the survivors once more")
    parser.add_argument("--only", nargs="*", default=[], help="mutants by id, or a file's whole lot")
    parser.add_argument("--tests", nargs="*", default=TESTS, help="what is run; while writing tests: theirs alone")
    parser.add_argument("--report", action="store_true")
    args = parser.parse_args()
    os.chdir(ROOT)
    if args.report:
        report(args.results)
        return 0
    if args.only:
        mutants = [
            all_mutant for all_mutant in all_mutants() if all_mutant.id in args.only or all_mutant.module in args.only
        ]
        pytest.main(arguments(args.tests), plugins=[Run(mutants, None, args.seconds, args.most, args.tests)])
        return 0
    args.results.parent.mkdir(parents=True, exist_ok=True)
    done = read(args.results)
    mutants = list(sample(args.count, args.seed))
    if args.again:
        mutants = [mutant for mutant in mutants if mutant.id in done and not done[mutant.id]["found_by"]]
    else:
        mutants = [mutant for mutant in mutants if mutant.id not in done]
    status = pytest.main(
        arguments(args.tests), plugins=[Run(mutants, args.results, args.seconds, args.most, args.tests)]
    )
    if read(args.results):
        report(args.results)
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
