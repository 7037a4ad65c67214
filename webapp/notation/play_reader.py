"""Read one play with its marks as the keys of an event."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lark import Token

from referee.record import UNREAD
from webapp.notation.grammar import Node, SourceText, branches, leaves
from webapp.notation.tags import read_start
from webapp.notation.words import read_card, read_rank, read_seat, read_text, whole

Data = dict[str, Any]


class PlayReader:
    """
    Reads the plays of one game. ``marked`` holds the line of each play that bears a label, as they come.

    What can't be meant so raises :class:`~webapp.errors.NotationError`.
    """

    def __init__(self, source: SourceText) -> None:
        self.marked: dict[str, int] = {}
        self._source = source

    def read(self, act: Node, marks: Sequence[Node], seat: Token | None = None) -> Data:
        """Return the keys of the event; comments and labels are left to the caller."""
        try:
            data = self._act(act)
        except ValueError as error:
            raise self._source.error(act, error) from None
        if seat is not None and (by := read_seat(seat)) is not None:
            data["by"] = by
        for mark in marks:
            self._mark(data, mark)
        return data

    def _act(self, act: Node) -> Data:
        kind = str(act.data)
        if kind in ("correct", "insert"):
            return self._correction(act, kind)
        if kind == "table":
            return {"event": "corrected", "table": read_start(branches(act), self._source)}
        return _ACTS[kind](leaves(act))

    def _correction(self, act: Node, kind: str) -> Data:
        label = act.children[0]
        assert isinstance(label, Token)
        line = self.marked.get(label[1:])
        if line is None:
            if not label[1:].isdigit():
                raise ValueError(f"expected the mark of an earlier play of this game, got {str(label)!r}")
            line = whole(label[1:])
        inner = branches(act)
        event = self._inner(inner[0]) if inner else None
        first, second = ("line", "to") if kind == "correct" else ("after", "insert")
        return {"event": "corrected", first: line, second: event}

    def _inner(self, inner: Node) -> Data:
        seat = inner.children[0] if isinstance(inner.children[0], Token) else None
        act, *details = branches(inner)
        return self.read(act, details, seat)

    def _mark(self, data: Data, mark: Node) -> None:
        kind = str(mark.data)
        if kind in ("comment", "label"):
            return
        if kind in ("alternative", "otherwise"):
            key = "alternatives" if kind == "alternative" else kind
            data[key] = [*data.get(key, ()), self._other(mark)]
            return
        if kind == "more":
            key, value = read_text(leaves(branches(mark)[0])[0]), self._source.json(branches(mark)[1])
        else:
            word = leaves(mark)[0]
            key, value = kind, float(word) if kind in ("at", "confidence") else str(word)[kind != "judgement" :]
        if key in data:
            raise self._source.error(mark, f"expected {key!r} once, got it again")
        data[key] = value

    def _other(self, mark: Node) -> list[Any]:
        """Return another reading, or another event, with its probability."""
        if mark.data == "alternative":
            card, probability = leaves(mark)
            return [read_card(card), float(probability)]
        what, number = mark.children
        assert not isinstance(what, Token)
        return [self._instead(what), float(str(number))]

    def _instead(self, what: Node) -> Data | None:
        first = what.children[0]
        if not isinstance(first, Token):
            if first.data == "name":
                return {"to": read_text(leaves(first)[0])}
            found: Data = self._source.json(first)
            return found
        if first.type == "NOTHING":
            return None
        if first.type == "SEAT":
            return {"by": read_seat(first)}
        return {"to": "heap"} if first.type == "HEAP" else {"count": _whole(first, self._source)}


def _whole(token: Token, source: SourceText) -> int:
    try:
        return whole(token)
    except ValueError as error:
        raise source.error(token, error) from None


def _drawn(words: list[Token]) -> Data:
    seen = [read_card(each) for each in words if each.type == "CARD"]
    counts = [whole(each) for each in words if each.type == "INT"]
    return {"event": "drawn", "count": counts[0] if counts else 1, **({"card": seen[0]} if seen else {})}


def _unread(words: list[Token]) -> Data:
    on = [read_card(each) for each in words if each.type == "CARD"]
    return {"event": "blocked", "reason": UNREAD, **({"on": on[0]} if on else {})}


def _claim(words: list[Token]) -> Data:
    lowest, *highest = words
    claim: Data = {"event": "pressed", "button": "claim"}
    if lowest.type != "UNKNOWN":
        claim["card"] = None if lowest.type == "NONE" else read_card(lowest)
    return claim | ({"highest": read_rank(highest[0])} if highest else {})


def _touched(words: list[Token]) -> Data:
    return {"event": "pressed", "button": "touched", **({"what": "heap"} if words[0].type == "HEAP" else {})}


def _dealt(words: list[Token]) -> Data:
    return {"event": "dealt", "turnup": read_card(words[0]) if words[0].type == "CARD" else None}


def _swept(words: list[Token]) -> Data:
    to, *left = words
    return {
        "event": "swept",
        "to": read_text(to),
        **({"left": [read_card(each) for each in left]} if left else {}),
    }


def _with_card(kind: str) -> Callable[[list[Token]], Data]:
    return lambda words: {"event": kind, "card": read_card(words[0])}


_ACTS: Mapping[str, Callable[[list[Token]], Data]] = {
    "placed": _with_card("placed"),
    "beaten": lambda words: {"event": "placed", "card": read_card(words[1]), "on": read_card(words[0])},
    "unread": _unread,
    "lifted": _with_card("lifted"),
    "drawn": _drawn,
    "swapped": _with_card("swapped"),
    "shown": _with_card("shown"),
    "pressed": lambda words: {"event": "pressed", "button": str(words[0])},
    "allow": lambda words: {"event": "pressed", "button": "allow", "for": read_text(words[0])},
    "claim": _claim,
    "touched": _touched,
    "assign": lambda words: {
        "event": "pressed",
        "button": "assign",
        "card": read_card(words[0]),
        "to": read_text(words[1]),
    },
    "dealt": _dealt,
    "swept": _swept,
    "reread": lambda words: {"event": "reread", "was": read_card(words[0]), "card": read_card(words[1])},
    "blocked": lambda words: {"event": "blocked", "reason": read_text(words[0])},
    "tick": lambda words: {"event": "tick"},
    "event": lambda words: {"event": read_text(words[0])},
}
"""What each form says, by its name in the grammar."""
