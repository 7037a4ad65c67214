"""Put the judgement of each play, and where it lost something the best decision, beside the lines of a record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

MUCH = 0.1
"""A loss from which on a play is marked ``?``; as far ahead of the next best, it is marked ``!``. Chosen by hand."""


VERY_MUCH = 0.25
"""A loss from which on a play is marked ``??``. Chosen by hand."""


def judgement(decision: Mapping[str, Any]) -> str | None:
    """
    Return the sign of a decision as the analysis rated it; None where it deserves none.

    >>> judgement({"loss": 0.31}), judgement({"loss": 0.12}), judgement({"loss": 0, "ahead": 0.2})
    ('??', '?', '!')
    """
    if decision["loss"] >= VERY_MUCH:
        return "??"
    if decision["loss"] >= MUCH:
        return "?"
    return "!" if (decision.get("ahead") or 0) >= MUCH else None


def judged(record: Iterable[Mapping[str, Any]], decisions: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """
    Yield a record's lines, those that hold a decision with ``judgement``, ``best`` and ``best_line``. Of several
    decisions on one line, such as passes at a sweep, the one that cost most counts.
    """
    worst: dict[int, Mapping[str, Any]] = {}
    for decision in decisions:
        known = worst.get(decision["line"])
        if known is None or decision["loss"] > known["loss"]:
            worst[decision["line"]] = decision
    for number, line in enumerate(record, start=1):
        sign = judgement(worst[number]) if number in worst else None
        if sign is None:
            yield dict(line)
        else:
            kept = () if sign == "!" else ("best", "best_line")
            yield {**line, "judgement": sign, **{key: worst[number][key] for key in kept if key in worst[number]}}
