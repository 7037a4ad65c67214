"""
Read and write a match as text (docs/record.md, *The record*): a header line, then one line per event, in time order.

The text is parsed only here, into frozen and checked values: a :class:`Header` or one of the kinds of
:mod:`referee.events`. A line that can't be used raises :class:`~referee.errors.RecordError` with
``FILE:LINE: expected ..., got ...``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

from referee.cards import RANKS, Card
from referee.errors import RecordError
from referee.events import (
    BUTTONS,
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
    Tick,
    Unread,
)
from referee.fields import card_of, cards_of, count_of, fail, name_of, number_of, optional_card_of, probability_of
from referee.header import Header, Start
from referee.table_facts import TableFacts

__all__ = ["Header", "Start", "check_seats", "event_from_json", "event_to_json", "instead_of", "read_record"]


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
    kind = data.get("event")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        raise fail('"event" to be one of blocked, dealt, ..., tick', kind)
    when = data.get("at")
    if when is None:
        when = 0.0 if at is None else at
    elif type(when) is not float or not abs(when) <= 1e12:
        when = number_of(when, '"at"')
    if at is not None and when < at:
        raise fail(f'"at" of at least {at:g} (time never runs backwards)', when)
    confidence = data.get("confidence")
    if confidence is not None:
        confidence = probability_of(confidence, '"confidence"')
    alternatives = data.get("alternatives")
    event = reader(data, when, confidence, _alternatives(alternatives) if alternatives else ())
    otherwise, missed = data.get("otherwise"), data.get("missed")
    if missed is not None:
        event = replace(event, missed=probability_of(missed, '"missed"'))
    return replace(event, otherwise=_otherwise(otherwise, event)) if otherwise else event


def _alternatives(value: object) -> tuple[tuple[Card, float], ...]:
    if not isinstance(value, list):
        raise fail('"alternatives" to be a list of [card, confidence]', value)
    found = []
    for pair in value:
        if not isinstance(pair, list) or len(pair) != 2:
            raise fail('"alternatives" to be a list of [card, confidence]', value)
        found.append((card_of({"alternatives": pair[0]}, "alternatives"), number_of(pair[1], '"alternatives"')))
    return tuple(found)


def _otherwise(value: object, event: TableEvent) -> Otherwise:
    """Read what may have happened instead; each must give a valid event."""
    found: list[tuple[Mapping[str, Any] | None, float]] = []
    for pair in value if isinstance(value, list) else [value]:
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], dict | None):
            raise fail('"otherwise" to be a list of [keys that differ or null, probability]', value)
        keys, probability = pair[0], number_of(pair[1], '"otherwise"')
        if not 0 <= probability <= 1:
            raise fail('"otherwise" with probabilities from 0 to 1', probability)
        if keys is not None and (not keys or not {"at", *_DOUBTS}.isdisjoint(keys)):
            raise fail('"otherwise" to give keys of the event that differ, none about its time or doubt', keys)
        instead_of(event, keys)
        found.append((keys, probability))
    return tuple(found)


def instead_of(event: TableEvent, keys: Mapping[str, Any] | None) -> TableEvent | None:
    """
    Return the event that one entry of ``otherwise`` describes, as certain; None: no event.

    >>> told = {"at": 3, "event": "swept", "to": "heap", "confidence": 0.8, "otherwise": [[{"to": "A"}, 0.2]]}
    >>> event = event_from_json(told)
    >>> event_to_json(instead_of(event, event.otherwise[0][0]))
    {'at': 3.0, 'event': 'swept', 'to': 'A'}
    """
    if keys is None:
        return None
    sure = replace(event, confidence=None, alternatives=(), otherwise=(), missed=None)
    return event_from_json({**event_to_json(sure), **keys})


Otherwise = tuple[tuple[Mapping[str, Any] | None, float], ...]
"""What may have happened instead of an event, each with its probability."""

UNTIMED = -1.0
"""``at`` of a correction's event without a time: it takes the time of the corrected line."""

_DOUBTS = ("confidence", "alternatives", "otherwise", "missed")
"""Keys for the uncertainty of an event, which any event may have."""

Alternatives = tuple[tuple[Card, float], ...]
"""Other readings of a card, each with its confidence."""


