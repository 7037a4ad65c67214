"""
A match as text (contract, section 4): a header line, then one line per event, in order of time.

Text is read once, here. What comes out is frozen and checked: a :class:`Header` or one of the kinds of
:mod:`referee.events`. What can't be used raises :class:`~referee.errors.RecordError` with
``FILE:LINE: expected ..., got ...``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, cast

from referee.cards import RANKS, Card, Suit
from referee.errors import RecordError
from referee.events import (
    BUTTONS,
    HEAP,
    Blocked,
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
)

VERSION = 1
"""The record format's version, the header's ``kozyr``."""

_EMPTY: Mapping[str, Any] = MappingProxyType({})


def _fail(expected: str, got: object) -> RecordError:
    text = repr(got)
    return RecordError(f"expected {expected}, got {text if len(text) <= 80 else text[:77] + '...'}")


def _card(data: Mapping[str, Any], key: str) -> Card:
    try:
        return Card.parse(data[key])
    except KeyError:
        raise _fail(f"\"{key}\" with a card such as '9h'", dict(data)) from None
    except (ValueError, TypeError):
        raise _fail(f"\"{key}\" to be a card such as '9h' or 'Ts'", data[key]) from None


def _optional_card(data: Mapping[str, Any], key: str) -> Card | None:
    return None if data.get(key) is None else _card(data, key)


def _cards(value: object, what: str) -> tuple[Card, ...]:
    if not isinstance(value, list):
        raise _fail(f"{what} to be a list of cards", value)
    try:
        cards = tuple(Card.parse(card) for card in value)
    except (ValueError, TypeError):
        raise _fail(f"{what} to hold cards such as '9h' or 'Ts'", value) from None
    if len(set(cards)) != len(cards):
        raise _fail(f"{what} to name each card once", value)
    return cards


def _name(data: Mapping[str, Any], key: str) -> str | None:
    value = data.get(key)
    if value is not None and not isinstance(value, str):
        raise _fail(f'"{key}" to be the name of a seat', value)
    return value


def _count(value: object, what: str, least: int = 0) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= 10_000:
        raise _fail(f"{what} to be a whole number of at least {least}", value)
    return value


def _number(value: object, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= 1e12:
        raise _fail(f"{what} to be a number", value)
    return float(value)


@dataclass(frozen=True, slots=True)
class Start:
    """
    The position a match begins from, where it doesn't begin before the deal. None: not known, or not said.

    ``heap``: cards known to lie there; ``heap_count``: how many lie there (None: follows from the other counts).
    """

    hands: Mapping[str, int]
    talon: int
    trump: Suit | None = None
    turnup: Card | None = None
    attacker: str | None = None
    defender: str | None = None
    known: Mapping[str, tuple[Card, ...]] = field(default_factory=lambda: _EMPTY)
    picked: Mapping[str, tuple[Card, ...]] = field(default_factory=lambda: _EMPTY)
    heap: tuple[Card, ...] = ()
    heap_count: int | None = None
    out: tuple[str, ...] = ()
    bout: int | None = None
    beaten_off: int | None = None
    teams: tuple[tuple[str, ...], ...] = ()
    hand: int = 1
    fool: tuple[str, ...] = ()
    winner: tuple[str, ...] = ()

    @classmethod
    def parse(cls, data: object, seats: tuple[str, ...]) -> Start:
        """Read the header's ``start``; seats must be the header's."""
        if not isinstance(data, dict):
            raise _fail('"start" to be an object', data)
        hands_in = data.get("hands")
        if not isinstance(hands_in, dict) or set(hands_in) != set(seats):
            raise _fail(f'"hands" of the start to count the cards of each seat ({", ".join(seats)})', hands_in)
        hands = {seat: _count(hands_in[seat], f'"hands" of {seat}') for seat in seats}
        turnup = _optional_card(data, "turnup")
        trump = data.get("trump")
        if trump is not None and (not isinstance(trump, str) or trump not in ("s", "h", "d", "c")):
            raise _fail('"trump" to be one of s, h, d, c', trump)
        suit = Suit(trump) if trump is not None else (turnup.suit if turnup else None)
        if turnup is not None and suit is not turnup.suit:
            raise _fail(f'"trump" to be the suit of the turn-up {turnup}', trump)
        start = cls(
            hands=hands,
            talon=_count(data.get("talon"), '"talon"'),
            trump=suit,
            turnup=turnup,
            attacker=_name(data, "attacker"),
            defender=_name(data, "defender"),
            known=_cards_by_seat(data, "known", seats),
            picked=_cards_by_seat(data, "picked", seats),
            heap=_cards(data.get("heap") or [], '"heap"'),
            heap_count=None if data.get("heap_count") is None else _count(data["heap_count"], '"heap_count"'),
            out=_names(data, "out"),
            bout=None if data.get("bout") is None else _count(data["bout"], '"bout"', 1),
            beaten_off=None if data.get("beaten_off") is None else _count(data["beaten_off"], '"beaten_off"'),
            teams=_teams(data.get("teams"), seats),
            hand=1 if data.get("hand") is None else _count(data["hand"], '"hand"', 1),
            fool=_names(data, "fool"),
            winner=_names(data, "winner"),
        )
        for seat in (start.attacker, start.defender, *start.out, *start.fool, *start.winner):
            if seat is not None and seat not in seats:
                raise _fail(f"one of the seats {', '.join(seats)}", seat)
        if start.attacker is not None and start.attacker == start.defender:
            raise _fail("an attacker and a defender that differ", start.attacker)
        return start

    def as_json(self) -> dict[str, Any]:
        """The contract's ``start``, without what is not known."""
        data: dict[str, Any] = {
            "trump": str(self.trump) if self.trump else None,
            "turnup": str(self.turnup) if self.turnup else None,
            "talon": self.talon,
            "hands": dict(self.hands),
        }
        for key in ("attacker", "defender", "heap_count", "bout", "beaten_off"):
            if getattr(self, key) is not None:
                data[key] = getattr(self, key)
        for key in ("known", "picked"):
            if getattr(self, key):
                data[key] = {seat: [str(card) for card in cards] for seat, cards in getattr(self, key).items()}
        if self.heap:
            data["heap"] = [str(card) for card in self.heap]
        if self.out:
            data["out"] = list(self.out)
        if self.teams:
            data["teams"] = [list(team) for team in self.teams]
        if self.hand != 1:
            data["hand"] = self.hand
        for key in ("fool", "winner"):
            names = getattr(self, key)
            if names:
                data[key] = names[0] if len(names) == 1 else list(names)
        return data


