"""
Read the first line of a match: rules, seats, dealer, and where it begins (docs/record.md, *Header*).

A header that can't be used raises :class:`~referee.errors.RecordError`; :mod:`referee.rulebook` checks the rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from referee.cards import Card, Suit
from referee.events import HEAP
from referee.fields import cards_of, count_of, fail, name_of, optional_card_of
from referee.names import LONGEST_NAME, can_be_shown, is_too_long

VERSION = 1
"""The record format's version, the header's ``kozyr``."""

TONES = ("call", "hint", "silent")
"""
How faults are announced, the default first: at once; by a sound only; not before a player challenges (in the game's
own tradition cheating stands unless caught).
"""

WITNESSES = ("person", "camera")
"""
Sources of a record, the default first. A person's events are certain and complete; a camera may miss an event, misread
a card or report the wrong seat.
"""

_EMPTY: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Start:
    """
    The position a match begins from, where it doesn't begin before the deal. None: not known, or not stated.

    ``heap``: cards known to lie on the discard pile; ``heap_count``: how many lie there (None: follows from the other
    counts).
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
            raise fail('"start" to be an object', data)
        hands_in = data.get("hands")
        if not isinstance(hands_in, dict) or set(hands_in) != set(seats):
            raise fail(f'"hands" of the start to count the cards of each seat ({", ".join(seats)})', hands_in)
        hands = {seat: count_of(hands_in[seat], f'"hands" of {seat}') for seat in seats}
        turnup = optional_card_of(data, "turnup")
        trump = data.get("trump")
        if trump is not None and (not isinstance(trump, str) or trump not in ("s", "h", "d", "c")):
            raise fail('"trump" to be one of s, h, d, c', trump)
        suit = Suit(trump) if trump is not None else (turnup.suit if turnup else None)
        if turnup is not None and suit is not turnup.suit:
            raise fail(f'"trump" to be the suit of the turn-up {turnup}', trump)
        start = cls(
            hands=hands,
            talon=count_of(data.get("talon"), '"talon"'),
            trump=suit,
            turnup=turnup,
            attacker=name_of(data, "attacker"),
            defender=name_of(data, "defender"),
            known=_cards_by_seat(data, "known", seats),
            picked=_cards_by_seat(data, "picked", seats),
            heap=cards_of(data.get("heap") or [], '"heap"'),
            heap_count=None if data.get("heap_count") is None else count_of(data["heap_count"], '"heap_count"'),
            out=_names(data, "out"),
            bout=None if data.get("bout") is None else count_of(data["bout"], '"bout"', 1),
            beaten_off=None if data.get("beaten_off") is None else count_of(data["beaten_off"], '"beaten_off"'),
            teams=_teams(data.get("teams"), seats),
            hand=1 if data.get("hand") is None else count_of(data["hand"], '"hand"', 1),
            fool=_names(data, "fool"),
            winner=_names(data, "winner"),
        )
        for seat in (start.attacker, start.defender, *start.out, *start.fool, *start.winner):
            if seat is not None and seat not in seats:
                raise fail(f"one of the seats {', '.join(seats)}", seat)
        if start.attacker is not None and start.attacker == start.defender:
            raise fail("an attacker and a defender that differ", start.attacker)
        return start

    def as_json(self) -> dict[str, Any]:
        """Return the ``start`` of docs/record.md, *Header*, without fields that are not known."""
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
    """Read a seat or a list of seats; None gives no seat."""
    value = data.get(key)
    names = [] if value is None else [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise fail(f'"{key}" to be a seat or a list of seats', value)
    return tuple(names)


def _cards_by_seat(data: Mapping[str, Any], key: str, seats: tuple[str, ...]) -> Mapping[str, tuple[Card, ...]]:
    value = data.get(key) or {}
    if not isinstance(value, dict) or not set(value) <= set(seats):
        raise fail(f'"{key}" to list cards by seat', value)
    return {seat: cards_of(cards, f'"{key}" of {seat}') for seat, cards in value.items()}


def _teams(value: object, seats: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(team, list) for team in value):
        raise fail('"teams" to be a list of lists of seats', value)
    names = [name for team in value for name in team]
    if any(not isinstance(name, str) for name in names) or sorted(names) != sorted(seats):
        raise fail('"teams" to hold each seat once', value)
    return tuple(tuple(team) for team in value)


@dataclass(frozen=True, slots=True)
class Header:
    """
    The first line of a match: rule set, who sits where (clockwise), where it begins, its tone, the record's source.

    ``dealer``: None where a start names the attacker but not the dealer.

    >>> header = Header.parse({"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B"], "dealer": "B"})
    >>> header.seats, header.start
    (('A', 'B'), None)
    >>> Header.parse(header.as_json()) == header
    True
    """

    rules: str
    seats: tuple[str, ...]
    dealer: str | None
    options: Mapping[str, Any] = field(default_factory=lambda: _EMPTY)
    start: Start | None = None
    tone: str = TONES[0]
    witness: str = WITNESSES[0]

    @classmethod
    def parse(cls, data: object) -> Header:
        """Read the header's object; :class:`RecordError` states what was expected. The rulebook checks the rules."""
        if not isinstance(data, dict) or "kozyr" not in data:
            raise fail('a header with "kozyr", "rules", "seats" and "dealer"', data)
        if isinstance(data["kozyr"], bool) or data["kozyr"] != VERSION:
            raise fail(f'"kozyr" to be {VERSION}, the version of the record', data["kozyr"])
        if not isinstance(data.get("rules"), str):
            raise fail('"rules" to be the name of a rule set', data.get("rules"))
        seats = data.get("seats")
        if not isinstance(seats, list) or not all(isinstance(seat, str) and seat for seat in seats):
            raise fail('"seats" to be a list of names', seats)
        if not all(can_be_shown(seat) for seat in seats):
            raise fail('"seats" to be names that can be printed on one line', seats)
        too_long = next(filter(is_too_long, seats), None)
        if too_long is not None:
            raise fail(f'"seats" to be names of at most {LONGEST_NAME} characters', too_long)
        if len(set(seats)) != len(seats) or HEAP in seats:
            raise fail(f'"seats" to be different names, none of them {HEAP!r}', seats)
        if not 2 <= len(seats) <= 6:
            raise fail("two to six seats", seats)
        dealer = data.get("dealer")
        start = data.get("start")
        is_needed = not (isinstance(start, dict) and start.get("attacker") is not None)
        if dealer not in seats and (dealer is not None or is_needed):
            raise fail(f'"dealer" to be one of the seats {", ".join(seats)}', dealer)
        options = data.get("options") or {}
        if not isinstance(options, dict):
            raise fail('"options" to be an object', options)
        tone = data.get("tone", TONES[0])
        if tone not in TONES:
            raise fail(f'"tone" to be one of {", ".join(TONES)}', tone)
        witness = data.get("witness", WITNESSES[0])
        if witness not in WITNESSES:
            raise fail(f'"witness" to be one of {", ".join(WITNESSES)}', witness)
        return cls(
            rules=data["rules"],
            seats=tuple(seats),
            dealer=dealer,
            options=dict(options),
            start=None if start is None else Start.parse(start, tuple(seats)),
            tone=tone,
            witness=witness,
        )

    def as_json(self) -> dict[str, Any]:
        """Return the header line's object."""
        data: dict[str, Any] = {"kozyr": VERSION, "rules": self.rules}
        if self.options:
            data["options"] = dict(self.options)
        data["seats"] = list(self.seats)
        if self.dealer is not None:
            data["dealer"] = self.dealer
        if self.tone != TONES[0]:
            data["tone"] = self.tone
        if self.witness != WITNESSES[0]:
            data["witness"] = self.witness
        if self.start is not None:
            data["start"] = self.start.as_json()
        return data
