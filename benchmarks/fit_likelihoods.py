"""
Count likelihoods of reported changes on clips with a true record; writes ``vision/events/likelihoods.json``.

    python -m benchmarks.fit_likelihoods CLIP.mp4 ... [--reel FOLDER] [--uncounted] [--out FILE.json]

For every reported change and each of its alternatives: was the report true, or the alternative, or neither (not
counted)? For every sign of a missed event: was one missed? Use development clips only. With ``--uncounted`` existing
counts stay, and only cues without a count are added.
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
from vision.events.evidence import AS_REPORTED, MISSED, Doubt, Evidence, unseen
from vision.table_session import NOT_UNDERSTOOD
from vision.view.observer import EvidenceRecord, InferenceRecord

SHIPPED = Path(__file__).parents[1] / "vision" / "events" / "likelihoods.json"
PRIOR = {"as_reported": 4.0, "instead": 0.2}
"""Pseudo-counts before the first clip: without data, one report in twenty is wrong. Chosen by hand."""
BEFORE_S = 3.0
"""Seconds. An event missed at most this long before a reported one explains a sign of a missed event."""

Counts = defaultdict[str, Counter[str]]


@dataclass(frozen=True)
class ConfirmedChange:
    """A reported change, with that frame's signs of missed events."""

    evidence: Evidence
    signs: tuple[str, ...]


class Collector:
    """An observer of the pipeline that keeps the reported changes."""

    def __init__(self) -> None:
        self.confirmed: list[ConfirmedChange] = []

    def on_inference(self, record: InferenceRecord) -> None:
        """Ignore single inferences."""

    def on_evidence(self, judged: EvidenceRecord) -> None:
        """Keep the changes that are reported now."""
        signs = tuple(note.text for note in judged.notes if note.label == NOT_UNDERSTOOD)
        self.confirmed += [ConfirmedChange(each, () if k else signs) for k, each in enumerate(judged.confirmed)]


def count(settled: Sequence[ConfirmedChange], true: Sequence[TableEvent], counts: Counts) -> None:
    """Add the counts of one clip."""
    free = single_draws(list(true))
    reported_before = 0.0
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
            first = max(reported_before, happened.at - BEFORE_S)
            unreported = any(
                first - TOLERANCE_S < other.at < happened.at for other in free if not isinstance(other, Unread)
            )
            for sign in each.signs:
                counts[unseen(sign)][MISSED if unreported else AS_REPORTED] += 1
            reported_before = happened.at
            free = [other for other in free if other.at > reported_before - 2 * TOLERANCE_S]


def _match(event: TableEvent, free: Sequence[TableEvent]) -> TableEvent | None:
    """Return the true event that a report is about: the same, or the nearest of its kind with the same card."""
    near = [other for other in free if abs(other.at - event.at) <= TOLERANCE_S]
    for like in (_as_reported, _of_kind, _of_another_name):
        fits = [other for other in near if like(event, other)]
        if fits:
            return min(fits, key=lambda other: abs(other.at - event.at))
    return None


def _as_reported(event: TableEvent, other: TableEvent) -> bool:
    return what(event) == what(other) and getattr(event, "by", None) == getattr(other, "by", None)


def _of_kind(event: TableEvent, other: TableEvent) -> bool:
    if isinstance(event, Unread):
        return isinstance(other, Placed)
    return type(event) is type(other) and getattr(event, "card", None) == getattr(other, "card", None)


def _of_another_name(event: TableEvent, other: TableEvent) -> bool:
    """Check whether a true card was laid and reported under another name."""
    if not isinstance(event, Placed) or not isinstance(other, Placed):
        return False
    return event.by == other.by and other.card in [card for card, _ in event.alternatives]


def _drawn(event: TableEvent, free: Sequence[TableEvent], later: Sequence[ConfirmedChange]) -> str:
    """Return how many cards were really drawn, without those that other reports account for."""

    def is_here(other: TableEvent) -> bool:
        near = abs(other.at - event.at) <= TOLERANCE_S
        return isinstance(other, Drawn) and near and other.by == getattr(event, "by", None)

    count = sum(map(is_here, free)) - sum(is_here(each.evidence.event) for each in later)
    reported = event.count if isinstance(event, Drawn) else 1
    names = {reported: AS_REPORTED, 2: "two", 3: "three"}
    return "nothing" if count < 1 else names.get(count, "one" if count < reported else "three")


def _outcome(event: TableEvent, doubt: Doubt, happened: TableEvent | None) -> str | None:
    """Return the true outcome of an alternative; None if neither it nor the report was true."""
    if "not yet" in doubt.instead:
        is_whole = happened is None or not _same(event, happened, "left")
        return "not yet" if is_whole else AS_REPORTED
    if happened is None:
        return next((outcome for outcome, keys in doubt.instead.items() if keys is None), None)
    fields = {key for keys in doubt.instead.values() for key in keys or ()}
    if all(_same(event, happened, field) for field in fields):
        return AS_REPORTED
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
    """Return the content of the data file."""
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
    """Return ``data`` with the cues of ``found`` that it has no counts of, and their origin."""
    added = {cue: counted for cue, counted in found["counts"].items() if cue not in data["counts"]}
    made = {**data["made"], "added": [*data["made"].get("added", []), {**found["made"], "cues": sorted(added)}]}
    counts = {**data["counts"], **added}
    return {**data, "made": made, "counts": {cue: counts[cue] for cue in sorted(counts)}}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", nargs="+", type=Path, metavar="CLIP")
    parser.add_argument(
        "--reel", type=Path, metavar="FOLDER", help="cache results of motion detection and networks there"
    )
    parser.add_argument("--tracks", action="store_true", help="use the true cards instead of the networks")
    parser.add_argument("--uncounted", action="store_true", help="add only cues without a count")
    parser.add_argument("--out", type=Path, metavar="FILE.json", default=SHIPPED)
    arguments = parser.parse_args()
    counts: Counts = defaultdict(Counter)
    for clip in arguments.clips:
        collector = Collector()
        played = play_clip(clip, tracks=arguments.tracks, kept=arguments.reel, observer=collector)
        count(collector.confirmed, played.true, counts)
        print(f"{clip.stem}: {len(collector.confirmed)} changes", file=sys.stderr)
    data = as_json(counts, [clip.stem for clip in arguments.clips])
    if arguments.uncounted:
        data = with_uncounted(json.loads(arguments.out.read_text("utf-8")), data)
    arguments.out.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")
    for cue, found in data["counts"].items():
        print(f"{cue}: {', '.join(f'{outcome} {number}' for outcome, number in found.items())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
