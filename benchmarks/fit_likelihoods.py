"""
How often things are as they look, counted on clips whose truth is known: writes ``vision/events/likelihoods.json``.

    python -m benchmarks.fit_likelihoods CLIP.mp4 ... [--reel FOLDER] [--uncounted] [--out FILE.json]

For every change that the eye tells, and each doubt it has about it: was it as told, was it what the doubt says, or
something else (which is not counted)? For every sign that something went unseen: was something? Development clips only.
With ``--uncounted`` what is counted stays, and only cues that nothing was counted of are added.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.score_clip import TOLERANCE_S, play_clip, single_draws, what
from referee.events import Blocked, Drawn, Placed, Reread, TableEvent, Unread
from referee.record import instead_of
from vision.events.evidence import MISSED, Doubt, Evidence, unseen
from vision.events.likelihoods import AS_TOLD
from vision.pipeline import NOT_UNDERSTOOD
from vision.view.observer import Judged, Look

SHIPPED = Path(__file__).parents[1] / "vision" / "events" / "likelihoods.json"
PRIOR = {"as_told": 4.0, "instead": 0.2}
"""Reckoned to have been counted before the first clip: one in twenty is otherwise where nothing is known."""
BEFORE_S = 3.0
"""What went untold no longer than this before an event may be what a sign told of."""

Counts = defaultdict[str, Counter[str]]


@dataclass(frozen=True)
class Settled:
    """A change that was told, with the signs of that frame."""

    evidence: Evidence
    signs: tuple[str, ...]


class Collector:
    """An observer of the pipeline that keeps what is told."""

    def __init__(self) -> None:
        self.settled: list[Settled] = []

    def looked(self, look: Look) -> None:
        """Looks tell nothing here."""

    def judged(self, judged: Judged) -> None:
        """Keep what came out settled."""
        signs = tuple(note.text for note in judged.notes if note.label == NOT_UNDERSTOOD)
        self.settled += [Settled(each, () if k else signs) for k, each in enumerate(judged.settled)]


def count(settled: Sequence[Settled], true: Sequence[TableEvent], counts: Counts) -> None:
    """Add what one clip shows."""
    free = single_draws(list(true))
    told_before = 0.0
    for number, each in enumerate(settled):
        event = each.evidence.event
        if isinstance(event, Reread | Blocked) and not isinstance(event, Unread):
            continue
        happened, is_begun = _match(event, free), False
        later = settled[number + 1 :]
        for doubt in each.evidence.doubts:
            outcome = _drawn(event, free, later) if "two" in doubt.instead else _outcome(event, doubt, happened)
            is_begun = is_begun or outcome == "not yet"
            if outcome is not None:
                counts[doubt.cue][outcome] += 1
        if happened is not None:
            if not is_begun:
                free.remove(happened)
            first = max(told_before, happened.at - BEFORE_S)
            untold = any(
                first - TOLERANCE_S < other.at < happened.at for other in free if not isinstance(other, Unread)
            )
            for sign in each.signs:
                counts[unseen(sign)][MISSED if untold else AS_TOLD] += 1
            told_before = happened.at
            free = [other for other in free if other.at > told_before - 2 * TOLERANCE_S]


def _match(event: TableEvent, free: Sequence[TableEvent]) -> TableEvent | None:
    """What truly happened when this was told: the same, or the nearest of its kind about the same card."""
    near = [other for other in free if abs(other.at - event.at) <= TOLERANCE_S]
    for like in (_as_told, _of_kind, _of_another_name):
        fits = [other for other in near if like(event, other)]
        if fits:
            return min(fits, key=lambda other: abs(other.at - event.at))
    return None


def _as_told(event: TableEvent, other: TableEvent) -> bool:
    return what(event) == what(other) and getattr(event, "by", None) == getattr(other, "by", None)


def _of_kind(event: TableEvent, other: TableEvent) -> bool:
    if isinstance(event, Unread):
        return isinstance(other, Placed)
    return type(event) is type(other) and getattr(event, "card", None) == getattr(other, "card", None)


def _of_another_name(event: TableEvent, other: TableEvent) -> bool:
    """Was a card laid, and read as another? Then it was laid all the same."""
    if not isinstance(event, Placed) or not isinstance(other, Placed):
        return False
    return event.by == other.by and other.card in [card for card, _ in event.alternatives]


def _drawn(event: TableEvent, free: Sequence[TableEvent], later: Sequence[Settled]) -> str:
    """How many were drawn when one draw was told: what was drawn there and is not told by another draw."""

    def is_here(other: TableEvent) -> bool:
        near = abs(other.at - event.at) <= TOLERANCE_S
        return isinstance(other, Drawn) and near and other.by == getattr(event, "by", None)

    count = sum(map(is_here, free)) - sum(is_here(each.evidence.event) for each in later)
    told = event.count if isinstance(event, Drawn) else 1
    names = {told: AS_TOLD, 2: "two", 3: "three"}
    return "nothing" if count < 1 else names.get(count, "one" if count < told else "three")


def _outcome(event: TableEvent, doubt: Doubt, happened: TableEvent | None) -> str | None:
    """Which of a doubt's outcomes was true; None where neither it nor what was told was."""
    if "not yet" in doubt.instead:
        is_whole = happened is None or not _same(event, happened, "left")
        return "not yet" if is_whole else AS_TOLD
    if happened is None:
        return next((outcome for outcome, keys in doubt.instead.items() if keys is None), None)
    fields = {key for keys in doubt.instead.values() for key in keys or ()}
    if all(_same(event, happened, field) for field in fields):
        return AS_TOLD
    for outcome, keys in doubt.instead.items():
        instead = None if keys is None else instead_of(event, keys)
        if instead is not None and all(_same(instead, happened, field) for field in fields):
            return outcome
        if keys == {"by": None}:
            return outcome
    return None


