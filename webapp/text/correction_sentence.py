"""Describe a correction in one line: what was corrected, and what changed by it."""

from __future__ import annotations

from typing import Any

from referee.events import Corrected, Placed, Swept, TableEvent
from referee.messages import Standing
from referee.rulings import Ruling, Verdict
from webapp.text.catalogue import counted
from webapp.text.present import say

ACCUSING = (Verdict.ILLEGAL, Verdict.IMPOSSIBLE)


def correction_sentence(
    correction: TableEvent, was: TableEvent | None, standing: tuple[Standing, Standing], language: str, is_spelled: bool
) -> str:
    """
    Return the sentence about a correction.

    ``was``: the corrected line as it was taken until then. ``standing``: rulings and result before and after it.
    ``is_spelled``: cards as a voice reads them.

    >>> from referee.events import Pressed
    >>> correction_sentence(Pressed(at=1.0, button="undo"), None, (Standing(), Standing()), "en", False)
    'Taken back. Nothing else changes.'
    """
    return f"{_what(correction, was, language, is_spelled)} {_changes(*standing, language)}"


def _what(correction: TableEvent, was: TableEvent | None, language: str, is_spelled: bool) -> str:
    if not isinstance(correction, Corrected):
        return say("put_right.undone", language)
    if correction.table is not None:
        return say("put_right.table", language)
    if correction.insert is not None:
        return say("put_right.missed", language)
    to = correction.to
    if to is None:
        return say("put_right.nothing", language)
    if isinstance(to, Placed) and isinstance(was, Placed):
        if to.card != was.card:
            return say("put_right.card", language, is_spelled, was=was.card, card=to.card)
        if to.by != was.by:
            return say("put_right.by", language, is_spelled, card=to.card, by=to.by)
    if isinstance(to, Swept):
        return say("put_right.taken" if to.to != "heap" else "put_right.beaten", language, by=to.to)
    return say("put_right.confirmed" if _is_same(was, to) else "put_right.other", language)


def _is_same(was: TableEvent | None, to: TableEvent) -> bool:
    keys: tuple[str, ...] = ("card", "by", "on", "to", "count")
    return type(was) is type(to) and all(getattr(was, key, None) == getattr(to, key, None) for key in keys)


def _changes(before: Standing, after: Standing, language: str) -> str:
    """Count the accusations that were withdrawn and added, and say whether the result is another."""
    gone, new = _accused(before) - _accused(after), _accused(after) - _accused(before)
    changes = []
    if gone:
        changes.append(counted("put_right.gone", len(gone), language))
    if new:
        changes.append(counted("put_right.new", len(new), language))
    if _result(before) != _result(after):
        changes.append(say("put_right.result", language))
    return " ".join(changes) or say("put_right.unchanged", language)


def _accused(standing: Standing) -> set[tuple[int, Any]]:
    rulings = ((each.line, each.what) for each in standing.rulings if isinstance(each.what, Ruling))
    return {(line, ruling.fault) for line, ruling in rulings if ruling.verdict in ACCUSING}


def _result(standing: Standing) -> Any:
    announced = (each.what.as_json() for each in reversed(standing.announcements))
    return next((each for each in announced if each.get("announce") == "result"), None)
