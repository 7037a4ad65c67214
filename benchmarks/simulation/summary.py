"""Summarise many simulated games, as JSON and as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.simulation.missing import Missing
from benchmarks.simulation.roc import at_threshold
from benchmarks.simulation.score import SimulationScore, calibration

MOST = 8
"""Number of fault ids listed."""

MISSING = ("tried", "accused", "right_again", "found")
"""The counts of games with one event left out."""

EXAMPLES = 20
"""Number of games with false accusations that are named, for ``--show``."""


def counts_of(score: SimulationScore, thresholds: Sequence[float]) -> dict[str, Any]:
    """Return all counts and the figures derived from them."""
    counts: dict[str, Any] = {}
    for name in score.__slots__:
        value = getattr(score, name)
        if name not in ("weighed", "suspected", "took_ms"):
            counts[name] = dict(value.most_common()) if isinstance(value, Counter) else value
    counts |= {"games_with_false": len(score.accused), "accused": score.accused[:EXAMPLES]}
    took = sorted(score.took_ms)
    counts["event_ms"] = {"mean": sum(took) / len(took), "p99": took[int(len(took) * 0.99)], "worst": took[-1]}
    counts["calibration"] = calibration(score.weighed)
    counts["thresholds"] = [
        [threshold, *at_threshold(score.suspected, threshold, score.games, score.faults)] for threshold in thresholds
    ]
    return counts


def lines_of(counts: dict[str, Any]) -> Iterator[str]:
    """Return the table."""
    games, faults, called = counts["games"], counts["faults"], counts["called"]

    def row(name: str, *figures: str) -> str:
        return f"{name:34}" + ", ".join(figures)

    yield row("games", f"{games}", f"{counts['events']} events")
    yield row(
        "false accusations a 100 games",
        f"{100 * counts['false_accusations'] / games:.2f} at any time",
        f"{100 * counts['false_standing'] / games:.2f} standing at the end",
        f"in {counts['games_with_false']} games",
    )
    yield row(
        "questions a game",
        f"{counts['questions'] / games:.2f}",
        f"notes {counts['notes'] / games:.2f}",
        f"about manners {counts['manners'] / games:.2f}",
    )
    yield row("results right", f"{counts['results'] / games:.1%}")
    if faults:
        yield row("faults called", f"{called} of {faults}, {called / faults:.1%}")
        rest = faults - called
        yield row(f"  of the other {rest}", f"{counts['asked']} asked about", f"{counts['misnamed']} named wrongly")
        yield row("  another seat accused", f"{counts['wrong_seat']}")
        yield row("accused after a fault that stands", f"{counts['of_standing']} by the law")
    took = counts["event_ms"]
    yield row("an event, ms", f"{took['mean']:.2f} mean", f"{took['p99']:.1f} p99", f"{took['worst']:.0f} worst")
    for name, key in (("false by", "false_by"), ("asked by", "questions_by"), ("not called", "missed_by")):
        most = [f"{fault} {count}" for fault, count in list(counts[key].items())[:MOST]]
        if most:
            yield row(name, *most)
    for calibrated in counts["calibration"]:
        stated = f"{calibrated['stated']:.3f} in the mean"
        yield row(
            f"stated {calibrated['from']:.2f} to {calibrated['to']:.2f}",
            f"{calibrated['count']} times",
            stated,
            f"{calibrated['right']:.3f} right",
        )
    for threshold, false, share in counts["thresholds"]:
        yield row(f"accusing from {threshold:g}", f"{false:.2f} false a 100 games", f"{share:.1%} of faults called")


def missing_counts(missing: Missing) -> dict[str, Any]:
    """Return the counts by the kind of event left out (``Missing``)."""
    return {
        "by_kind": {kind: {key: getattr(missing, key)[kind] for key in MISSING} for kind in sorted(missing.tried)},
        "wrongly": missing.wrongly[:EXAMPLES],
    }


def missing_lines(counts: dict[str, Any]) -> Iterator[str]:
    """Return the table."""
    rows = counts["by_kind"]
    every = {key: sum(row[key] for row in rows.values()) for key in MISSING}
    for kind, row in [*rows.items(), ("all", every)]:
        accused = f"somebody accused in {row['accused']} ({row['accused'] / row['tried']:.1%})"
        right = f"position right within two plays in {row['right_again'] / row['tried']:.1%}"
        found = f"of the line that shows it {row['found'] / row['tried']:.1%}"
        yield f"{kind:8} taken out {row['tried']:6} times: {accused}, {right}, {found}"
