"""
Measure what long and hostile records cost: seconds of processor time to judge, replay and correct them.

    python -m benchmarks.long_records [--lines 500 5000] [--kept] [--hostile] [--out FILE.json]
    python -m benchmarks.long_records --calls

The records are games of several deals with a camera's errors (``benchmarks.simulation``), cut to the number of lines.
Each is judged as a stored match is, replayed for its page, and corrected near its beginning, in its middle and at its
end. With ``--hostile`` come records of 256 lines with thousands of entries in one line, ticks, or corrections of one
line. If a cost grows as the number of lines does, milliseconds a line stay the same.

``--kept`` keeps each in a store instead, and corrects it twice as its page does: seconds of the clock, by the job that
corrects long matches, which judges the whole match the first time.

``--calls`` counts the function calls, built-in ones included, in which each line of the shipped record is judged as a
camera's: a figure that no other work on the machine changes.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from cProfile import Profile
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.simulation.simulated_games import Setting, game_of
from referee.errors import RefereeError
from referee.events import Corrected
from referee.header import Header
from referee.match_judge import MatchJudge
from referee.record import event_from_json
from scripts.results import write_result
from vision.data_home import HOME_VARIABLE
from webapp.commands.background_work import BackgroundWork
from webapp.live.match_files import open_matches
from webapp.live.timed_process import judge_apart
from webapp.match.log import judged
from webapp.match.stored_matches import StoredMatches, replay
from webapp.store.matches import RecordEntry, Writing

WHOLE, LINES_A_DEAL, GAMES = 2_000, 60, 40
"""
Most lines of the record, most lines of a deal, and number of games, of which the longest is recorded, and repeated
where the record is longer.
"""

RECORD = Path(__file__).parent.parent / "webapp" / "recordings" / "demo.jsonl"

SHORT = 256
"""Lines of the record that is made hostile."""

Line = Mapping[str, Any]


def record_of(lines: int) -> list[Line]:
    """Return a camera's record of this many lines, header included: one game again and again."""
    setting = Setting(seed=45, rules="podkidnoy-36", deals=WHOLE // LINES_A_DEAL)
    header, *events = max((game_of(number, setting).record() for number in range(GAMES)), key=len)
    found: list[Line] = [header]
    later_s = 0.0
    while len(found) < lines:
        found += [{**line, "at": round(line["at"] + later_s, 3)} for line in events]
        later_s = found[-1]["at"] + 10.0
    return found[:lines]


def taken_s(work: Callable[[], object]) -> float:
    """Return the seconds of processor time that the work takes."""
    began = time.process_time()
    work()
    return time.process_time() - began


def whole_match(lines: int) -> Iterator[tuple[str, float]]:
    """Yield what a record of this many lines costs, each with what is done."""
    record = record_of(lines)
    began = time.process_time()
    match = judged(record, has_ended=True)
    yield "judge the kept record", time.process_time() - began
    yield "make its replay", taken_s(lambda: replay(match.view, match.header))
    laid = [
        number for number, line in enumerate(record, start=1) if line["event" if number > 1 else "kozyr"] == "placed"
    ]
    for name, place in (("beginning", 3), ("middle", len(laid) // 2), ("end", -1)):
        to = {key: record[laid[place] - 1][key] for key in ("event", "card", "on") if key in record[laid[place] - 1]}
        seats = record[0]["seats"]
        to["by"] = next(seat for seat in seats if seat != record[laid[place] - 1].get("by"))
        wrong = event_from_json(
            {"event": "corrected", "at": record[-1]["at"], "line": laid[place], "to": to, "anyway": True}
        )
        undo = event_from_json({"event": "pressed", "button": "undo", "at": record[-1]["at"]})
        yield f"correct a line near its {name}", taken_s(lambda: match.correct(wrong))  # noqa: B023
        yield "undo that", taken_s(lambda: match.correct(undo))  # noqa: B023


def correct_stored(lines: int) -> Iterator[tuple[str, float]]:
    """Yield the seconds that corrections of a kept match of this many lines take, each with what is done."""
    record = record_of(lines)
    laid = [number for number, line in enumerate(record, start=1) if line.get("event") == "placed"]
    with TemporaryDirectory() as folder, ExitStack() as parts:
        os.environ[HOME_VARIABLE] = folder
        matches = open_matches(parts, f"sqlite:///{folder}/kozyr.db")
        writing = Writing.begin("benchmark", datetime.now(UTC), {})
        matches.append(writing, [RecordEntry(line, data) for line, data in enumerate(record, 1)])
        matches.end(writing)
        work = BackgroundWork(matches, f"sqlite:///{folder}/kozyr.db", None)
        parts.callback(work.jobs.stop)
        kept = StoredMatches(matches, judge_apart, work.correct)
        for name, line in (("the first time", laid[3]), ("again", laid[-1]), ("in the middle", laid[len(laid) // 2])):
            began = time.monotonic()
            kept.correct(writing.match, Corrected(at=0.0, line=line, to=None))
            yield f"correct the kept match {name}", time.monotonic() - began


def hostile() -> Iterator[tuple[str, list[Line]]]:
    """Yield records with thousands of entries, each with its name."""
    record = record_of(SHORT)
    place = next(number for number, line in enumerate(record) if number > 20 and line["event"] == "placed")
    for count in (2_000, 20_000):
        entries = [[{"at": record[place]["at"] + number / count}, 1e-6] for number in range(count)]
        yield (
            f"{count} entries in otherwise",
            [*record[:place], {**record[place], "otherwise": entries}, *record[place + 1 :]],
        )
    tick = {"event": "tick", "at": record[place]["at"]}
    yield "99000 ticks", [*record[: place + 1], *[tick] * 99_000, *record[place + 1 :]]
    plain = {key: record[place][key] for key in ("event", "card", "by", "on") if key in record[place]}
    correction = {
        "event": "corrected",
        "at": record[-1]["at"],
        "line": place + 1,
        "to": plain,
        "by": record[0]["seats"][0],
    }
    yield "3000 corrections of one line", [*record, *[correction] * 3_000]


def calls_by_line() -> dict[int, int]:
    """Return by line the calls in which the shipped record is judged as a camera's."""
    header, *events = map(json.loads, RECORD.read_text("utf-8").splitlines())
    found: dict[int, int] = {}
    for is_counted in (False, True):  # caches of the rules are filled first
        judge = MatchJudge(Header.parse(header | {"witness": "camera"}))
        for line, event in enumerate(map(event_from_json, events), start=2):
            profile = Profile()
            if is_counted:
                profile.runcall(judge.apply, line, event)
                found[line] = sum(entry.callcount for entry in profile.getstats())
            else:
                judge.apply(line, event)
    return found


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, nargs="*", default=[500, 5_000])
    parser.add_argument("--kept", action="store_true", help="correct the records as matches that are kept")
    parser.add_argument("--hostile", action="store_true", help="measure the hostile records too")
    parser.add_argument("--calls", action="store_true", help="count calls for the shipped record, and nothing else")
    parser.add_argument("--out", type=Path, help="write the result to this file")
    args = parser.parse_args()
    found: dict[str, float] = {}
    if args.calls:
        for line, calls in sorted(calls_by_line().items(), key=lambda entry: -entry[1]):
            found[f"calls of line {line}"] = calls
            print(f"line {line:>4} {calls:>8} calls")
        print(f"in all    {sum(found.values()):>8} calls")
    for lines in () if args.calls else args.lines:
        for what, seconds in (correct_stored if args.kept else whole_match)(lines):
            found[f"{lines} lines: {what}"] = round(seconds, 3)
            print(f"{lines:>6} lines  {seconds:8.2f} s  {1000 * seconds / lines:7.3f} ms a line  {what}", flush=True)
    for what, record in hostile() if args.hostile and not args.calls else ():
        try:
            seconds, refusal = taken_s(lambda: judged(record, has_ended=True)), ""  # noqa: B023
        except RefereeError as error:
            seconds, refusal = 0.0, f"  refused: {str(error)[:160]}"
        found[what] = round(seconds, 3)
        print(f"{len(record):>6} lines  {seconds:8.2f} s  {what}{refusal}", flush=True)
    if args.out is not None:
        write_result(args.out, "benchmarks.long_records", {"lines": args.lines}, found)


if __name__ == "__main__":
    main()
