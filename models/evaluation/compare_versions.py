"""
Read photographs with two versions of the program, and name the cards won and lost.

    python -m models.evaluation.compare_versions 71e538f                      # with the working tree: `dev` and guards
    python -m models.evaluation.compare_versions 71e538f a1059846 --quick 20  # 20 pictures of each set
    python -m models.evaluation.compare_versions ../kozyr-0.6 --set rf100-open "photographed pairs" --split check

A version is a commit, of which the command makes a worktree and removes it, or the folder of a checkout, whose
``.venv`` is used if it has one. Both versions read the pictures with ``kozyr read --pack 52`` by turns. Times are
processor times without the program's start, so that their ratio holds on a busy machine. Synthetic and composed sets
are read if they are named (``--set``).

By default the pictures are the `dev` ones of every set of photographs, and all of a set without `dev` pictures: a
guard. ``--out`` gets a page with each `dev` picture on which a card was won or lost: the earlier reading beside the
later one. Pictures of `check`, guards among them, are only counted: who sees which card was lost there begins to tune
on it. Look for the cause on `dev` pictures; ``--named`` names and draws those of `check` too. The exit status is 1 if
more cards are lost than won, or more wrong names appear than disappear, in all sets together.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

import cv2
import numpy as np

from datasets.decks.deck_art import DeckError
from datasets.photos.labels import LabelledPicture, LabelsError
from models.evaluation.evaluate import PHOTOS, Job, jobs_for
from models.evaluation.scoring import CardReading, Pair, names_of, score_pairs
from models.evaluation.worst_pictures import annotated
from vision.capture.image_files import open_picture
from vision.detection.detections import BACK

ROOT = Path(__file__).parents[2]
PAGES = Path("runs/versions")
"""Where the pictures with changes go unless ``--out`` names another folder."""
TURN = 24
"""Pictures that one version reads before the other one reads them: few, so that both meet the same load."""
PROGRAM = "import sys; from webapp.commands.cli import main; sys.exit(main())"
"""Run in the folder of a version, whose packages come before installed ones."""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What one version reports of a picture."""

    readings: list[CardReading]
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class NameChanges:
    """Names of one picture: right cards won and lost, wrong names that appeared and that disappeared."""

    won: Counter[str]
    lost: Counter[str]
    appeared: Counter[str]
    disappeared: Counter[str]

    def __str__(self) -> str:
        parts = {"won": self.won, "lost": self.lost, "wrong now": self.appeared, "wrong before": self.disappeared}
        return "; ".join(f"{title} {' '.join(sorted(names.elements()))}" for title, names in parts.items() if names)


@dataclass(slots=True)
class SetChanges:
    """The counts of one set, [before, now], the changes, and the files of those pictures that may be looked at."""

    name: str
    labelled: int = 0
    right: list[int] = field(default_factory=lambda: [0, 0])
    wrong: list[int] = field(default_factory=lambda: [0, 0])
    exact: list[int] = field(default_factory=lambda: [0, 0])
    pairs: list[int] = field(default_factory=lambda: [0, 0])
    labelled_pairs: int = 0
    pictures: int = 0
    seconds: list[float] = field(default_factory=lambda: [0.0, 0.0])
    changes: list[NameChanges] = field(default_factory=list)
    drawn: list[tuple[str, NameChanges]] = field(default_factory=list)

    def __str__(self) -> str:
        text = (
            f"{self.name}: {self.pictures} pictures, {self.labelled} cards; right {_step(self.right)}, "
            f"wrong {_step(self.wrong)}, exact {_step(self.exact)}"
        )
        if self.labelled_pairs:
            text += f", pairs {_step(self.pairs)} of {self.labelled_pairs}"
        won, lost = (sum(getattr(change, title).total() for change in self.changes) for title in ("won", "lost"))
        text += f"; cards won {won}, lost {lost}"
        was_ms, is_ms = (max(seconds, 0.0) / max(self.pictures, 1) * 1e3 for seconds in self.seconds)
        return f"{text}; {was_ms:.0f} → {is_ms:.0f} ms of processor time a picture ({is_ms / max(was_ms, 1):.2f})"


