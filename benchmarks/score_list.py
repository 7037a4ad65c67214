"""
Score a list of whole clips: each by itself, then all together.

    python -m benchmarks.score_list LIST.toml FOLDER [--film] [--reel FOLDER] [--weights FILE] [--shown FOLDER] ..
    python -m benchmarks.score_list FOLDER [--out FILE.json] [--before FILE.json]

LIST.toml is a list of recipes (``docs/clips.md``); its clips are in FOLDER as ``NAME.mp4`` with ``NAME.jsonl`` (the
true record) and ``NAME.tracks.jsonl``. ``--film`` films missing clips first. Because a list names the decks, clips
with ordinary decks are counted apart from those with extreme ones (one index a card, dark or pictured faces). Clips
are counted by rule set, too. Without a list all clips of the folder are scored. ``--before`` names what ``--out`` wrote
for an earlier version, and prints both in one table: all clips, each rule set, each kind of event.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import structs

from benchmarks.score_clip import Played, Score, play_clip, resting, scored
from benchmarks.simulation.roc import ACCUSING_FROM, at_threshold, drawn
from benchmarks.stages import Stages, StageWatch
from referee.belief.decide import THRESHOLDS
from referee.events import Placed
from referee.match_judge import MatchJudge
from referee.rulings import Announcement, Message, Ruling, Verdict, holding
from scripts.results import checksums, write_result

DOUBTFUL = ("unclear",)
SOLD, EXTREME = "decks as a shop sells them", "decks of extreme make"
COUNTED_KINDS = ("draw", "turn", "result", "out")
"""Announcements that must be right if a game needs no correction."""
COUNTED = ("clips", "right", "one_question", "results", "results_right", "cards", "errors")


@dataclass
class JudgedClip:
    """The referee's results for a record: rulings by content, announcements in order, results of games among them."""

    rulings: Counter[tuple[Any, ...]] = field(default_factory=Counter)
    announced: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, held: Sequence[Message]) -> JudgedClip:
        """Collect what holds at the end, without legal rulings (they follow from the events) and notes."""
        judged = cls()
        for messages in held:
            ruling = messages.what
            if isinstance(ruling, Ruling) and ruling.fault is not None and not _is_note(ruling):
                cards = tuple(str(card) for card in ruling.cards)
                judged.rulings[(str(ruling.verdict), str(ruling.fault), cards)] += 1
        for message in held:
            if isinstance(message.what, Announcement) and message.what.kind in COUNTED_KINDS:
                judged.announced.append(str(message.what.as_json()))
                if message.what.kind == "result":
                    judged.results.append(judged.announced[-1])
        return judged


def _is_note(ruling: Ruling) -> bool:
    return ruling.verdict is Verdict.UNCLEAR and ruling.question is None


def by_the_truth(played: Played) -> tuple[Message, ...]:
    """Return the results for the clip's true record."""
    judge = MatchJudge(structs.replace(played.header, witness="person"))
    lines = enumerate(played.true, start=2)
    messages = [message for line, event in lines for message in (*judge.apply(line, event), *judge.end_play())]
    return holding((*judge.opening, *messages, *judge.finish()))