def _placed(data: Mapping[str, Any], at: float, confidence: float | None, others: Alternatives) -> TableEvent:
    return Placed(
        at=at,
        confidence=confidence,
        alternatives=others,
        card=card_of(data, "card"),
        by=name_of(data, "by"),
        on=optional_card_of(data, "on"),
    )


def _lifted(data: Mapping[str, Any], at: float, confidence: float | None, others: Alternatives) -> TableEvent:
    return Lifted(at=at, confidence=confidence, alternatives=others, card=card_of(data, "card"), by=name_of(data, "by"))


def _dealt(data: Mapping[str, Any], at: float, confidence: float | None, others: Alternatives) -> TableEvent:
    return Dealt(at=at, confidence=confidence, alternatives=others, turnup=optional_card_of(data, "turnup"))


def _swept(data: Mapping[str, Any], at: float, confidence: float | None, others: Alternatives) -> TableEvent:
    to = name_of(data, "to")
    if to is None:
        raise fail('"to" to be "heap" or a seat', to)
    left = cards_of(data.get("left") or [], '"left"')
    return Swept(at=at, confidence=confidence, alternatives=others, to=to, left=left)


def _drawn(data: Mapping[str, Any], at: float, confidence: float | None, others: Alternatives) -> TableEvent:
    return Drawn(
        at=at,
        confidence=confidence,
        alternatives=others,
        by=name_of(data, "by"),
        count=count_of(data.get("count", 1), '"count"', 1),
        card=optional_card_of(data, "card"),
    )


def _swapped(data: Mapping[str, Any], at: float, confidence: float | None, others: Alternatives) -> TableEvent:
    return Swapped(
        at=at, confidence=confidence, alternatives=others, card=card_of(data, "card"), by=name_of(data, "by")
    )


def _shown(data: Mapping[str, Any], at: float, confidence: float | None, others: Alternatives) -> TableEvent:
    return Shown(at=at, confidence=confidence, alternatives=others, card=card_of(data, "card"), by=name_of(data, "by"))


def _pressed(data: Mapping[str, Any], at: float, confidence: float | None, others: Alternatives) -> TableEvent:
    button = data.get("button")
    if not isinstance(button, str) or button not in BUTTONS:
        raise fail(f'"button" to be one of {", ".join(sorted(BUTTONS))}', button)
    highest = data.get("highest")
    if highest is not None and (not isinstance(highest, str) or len(highest) != 1 or highest not in RANKS):
        raise fail(f'"highest" to be one of the ranks {RANKS}', highest)
    what = data.get("what", "pack")
    if what not in ("pack", HEAP):
        raise fail('"what" to be "pack" or "heap"', what)
    press = Pressed(
        at=at,
        confidence=confidence,
        alternatives=others,
        button=button,
        by=name_of(data, "by"),
        card=optional_card_of(data, "card"),
        has_card="card" in data,
        highest=highest,
        allowed=name_of(data, "for"),
        what=what,
        to=name_of(data, "to"),
        of=count_of(data["of"], '"of"', 1) if button in _ABOUT_LINES and data.get("of") is not None else None,
    )
    for wanted, needs in _NEEDED:
        if button == needs and getattr(press, wanted) is None:
            key = "for" if wanted == "allowed" else wanted
            raise fail(f'"{key}" with the button {button!r}', data.get(key))
    return press


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
_ABOUT_LINES = frozenset({"undo", "dismiss"})
"""Buttons whose ``of`` is the number of an earlier line."""


def _reread(data: Mapping[str, Any], at: float, confidence: float | None, others: Alternatives) -> TableEvent:
    return Reread(
        at=at, confidence=confidence, alternatives=others, was=card_of(data, "was"), card=card_of(data, "card")
    )


def _corrected(data: Mapping[str, Any], at: float, confidence: float | None, others: Alternatives) -> TableEvent:
    by = name_of(data, "by")
    if "table" in data and {"line", "to", "after", "insert"}.isdisjoint(data):
        return Corrected(at=at, by=by, table=TableFacts.parse(data["table"]))
    if {"line", "to"} <= data.keys() and {"table", "after", "insert"}.isdisjoint(data):
        to = None if data["to"] is None else _event_within(data["to"], '"to"')
        return Corrected(at=at, by=by, line=count_of(data["line"], '"line"', 1), to=to)
    if {"after", "insert"} <= data.keys() and {"table", "line", "to"}.isdisjoint(data):
        insert = _event_within(data["insert"], '"insert"')
        return Corrected(at=at, by=by, after=count_of(data["after"], '"after"', 1), insert=insert)
    raise fail('"line" and "to", or "after" and "insert", or "table"', dict(data))