def _step(counts: Sequence[int]) -> str:
    return f"{counts[0]} → {counts[1]}"


def changes_of(picture: LabelledPicture, before: Sequence[CardReading], now: Sequence[CardReading]) -> NameChanges:
    """Compare the names that two versions report of a picture."""
    there, first = names_of(picture, before)
    _, second = names_of(picture, now)
    right, wrong = (there & first, there & second), (first - there, second - there)
    return NameChanges(right[1] - right[0], right[0] - right[1], wrong[1] - wrong[0], wrong[0] - wrong[1])


def is_worse(changes: Sequence[NameChanges]) -> bool:
    """Check whether more cards were lost than won, or more wrong names appeared than disappeared."""
    won, lost, appeared, disappeared = (
        sum(getattr(change, title).total() for change in changes)
        for title in ("won", "lost", "appeared", "disappeared")
    )
    return lost > won or appeared > disappeared


def read_by(version: Path, pictures: Sequence[Path]) -> tuple[list[Answer], float]:
    """Read pictures with the program in the folder ``version``; also return its seconds of processor time."""
    began = _children_s()
    python = version / ".venv" / "bin" / "python"
    command = [str(python) if python.is_file() else sys.executable, "-c", PROGRAM, "read", "--pack", "52", "--json"]
    done = subprocess.run([*command, *map(str, pictures)], cwd=version, capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode or len(lines) != len(pictures):
        raise SystemExit(f"{version}: expected {len(pictures)} readings, got {len(lines)}; {done.stderr.strip()}")
    answers = [
        Answer(
            [
                CardReading(card["card"], card["confidence"], np.array(card["corners"], np.float32))
                for card in line["cards"]
                if card["card"] != BACK
            ],
            tuple((pair["attack"], pair["defence"]) for pair in line["pairs"]),
        )
        for line in lines
    ]
    return answers, _children_s() - began


def _children_s() -> float:
    used = os.times()
    return used.children_user + used.children_system


def compare_set(job: Job, versions: tuple[Path, Path], work: Path, out: Path, *, names_check: bool) -> SetChanges:
    """Read a set with both versions, print its changed pictures, and draw them into ``out``."""
    result = SetChanges(job.name)
    blank = work / "blank.png"
    cv2.imwrite(str(blank), np.zeros((720, 1280, 3), np.uint8))
    start_s = [read_by(version, [blank])[1] for version in versions]
    pictures = ((picture, on_disk(picture, image, work)) for picture, image in job.pictures)
    for turn in itertools.count():
        part = list(itertools.islice(pictures, TURN))
        if not part:
            break
        files = [file for _, file in part]
        answers: dict[Path, list[Answer]] = {}
        for version in versions if turn % 2 == 0 else versions[::-1]:
            answers[version], used_s = read_by(version, files)
            result.seconds[versions.index(version)] += used_s - start_s[versions.index(version)]
        for (picture, file), *both in zip(part, *(answers[version] for version in versions), strict=True):
            _count(result, picture, both)
            changes = changes_of(picture, both[0].readings, both[1].readings)
            if str(changes):
                result.changes.append(changes)
            if str(changes) and (picture.split == "dev" or names_check):
                print(f"  {job.name}/{picture.path.name}: {changes}", flush=True)
                result.drawn.append((f"{job.name}-{picture.path.stem}.jpg", changes))
                drawn = [annotated(picture, open_picture(file), answer.readings) for answer in both]
                cv2.imwrite(str(out / result.drawn[-1][0]), np.hstack(drawn))
            if file.parent == work:
                file.unlink()
    return result


def _count(result: SetChanges, picture: LabelledPicture, both: Sequence[Answer]) -> None:
    for which, answer in enumerate(both):
        there, reported = names_of(picture, answer.readings)
        result.right[which] += (there & reported).total()
        result.wrong[which] += (reported - there).total()
        result.exact[which] += there == reported
        if picture.pairs is not None:
            result.pairs[which] += score_pairs(picture.pairs, answer.pairs).right
    result.labelled += names_of(picture, ())[0].total()
    result.labelled_pairs += len(picture.pairs or ())
    result.pictures += 1


def on_disk(picture: LabelledPicture, image_bgr: np.ndarray, work: Path) -> Path:
    """Return the picture's file; a picture that was made in memory is written to ``work``."""
    if picture.path.is_file():
        return picture.path.resolve()
    file = work / picture.path.name
    cv2.imwrite(str(file), image_bgr)
    return file


@contextmanager
def checkout(version: str) -> Iterator[Path]:
    """Yield the folder of a version: the folder itself, or a worktree of a commit, removed afterwards."""
    if Path(version).is_dir():
        yield Path(version).resolve()
        return
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "before"
        git = ["git", "-C", str(ROOT), "worktree"]
        made = subprocess.run(
            [*git, "add", "--detach", str(folder), version], capture_output=True, text=True, check=False
        )
        if made.returncode:
            raise SystemExit(f"expected a commit or the folder of a checkout, got {version!r}: {made.stderr.strip()}")
        try:
            yield folder
        finally:
            subprocess.run([*git, "remove", "--force", str(folder)], check=True, capture_output=True)


def write_page(out: Path, results: Sequence[SetChanges]) -> Path:
    """Write ``index.html``: each set's counts and its changed pictures, the earlier reading on the left."""
    parts = []
    for result in results:
        parts.append(f"<h2>{escape(str(result))}</h2>")
        parts += [
            f"<figure><figcaption>{escape(file)}: {escape(str(changes))}</figcaption>"
            f'<img src="{escape(file)}"></figure>'
            for file, changes in result.drawn
        ]
    page = out / "index.html"
    page.write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Cards won and lost</title>'
        "<style>body{font:15px sans-serif;margin:1em;background:#222;color:#eee}img{max-width:100%}</style>"
        + "".join(parts)
        + "</html>",
        "utf-8",
    )
    return page


