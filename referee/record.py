"""
Read and write a match as text (docs/record.md, *The record*): a header line, then one line per event, in time order.

The text is parsed only here, into frozen and checked values: a :class:`Header` or one of the kinds of
:mod:`referee.events`. A line that can't be used raises :class:`~referee.errors.RecordError` with
``FILE:LINE: expected ..., got ...``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from msgspec import UNSET, UnsetType, convert, to_builtins
from msgspec.structs import asdict, replace

from referee.cards import BACK
from referee.errors import RecordError
from referee.events import (
    HEAP,
    Blocked,
    Corrected,
    Dealt,
    Drawn,
    Lifted,
    Placed,
    Pressed,
    Reread,
    Shown,
    Swapped,
    Swept,
    TableEvent,
    TableFacts,
    Tick,
    Unread,
)
from referee.fields import MISFITS, Facts, Json, LineNumber, Name, check_distinct, fail, parse_card, read
from referee.header import Header, Start

__all__ = ["Header", "Start", "check_seats", "event_from_json", "event_to_json", "instead_of", "read_record"]

UNTIMED = -1.0
"""``at`` of a correction's event without a time: it takes the time of the corrected line."""
MOST_ENTRIES = 64
"""Entries of ``alternatives`` and of ``otherwise``: more than the cards of a pack, and bounds the cost of a line."""
UNREAD = "unread"
"""The ``reason`` of a ``blocked`` event that is a laid card with an unreadable face."""

Moment = Placed | Lifted | Dealt | Swept | Drawn | Swapped | Shown | Pressed | Reread | Blocked | Tick
"""Everything that a line may report, but for corrections."""


class CorrectedLine(TableEvent, frozen=True, kw_only=True, tag="corrected"):
    """A correction as its line has it: ``line`` and ``to``, or ``after`` and ``insert``, or ``table``."""

    by: Name | None = None
    line: LineNumber | UnsetType = UNSET
    to: Moment | Unread | UnsetType | None = UNSET
    after: LineNumber | UnsetType = UNSET
    insert: Moment | Unread | UnsetType = UNSET
    table: TableFacts | UnsetType = UNSET
    anyway: bool = False


_KINDS: Mapping[str, type[TableEvent]] = {
    **{kind.__name__.lower(): kind for kind in Moment.__args__},
    "corrected": CorrectedLine,
}
_DOUBTS = ("confidence", "alternatives", "otherwise", "missed")
"""Keys for the uncertainty of an event, which any event may have."""
_MAY_BE_EMPTY = ("alternatives", "otherwise", "left")
"""Lists that may also be null, as earlier versions wrote them."""
_NEEDED = (
    ("by", "claim"),
    ("by", "resign"),
    ("by", "allow"),
    ("allowed", "allow"),
    ("to", "assign"),
    ("card", "assign"),
    ("of", "dismiss"),
)
"""Fields that a button requires."""
_ABOUT_LINES = ("undo", "dismiss")
"""Buttons whose ``of`` is the number of an earlier line."""
_CORRECTIONS = ({"line", "to"}, {"after", "insert"}, {"table"})
"""The keys of a correction are those of one of these sets."""
_ALWAYS_WRITTEN: Mapping[type[TableEvent], Facts] = {
    Dealt: {"turnup": None},
    Drawn: {"count": 1},
    Blocked: {"reason": ""},
}
"""Keys of a line that are written even where they have their default."""