def _same(one: TableEvent, other: TableEvent, field: str) -> bool:
    return bool(getattr(one, field, None) == getattr(other, field, None))


def as_json(counts: Mapping[str, Counter[str]], clips: Sequence[str]) -> dict[str, Any]:
    """The data file."""
    return {
        "made": {
            "by": "python -m benchmarks.fit_likelihoods",
            "date": datetime.now(UTC).date().isoformat(),
            "clips": sorted(clips),
        },
        "prior": PRIOR,
        "counts": {cue: dict(sorted(counts[cue].items())) for cue in sorted(counts)},
    }


def with_uncounted(data: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """The data file ``data`` with those cues of ``found`` that it has no counts of, and where they come from."""
    added = {cue: counted for cue, counted in found["counts"].items() if cue not in data["counts"]}
    made = {**data["made"], "added": [*data["made"].get("added", []), {**found["made"], "cues": sorted(added)}]}
    counts = {**data["counts"], **added}
    return {**data, "made": made, "counts": {cue: counts[cue] for cue in sorted(counts)}}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", nargs="+", type=Path, metavar="CLIP")
    parser.add_argument("--reel", type=Path, metavar="FOLDER", help="keep there what gate and networks said")
    parser.add_argument("--tracks", action="store_true", help="use the true cards instead of the networks")
    parser.add_argument("--uncounted", action="store_true", help="add only cues that nothing was counted of yet")
    parser.add_argument("--out", type=Path, metavar="FILE.json", default=SHIPPED)
    arguments = parser.parse_args()
    counts: Counts = defaultdict(Counter)
    for clip in arguments.clips:
        collector = Collector()
        played = play_clip(clip, tracks=arguments.tracks, kept=arguments.reel, observer=collector)
        count(collector.settled, played.true, counts)
        print(f"{clip.stem}: {len(collector.settled)} changes told", file=sys.stderr)
    data = as_json(counts, [clip.stem for clip in arguments.clips])
    if arguments.uncounted:
        data = with_uncounted(json.loads(arguments.out.read_text("utf-8")), data)
    arguments.out.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")
    for cue, found in data["counts"].items():
        print(f"{cue}: {', '.join(f'{outcome} {number}' for outcome, number in found.items())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
