"""Parse text into games: the grammar's tree becomes the objects of a record's lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lark import Token

from referee.errors import RecordError
from referee.events import TableEvent
from referee.header import Header
from referee.record import check_seats
from webapp.errors import NotationError
from webapp.notation.grammar import Node, SourceText, branches, leaves, parse
from webapp.notation.notated_game import NotatedGame, event_of, game_of, header_of, next_at, shortened
from webapp.notation.play_reader import PlayReader
from webapp.notation.tags import read_tags
from webapp.notation.words import read_comment, read_seat

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
                first_mark = [each for each in branches(item) if each.data != "moment"]
                self._event(first_mark[0], first_mark[1:])
                self._moments(item)
            else:
                self._comments(item)

    @property
    def game(self) -> NotatedGame:
        """Return the game that was read."""
        return game_of(self._header, self._header_line, self.events)

    def _read_header(self, node: Node) -> tuple[Header, dict[str, Any]]:
        tags = [each for each in branches(node) if each.data not in _ITEMS]
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
                self._event(act, marks, seat, at_once=_is_at_once(play))
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
                self._label(mark)
            elif mark.data == "comment":
                self._comment(mark)

    def _label(self, mark: Node) -> None:
        label = leaves(mark)[0][1:]
        if label in self._plays.marked:
            raise self._source.error(mark, f"expected each play to have its own mark, got {label!r} again")
        self._plays.marked[label] = self._first + len(self.events)

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


def _is_at_once(play: Node) -> bool:
    return any(isinstance(each, Token) and each.type == "AND" for each in play.children)
