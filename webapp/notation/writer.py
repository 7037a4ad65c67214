"""
Write games as text in canonical form: tags, then one bout a line.

A play bears a time only where it is another than a play without one has; ``&``: at the same moment as the one before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from webapp.notation.notated_game import Data, NotatedGame, next_at
from webapp.notation.play_text import PlayText, play_text
from webapp.notation.tags import write_tags
from webapp.notation.words import as_json, comment, number

WIDTH = 120
"""Columns of a line at most, where its plays allow it."""

_INDENT = "   "


def write_games(games: Iterable[NotatedGame]) -> str:
    """Write these games; :func:`~webapp.notation.parser.read_games` gives the same games back."""
    texts = []
    line = 1
    for game in games:
        texts.append("\n".join(_game(game, line)) + "\n")
        line += 1 + len(game.event_lines)
    return "\n".join(texts)


def _game(game: NotatedGame, first: int) -> Iterator[str]:
    yield from write_tags(game.header_line)
    yield from _about(game.header_line)
    if game.event_lines:
        yield ""
        yield from _Layout(game, first).lines()


def _about(header: Data) -> Iterator[str]:
    if "comment" in header:
        yield comment(header["comment"]) or f"[%comment {as_json(header['comment'])}]"


class _Layout:
    """Puts the plays of one game on lines, a bout on each."""

    def __init__(self, game: NotatedGame, first: int) -> None:
        self._events = game.event_lines
        self._first = first
        self._bout = (game.header.start.bout if game.header.start else None) or 1
        self._begin = ""
        self._line: list[str] = []
        self._seat = ""
        self._marked = {
            event[key]
            for event in game.event_lines
            for key in ("line", "after")
            if event["event"] == "corrected" and isinstance(event.get(key), int)
        }

    def lines(self) -> Iterator[str]:
        """Yield the lines, none of them empty."""
        between = True
        at: float | None = None
        for line, event in enumerate(self._events, start=self._first + 1):
            text = play_text(event, _time(at, event["at"]), line if line in self._marked else None)
            at = event["at"]
            if event["event"] == "dealt":
                yield from self._break("")
                self._bout, between = 1, True
            elif between and text.opens_bout:
                yield from self._break(f"{self._bout}. ")
                self._bout, between = self._bout + 1, False
            elif event["event"] == "swept":
                between = True
            yield from self._add(text)
        yield from self._break("")

    def _add(self, play: PlayText) -> Iterator[str]:
        """Put a play on the line; what was on it comes out where there is no more room."""
        again = bool(play.seat) and play.seat == self._seat
        text = " " + play.text if again else ("  " if self._line else "") + play.of_seat
        if self._line and len(self._begin) + len("".join(self._line)) + len(text) > WIDTH:
            yield from self._break(_INDENT)
            text = play.of_seat
        self._line.append(text)
        self._seat = play.seat
        if play.ends_line:
            yield from self._break(_INDENT)

    def _break(self, begin: str) -> Iterator[str]:
        """Yield the current line and begin the next one with ``begin``."""
        if self._line:
            yield self._begin + "".join(self._line)
        self._begin, self._line, self._seat = begin, [], ""


def _time(before: float | None, at: float) -> str:
    """Write a play's time, the play before it being at ``before`` (None: there is none)."""
    if before is not None and at == before:
        return "&"
    return "" if at == next_at(before or 0.0) else f"@{number(at)}"
