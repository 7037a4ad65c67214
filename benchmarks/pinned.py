"""
Record what the program does on fixed inputs, and compare a later version with it.

    python -m benchmarks.pinned write BASELINE [--games 2000] [--clips DIR] [--photos DIR]
    python -m benchmarks.pinned compare BASELINE [--only TEXT]

``write`` creates the inputs (records of random games, of simulated cameras and of corrected games) in
``BASELINE/inputs`` and stores what the commands print for them in ``BASELINE/expected``, one compressed file for each
input. ``compare`` runs the same inputs again, prints the first differing lines of each file and exits with status 1 if
there are any.
Clips and photographs are read where they are; a clip's record beside it supplies the start of the game.

Only public commands are used, so that both versions may differ in everything else. Durations are left out.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent

RECORDING = ROOT / "webapp" / "recordings" / "demo.mp4"

DURATIONS = ("seconds_taken", "took_ms")
"""Keys whose values differ from run to run."""

SIMULATIONS = {
    "simulated": ("--level", "1"),
    "simulated-breakers": ("--level", "1", "--breakers", "0.03"),
    "simulated-silent-errors": ("--level", "1", "--silent-wrong", "0.005"),
}
"""Name of an input -> options of `python -m benchmarks.simulate` that create its records."""

SHOWN_DIFFERENCES = 5
"""Differing lines printed for one file."""


@dataclass(frozen=True, slots=True)
class Case:
    """A command whose output is recorded under a name."""

    name: str
    command: tuple[str, ...]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    actions = parser.add_subparsers(dest="action", required=True)
    write = actions.add_parser("write", help="create the inputs and record the output of this version")
    write.add_argument("baseline", type=Path)
    write.add_argument("--games", type=int, default=2000, help="random games by the independent engine")
    write.add_argument("--simulated", type=int, default=60, help="games of each simulated camera")
    write.add_argument("--clips", type=Path, help="folder of clips, each with its record beside it")
    write.add_argument("--photos", type=Path, help="folder of photographs, searched with all its subfolders")
    compare = actions.add_parser("compare", help="run the inputs again and print what differs")
    compare.add_argument("baseline", type=Path)
    compare.add_argument("--only", default="", metavar="TEXT", help="only inputs whose name contains this")
    args = parser.parse_args(arguments)
    if args.action == "write":
        (args.baseline / "inputs").mkdir(parents=True, exist_ok=True)
        (args.baseline / "expected").mkdir(exist_ok=True)
        create_records(args.baseline / "inputs", args.games, args.simulated)
        places = {"clips": args.clips, "photos": args.photos}
        known = {name: str(place.resolve()) for name, place in places.items() if place is not None}
        (args.baseline / "places.json").write_text(json.dumps(known), encoding="utf-8")
        for case in cases(args.baseline):
            lines = list(output_of(case))
            file = args.baseline / "expected" / f"{case.name}.txt.gz"
            file.write_bytes(gzip.compress("\n".join(lines).encode()))
            print(f"{case.name}: {len(lines)} lines", flush=True)
        return 0
    chosen = [case for case in cases(args.baseline) if args.only in case.name]
    if not chosen:
        print(f"{args.baseline}: expected a baseline with an input named '{args.only}...'", file=sys.stderr)
        return 2
    unchanged = [is_unchanged(case, args.baseline) for case in chosen]
    return int(not all(unchanged))


def create_records(folder: Path, games: int, simulated: int) -> None:
    """Write the records of random games, simulated cameras and corrected games, several matches to a file."""
    _run("tests.referee.nightly", "--games", str(games), "--seed", "35", "--records", str(folder / "random.jsonl"))
    for name, options in SIMULATIONS.items():
        parts = folder / name
        _run("benchmarks.simulate", *options, "--games", str(simulated), "--seed", "35", "--records", str(parts))
        reported = [file for file in sorted(parts.glob("*.jsonl")) if not file.name.endswith(".truth.jsonl")]
        (folder / f"{name}.jsonl").write_text("".join(file.read_text("utf-8") for file in reported), "utf-8")
    lines: list[str] = []
    for file in sorted((folder / "simulated").glob("*.jsonl")):
        lines += corrected(file.read_text("utf-8"), first=len(lines) + 1)
    (folder / "corrected.jsonl").write_text("".join(line + "\n" for line in lines), "utf-8")


def corrected(record: str, first: int) -> list[str]:
    """
    Return the lines of a record up to its middle, followed by a correction, an inserted press and an undo of it.

    ``first`` is the line number of the record's header in the stream that it becomes a part of.
    """
    lines = [json.loads(line) for line in record.splitlines()]
    middle = next((k for k in range(len(lines) // 2, len(lines) - 1) if lines[k].get("event") == "placed"), None)
    if middle is None:
        return []
    at, seat = lines[middle + 1]["at"], lines[0]["seats"][0]
    inserted = {"event": "pressed", "button": "wait", "by": seat}
    changes: list[dict[str, Any]] = [
        {"at": at, "event": "corrected", "line": first + middle, "to": None, "by": seat},
        {"at": at, "event": "corrected", "after": first + middle, "insert": inserted, "by": seat},
        {"at": at, "event": "pressed", "button": "undo", "by": seat},
    ]
    return [json.dumps(line) for line in [*lines[: middle + 2], *changes]]


def cases(baseline: Path) -> Iterator[Case]:
    """Yield every recorded command, in a fixed order."""
    records = [*sorted((ROOT / "tests" / "matches").glob("*.jsonl")), *sorted((baseline / "inputs").glob("*.jsonl"))]
    for record in records:
        if not record.name.endswith(".rulings.jsonl"):
            yield Case(f"record-{record.stem}", ("referee", str(record), "--json", "--states"))
    places = json.loads((baseline / "places.json").read_text("utf-8"))
    clips = sorted(Path(places["clips"]).glob("*.mp4")) if "clips" in places else []
    for clip in [RECORDING, *clips]:
        yield Case(f"clip-{clip.stem}", ("review", str(clip), "--json", "--start", str(clip.with_suffix(".jsonl"))))
    if "photos" in places:
        pictures = sorted(file for ending in ("jpg", "png") for file in Path(places["photos"]).rglob(f"*.{ending}"))
        yield Case("photos", ("read", *map(str, pictures), "--json"))


def output_of(case: Case) -> Iterator[str]:
    """Yield the lines that the command prints, without durations, and its exit status."""
    program = "from webapp.commands.cli import main; main()"
    command = [sys.executable, "-c", program, *case.command]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    for line in done.stdout.splitlines():
        yield json.dumps(without_durations(json.loads(line)), ensure_ascii=False)
    yield f"status {done.returncode}"


def without_durations(values: Any) -> Any:
    """Return the JSON value without the keys in `DURATIONS`, at any depth."""
    if isinstance(values, dict):
        return {key: without_durations(value) for key, value in values.items() if key not in DURATIONS}
    if isinstance(values, list):
        return [without_durations(value) for value in values]
    return values


def is_unchanged(case: Case, baseline: Path) -> bool:
    """Run a command again and print the first lines that differ: changed, new (before: None) or gone (now: None)."""
    file = baseline / "expected" / f"{case.name}.txt.gz"
    if not file.is_file():
        print(f"{case.name}: not in the baseline")
        return False
    before = gzip.decompress(file.read_bytes()).decode().split("\n")
    now = list(output_of(case))
    blocks = SequenceMatcher(None, before, now).get_opcodes()
    different = [
        (first + number, old, new)
        for tag, first, last, start, end in blocks
        if tag != "equal"
        for number, (old, new) in enumerate(itertools.zip_longest(before[first:last], now[start:end]), start=1)
    ]
    print(f"{case.name}: {len(now)} lines, {len(different)} differ", flush=True)
    for number, old, new in different[:SHOWN_DIFFERENCES]:
        print(f"  line {number}\n    before {old}\n    now    {new}")
    return not different


def _run(module: str, *arguments: str) -> None:
    subprocess.run([sys.executable, "-m", module, *arguments], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main())
