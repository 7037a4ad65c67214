"""
Write games as text in canonical form: tags, then one bout a line.

A play bears a time only where it is another than a play without one has; ``&``: at the same moment as the one before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from features.notation.notated_game import Data, NotatedGame, event_of, next_at
from features.notation.tags import write_start, write_tags
from features.notation.words import UNKNOWN, as_json, comment, name, number
from referee.cards import pack
from referee.errors import RecordError
from referee.events import HEAP
from referee.record import UNREAD

_WORD = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
"""What may follow ``!`` and ``?``."""

_SIMPLE = frozenset({"take", "pass", "done", "wait", "forgive", "undo", "challenge", "resign", "dismiss"})
"""Statements that need nothing but their name."""


@dataclass(frozen=True, slots=True)
class PlayText:
    """
    A play as text: ``seat`` as it is written (empty if the seat is unknown or there is none), and what was done.

    ``opens_bout``: a bout may begin so. ``ends_line``: the text runs to the end of its line (a comment of that kind).
    """

    seat: str
    text: str
    opens_bout: bool = False
    ends_line: bool = False

    @property
    def of_seat(self) -> str:
        return f"{self.seat}: {self.text}" if self.seat else self.text


def play_text(event: Data, time: str, label: int | None = None) -> PlayText:
    """
    Write an event in its normal form as a play.

    ``time``: ``@12.9``, ``&`` or nothing; ``label``: the line it is known by.

    >>> play_text({"event": "placed", "card": "9s", "by": "Anna", "on": "7s", "confidence": 0.8}, "@12.9").of_seat
    'Anna: 7s/9s@12.9~0.8'
    """
    rest = {key: value for key, value in event.items() if key not in ("at", "event")}
    kind = UNREAD if event["event"] == "blocked" and event.get("reason") == UNREAD else event["event"]
    seat = ""
    act = _ACTS[kind](rest) if kind in _ACTS else None
    if act is not None and kind in _SEATED:
        seat = name(rest.pop("by", None))
    if act is None:
        rest = {key: value for key, value in event.items() if key not in ("at", "event")}
        act = f"event {name(event['event'])}"
    short = comment(rest.get("comment"))
    if short is not None:
        del rest["comment"]
    if kind in _JUDGED and rest.get("judgement") in ("?", "??", "!"):  # what an analysis says: directly after the play
        act += str(rest.pop("judgement"))
    text = ("& " if time == "&" else "") + act + time.removeprefix("&") + "".join(_doubts(rest))
    words = [text, *_words(rest, label), *(f"%{name(key)}={as_json(value)}" for key, value in rest.items())]
    if short is not None:
        words.append(short)
    return PlayText(seat, " ".join(words), kind in ("placed", UNREAD), short is not None and short.startswith(";"))


def _doubts(rest: dict[str, Any]) -> list[str]:
    sure = [f"~{number(rest.pop('confidence'))}"] if "confidence" in rest else []
    sure += [f"|{card}~{number(likely)}" for card, likely in rest.pop("alternatives", ())]
    return sure + [f"|{_instead(keys)}~{number(likely)}" for keys, likely in rest.pop("otherwise", ())]


def _instead(keys: Mapping[str, Any] | None) -> str:
    if keys is None:
        return "nothing"
    if len(keys) == 1:
        ((key, value),) = keys.items()
        if key == "by" and isinstance(value, str | None):
            return f"{name(value)}:"
        if key == "to" and isinstance(value, str):
            return f"to {_place(value)}"
        if key == "count" and _is_count(value):
            return f"+{value}"
    return as_json(keys)


def _words(rest: dict[str, Any], label: int | None) -> list[str]:
    words = []
    for key, sign in (("fault", "!"), ("question", "?")):
        if isinstance(rest.get(key), str) and _WORD.fullmatch(rest[key]):
            words.append(sign + rest.pop(key))
    return words if label is None else [*words, f"#{label}"]


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9


def _place(to: str) -> str:
    return HEAP if to == HEAP else name(to)


def _placed(rest: dict[str, Any]) -> str:
    on = rest.pop("on", None)
    return f"{on}/{rest.pop('card')}" if on else str(rest.pop("card"))


def _unread(rest: dict[str, Any]) -> str:
    del rest["reason"]
    on = rest.pop("on", None)
    return f"{on}/{UNKNOWN}" if on else UNKNOWN


def _drawn(rest: dict[str, Any]) -> str:
    count, card = rest.pop("count"), rest.pop("card", None)
    if card is None:
        return f"+{count}"
    return f"+{card}" if count == 1 else f"+{count}({card})"


def _swept(rest: dict[str, Any]) -> str:
    left = rest.pop("left", ())
    return f">{_place(rest.pop('to'))}" + (f" (left {' '.join(left)})" if left else "")


def _pressed(rest: dict[str, Any]) -> str | None:
    button = rest.pop("button")
    if button in _SIMPLE:
        return str(button)
    if button == "allow":
        return f"allow {name(rest.pop('for'))}"
    if button == "assign":
        return f"assign {rest.pop('card')} {name(rest.pop('to'))}"
    if button == "touched":
        return f"touched {rest.pop('what', 'pack')}"
    if button == "claim":
        lowest = (rest.pop("card") or "none") if "card" in rest else UNKNOWN
        highest = rest.pop("highest", None)
        return f"claim {lowest}" + (f" high {highest}" if highest else "")
    return None


def _corrected(rest: dict[str, Any]) -> str | None:
    """Write a correction where it can be expressed as a play or as tags; else return None."""
    if "table" in rest:
        table = rest["table"]  # is it a part of a start as docs/record.md describes it?
        fits = isinstance(table, dict) and bool(table) and all(key in _FITS and _FITS[key](table[key]) for key in table)
        return f"table ({' '.join(write_start(rest.pop('table')))})" if fits else None
    act, line, event = ("insert", "after", "insert") if "insert" in rest else ("correct", "line", "to")
    if not _is_count(rest.get(line)) or event not in rest:
        return None
    inner = _inner(rest[event])
    if inner is None or (act == "insert" and rest[event] is None):
        return None
    del rest[event]
    return f"{act} #{rest.pop(line)} {inner}"


_CARDS = frozenset(map(str, pack(52)))
_FITS: Mapping[str, Callable[[Any], bool]] = {
    "hands": lambda hands: isinstance(hands, dict) and bool(hands) and all(map(_is_count, hands.values())),
    "talon": _is_count,
    "heap_count": _is_count,
    "attacker": lambda seat: isinstance(seat, str),
    "defender": lambda seat: isinstance(seat, str),
    "turnup": lambda card: card is None or (isinstance(card, str) and card in _CARDS),
}


def _inner(event: Any) -> str | None:
    """Write an event within another, in brackets; None where the short form would lose something of it."""
    if event is None:
        return "nothing"
    try:
        line = event_of(event, None)[1]
    except RecordError:
        return None
    if "comment" in line or event not in (line, {key: value for key, value in line.items() if key != "at"}):
        return None
    time = f"@{number(line['at'])}" if "at" in event else ""
    return f"({play_text(line, time).of_seat})"


_ACTS: Mapping[str, Callable[[dict[str, Any]], str | None]] = {
    "placed": _placed,
    UNREAD: _unread,
    "lifted": lambda rest: f"-{rest.pop('card')}",
    "drawn": _drawn,
    "swapped": lambda rest: f"swap {rest.pop('card')}",
    "shown": lambda rest: f"show {rest.pop('card')}",
    "pressed": _pressed,
    "corrected": _corrected,
    "dealt": lambda rest: f"dealt {rest.pop('turnup') or UNKNOWN}",
    "swept": _swept,
    "reread": lambda rest: f"read {rest.pop('was')} as {rest.pop('card')}",
    "blocked": lambda rest: f"blocked {as_json(rest.pop('reason'))}",
    "tick": lambda rest: "tick",
}
"""How each kind is written: the keys that the text says are taken out. None: it has no short form."""

_JUDGED = frozenset({"placed", "shown", "pressed", "swept"})
"""Kinds that an analysis judges."""

_SEATED = frozenset({"placed", UNREAD, "lifted", "drawn", "swapped", "shown", "pressed", "corrected"})
"""Kinds that a seat does."""


WIDTH = 120
"""Columns of a line at most, where its plays allow it."""

_INDENT = "   "


def write_games(games: Iterable[NotatedGame]) -> str:
    """Write these games; :func:`~features.notation.parser.read_games` gives the same games back."""
    texts = []
    line = 1
    for game in games:
        texts.append("\n".join(_game(game, line)) + "\n")
        line += 1 + len(game.event_lines)
    return "\n".join(texts)


def _game(game: NotatedGame, first: int) -> Iterator[str]:
    yield from write_tags(game.header_line)
    if "comment" in game.header_line:
        about = game.header_line["comment"]
        yield comment(about) or f"[%comment {as_json(about)}]"
    if game.event_lines:
        yield ""
        yield from _Layout(game, first).lines()


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
        between = True
        at: float | None = None
        for line, event in enumerate(self._events, start=self._first + 1):
            before, at = at, event["at"]
            time = "&" if before == at else "" if at == next_at(before or 0.0) else f"@{number(at)}"
            text = play_text(event, time, line if line in self._marked else None)
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