def event_from_json(data: object, at: float | None = None) -> TableEvent:
    """
    Read one event line's object. ``at``: the time of the line before, taken by a line without its own.

    >>> event_from_json({"at": 3.0, "event": "placed", "card": "Ts", "by": "B", "on": "7s"})
    Placed(at=3.0, confidence=None, alternatives=(), otherwise=(), missed=None, card=Card(Ts), by='B', on=Card(7s))
    >>> event_from_json({"at": 3.0, "event": "smashed"})
    Traceback (most recent call last):
        ...
    referee.errors.RecordError: expected "event" to be one of blocked, dealt, ..., tick, got 'smashed'
    """
    if not isinstance(data, dict):
        raise fail('an event such as {"at": 1.5, "event": "tick"}', data)
    name = data.get("event")
    kind = _KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise fail('"event" to be one of blocked, dealt, ..., tick', name)
    if data.get("at") is None:
        data = {**data, "at": at or 0.0}
    if kind is Placed and data.get("card") == BACK:
        kind, data = Unread, {key: value for key, value in data.items() if key != "card"} | {"event": "unread"}
    elif kind is Blocked:
        kind, data = (Unread, data | {"event": "unread"}) if data.get("reason") == UNREAD else (Blocked, data)
    elif kind is CorrectedLine:
        data = _with_events(data)
    elif kind is Pressed and "of" in data and data.get("button") not in _ABOUT_LINES:
        data = {key: value for key, value in data.items() if key != "of"}
    try:
        event: TableEvent = convert(data, kind, dec_hook=parse_card)
    except MISFITS:
        event = read({key: value for key, value in data.items() if value or key not in _MAY_BE_EMPTY}, kind, "it")
    if at is not None and event.at < at:
        raise fail(f'"at" of at least {at:g} (time never runs backwards)', event.at)
    if isinstance(event, Swept):
        check_distinct(event.left, '"left"')
    elif isinstance(event, Pressed):
        for wanted, needs in _NEEDED:
            if event.button == needs and getattr(event, wanted) in (None, UNSET):
                raise fail(f'"{"for" if wanted == "allowed" else wanted}" with the button {event.button!r}', None)
    elif isinstance(event, CorrectedLine):
        said: Json = {key: None if value is UNSET else value for key, value in asdict(event).items()}
        event = Corrected(**said | {"confidence": None, "alternatives": ()})
    for name, entries in (("alternatives", event.alternatives), ("otherwise", event.otherwise)):
        if len(entries) > MOST_ENTRIES:
            raise fail(f'at most {MOST_ENTRIES} entries in "{name}"', f"{len(entries)} of them")
    if event.otherwise:
        _check_otherwise(event)
    return event


def _with_events(data: Json) -> Json:
    """Return the keys of a correction with the events within it read."""
    if not any(keys == data.keys() & set().union(*_CORRECTIONS) for keys in _CORRECTIONS):
        raise fail('"line" and "to", or "after" and "insert", or "table"', data)
    if "table" in data:
        return data | {"table": TableFacts.parse(data["table"])}
    key = "to" if "to" in data else "insert"
    if key == "to" and data[key] is None:
        return data
    event = event_from_json(data[key])
    if isinstance(event, Corrected):
        raise fail(f'"{key}" to be an event and no correction', data[key])
    return data | {key: replace(event, at=UNTIMED) if data[key].get("at") is None else event}


def _check_otherwise(event: TableEvent) -> None:
    """Check what may have happened instead; each must give a valid event."""
    for keys, probability in event.otherwise:
        if not 0 <= probability <= 1:
            raise fail('"otherwise" with probabilities from 0 to 1', probability)
        if keys is not None and (not keys or not {"at", *_DOUBTS}.isdisjoint(keys)):
            raise fail('"otherwise" to give keys of the event that differ, none about its time or doubt', keys)
        instead_of(event, keys)


def instead_of(event: TableEvent, keys: Facts | None) -> TableEvent | None:
    """
    Return the event that one entry of ``otherwise`` describes, as certain; None: no event.

    >>> line = {"at": 3, "event": "swept", "to": "heap", "confidence": 0.8, "otherwise": [[{"to": "A"}, 0.2]]}
    >>> event = event_from_json(line)
    >>> event_to_json(instead_of(event, event.otherwise[0][0]))
    {'at': 3.0, 'event': 'swept', 'to': 'A'}
    """
    if keys is None:
        return None
    return event_from_json({**_facts_of(event), **keys})


def event_to_json(event: TableEvent) -> Json:
    """
    Return the event line's object; :func:`event_from_json` gives the same event back.

    >>> event_to_json(event_from_json({"event": "drawn", "by": "B", "at": 3}))
    {'at': 3.0, 'event': 'drawn', 'by': 'B', 'count': 1}
    """
    data = _facts_of(event)
    if event.confidence is not None:
        data["confidence"] = event.confidence
    if event.alternatives:
        data["alternatives"] = [[str(card), confidence] for card, confidence in event.alternatives]
    if event.otherwise:
        data["otherwise"] = [[keys if keys is None else dict(keys), likely] for keys, likely in event.otherwise]
    if event.missed is not None:
        data["missed"] = event.missed
    return data