def _event_within(value: object, what: str) -> TableEvent:
    """Read the event within a correction."""
    event = event_from_json(value)
    if isinstance(event, Corrected):
        raise fail(f"{what} to be an event and no correction", value)
    return event if isinstance(value, dict) and value.get("at") is not None else replace(event, at=UNTIMED)


def _blocked(data: Mapping[str, Any], at: float, confidence: float | None, others: Alternatives) -> TableEvent:
    reason = data.get("reason", "")
    if not isinstance(reason, str):
        raise fail('"reason" to be text', reason)
    if reason == UNREAD:
        return Unread(
            at=at, confidence=confidence, alternatives=others, by=name_of(data, "by"), on=optional_card_of(data, "on")
        )
    return Blocked(at=at, confidence=confidence, alternatives=others, reason=reason)


def _tick(data: Mapping[str, Any], at: float, confidence: float | None, others: Alternatives) -> TableEvent:
    return Tick(at=at, confidence=confidence, alternatives=others)


_READERS = {
    "placed": _placed,
    "lifted": _lifted,
    "dealt": _dealt,
    "swept": _swept,
    "drawn": _drawn,
    "swapped": _swapped,
    "shown": _shown,
    "pressed": _pressed,
    "reread": _reread,
    "corrected": _corrected,
    "blocked": _blocked,
    "tick": _tick,
}

_KINDS = {
    Placed: "placed",
    Lifted: "lifted",
    Dealt: "dealt",
    Swept: "swept",
    Drawn: "drawn",
    Swapped: "swapped",
    Shown: "shown",
    Pressed: "pressed",
    Reread: "reread",
    Corrected: "corrected",
    Blocked: "blocked",
    Tick: "tick",
    Unread: "blocked",
}
UNREAD = "unread"
"""The ``reason`` of a ``blocked`` event that is a laid card with an unreadable face."""

_PLAIN = ("card", "by", "on", "to", "count", "button", "highest", "was", "reason")
"""Fields whose record key is their own name, left out where None."""


def event_to_json(event: TableEvent) -> dict[str, Any]:
    """
    Return the event line's object; :func:`event_from_json` gives the same event back.

    >>> event_to_json(Placed(at=3.0, card=Card.parse("Ts"), by="B", on=Card.parse("7s")))
    {'at': 3.0, 'event': 'placed', 'card': 'Ts', 'by': 'B', 'on': '7s'}
    """
    data: dict[str, Any] = {"at": event.at, "event": _KINDS[cast("type[Any]", type(event))]}
    for key in _PLAIN:
        value = getattr(event, key, None)
        if value is not None:
            data[key] = str(value) if isinstance(value, Card) else value
    if isinstance(event, Corrected):
        data |= _correction_to_json(event)
    if isinstance(event, Unread):
        data["reason"] = UNREAD
    if isinstance(event, Dealt):
        data["turnup"] = str(event.turnup) if event.turnup else None
    if isinstance(event, Swept) and event.left:
        data["left"] = [str(card) for card in event.left]
    if isinstance(event, Pressed):
        if event.of is not None:
            data["of"] = event.of
        if event.has_card and event.card is None:
            data["card"] = None
        if event.allowed is not None:
            data["for"] = event.allowed
        if event.what != "pack":
            data["what"] = event.what
    if event.confidence is not None:
        data["confidence"] = event.confidence
    if event.alternatives:
        data["alternatives"] = [[str(card), confidence] for card, confidence in event.alternatives]
    if event.otherwise:
        data["otherwise"] = [[keys if keys is None else dict(keys), likely] for keys, likely in event.otherwise]
    if event.missed is not None:
        data["missed"] = event.missed
    return data


def _correction_to_json(event: Corrected) -> dict[str, Any]:
    if event.table is not None:
        return {"table": event.table.as_json()}
    what = event.insert if event.line is None else event.to
    data = None if what is None else event_to_json(what)
    if data is not None and data["at"] == UNTIMED:
        del data["at"]
    return {"after": event.after, "insert": data} if event.line is None else {"line": event.line, "to": data}


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
