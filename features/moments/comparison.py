"""
Compare the rulings that a match got with those it gets now: each is the same, gone, new or changed.

If both come from one record, rulings are matched by line. If the vision pipeline has reread the film, line numbers
differ, and a ruling is matched by its play: the same cards at about the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from webapp.match.stored_matches import Line, at_s, compared_content

NEAR_S = 5.0
"""Seconds at most between two reports of one play. Longer mixes up a card that is laid again; shorter takes a play that
was reported late for two. Set by hand, 2026-11: a late play is reported within its bout."""


def compared(was: Sequence[Line], now: Sequence[Line], *, by_line: bool) -> list[dict[str, Any]]:
    """
    Pair each ruling with its counterpart, in order of time: ``change`` (``same``, ``gone``, ``new`` or ``changed``),
    ``at`` (seconds), ``was`` and ``now``. ``by_line``: both are about the same record.
    """

    def is_one_play(one: Line, other: Line) -> bool:
        return bool(one["line"] == other["line"]) if by_line else _apart(one, other) <= NEAR_S

    def change(one: Line | None, other: Line | None) -> dict[str, Any]:
        kind = "same" if one and other and compared_content(one) == compared_content(other) else "changed"
        kind = "new" if one is None else "gone" if other is None else kind
        return {"change": kind, "at": at_s(one or other or {}), "was": one, "now": other}

    fits: list[Callable[[Line, Line], bool]] = [lambda one, other: compared_content(one) == compared_content(other)]
    if by_line:
        fits.append(lambda one, other: True)
    else:
        fits.append(lambda one, other: one.get("cards") == other.get("cards"))
        # One seat made the same kind of play: the card was read as another.
        fits.append(lambda one, other: all(one.get(key) == other.get(key) for key in ("play", "by")))
    left, found = list(now), dict[int, Line]()
    for fit in fits:
        for place, ruling in enumerate(was):
            if place in found:
                continue
            candidates = [other for other in left if is_one_play(ruling, other) and fit(ruling, other)]
            if candidates:
                found[place] = min(candidates, key=lambda candidate: _apart(ruling, candidate))
                left = [other for other in left if other is not found[place]]
    changes = [change(ruling, found.get(place)) for place, ruling in enumerate(was)]
    return sorted((*changes, *(change(None, ruling) for ruling in left)), key=lambda ruling: float(ruling["at"]))


def _apart(one: Line, other: Line) -> float:
    return abs(at_s(one) - at_s(other))