def _facts_of(event: TableEvent) -> Json:
    if isinstance(event, Corrected):
        return _correction_to_json(event)
    data: Json = {"at": event.at, **to_builtins(event, enc_hook=str)}
    for key in _DOUBTS:
        data.pop(key, None)
    kind = type(event)
    if kind in _ALWAYS_WRITTEN:
        data |= {key: data.get(key, value) for key, value in _ALWAYS_WRITTEN[kind].items()}
    elif kind is Unread:
        data |= {"event": "blocked", "reason": UNREAD}
    elif kind is Swept and "left" in data:
        data["left"] = list(data["left"])
    elif kind is Pressed and "card" in data and data["card"] is None:
        data["card"] = data.pop("card")  # as earlier versions wrote it: at the end
    return data


def _correction_to_json(event: Corrected) -> Json:
    data: Json = {"at": event.at, "event": "corrected"}
    if event.by is not None:
        data["by"] = event.by
    if event.anyway:
        data["anyway"] = True
    if event.table is not None:
        return data | {"table": event.table.as_json()}
    what = event.insert if event.line is None else event.to
    within = None if what is None else event_to_json(what)
    if within is not None and within["at"] == UNTIMED:
        del within["at"]
    if event.line is None:
        return data | {"after": event.after, "insert": within}
    return data | ({"line": event.line, "to": None} if within is None else {"to": within, "line": event.line})


def check_seats(event: TableEvent, seats: tuple[str, ...]) -> None:
    """Raise :class:`RecordError` where the event names a seat that the header doesn't have."""
    if isinstance(event, Corrected):
        for corrected in (event.to, event.insert):
            if corrected is not None:
                check_seats(corrected, seats)
        unknown = [name for name in event.table.seats if name not in seats] if event.table is not None else []
        if unknown:
            raise fail(f"one of the seats {', '.join(seats)}", unknown[0])
        return
    for key in ("by", "allowed", "to"):
        name = getattr(event, key, None)
        if name is not None and name not in seats and not (name == HEAP and isinstance(event, Swept)):
            raise fail(f"one of the seats {', '.join(seats)}", name)
    for keys, _ in event.otherwise:
        instead = instead_of(event, keys)
        if instead is not None:
            check_seats(instead, seats)


def read_record(lines: Iterable[str | bytes], name: str = "-") -> Iterator[tuple[int, Header | TableEvent]]:
    """
    Yield ``(line number, header or event)`` for each line; empty lines are counted and skipped. A byte order mark
    is removed.

    Each header starts a new match. The first line that can't be used raises :class:`RecordError`.

    >>> list(read_record(['{"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B"], "dealer": "C"}'], "m.jsonl"))
    Traceback (most recent call last):
        ...
    referee.errors.RecordError: m.jsonl:1: expected "dealer" to be one of the seats A, B, got 'C'
    """
    header: Header | None = None
    at: float | None = None
    number = 0
    try:
        for number, raw in enumerate(lines, start=1):
            line = (raw.decode("utf-8") if isinstance(raw, bytes) else raw).removeprefix("\ufeff")
            if not line.strip():
                continue
            data = json.loads(line)
            if isinstance(data, dict) and "kozyr" in data:
                header, at = Header.parse(data), None
                yield number, header
            elif header is None:
                raise fail("a header as the first line", data)
            else:
                event = event_from_json(data, at)
                check_seats(event, header.seats)
                at = event.at
                yield number, event
        if header is None:
            number = max(number, 1)
            raise RecordError("expected a header as the first line, got an empty record")
    except UnicodeDecodeError as error:
        raise RecordError(
            f"{name}:{number}: expected text in UTF-8, got byte {error.object[error.start]:#04x}"
        ) from None
    except RecordError as error:
        raise RecordError(f"{name}:{number}: {error}") from None
    except (ValueError, RecursionError) as error:
        reason = error.msg.lower() if isinstance(error, json.JSONDecodeError) else "numbers or brackets without end"
        raise RecordError(f"{name}:{number}: expected one JSON object on the line, got {reason}") from None