def _names(data: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """A seat or a list of seats; None is nobody."""
    value = data.get(key)
    names = [] if value is None else [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise _fail(f'"{key}" to be a seat or a list of seats', value)
    return tuple(names)


def _cards_by_seat(data: Mapping[str, Any], key: str, seats: tuple[str, ...]) -> Mapping[str, tuple[Card, ...]]:
    value = data.get(key) or {}
    if not isinstance(value, dict) or not set(value) <= set(seats):
        raise _fail(f'"{key}" to list cards by seat', value)
    return {seat: _cards(cards, f'"{key}" of {seat}') for seat, cards in value.items()}


def _teams(value: object, seats: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(team, list) for team in value):
        raise _fail('"teams" to be a list of lists of seats', value)
    names = [name for team in value for name in team]
    if any(not isinstance(name, str) for name in names) or sorted(names) != sorted(seats):
        raise _fail('"teams" to hold each seat once', value)
    return tuple(tuple(team) for team in value)


@dataclass(frozen=True, slots=True)
class Header:
    """
    The first line of a match: rule set, who sits where (clockwise), who dealt, and where it begins.

    >>> header = Header.parse({"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B"], "dealer": "B"})
    >>> header.seats, header.start
    (('A', 'B'), None)
    >>> Header.parse(header.as_json()) == header
    True
    """

    rules: str
    seats: tuple[str, ...]
    dealer: str
    options: Mapping[str, Any] = field(default_factory=lambda: _EMPTY)
    start: Start | None = None

    @classmethod
    def parse(cls, data: object) -> Header:
        """Read the header's object; :class:`RecordError` says what was expected. Rules are checked by the rulebook."""
        if not isinstance(data, dict) or "kozyr" not in data:
            raise _fail('a header with "kozyr", "rules", "seats" and "dealer"', data)
        if isinstance(data["kozyr"], bool) or data["kozyr"] != VERSION:
            raise _fail(f'"kozyr" to be {VERSION}, the version of the record', data["kozyr"])
        if not isinstance(data.get("rules"), str):
            raise _fail('"rules" to be the name of a rule set', data.get("rules"))
        seats = data.get("seats")
        if not isinstance(seats, list) or not all(isinstance(seat, str) and seat for seat in seats):
            raise _fail('"seats" to be a list of names', seats)
        if len(set(seats)) != len(seats) or HEAP in seats:
            raise _fail(f'"seats" to be different names, none of them {HEAP!r}', seats)
        if not 2 <= len(seats) <= 6:
            raise _fail("two to six seats", seats)
        dealer = data.get("dealer")
        if not isinstance(dealer, str) or dealer not in seats:
            raise _fail(f'"dealer" to be one of the seats {", ".join(seats)}', dealer)
        options = data.get("options") or {}
        if not isinstance(options, dict):
            raise _fail('"options" to be an object', options)
        start = data.get("start")
        return cls(
            rules=data["rules"],
            seats=tuple(seats),
            dealer=dealer,
            options=dict(options),
            start=None if start is None else Start.parse(start, tuple(seats)),
        )

    def as_json(self) -> dict[str, Any]:
        """The header line's object."""
        data: dict[str, Any] = {"kozyr": VERSION, "rules": self.rules}
        if self.options:
            data["options"] = dict(self.options)
        data |= {"seats": list(self.seats), "dealer": self.dealer}
        if self.start is not None:
            data["start"] = self.start.as_json()
        return data


def event_from_json(data: object, at: float | None = None) -> TableEvent:
    """
    Read one event line's object. ``at``: the time of the line before, taken by a line without its own.

    >>> event_from_json({"at": 3.0, "event": "placed", "card": "Ts", "by": "B", "on": "7s"})
    Placed(at=3.0, confidence=None, alternatives=(), card=Card(Ts), by='B', on=Card(7s))
    >>> event_from_json({"at": 3.0, "event": "smashed"})
    Traceback (most recent call last):
        ...
    referee.errors.RecordError: expected "event" to be one of blocked, dealt, ..., swept, tick, got 'smashed'
    """
    if not isinstance(data, dict):
        raise _fail('an event such as {"at": 1.5, "event": "tick"}', data)
    kind = data.get("event")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        raise _fail('"event" to be one of blocked, dealt, ..., swept, tick', kind)
    when = data.get("at")
    if when is None:
        when = 0.0 if at is None else at
    elif type(when) is not float or not abs(when) <= 1e12:
        when = _number(when, '"at"')
    if at is not None and when < at:
        raise _fail(f'"at" of at least {at:g} (time never runs backwards)', when)
    confidence = data.get("confidence")
    if confidence is not None:
        confidence = _number(confidence, '"confidence"')
        if not 0 <= confidence <= 1:
            raise _fail('"confidence" from 0 to 1', confidence)
    alternatives = data.get("alternatives")
    return reader(data, when, confidence, _alternatives(alternatives) if alternatives else ())


def _alternatives(value: object) -> tuple[tuple[Card, float], ...]:
    if not isinstance(value, list):
        raise _fail('"alternatives" to be a list of [card, confidence]', value)
    found = []
    for pair in value:
        if not isinstance(pair, list) or len(pair) != 2:
            raise _fail('"alternatives" to be a list of [card, confidence]', value)
        found.append((_card({"alternatives": pair[0]}, "alternatives"), _number(pair[1], '"alternatives"')))
    return tuple(found)


Alternatives = tuple[tuple[Card, float], ...]
"""Other readings of a card, each with its confidence."""


def _placed(data: Mapping[str, Any], at: float, confidence: float | None, others: Alternatives) -> TableEvent:
    return Placed(
        at=at,
        confidence=confidence,
        alternatives=others,
        card=_card(data, "card"),
        by=_name(data, "by"),
        on=_optional_card(data, "on"),
    )


def _lifted(data: Mapping[str, Any], at: float, confidence: float | None, others: Alternatives) -> TableEvent:
    return Lifted(at=at, confidence=confidence, alternatives=others, card=_card(data, "card"), by=_name(data, "by"))


def _dealt(data: Mapping[str, Any], at: float, confidence: float | None, others: Alternatives) -> TableEvent:
    return Dealt(at=at, confidence=confidence, alternatives=others, turnup=_optional_card(data, "turnup"))


def _swept(data: Mapping[str, Any], at: float, confidence: float | None, others: Alternatives) -> TableEvent:
    to = _name(data, "to")
    if to is None:
        raise _fail('"to" to be "heap" or a seat', to)
    left = _cards(data.get("left") or [], '"left"')
    return Swept(at=at, confidence=confidence, alternatives=others, to=to, left=left)


def _drawn(data: Mapping[str, Any], at: float, confidence: float | None, others: Alternatives) -> TableEvent:
    return Drawn(
        at=at,
        confidence=confidence,
        alternatives=others,
        by=_name(data, "by"),
        count=_count(data.get("count", 1), '"count"', 1),
        card=_optional_card(data, "card"),
    )


def _swapped(data: Mapping[str, Any], at: float, confidence: float | None, others: Alternatives) -> TableEvent:
    return Swapped(at=at, confidence=confidence, alternatives=others, card=_card(data, "card"), by=_name(data, "by"))


def _shown(data: Mapping[str, Any], at: float, confidence: float | None, others: Alternatives) -> TableEvent:
    return Shown(at=at, confidence=confidence, alternatives=others, card=_card(data, "card"), by=_name(data, "by"))


def _pressed(data: Mapping[str, Any], at: float, confidence: float | None, others: Alternatives) -> TableEvent:
    button = data.get("button")
    if not isinstance(button, str) or button not in BUTTONS:
        raise _fail(f'"button" to be one of {", ".join(sorted(BUTTONS))}', button)
    highest = data.get("highest")
    if highest is not None and (not isinstance(highest, str) or len(highest) != 1 or highest not in RANKS):
        raise _fail(f'"highest" to be one of the ranks {RANKS}', highest)
    what = data.get("what", "pack")
    if what not in ("pack", HEAP):
        raise _fail('"what" to be "pack" or "heap"', what)
    press = Pressed(
        at=at,
        confidence=confidence,
        alternatives=others,
        button=button,
        by=_name(data, "by"),
        card=_optional_card(data, "card"),
        has_card="card" in data,
        highest=highest,
        allowed=_name(data, "for"),
        what=what,
        to=_name(data, "to"),
    )
    for wanted, needs in (("by", "claim"), ("by", "allow"), ("allowed", "allow"), ("to", "assign"), ("card", "assign")):
        if button == needs and getattr(press, wanted) is None:
            key = "for" if wanted == "allowed" else wanted
            raise _fail(f'"{key}" with the button {button!r}', data.get(key))
    return press


def _reread(data: Mapping[str, Any], at: float, confidence: float | None, others: Alternatives) -> TableEvent:
    return Reread(at=at, confidence=confidence, alternatives=others, was=_card(data, "was"), card=_card(data, "card"))


def _blocked(data: Mapping[str, Any], at: float, confidence: float | None, others: Alternatives) -> TableEvent:
    reason = data.get("reason", "")
    if not isinstance(reason, str):
        raise _fail('"reason" to be text', reason)
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
    Blocked: "blocked",
    Tick: "tick",
}

_PLAIN = ("card", "by", "on", "to", "count", "button", "highest", "was", "reason")
"""Fields whose record key is their own name, left out where None."""


def event_to_json(event: TableEvent) -> dict[str, Any]:
    """
    The event line's object; :func:`event_from_json` gives the same event back.

    >>> event_to_json(Placed(at=3.0, card=Card.parse("Ts"), by="B", on=Card.parse("7s")))
    {'at': 3.0, 'event': 'placed', 'card': 'Ts', 'by': 'B', 'on': '7s'}
    """
    data: dict[str, Any] = {"at": event.at, "event": _KINDS[cast("type[Any]", type(event))]}
    for key in _PLAIN:
        value = getattr(event, key, None)
        if value is not None:
            data[key] = str(value) if isinstance(value, Card) else value
    if isinstance(event, Dealt):
        data["turnup"] = str(event.turnup) if event.turnup else None
    if isinstance(event, Swept) and event.left:
        data["left"] = [str(card) for card in event.left]
    if isinstance(event, Pressed):
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
    return data


def check_seats(event: TableEvent, seats: tuple[str, ...]) -> None:
    """Raise :class:`RecordError` where the event names a seat that the header doesn't have."""
    for key in ("by", "allowed", "to"):
        name = getattr(event, key, None)
        if name is not None and name not in seats and not (name == HEAP and isinstance(event, Swept)):
            raise _fail(f"one of the seats {', '.join(seats)}", name)


def read_record(lines: Iterable[str | bytes], name: str = "-") -> Iterator[tuple[int, Header | TableEvent]]:
    """
    Yield ``(line number, header or event)`` for each line; empty lines count and are passed over.

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
            line = raw.decode("utf-8") if isinstance(raw, bytes) else raw
            if not line.strip():
                continue
            data = json.loads(line)
            if isinstance(data, dict) and "kozyr" in data:
                header, at = Header.parse(data), None
                yield number, header
            elif header is None:
                raise _fail("a header as the first line", data)
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