@dataclass
class Tally:
    """All counts over one clip or many. ``results``: clips in which a game ends, ``results_right``: all its results."""

    score: Score = field(default_factory=Score)
    stages: Stages = field(default_factory=Stages)
    clips: int = 0
    right: int = 0
    one_question: int = 0
    results: int = 0
    results_right: int = 0
    cards: int = 0
    errors: int = 0
    seconds: float = 0.0
    took_s: float = 0.0

    def add(self, other: Tally) -> None:
        """Sum up."""
        self.score.add(other.score)
        self.stages.add(other.stages)
        for name in (*COUNTED, "seconds", "took_s"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


def results_of(true: JudgedClip, seen: JudgedClip) -> tuple[int, int]:
    """Return 1 if a game ends by the true record or by that of the program, else 0; and 1 if both have one result."""
    has_one = bool(true.results or seen.results)
    return int(has_one), int(has_one and true.results == seen.results)


def tally(played: Played, score: Score, stages: Stages) -> Tally:
    """Score one clip."""
    true, seen = JudgedClip.of(by_the_truth(played)), JudgedClip.of(played.holding)
    announced = true.announced == seen.announced
    right = announced and true.rulings == seen.rulings
    # One question: everything else is right, and the difference is one play that was asked about.
    more, less = seen.rulings - true.rulings, true.rulings - seen.rulings
    asked = announced and more.total() <= 1 and less.total() <= 1 and all(key[0] in DOUBTFUL for key in more)
    results, results_right = results_of(true, seen)
    return Tally(
        score,
        stages,
        clips=1,
        right=int(right),
        one_question=int(right or asked),
        results=results,
        results_right=results_right,
        cards=sum(1 for event in played.true if isinstance(event, Placed)),
        errors=score.true - score.right + score.seen - score.right,
        seconds=played.seconds,
        took_s=played.took_s,
    )


def as_json(counts: Tally) -> dict[str, Any]:
    """Return the counts of one clip, or of all, for programs."""
    own = {name: getattr(counts, name) for name in COUNTED}
    return {**own, "seconds": round(counts.seconds, 2), "took_s": round(counts.took_s, 2), **_events(counts.score)}


def _events(score: Score) -> dict[str, Any]:
    named = {"true": "events_true", "seen": "events_seen", "right": "events_right"}
    return {named.get(name, name): value for name, value in score.as_json().items()} | {"f1": round(_f1(score), 4)}


def row(name: str, counts: Tally) -> str:
    """Return one line of the table of clips: one clip, or all of a kind."""
    s = counts.score
    return (
        f"| {name} | {s.right} of {s.true} | {_f1(s):.4f} | {s.seats_right}/{s.seats_seen} | {s.false_accusations} "
        f"| {s.faults_called}/{s.faults} | {_p95(s.rest_delays_s)} "
        f"| {_of(counts.right, counts.clips)} | {_of(counts.one_question, counts.clips)} "
        f"| {counts.stages.line.replace('  ', ', ')} |"
    )


def by_make(list_of_clips: Path, by_clip: Mapping[str, Tally]) -> dict[str, Tally]:
    """Return the counts of a list's clips by deck: ordinary and extreme."""
    from datasets.clips.lists import read_list
    from datasets.clips.recipes import is_extreme

    found = {SOLD: Tally(), EXTREME: Tally()}
    for clip in read_list(list_of_clips):
        if clip.name in by_clip:
            found[EXTREME if is_extreme(clip.recipe.deck) else SOLD].add(by_clip[clip.name])
    return {make: counts for make, counts in found.items() if counts.clips}


def by_rules(clips: Iterable[Path], by_clip: Mapping[str, Tally]) -> dict[str, Tally]:
    """Return the counts of clips by the rule set that the first line of their records names."""
    found: dict[str, Tally] = {}
    for clip in clips:
        with clip.with_suffix(".jsonl").open(encoding="utf-8") as record:
            rules = json.loads(record.readline())["rules"]
        found.setdefault(rules, Tally()).add(by_clip[clip.stem])
    return dict(sorted(found.items()))


def targets(counts: Tally) -> list[tuple[str, str, str]]:
    """Return the rows of the table of targets: measure, target, figure."""
    s = counts.score
    return [
        ("events right (kind, card, place), F1", ">= 0.997", f"{_f1(s):.4f}"),
        ("seat right where a hand was seen", ">= 0.99", _share(s.seats_right, s.seats_seen)),
        ("wrong seat stated as sure", "<= 0.001", _share(s.seats_wrong, s.seats_seen)),
        ("clips all right without any press", ">= 0.95", _share(counts.right, counts.clips)),
        ("the same, with at most one question answered", ">= 0.99", _share(counts.one_question, counts.clips)),
        ("results of games right", ">= 0.95", _share(counts.results_right, counts.results)),
        ("false accusations", "0", str(s.false_accusations)),
        ("injected faults called with the right id", ">= 0.98", _share(s.faults_called, s.faults)),
        (
            "of the others asked about under that id (`unclear`)",
            "all",
            _share(s.faults_asked, s.faults - s.faults_called),
        ),
        ("faults called under another id", "-", str(s.named_otherwise)),
        ("reported after the table was at rest and the hand gone, p95", "<= 0.4 s", f"{_p95(s.rest_delays_s)} s"),
        ("review, times the clip's own speed", ">= 4", f"{counts.seconds / max(counts.took_s, 1e-9):.1f}"),
        ("errors per thousand cards laid", "-", f"{1000 * counts.errors / max(counts.cards, 1):.1f}"),
        ("errors per clip", "-", f"{counts.errors / max(counts.clips, 1):.2f}"),
    ]


def compared(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """
    Return the rows of the table that compares two results of this command: clips, rule sets, kinds of events.

    A row that only one of the two has is left out; ``clips`` says where they do not score the same ones.
    """
    rows = ["| | events right | F1 | false accusations | faults called |", "|---|---|---|---|---|"]
    named = {"all": (before["all"], now["all"])}
    named |= {name: (before["rules"][name], now["rules"][name]) for name in now["rules"] if name in before["rules"]}
    for name, pair in named.items():
        right, f1, accused, called = (
            " -> ".join(str(counts[key]) for counts in pair)
            for key in ("events_right", "f1", "false_accusations", "faults_called")
        )
        rows.append(f"| {name} ({pair[1]['clips']} clips) | {right} of {pair[1]['events_true']} | {f1} | {accused} "
                    f"| {called} of {pair[1]['faults']} |")  # fmt: skip
    rows += ["", "| kind of event | true | missed | extra |", "|---|---|---|---|"]
    for kind, counts in now["kinds"].items():
        earlier = before.get("kinds", {}).get(kind, {})
        missed, extra = (f"{earlier.get(key, 0)} -> {counts[key]}" for key in ("missed", "extra"))
        rows.append(f"| {kind} | {counts['true']} | {missed} | {extra} |")
    other = sorted(set(before["clips"]) ^ set(now["clips"]))
    return [*rows, *([f"\nnot in both: {', '.join(other)}"] if other else [])]


def by_kind(counts: Counter[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """Return how many events of each kind there were, how many were missed, and how many reported that were not."""
    kinds = sorted({kind for kind, _ in counts})
    return {kind: {what: counts[kind, what] for what in ("true", "missed", "extra")} for kind in kinds}


def counted(clip: Path, weights: Path | None, stored: Path | None, near: int, decks: Path | None = None) -> Tally:
    """Play one clip and count."""
    tracks = clip.with_suffix(".tracks.jsonl")
    stages = StageWatch(tracks) if tracks.is_file() else None
    played = play_clip(clip, weights=weights, stored=stored, near=near, follower=stages, decks=decks)
    score, _ = scored(played, resting(clip, played), verbose=False)
    return tally(played, score, stages.stages if stages is not None else Stages())


def clips_of(place: Path, folder: Path | None, film: bool) -> tuple[list[Path], list[str]]:
    """Return the clips to score, and the names of a list that are not filmed yet."""
    if place.is_dir():
        return sorted(
            clip for clip in place.glob("*.mp4") if clip.with_suffix(".jsonl").is_file() and ".part" not in clip.name
        ), []
    from datasets.clips.lists import film_list, read_list

    if folder is None:
        raise SystemExit(f"expected the folder where the clips of {place} lie, got none; name it after the list")
    if film:
        film_list(place, folder, tracks=True)
    wanted = [folder / f"{clip.name}.mp4" for clip in read_list(place)]
    there = [clip for clip in wanted if clip.is_file() and clip.with_suffix(".jsonl").is_file()]
    return there, [clip.stem for clip in wanted if clip not in there]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("place", type=Path, metavar="LIST.toml|FOLDER")
    parser.add_argument("folder", type=Path, nargs="?", metavar="FOLDER")
    parser.add_argument("--film", action="store_true", help="film missing clips first")
    parser.add_argument("--weights", type=Path, help="other weights than the shipped ones")
    parser.add_argument(
        "--reel", type=Path, metavar="FOLDER", help="cache results of motion detection and networks there"
    )
    parser.add_argument("--near", type=int, default=0, help="with --reel: frames that a cached result may be away")
    parser.add_argument("--shown", type=Path, metavar="FOLDER", help="learn each deck before the game; cache it there")
    parser.add_argument("--jobs", type=int, default=1, help="clips played side by side; speeds mean nothing then")
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="write the counts there as JSON")
    parser.add_argument("--before", type=Path, metavar="FILE.json", help="compare with what --out wrote before")
    parser.add_argument("--roc", type=Path, metavar="FILE.svg", help="false accusations against faults called, drawn")
    arguments = parser.parse_args()
    clips, missing = clips_of(arguments.place, arguments.folder, arguments.film)
    if not clips:
        print(f"expected clips with their truth beside them, found none for {arguments.place}", file=sys.stderr)
        return 1
    total = Tally()
    by_clip: dict[str, Tally] = {}
    print(
        "| clip | events right | F1 | seats | false accusations | faults called | reported after rest, p95 | no press ",
        end="",
    )
    print("| one question | stages |\n|---|---|---|---|---|---|---|---|---|---|")
    with ProcessPoolExecutor(arguments.jobs, mp_context=get_context("spawn")) as pool:
        count_one = partial(
            counted, weights=arguments.weights, stored=arguments.reel, near=arguments.near, decks=arguments.shown
        )
        for clip, counts in zip(clips, pool.map(count_one, clips), strict=True):
            total.add(counts)
            by_clip[clip.stem] = counts
            print(row(clip.stem, counts), flush=True)
    makes = by_make(arguments.place, by_clip) if arguments.place.is_file() else {}
    for make, counts in makes.items():
        print(row(f"{make}, {counts.clips}", counts))
    rules = by_rules(clips, by_clip)
    for name, counts in rules.items():
        print(row(f"{name}, {counts.clips}", counts))
    print(f"\n{total.clips} clips{f', {len(missing)} not filmed yet' if missing else ''}\n")
    print("| measure | target | measured |\n|---|---|---|")
    for measure, target, measured in targets(total):
        print(f"| {measure} | {target} | {measured} |")
    print(f"\nstages: {total.stages.line}")
    found: dict[str, Any] = {"all": as_json(total), "kinds": by_kind(total.score.kinds), "not_filmed": missing}
    found["clips"] = {name: as_json(counts) for name, counts in by_clip.items()}
    found["makes"] = {make: as_json(counts) for make, counts in makes.items()}
    found["rules"] = {name: as_json(counts) for name, counts in rules.items()}
    rows = [f"{kind} {n['missed']} missed, {n['extra']} extra of {n['true']}" for kind, n in found["kinds"].items()]
    print(f"kinds: {'; '.join(rows)}")
    if arguments.before is not None:
        print("\n" + "\n".join(compared(json.loads(arguments.before.read_text("utf-8"))["counts"], found)))
    if arguments.out is not None:
        reached = [dict(zip(("measure", "target", "measured"), target, strict=True)) for target in targets(total)]
        found["targets"] = reached
        on = {"list": arguments.place.name, "clips": list(by_clip)}
        write_result(arguments.out, "benchmarks.score_list", on, found, checksums(arguments.weights))
    if arguments.roc is not None:
        points = [
            (threshold, *at_threshold(total.score.suspected, threshold, total.clips, total.score.faults))
            for threshold in ACCUSING_FROM
        ]
        title = f"{total.clips} clips, {total.score.faults} faults"
        arguments.roc.write_text(drawn(points, title, THRESHOLDS.accuse, of="clips"), "utf-8")
    return 0


def _f1(score: Score) -> float:
    return 2 * score.right / max(score.true + score.seen, 1)


def _p95(delays_s: list[float]) -> str:
    return f"{np.percentile(delays_s, 95):.2f}" if delays_s else "-"


def _of(part: int, clips: int) -> str:
    """Return yes or no for one clip, a count for several."""
    return ("no", "yes")[part] if clips == 1 else f"{part} of {clips}"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.4f} ({part} of {whole})" if whole else "-"


if __name__ == "__main__":
    sys.exit(main())
