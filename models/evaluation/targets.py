"""Targets of the readings, set by set, and whether they are met. Every target is reported, met or not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from models.evaluation.scoring import SetScore


@dataclass(frozen=True, slots=True)
class TargetResult:
    """
    One set as measured. ``plain``: share reported of the cards that are plain to see (70 px, covered 0.65 at most).
    """

    name: str
    split: str
    score: SetScore
    plain: float | None
    conditions: Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Target:
    """``least`` or ``most``: one of them is the bound."""

    set_name: str
    measure: str
    of: Callable[[TargetResult], float | None]
    least: float | None = None
    most: float | None = None
    unit: str = "%"

    def is_met(self, value: float) -> bool:
        """Check whether the measured figure reaches the bound."""
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)

    def written(self, value: float) -> str:
        """Format a figure of this measure for people."""
        if self.unit == "%":
            return f"{100 * value:.2f} %"
        return f"{value:.0f} {self.unit}" if self.unit else f"{value:.3f}"


def _f1(result: TargetResult) -> float | None:
    return result.score.f1


def _exact(result: TargetResult) -> float | None:
    return result.score.exact


def _recall(result: TargetResult) -> float | None:
    return result.score.recall


def _rank(result: TargetResult) -> float | None:
    return result.score.rank_of_all


def _plain(result: TargetResult) -> float | None:
    return result.plain


def _calibration(result: TargetResult) -> float | None:
    return result.score.calibration


def _wrong_sure(result: TargetResult) -> float | None:
    return result.score.wrong_sure


def _sure(result: TargetResult) -> float | None:
    return result.score.sure


def _pairs(result: TargetResult) -> float | None:
    return result.score.pairs


def _tables(result: TargetResult) -> float | None:
    return result.score.tables


def _with_invented(result: TargetResult) -> float | None:
    return result.score.with_invented


def _median_ms(result: TargetResult) -> float | None:
    return result.score.median_ms


PHOTO_SETS = ("rf100-open", "edje", "ccml-phone", "ccml-black")

TARGETS = (
    Target("rf100-open", "F1 over distinct cards", _f1, least=0.99),
    Target("rf100-open", "pictures exact", _exact, least=0.95),
    Target("edje", "rank right, of all cards", _rank, least=0.985),
    Target("edje", "pictures exact", _exact, least=0.95),
    Target("ccml-phone", "F1 over distinct cards", _f1, least=0.99),
    Target("ccml-black", "F1 over distinct cards", _f1, least=0.93),
    Target("reserved decks", "cards right, 70 px and covered 65 % at most", _plain, least=0.998),
    Target("covered cards", "cards right, covered 65 to 85 %, one index", _recall, least=0.98),
    Target("hardest light", "cards right", _recall, least=0.998),
    *(
        target
        for name in PHOTO_SETS
        for target in (
            Target(name, "calibration error", _calibration, most=0.02, unit=""),
            Target(name, "wrong among the sure", _wrong_sure, most=0.001),
            Target(name, "called sure", _sure, least=0.9),
        )
    ),
    Target("pair tables", "pairs right", _pairs, least=0.995),
    Target("pair tables", "whole tables exact", _tables, least=0.97),
    Target("pair tables", "twelve cards at 720p, median", _median_ms, most=120.0, unit="ms"),
    Target("photographed pairs", "pairs right", _pairs, least=0.97),
    Target("photographed fans", "F1 over distinct cards", _f1, least=0.95),
    Target("no cards", "pictures with an invented card", _with_invented, most=0.0),
)


def against_targets(results: Sequence[TargetResult]) -> str:
    """
    Return a table for people: every target, what was measured, whether it was met.

    >>> against_targets([]).splitlines()[2]
    '| rf100-open | F1 over distinct cards | >= 99.00 % | not measured |  |'
    """
    measured = {result.name: result for result in results}
    rows = ["| set | measure | target | measured | met |", "|---|---|---|---|---|"]
    for target in TARGETS:
        bound = target.least if target.least is not None else target.most
        assert bound is not None, target
        wanted = f"{'>=' if target.least is not None else '<='} {target.written(bound)}"
        value = target.of(measured[target.set_name]) if target.set_name in measured else None
        came = "not measured" if value is None else target.written(value)
        met = "" if value is None else ("yes" if target.is_met(value) else "NO")
        rows.append(f"| {target.set_name} | {target.measure} | {wanted} | {came} | {met} |")
    return "\n".join(rows)
