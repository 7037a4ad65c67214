"""
Write the table of targets, ``docs/targets.md``, from the results in ``benchmarks/measured/``.

    python -m benchmarks.report            # write the table
    python -m benchmarks.report --check    # exit with 1 if the table differs from the results
    python -m benchmarks.report --record NAME FIGURE --count TEXT   # update one result, date it today, write the table

A result is a JSON file. Its name orders the table's rows. Keys: ``measure`` (what is measured), ``target`` (a number),
``bound`` (``"at least"`` or ``"at most"``), ``unit`` (may be empty), ``reached`` (a number), ``count`` (of what the
figure was measured on), ``command`` (which prints it) and ``date`` (YYYY-MM-DD). The table by rule set comes from
``measured/by_rules/held_out.json``, which ``benchmarks.score_list --out`` writes.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, date, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
MEASURED = ROOT / "benchmarks" / "measured"
BY_RULES = "by_rules/held_out.json"
TARGETS = ROOT / "docs" / "targets.md"
BOUNDS = ("at least", "at most")
HEAD = """# Targets

What kozyr has to reach and what it reaches. `python -m benchmarks.report` writes this page from the results in
`benchmarks/measured/`; edit those. Commands print the figures; speeds are of two x86-64 cores and only comparable
within one run. `benchmarks/README.md` explains data and counts, `benchmarks/FINDINGS.md` what was tried.

| measure | target | reached | met | measured on | date |
|---|---|---|---|---|---|
"""


@dataclass(frozen=True, slots=True)
class MeasuredTarget:
    """One measure with its target and the newest figure."""

    measure: str
    target: float
    bound: str
    unit: str
    reached: float
    count: str
    command: str
    date: str

    @property
    def is_met(self) -> bool:
        """Return whether the figure keeps the bound."""
        return self.reached >= self.target if self.bound == "at least" else self.reached <= self.target

    def row(self, number: int) -> str:
        """Return the table row; ``number`` is that of its command below the table."""
        unit = f" {self.unit}" if self.unit else ""
        met = "yes" if self.is_met else "**no**"
        return (
            f"| {self.measure} | {self.bound} {self.target:g}{unit} | {self.reached:g}{unit} | {met} |"
            f" {self.count} [{number}] | {self.date} |"
        )


def read_target(path: Path) -> MeasuredTarget:
    """
    Read one result.

    Raises ``ValueError``, naming the file, for missing or unknown keys, a value of another type, an unknown bound or a
    date that is none.
    """
    values = json.loads(path.read_text("utf-8"))
    names = [field.name for field in fields(MeasuredTarget)]
    if not isinstance(values, dict) or sorted(values) != sorted(names):
        raise ValueError(f"{path.name}: expected the keys {', '.join(names)}, got {values!r:.200}")
    for name in names:
        wanted: type | tuple[type, ...] = (int, float) if name in ("target", "reached") else str
        if not isinstance(values[name], wanted) or isinstance(values[name], bool):
            kind = "a number" if name in ("target", "reached") else "a text"
            raise ValueError(f"{path.name}: expected {kind} for {name}, got {values[name]!r}")
    if values["bound"] not in BOUNDS:
        raise ValueError(f"{path.name}: expected a bound of {' or '.join(BOUNDS)}, got {values['bound']!r}")
    try:
        date.fromisoformat(values["date"])
    except ValueError:
        raise ValueError(f"{path.name}: expected a date such as 2026-11-25, got {values['date']!r}") from None
    return MeasuredTarget(**values)


def page_of(targets: Iterable[MeasuredTarget]) -> str:
    """Return the whole page: the table, then each command once."""
    commands: dict[str, int] = {}
    rows = [target.row(commands.setdefault(target.command, len(commands) + 1)) for target in targets]
    listed = [f"{number}. `{command}`" for command, number in commands.items()]
    return HEAD + "\n".join(rows) + "\n\n## Commands\n\n" + "\n".join(listed) + "\n"


def table_by_rules(path: Path) -> str:
    """Return the table of held-out clips by rule set, empty if they were not scored."""
    if not path.is_file():
        return ""
    result = json.loads(path.read_text("utf-8"))
    counts, missing = {**result["counts"]["rules"], "all": result["counts"]["all"]}, result["counts"]["not_filmed"]
    rows = [
        f"| {rules} | {of['clips']} | {of['events_right']} of {of['events_true']} | {of['f1']:.3f} |"
        f" {of['results_right']} of {of['results']} | {of['faults_called']} of {of['faults']} |"
        f" {of['false_accusations']} |"
        for rules, of in counts.items()
    ]
    head = (
        f"\n## Held-out films by rule set, {result['date'][:10]}\n\n"
        "`python -m benchmarks.score_list benchmarks/held_out.toml FOLDER --film --out FILE.json`;\n"
        f"{counts['all']['clips']} of {counts['all']['clips'] + len(missing)} clips. A clip has a result if its"
        " game ends in it.\n\n"
        "| rule set | clips | events right | F1 | results right | faults announced | innocent plays accused |\n"
        "|---|---|---|---|---|---|---|\n"
    )
    return head + "\n".join(rows) + "\n"


def record(path: Path, reached: float, count: str) -> None:
    """Write a new figure, dated today, into the result at ``path``."""
    target = replace(read_target(path), reached=reached, count=count, date=datetime.now(UTC).date().isoformat())
    path.write_text(json.dumps(asdict(target), ensure_ascii=False, indent=1) + "\n", "utf-8")


def main(arguments: list[str] | None = None, measured: Path = MEASURED, page: Path = TARGETS) -> int:
    """Run the command line. Return 0, or 1 if ``--check`` finds a difference, or 2 for a result that cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=__doc__.split("\n")[1])
    parser.add_argument("--check", action="store_true", help="compare the page with the results, write nothing")
    parser.add_argument("--record", nargs=2, metavar=("NAME", "FIGURE"), help="a new figure of the result NAME.json")
    parser.add_argument("--count", metavar="TEXT", help="what the new figure was measured on, with its count")
    args = parser.parse_args(arguments)
    if args.record and not args.count:
        parser.error("--record needs --count: what the figure was measured on")
    try:
        if args.record:
            record(measured / f"{args.record[0]}.json", float(args.record[1]), args.count)
        written = page_of(read_target(path) for path in sorted(measured.glob("*.json")))
        written += table_by_rules(measured / BY_RULES)
    except (OSError, ValueError) as problem:
        print(problem, file=sys.stderr)
        return 2
    if not args.check:
        page.write_text(written, "utf-8")
        return 0
    if page.read_text("utf-8") == written:
        return 0
    print(f"{page.name} differs from {measured}: run python -m benchmarks.report", file=sys.stderr)
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
