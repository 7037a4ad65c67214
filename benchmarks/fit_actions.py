"""
Count the numbers of the card filter and of the actions on clips whose truth is known.

    python -m benchmarks.fit_actions CLIP.mp4 ... [--reel FOLDER]

For every reported change and each of its alternatives: was the report true, or the alternative, or neither (not
counted)? For every sign of a missed event: was one missed? Where ``NAME.tracks.jsonl`` lies beside a clip its
inferences are counted too (``benchmarks.count_inferences``). Each number is printed with what the clips say of it and
the count of observations; then those that are not counted, with the reason. Use development clips only.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path

from benchmarks.count_inferences import Counts as InferenceCounts
from benchmarks.count_inferences import InferenceCounter, true_frames
from benchmarks.score_clip import TOLERANCE_S, play_clip, single_draws, what
from referee.events import Blocked, Drawn, Placed, Reread, TableEvent, Unread
from referee.record import instead_of
from vision.actions.evidence import Alternative, Evidence
from vision.table.filter_model import FilterSettings
from vision.table_session import NOT_UNDERSTOOD
from vision.view.observer import EvidenceRecord, InferenceRecord

AS_REPORTED, MISSED = "as reported", "missed"
"""The outcomes that the evidence was right, and that an event was missed before it."""
BEFORE_S = 3.0
"""Seconds. An event missed at most this long before a reported one explains a sign of a missed event."""

NOT_COUNTED: Mapping[str, tuple[str, ...]] = {
    "the counted shares are kept apart by it: it decides what is counted": (
        *("views", "changed_share", "nearest_mm", "least_hidden", "aside_mm", "strip_share", "strip_slope"),
        *("open_share", "part_inside", "part_shrunk", "pale_share", "own_share"),
    ),
    "a level that odds reach: it trades a delay for errors, and so has a price and no frequency": (
        *("laid_from", "gone_from", "most", "streak", "streak_per_s", "after_in_hand", "longest_s", "new_again"),
        *("unnoticed_s", "unnoticed_count", "unnoticed", "visited_s"),
        *("sighting", "hand_on_free", "same_card", "readings_split", "dealt_on"),
        *("held_share", "arm_on_free", "arms_judged", "laid_to_held"),
        *("replaced_confidence", "replaced_read", "found", "corner_rate", "steady", "no_match", "no_match_untouched"),
    ),
    "a scale of places or names: no clip has true corners at rest apart from those of the detector's own errors": (
        *("at_rest", "vague", "moved", "carried_cost", "unmoved"),
        *("carried_per_diagonal", "carried_farthest", "name_floor", "untouched_floor"),
    ),
    "counted on other data, which its comment names": ("reading_floor", "strip_weight", "alike"),
    "too rare on clips: hands leave in the time between two inferences": ("taken_per_s",),
    "no camera sees it, so the rules decide": ("drawn_more", "drawn_most", "across_in_one_grip", "across_the_other"),
    "no clip has the case often enough": ("nearer_mm", "as_near", "in_order"),
    "a time or place that decides which cards went together: only the true strokes of a hand would count it": (
        *("gathered", "there_mm", "regather_s", "carried_s", "heap_before_s"),
    ),
}
"""Reason -> the fields of ``FilterSettings`` and ``ActionModel`` for which it holds."""

Counts = defaultdict[str, Counter[str]]


@dataclass(frozen=True)
class ConfirmedChange:
    """A reported change, with that frame's signs of missed events."""

    evidence: Evidence
    signs: tuple[str, ...]


class Collector:
    """An observer of the pipeline that keeps the reported changes, and counts ``inferences`` if it can."""

    def __init__(self, inferences: InferenceCounter | None) -> None:
        self.confirmed: list[ConfirmedChange] = []
        self.inferences = inferences

    def on_inference(self, record: InferenceRecord) -> None:
        """Count an inference."""
        if self.inferences is not None:
            self.inferences.on_inference(record)

    def on_evidence(self, judged: EvidenceRecord) -> None:
        """Keep the changes that are reported now."""
        signs = tuple(note.text for note in judged.notes if note.label == NOT_UNDERSTOOD)
        self.confirmed += [ConfirmedChange(evidence, () if k else signs) for k, evidence in enumerate(judged.confirmed)]


def count(settled: Sequence[ConfirmedChange], true: Sequence[TableEvent], counts: Counts) -> None:
    """Add the counts of one clip."""
    free = single_draws(list(true))
    reported_before = 0.0
    for number, change in enumerate(settled):
        event = change.evidence.event
        if isinstance(event, Reread | Blocked) and not isinstance(event, Unread):
            continue
        happened, is_begun = _match(event, free), False
        later = settled[number + 1 :]
        for doubt in change.evidence.doubts:
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
            for sign in change.signs:
                counts[sign][MISSED if unreported else AS_REPORTED] += 1
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

    count = sum(map(is_here, free)) - sum(is_here(change.evidence.event) for change in later)
    reported = event.count if isinstance(event, Drawn) else 1
    return "nothing" if count < 1 else AS_REPORTED if count == reported else f"{count} cards"


