"""
A game between record and notation: the objects of its record's lines, in normal form.

What the referee reads is written as the referee writes it. Every other key stays as it was, so that nothing is lost
that another program noted: a comment (``comment``), a fault made on purpose (``fault``), tags (``tags``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from referee.errors import RecordError
from referee.events import TableEvent
from referee.header import Header
from referee.record import event_from_json, event_to_json, read_record

Data = Mapping[str, Any]
"""A line's object."""

_SAYS_NOTHING: Mapping[str, tuple[Any, ...]] = {
    **dict.fromkeys(
        ("options", "known", "picked", "heap", "left", "alternatives", "otherwise"), (None, {}, [], "", 0, 0.0, False)
    ),
    **dict.fromkeys(("out", "teams", "fool", "winner"), (None, [])),
    **dict.fromkeys(("start", "attacker", "defender", "heap_count", "bout", "beaten_off"), (None,)),
    **dict.fromkeys(("at", "by", "on", "card", "to", "highest", "for", "confidence"), (None,)),
    "hand": (None, 1),
    "tone": ("call",),
    "what": ("pack",),
    "witness": ("person",),
}
"""Keys with values that say no more than leaving them out."""


PLAY_S = 0.1
"""How long a play takes that bears no time, in seconds."""


def next_at(at: float) -> float:
    """
    Return when a play without a time happens, the one before it having happened at ``at`` (seconds).

    >>> next_at(0.0), next_at(next_at(0.1))
    (0.1, 0.3)
    """
    return round(at + PLAY_S, 3)


@dataclass(frozen=True, slots=True)
class NotatedGame:
    """
    One game: the header line's object, and one object an event, each with its ``at``.

    ``header`` and ``events`` are what the referee takes, in the same order.
    """

    header_line: Data
    event_lines: tuple[Data, ...]
    header: Header
    events: tuple[TableEvent, ...]


def header_of(data: Data) -> tuple[Header, dict[str, Any]]:
    """Parse a header line's object; return the header and its normal form. :class:`RecordError` if it can't be used."""
    header = Header.parse(data)
    line = _with_the_rest(header.as_json(), data)
    if header.start is not None:
        line["start"] = _with_the_rest(header.start.as_json(), data["start"])
    return header, line


def event_of(data: Data, at: float | None) -> tuple[TableEvent, dict[str, Any]]:
    """
    Parse an event line's object; return the event and its normal form. ``at``: time of the event before, in seconds.
    """
    event = event_from_json(data, at)
    return event, _with_the_rest(event_to_json(event), data)


def _with_the_rest(normal: dict[str, Any], data: Data) -> dict[str, Any]:
    """Return the referee's normal form of an object together with the keys that the referee does not know."""
    return normal | {
        key: value for key, value in data.items() if key not in normal and value not in _SAYS_NOTHING.get(key, ())
    }


def games_of_record(lines: Iterable[bytes | str], name: str = "-") -> tuple[NotatedGame, ...]:
    """
    Parse the games of a record. Empty lines are skipped, and the line numbers in corrections are adjusted.

    Raises :class:`RecordError`: ``NAME:LINE: expected ..., got ...``.
    """
    lines = list(lines)
    games: list[tuple[Header, Data, list[tuple[TableEvent, Data]]]] = []
    numbers: dict[int, int] = {}
    for number, entry in read_record(lines, name):
        numbers[number] = len(numbers) + 1
        try:
            data = strict_json(lines[number - 1])
            if isinstance(entry, Header):
                games.append((*header_of(data), []))
                continue
            events = games[-1][2]
            at = events[-1][0].at if events else None
            events.append(event_of(_renumbered(data, numbers), at))
        except ValueError as error:
            raise RecordError(f"{name}:{number}: {error}") from None
    return tuple(game_of(*game) for game in games)


def game_of(header: Header, header_line: Data, events: Iterable[tuple[TableEvent, Data]]) -> NotatedGame:
    read = tuple(events)
    return NotatedGame(header_line, tuple(line for _, line in read), header, tuple(event for event, _ in read))


def _renumbered(data: Data, numbers: Mapping[int, int]) -> Data:
    """
    Return a correction with its line number counted without empty lines.

    >>> _renumbered({"event": "corrected", "line": 5, "to": None}, {1: 1, 3: 2, 5: 3})["line"]
    3
    """
    if data.get("event") != "corrected":
        return data
    return {**data, **{key: numbers.get(data[key], data[key]) for key in ("line", "after") if _is_count(data.get(key))}}


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def strict_json(text: str | bytes) -> Any:
    """
    Parse JSON without the numbers that JSON doesn't have; ``ValueError`` names them.

    >>> strict_json('{"weight": 1e999}')
    Traceback (most recent call last):
        ...
    ValueError: expected finite numbers, got 1e999
    """
    try:
        return json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except RecursionError:
        raise ValueError("expected brackets that end, got too many of them") from None
    except ValueError as error:
        if str(error).startswith("expected"):
            raise
        raise ValueError(f"expected a value in JSON, got {shortened(str(text))}") from None


def shortened(got: str) -> str:
    """Return the received value in quotation marks, shortened for an error message."""
    return repr(str(got) if len(got) <= 40 else got[:37] + "...")


def _refuse(number: str) -> float:
    raise ValueError(f"expected finite numbers, got {number[:40]}")


def _finite(number: str) -> float:
    value = float(number)
    return value if isfinite(value) else _refuse(number)


def record_lines(games: Iterable[NotatedGame]) -> Iterator[str]:
    """Yield the games as lines of a record, without line ends."""
    for game in games:
        for line in (game.header_line, *game.event_lines):
            yield json.dumps(line, ensure_ascii=False)
