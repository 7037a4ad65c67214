"""
Simulate whole games without pictures: play at random, report with camera errors, judge, count.

    python -m benchmarks.simulate --games 1000 --level 1 --breakers 0.03 --out FILE.json
    python -m benchmarks.simulate --missing-one --games 200
    python -m benchmarks.simulate --show 7 --level 1
    python -m benchmarks.simulate --records DIR --games 20

No player makes a statement. The same seed plays the same games, however many processes judge them.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path

from benchmarks.simulation.judges import JUDGES, judge_by
from benchmarks.simulation.missing import Missing, without_one
from benchmarks.simulation.roc import ACCUSING_FROM, at_threshold, drawn
from benchmarks.simulation.score import SimulationScore, score_of
from benchmarks.simulation.show import shown
from benchmarks.simulation.simulated_games import RULES, WORDS, Setting, SimulatedGame, game_of
from benchmarks.simulation.summary import counts_of, lines_of, missing_counts, missing_lines
from referee.belief.decide import THRESHOLDS
from referee.belief.rates import RATES
from scripts.results import write_result

AT_ONCE = 5
"""Games per task of a process."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    args = _parser().parse_args(arguments)
    if args.games < 1 or args.jobs < 1 or args.level < 0:
        print("expected at least one game, one job and a level of at least 0", file=sys.stderr)
        return 2
    level = 0.0 if args.missing_one else args.level
    breakers = 0.0 if args.missing_one else args.breakers
    setting = Setting(
        args.seed,
        level,
        breakers,
        args.mended,
        args.blurred,
        args.silent_wrong,
        args.rules,
        args.clumsy,
        args.words,
        args.deals,
    )
    if args.show is not None:
        print(shown(game_of(args.show, setting), judge_by(args.judge, dict(args.rate))))
        return 0
    if args.records is not None:
        args.records.mkdir(parents=True, exist_ok=True)
        for number in range(args.first, args.first + args.games):
            _write_records(args.records, game_of(number, setting))
        return 0
    began = time.monotonic()
    found: Missing | SimulationScore = Missing() if args.missing_one else SimulationScore()
    for part in _judged(args, setting):
        found.add(part)  # type: ignore[arg-type]
    asked = asdict(setting) | {"games": args.games, "judge": args.judge} | dict(args.rate)
    counts = missing_counts(found) if isinstance(found, Missing) else counts_of(found, args.thresholds)
    print(", ".join(f"{key} {value}" for key, value in asked.items()), f"({time.monotonic() - began:.0f} s)")
    print("\n".join(missing_lines(counts) if args.missing_one else lines_of(counts)))
    if args.out is not None:
        write_result(args.out, "benchmarks.simulate", asked, counts)
    if args.roc is not None and isinstance(found, SimulationScore):
        points = [
            (threshold, *at_threshold(found.suspected, threshold, found.games, found.faults))
            for threshold in args.thresholds
        ]
        title = f"level {args.level:g}, {args.breakers:.0%} of steps break a rule, {args.games} games"
        args.roc.write_text(drawn(points, title, THRESHOLDS.accuse), "utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first game")
    parser.add_argument("--seed", type=int, default=21)
    parser.add_argument("--level", type=float, default=1.0, help="level of camera errors: 0 none, 1 usual")
    parser.add_argument("--breakers", type=float, default=0.0, help="share of steps that break a rule")
    parser.add_argument("--mended", type=float, default=0.7, help="share of mistakes that the others correct")
    parser.add_argument("--blurred", action="store_true", help="faults are reported with the same errors as all plays")
    parser.add_argument("--silent-wrong", type=float, default=0.0, help="share of cards and seats reported wrongly")
    parser.add_argument("--clumsy", type=float, default=0.0, help="level of systematic errors: 1 as on clips, 0 none")
    parser.add_argument("--rules", choices=RULES, default="mixed", metavar="NAME", help="a rule set, mixed or all")
    parser.add_argument("--words", choices=WORDS, default="own", help="form of the record")
    parser.add_argument("--deals", type=int, default=1, help="most deals of a game")
    parser.add_argument("--missing-one", action="store_true", help="leave one event out of each certain game")
    parser.add_argument(
        "--rate", type=_rate, action="append", default=[], metavar="NAME=VALUE", help="replace a rate of the belief"
    )
    parser.add_argument("--judge", choices=sorted(JUDGES), default="belief")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--thresholds", type=float, nargs="+", default=ACCUSING_FROM)
    parser.add_argument("--roc", type=Path, metavar="FILE.svg", help="draw false accusations against faults found")
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="the figures")
    parser.add_argument("--records", type=Path, metavar="DIR", help="only write reported and true records")
    parser.add_argument("--show", type=int, metavar="GAME", help="print one game line by line with its rulings")
    return parser


def _rate(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    if name not in RATES.__slots__ or not isinstance(getattr(RATES, name), float):
        raise argparse.ArgumentTypeError(f"expected one of referee/belief/rates.py such as unseen_card=0.1, got {text}")
    return name, float(value)


def _judged(args: argparse.Namespace, setting: Setting) -> Iterator[Missing | SimulationScore]:
    """Yield the figures of all games in order."""
    last = args.first + args.games
    rates = dict(args.rate)
    parts = [range(first, min(last, first + AT_ONCE)) for first in range(args.first, last, AT_ONCE)]
    if args.jobs == 1:
        yield from (judge_games(part, setting, args.judge, args.missing_one, rates) for part in parts)
        return
    with ProcessPoolExecutor(args.jobs, mp_context=get_context("spawn")) as pool:
        waiting = [pool.submit(judge_games, part, setting, args.judge, args.missing_one, rates) for part in parts]
        yield from (job.result() for job in waiting)


def judge_games(
    numbers: range, setting: Setting, judge: str, missing_one: bool, rates: Mapping[str, float] = {}
) -> Missing | SimulationScore:
    """Play and judge these games. ``rates``: rates of the belief to replace."""
    found: Missing | SimulationScore = Missing() if missing_one else SimulationScore()
    for number in numbers:
        game, its_judge = game_of(number, setting), judge_by(judge, rates)
        try:
            part = without_one(game, its_judge) if missing_one else score_of(game, its_judge)
        except Exception as error:
            error.add_note(f"in game {number}: --show {number} with the same options shows it")
            raise
        found.add(part)  # type: ignore[arg-type]
    return found


def _write_records(folder: Path, game: SimulatedGame) -> None:
    """Write ``0007.jsonl``, the reported record, and ``0007.truth.jsonl``, the true one with ``fault`` and line."""
    for ending, record in (("jsonl", game.record()), ("truth.jsonl", game.true_record())):
        lines = "".join(json.dumps(line) + "\n" for line in record)
        (folder / f"{game.number:04}.{ending}").write_text(lines, "utf-8")


if __name__ == "__main__":
    sys.exit(main())