def _outcome(event: TableEvent, doubt: Alternative, happened: TableEvent | None) -> str | None:
    """Return the true outcome of an alternative; None if neither it nor the report was true."""
    if "not yet" in doubt.instead:
        is_whole = happened is None or not _same(event, happened, "left")
        return "not yet" if is_whole else AS_REPORTED
    if happened is None:
        return next((outcome for outcome, (keys, _) in doubt.instead.items() if keys is None), None)
    differ = {key for keys, _ in doubt.instead.values() for key in keys or ()}
    if all(_same(event, happened, field) for field in differ):
        return AS_REPORTED
    for outcome, (keys, _) in doubt.instead.items():
        instead = None if keys is None else instead_of(event, keys)
        if instead is not None and all(_same(instead, happened, field) for field in differ):
            return outcome
        if keys == {"by": None}:
            return outcome
    return None


def _same(one: TableEvent, other: TableEvent, field: str) -> bool:
    return bool(getattr(one, field, None) == getattr(other, field, None))


def log_odds(outcome: float, reported: float, outcomes: int = 1) -> float:
    """
    Return the log-odds of an outcome from counts, with the prior observations of ``ActionModel``.

    ``outcomes``: number of outcomes that are possible instead of what is reported.

    >>> round(log_odds(0, 166), 1), round(log_odds(2, 2), 1)
    (-6.7, -1.0)
    """
    return log((outcome + 0.2 / outcomes) / (reported + 4.0))


def counted_actions(counts: Counts, changes: Sequence[ConfirmedChange]) -> list[str]:
    """
    Return a line for each cue: the log-odds of its outcomes by the counts and in the model, and the counts. Of a sign,
    as in the model, the probability that an event was missed.
    """
    model = {doubt.cue: doubt.instead for change in changes for doubt in change.evidence.doubts}
    lines = []
    for cue, found in sorted(counts.items()):
        counted = {
            outcome: log_odds(found[outcome], found[AS_REPORTED], len(model.get(cue, ())) or 1)
            for outcome in model.get(cue, (MISSED,))
        }
        said = ", ".join(
            f"{outcome} {odds:.1f} (model {model[cue][outcome][1]:.1f})"
            if cue in model
            else f"{outcome} {1 / (1 + exp(-odds)):.3f}"
            for outcome, odds in counted.items()
        )
        lines.append(f"  {cue}: {said}; {', '.join(f'{name} {number}' for name, number in sorted(found.items()))}")
    return lines


def counted_filter(counts: InferenceCounts, model: FilterSettings) -> list[str]:
    """Return a line for each number of the card filter that inferences say something of."""
    lines = []
    for cover in ("cards", "arms"):
        shares = {
            key.split(", ")[1]: (outcomes["named"] + outcomes["misnamed"], sum(outcomes.values()))
            for key, outcomes in sorted(counts.found.items())
            if key.startswith(cover)
        }
        found = ", ".join(f"{view}: {part / whole:.2f} of {whole}" for view, (part, whole) in shares.items())
        lines.append(f"  found_under_{cover} {getattr(model, f'found_under_{cover}')}: {found}")
    for name, what_is, outcome in (("changed_if_there", "lies", "changed"), ("unchanged_if_gone", "left", "unchanged")):
        observed = counts.change.get(what_is, Counter())
        share = observed[outcome] / max(observed.total(), 1)
        lines.append(f"  {name} {getattr(model, name)}: {share:.2f} of {observed.total()}")
    for name, is_clear in (("new_clear", True), ("new_unclear", False)):
        laid = others = 0
        for key, outcomes in counts.claims.items():
            if key.startswith("all: no arm") and (", clear" in key) == is_clear:
                laid, others = (
                    laid + outcomes["laid"] + outcomes["misread"],
                    others + outcomes["held"] + outcomes["nothing"],
                )
        odds = log((laid + 0.5) / (others + 0.5))
        lines.append(f"  {name} {getattr(model, name)}: {odds:.1f} of {laid + others}")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", nargs="+", type=Path, metavar="CLIP")
    parser.add_argument(
        "--reel", type=Path, metavar="FOLDER", help="cache results of motion detection and networks there"
    )
    arguments = parser.parse_args()
    counts: Counts = defaultdict(Counter)
    inferences, changes = InferenceCounts(), list[ConfirmedChange]()
    for clip in arguments.clips:
        has_tracks = clip.with_suffix(".tracks.jsonl").is_file()
        collector = Collector(InferenceCounter(true_frames(clip)) if has_tracks else None)
        played = play_clip(clip, stored=arguments.reel, observer=collector)
        count(collector.confirmed, played.true, counts)
        changes += collector.confirmed
        if collector.inferences is not None:
            inferences.add(collector.inferences.counts)
        print(f"{clip.stem}: {len(collector.confirmed)} changes", file=sys.stderr)
    print("card filter, with the number in the model:")
    print("\n".join(counted_filter(inferences, FilterSettings())))
    print("actions, log-odds against what was reported:")
    print("\n".join(counted_actions(counts, changes)))
    print("not counted:")
    for reason, names in NOT_COUNTED.items():
        print(f"  {reason}: {', '.join(names)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
