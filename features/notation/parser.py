"""Parse text into games: the grammar's tree becomes the objects of a record's lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from lark import Token

from features.notation.grammar import Node, SourceText, branches, leaves, parse
from features.notation.notated_game import NotatedGame, event_of, game_of, header_of, next_at, shortened
from features.notation.tags import read_start, read_tags
from features.notation.words import read_card, read_comment, read_rank, read_seat, read_text, whole
from referee.errors import RecordError
from referee.events import TableEvent
from referee.header import Header
from referee.record import UNREAD, check_seats
from webapp.errors import NotationError

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
        kind = str(act.data)
        try:
            if kind in ("correct", "insert"):
                data = self._correction(act, kind)
            elif kind == "table":
                data = {"event": "corrected", "table": read_start(branches(act), self._source)}
            else:
                data = _ACTS[kind](leaves(act))
        except ValueError as error:
            raise self._source.error(act, error) from None
        if seat is not None and (by := read_seat(seat)) is not None:
            data["by"] = by
        for mark in marks:
            self._mark(data, mark)
        return data

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
        if first.type == "HEAP":
            return {"to": "heap"}
        try:
            return {"count": whole(first)}
        except ValueError as error:
            raise self._source.error(first, error) from None


def _drawn(words: list[Token]) -> Data:
    seen = [read_card(word) for word in words if word.type == "CARD"]
    counts = [whole(word) for word in words if word.type == "INT"]
    return {"event": "drawn", "count": counts[0] if counts else 1, **({"card": seen[0]} if seen else {})}


def _unread(words: list[Token]) -> Data:
    on = [read_card(word) for word in words if word.type == "CARD"]
    return {"event": "blocked", "reason": UNREAD, **({"on": on[0]} if on else {})}


def _claim(words: list[Token]) -> Data:
    lowest, *highest = words
    claim: Data = {"event": "pressed", "button": "claim"}
    if lowest.type != "UNKNOWN":
        claim["card"] = None if lowest.type == "NONE" else read_card(lowest)
    return claim | ({"highest": read_rank(highest[0])} if highest else {})


def _swept(words: list[Token]) -> Data:
    to, *left = words
    return {"event": "swept", "to": read_text(to), **({"left": [read_card(card) for card in left]} if left else {})}


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
    "touched": lambda words: {
        "event": "pressed",
        "button": "touched",
        **({"what": "heap"} if words[0].type == "HEAP" else {}),
    },
    "assign": lambda words: {
        "event": "pressed",
        "button": "assign",
        "card": read_card(words[0]),
        "to": read_text(words[1]),
    },
    "dealt": lambda words: {"event": "dealt", "turnup": read_card(words[0]) if words[0].type == "CARD" else None},
    "swept": _swept,
    "reread": lambda words: {"event": "reread", "was": read_card(words[0]), "card": read_card(words[1])},
    "blocked": lambda words: {"event": "blocked", "reason": read_text(words[0])},
    "tick": lambda words: {"event": "tick"},
    "event": lambda words: {"event": read_text(words[0])},
}
"""What each form says, by its name in the grammar."""


_NEEDED = (("seats", "[Seats Anna Boris]"), ("dealer", "[Dealer Boris]"))
_NEEDED_OF_START = (("hands", "[Hands Anna 6 Boris 6]"), ("talon", "[Talon 24]"))
_ITEMS = ("comment", "bout_number", "turn", "at_the_table")
"""What stands in a game besides tags."""


def read_games(text: str, name: str = "-") -> tuple[NotatedGame, ...]:
    """
    Parse every game of a text. ``name``: the text's name in error messages.

    Raises :class:`NotationError`: ``NAME:LINE:COLUMN: expected ..., got ...``.

    >>> read_games('[Rules "podkidnoy-36"] [Seats A B] [Dealer B]  A: 7x', "game.durak")
    Traceback (most recent call last):
        ...
    webapp.errors.NotationError: game.durak:1:51: expected a play (7s, 7s/9s, +2, take, ...), got '7x'
    """
    source = SourceText(text.removeprefix("\ufeff"), name)
    try:
        tree = parse(source.text, name)
        readers: list[_GameReader] = []
        lines = 0
        comments = [node for node in branches(tree) if node.data == "comment"]
        for node in branches(tree):
            if node.data == "game":
                readers.append(_GameReader(node, source, lines + 1, comments if not readers else ()))
                lines += 1 + len(readers[-1].events)
        return tuple(reader.game for reader in readers)
    except RecursionError:
        raise NotationError(f"{name}:1:1: expected brackets that end, got too many of them") from None


class _GameReader:
    """Reads one game, whose header is line ``first`` of the record."""

    def __init__(self, node: Node, source: SourceText, first: int, comments: Sequence[Node]) -> None:
        self._source = source
        self._first = first
        self._header, self._header_line = self._read_header(node)
        self.events: list[tuple[TableEvent, dict[str, Any]]] = []
        self._plays = PlayReader(source)
        for comment in comments:
            self._comment(comment)
        for item in branches(node):
            if item.data == "turn":
                self._turn(item)
            elif item.data == "at_the_table":
                first_mark = [branch for branch in branches(item) if branch.data != "moment"]
                self._event(first_mark[0], first_mark[1:])
                self._moments(item)
            else:
                self._comments(item)

    @property
    def game(self) -> NotatedGame:
        return game_of(self._header, self._header_line, self.events)

    def _read_header(self, node: Node) -> tuple[Header, dict[str, Any]]:
        tags = [branch for branch in branches(node) if branch.data not in _ITEMS]
        data, places = read_tags(tags, self._source)
        start = data.get("start")
        is_dealer_needed = not (isinstance(start, dict) and start.get("attacker") is not None)
        self._need(data, _NEEDED if is_dealer_needed else _NEEDED[:1], tags[0])
        if isinstance(data.get("start"), dict):
            self._need(data["start"], _NEEDED_OF_START, places["start"])
        try:
            return header_of(data)
        except RecordError as error:
            key = re.search(r'"(\w+)"', str(error))
            raise self._source.error(places.get(key[1] if key else "", tags[0]), error) from None

    def _need(self, data: Mapping[str, Any], needed: Iterable[tuple[str, str]], place: Node) -> None:
        for key, tag in needed:
            if key not in data:
                raise self._source.error(place, f"expected a tag such as {tag} in this game, got none")

    def _turn(self, turn: Node) -> None:
        seat = turn.children[0]
        assert isinstance(seat, Token)
        name = read_seat(seat)
        if name is not None and name not in self._header.seats:
            seats = ", ".join(self._header.seats)
            raise self._source.error(seat, f"expected one of the seats {seats}, got {shortened(name)}")
        self._comments(turn)
        for play in branches(turn):
            if play.data == "play":
                act, *marks = branches(play)
                at_once = any(isinstance(child, Token) and child.type == "AND" for child in play.children)
                self._event(act, marks, seat, at_once=at_once)
        self._moments(turn)

    def _moments(self, item: Node) -> None:
        for moment in branches(item):
            if moment.data == "moment":
                act, *marks = branches(moment)
                self._event(act, marks, at_once=True)

    def _event(self, act: Node, marks: Sequence[Node], seat: Token | None = None, *, at_once: bool = False) -> None:
        data = self._plays.read(act, marks, seat)
        at = self.events[-1][0].at if self.events else None
        before = at or 0.0
        try:
            event, line = event_of({"at": before if at_once else next_at(before), **data}, at)
            check_seats(event, self._header.seats)
        except RecordError as error:
            raise self._source.error(act, error) from None
        self.events.append((event, line))
        for mark in marks:
            if mark.data == "label":
                label = leaves(mark)[0][1:]
                if label in self._plays.marked:
                    raise self._source.error(mark, f"expected each play to have its own mark, got {label!r} again")
                self._plays.marked[label] = self._first + len(self.events)
            elif mark.data == "comment":
                self._comment(mark)

    def _comments(self, item: Node) -> None:
        for comment in [item] if item.data == "comment" else branches(item):
            if comment.data == "comment":
                self._comment(comment)

    def _comment(self, node: Node) -> None:
        """Attach a comment to the play before it, or else to the game."""
        comment = read_comment(leaves(node)[0])
        line = self.events[-1][1] if self.events else self._header_line
        known = line.get("comment", "")
        if not isinstance(known, str):
            raise self._source.error(node, f"expected no comment beside {shortened(str(known))}, got {comment!r}")
        if comment:
            line["comment"] = f"{known} {comment}".strip()


def parse_notation(text: str, name: str = "-") -> list[tuple[Header, tuple[TableEvent, ...]]]:
    """
    Parse the games of a text. ``name``: the text's name in error messages.

    >>> text = '[Rules "podkidnoy-36"] [Seats Anna Boris] [Dealer Boris]  dealt 9h  Anna: 7s'
    >>> [(header, events)] = parse_notation(text)
    >>> header.seats, [str(event.card) for event in events[1:]]
    (('Anna', 'Boris'), ['7s'])

    Raises :class:`~webapp.errors.NotationError`: ``NAME:LINE:COLUMN: expected ..., got ...``.
    """
    return [(game.header, game.events) for game in read_games(text, name)]