def compare(args: argparse.Namespace) -> int:
    """Compare all sets that were asked for; 1 if the later version is worse."""
    results: list[SetChanges] = []
    args.out.mkdir(parents=True, exist_ok=True)
    with checkout(args.before) as before, checkout(args.now) as now, tempfile.TemporaryDirectory() as work:
        for job in jobs_for(args):
            try:
                results.append(compare_set(job, (before, now), Path(work), args.out, names_check=args.named))
            except DeckError as error:
                print(f"{job.name} is left out: {error}", file=sys.stderr)
                continue
            print(results[-1], flush=True)
    every = [changes for result in results for changes in result.changes]
    counts = {title: sum(getattr(comparison, title).total() for comparison in every) for title in ("won", "lost")}
    wrong = [sum(result.wrong[which] for result in results) for which in (0, 1)]
    print(f"cards won {counts['won']}, lost {counts['lost']}; wrong names {_step(wrong)}")
    print(f"the pictures: {write_page(args.out, results)}")
    return int(is_worse(every))


def main(argv: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m models.evaluation.compare_versions",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("before", metavar="BEFORE", help="the earlier version: a commit, or the folder of a checkout")
    parser.add_argument("now", metavar="NOW", nargs="?", default=str(ROOT), help="the later one (the working tree)")
    parser.add_argument("--photos", type=Path, help=f"folder of labelled sets (default: {PHOTOS})")
    parser.add_argument("--set", nargs="+", metavar="NAME", help="just these sets (default: all photographs)")
    parser.add_argument("--split", choices=["dev", "check"], help="just these pictures (default: `dev` and guards)")
    parser.add_argument("--named", action="store_true", help="name and draw changes on `check` pictures too")
    parser.add_argument("--quick", type=int, default=0, metavar="N", help="at most N pictures of each set")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth picture only")
    parser.add_argument("--out", type=Path, default=PAGES, metavar="FOLDER", help=f"draw the changes here ({PAGES})")
    args = parser.parse_args(argv)
    try:
        return compare(args)
    except LabelsError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
