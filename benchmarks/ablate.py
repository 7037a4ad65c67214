"""
Halve and double each number of the settings classes, replay clips and records, and count the lines that change.

    python -m benchmarks.ablate [CLIP.mp4 ...] [--reel FOLDER] [--records FILE.jsonl ...] [--only TEXT]

Prints one line a setting: its value, and the number of output lines that change when it is halved and when it is
doubled. A setting with 0 and 0 decides nothing in these inputs: it is a candidate for a constant, or for removal,
where the inputs contain the situation that it is about.

Clips are replayed from kept results of the networks (:mod:`benchmarks.replay_cache`), which the first run creates. A
changed setting that asks for inference on another frame is reported as ``inference`` and not played on.
"""

from __future__ import annotations

import argparse
import gc
import io
import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import fields, is_dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any
from unittest.mock import PropertyMock, patch

from benchmarks.replay_cache import ReplayedDetector
from benchmarks.score_clip import play_clip
from webapp.commands.cli import run

STAGES = (
    "vision.motion",
    "vision.table",
    "vision.actions",
    "vision.geometry",
    "vision.layout",
    "vision.detection",
    "referee.belief",
)
"""Packages whose settings decide what is reported of a film or ruled on a record."""

SETTINGS = re.compile(r"\w+(Settings|Limits|Thresholds)|ActionModel|Limits|Thresholds|Rates|Timeouts")
"""Names of classes whose numbers are settings."""

FACTORS = (0.5, 2.0)


class OtherInferenceError(Exception):
    """The changed setting asks for results of the networks that were not kept."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", nargs="*", type=Path, metavar="CLIP.mp4")
    parser.add_argument("--reel", type=Path, default=Path("runs/reel"), help="folder of kept results of the networks")
    parser.add_argument("--records", nargs="*", type=Path, default=[], metavar="FILE.jsonl")
    parser.add_argument("--only", default="", metavar="TEXT", help="only settings whose CLASS.NAME contains this")
    args = parser.parse_args(arguments)
    before = list(output(args.clips, args.records, args.reel))
    print(f"{len(before)} lines", flush=True)
    with only_kept_results():
        for kind, name, value in numbers():
            if args.only in f"{kind.__name__}.{name}":
                counts = []
                for factor in FACTORS:
                    with changed(kind, name, type(value)(value * factor)):
                        try:
                            now = output(args.clips, args.records, args.reel)
                            counts.append(str(sum(old != new for old, new in zip_longest(before, now))))
                        except OtherInferenceError:
                            counts.append("inference")
                print(f"{kind.__name__}.{name} = {value}: {' '.join(counts)}", flush=True)
    return 0


def numbers() -> Iterator[tuple[type, str, float]]:
    """Yield class, name and value of each number in the settings classes of the loaded modules of `STAGES`."""
    loaded = [module for name, module in sorted(sys.modules.items()) if name.startswith(STAGES)]
    kinds = {value: None for module in loaded for value in vars(module).values() if isinstance(value, type)}
    for kind in kinds:
        if SETTINGS.fullmatch(kind.__name__) and is_dataclass(kind) and kind.__module__.startswith(STAGES):
            for field in fields(kind):
                if isinstance(field.default, int | float) and not isinstance(field.default, bool):
                    yield kind, field.name, field.default


@contextmanager
def changed(kind: type, name: str, value: float) -> Iterator[None]:
    """Set a field of a settings class to another value, as default and in all its instances, and set it back."""
    instances = [(candidate, getattr(candidate, name)) for candidate in gc.get_objects() if type(candidate) is kind]
    init: Any = vars(kind)["__init__"]
    names, defaults = [field.name for field in fields(kind) if field.init], init.__defaults__
    place = names.index(name) - len(names)
    init.__defaults__ = (*defaults[:place], value, *defaults[len(defaults) + place + 1 :])
    for instance, _ in instances:
        object.__setattr__(instance, name, value)
    try:
        yield
    finally:
        init.__defaults__ = defaults
        for instance, was in instances:
            object.__setattr__(instance, name, was)


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
