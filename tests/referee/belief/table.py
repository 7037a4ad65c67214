"""Start of a deal of three in progress, and the belief after lines of a camera."""

from __future__ import annotations

from typing import Any

from referee.belief.belief import Belief
from referee.corrections import RecordLine
from referee.header import Header
from referee.record import event_from_json
from referee.rulings import Message, Ruling, Verdict

START = {"trump": "h", "turnup": "9h", "talon": 18, "hands": {"A": 6, "B": 6, "C": 6}, "attacker": "A"}
HEADER = {
    "kozyr": 1,
    "rules": "podkidnoy-36",
    "seats": ["A", "B", "C"],
    "dealer": "C",
    "witness": "camera",
    "start": START,
}


def event(kind: str, at: float, **keys: Any) -> dict[str, Any]:
    return {"at": at, "event": kind, **keys}


def placed(at: float, card: str, by: str | None, on: str | None = None, **keys: Any) -> dict[str, Any]:
    given = {"card": card, "by": by, "on": on, **keys}
    return event("placed", at, **{key: value for key, value in given.items() if value is not None})


def belief_after(
    *lines: dict[str, Any], start: dict[str, Any] | None = None, **header: Any
) -> tuple[Belief, list[Message]]:
    """Return the belief after these lines, and all its messages."""
    belief = Belief(Header.parse({**HEADER, "start": {**START, **(start or {})}, **header}))
    messages: list[Message] = []
    for number, line in enumerate(lines, start=2):
        messages += belief.observe(RecordLine(number, event_from_json(line)))
    return belief, messages


def faults(messages: list[Message]) -> list[tuple[int, str]]:
    """Return the accused lines and their faults."""
    rulings = [(message.line, message.what) for message in messages if isinstance(message.what, Ruling)]
    return [(line, str(what.fault)) for line, what in rulings if what.verdict in (Verdict.ILLEGAL, Verdict.IMPOSSIBLE)]


BOUT = (placed(1, "7s", "A"), placed(2, "8s", "B", "7s"))
HEAP = event("swept", 3, to="heap")
DRAWS = (event("drawn", 4, by="A", count=1), event("drawn", 5, by="B", count=1))
