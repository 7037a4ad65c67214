"""
Read the first line of a match: rules, seats, dealer, and where it begins (docs/record.md, *Header*).

A header that can't be used raises :class:`~referee.errors.RecordError`; :mod:`referee.rulebook` checks the rules.

Names of players are counted in visible characters: an emoji of several code points is one.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from msgspec import Meta, Struct, to_builtins
from msgspec.structs import replace

from referee.cards import Card, Suit
from referee.events import HEAP
from referee.fields import Cards, Count, Json, Name, Ordinal, RecordMessage, check_distinct, fail, plain, read

LONGEST_NAME = 32
"""Visible characters of a seat's name: the most that the pages have room for."""
MOST_CODE_POINTS = 384
"""Code points of a name: 12 a character, as the longest emoji have. Limits the marks on one letter."""

_JOINER, _NON_JOINER = "\u200d", "\u200c"
_MARKS = frozenset({"Mn", "Me", "Mc"})


def characters(name: str) -> int:
    """
    Count the characters of a name as people do (the grapheme clusters of Unicode, Annex 29, without Hangul's parts).

    >>> [characters(name) for name in ("Anna", "Zoë", "e\u0301", "👩\u200d👩\u200d👧", "🇺🇦🇫🇷", "👍🏽")]
    [4, 3, 1, 1, 2, 1]
    """
    count, last, flags = 0, "", 0
    for letter in name:
        flags = flags + 1 if _is_flag_letter(letter) else 0
        is_joined = _extends(letter) or last == _JOINER or (flags > 0 and flags % 2 == 0)
        count += not (is_joined and last)
        last = letter
    return count


def can_be_shown(name: str) -> bool:
    """
    Check whether a name fits on one line: printable, with joiners only between other characters.

    >>> [can_be_shown(name) for name in ("Anna", "👩\u200d🚀", "bell\u0007", "\u200d")]
    [True, True, False, False]
    """
    if name[:1] in (_JOINER, _NON_JOINER) or name[-1:] in (_JOINER, _NON_JOINER):
        return False
    return all(letter.isprintable() or letter in (_JOINER, _NON_JOINER) or _is_tag(letter) for letter in name)


def is_too_long(name: str) -> bool:
    """Check whether a name is longer than pages can show."""
    return characters(name) > LONGEST_NAME or len(name) > MOST_CODE_POINTS


def _extends(letter: str) -> bool:
    """Check whether it belongs to the character before it: a mark, a joiner, a skin tone or a flag's tag."""
    is_skin_tone = "\U0001f3fb" <= letter <= "\U0001f3ff"
    return unicodedata.category(letter) in _MARKS or letter in (_JOINER, _NON_JOINER) or is_skin_tone or _is_tag(letter)


def _is_tag(letter: str) -> bool:
    return "\U000e0020" <= letter <= "\U000e007f"


def _is_flag_letter(letter: str) -> bool:
    return "\U0001f1e6" <= letter <= "\U0001f1ff"


VERSION = 1
"""The record format's version, the header's ``kozyr``."""

Tone = Literal["call", "hint", "silent"]
TONES: tuple[str, ...] = get_args(Tone)
"""
How faults are announced, the default first: at once; by a sound only; not before a player challenges (in the game's
own tradition cheating stands unless caught).
"""

Witness = Literal["person", "camera"]
"""
Sources of a record. A person's events are certain and complete; a camera may miss an event, misread
a card or report the wrong seat.
"""

Seats = Annotated[tuple[str, ...], Meta(description="a seat or a list of seats")]
CardsBySeat = Annotated[Mapping[str, Cards], Meta(description="cards by seat")]


class Start(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """
    The position a match begins from, where it doesn't begin before the deal. None: not known, or not stated.

    ``heap``: cards known to lie on the discard pile; ``heap_count``: how many lie there (None: follows from the other
    counts).
    """

    trump: Annotated[Suit, Meta(description="one of s, h, d, c")] | None = None
    turnup: Card | None = None
    talon: Count
    hands: Mapping[str, Count]
    attacker: Name | None = None
    defender: Name | None = None
    heap_count: Count | None = None
    bout: Ordinal | None = None
    beaten_off: Count | None = None
    known: CardsBySeat = {}
    picked: CardsBySeat = {}
    heap: Cards = ()
    out: Seats = ()
    teams: Annotated[tuple[tuple[str, ...], ...], Meta(description="a list of lists of seats")] = ()
    hand: Ordinal = 1
    fool: Seats = ()
    winner: Seats = ()

    @classmethod
    def parse(cls, data: object, seats: tuple[str, ...]) -> Start:
        """Read the header's ``start``; seats must be the header's."""
        if not isinstance(data, dict):
            raise fail('"start" to be an object', data)
        named, hands = ", ".join(seats), data.get("hands")
        if not isinstance(hands, dict) or set(hands) != set(seats):
            raise fail(f'"hands" of the start to count the cards of each seat ({named})', hands)
        given = {key: value for key, value in data.items() if value is not None and (value or key not in _MAY_BE_EMPTY)}
        for key in ("out", "fool", "winner"):
            if isinstance(given.get(key), str):
                given[key] = [given[key]]
        start = read(given, cls, '"start"')
        if start.turnup is not None and start.trump not in (None, start.turnup.suit):
            raise fail(f'"trump" to be the suit of the turn-up {start.turnup}', data["trump"])
        for key, cards in (("known", start.known), ("picked", start.picked)):
            if not set(cards) <= set(seats):
                raise fail(f'"{key}" to list cards by seat', data[key])
            for seat, held in cards.items():
                check_distinct(held, f'"{key}" of {seat}')
        check_distinct(start.heap, '"heap"')
        if "teams" in given and sorted(name for team in start.teams for name in team) != sorted(seats):
            raise fail('"teams" to hold each seat once', data["teams"])
        for name in (start.attacker, start.defender, *start.out, *start.fool, *start.winner):
            if name is not None and name not in seats:
                raise fail(f"one of the seats {named}", name)
        if start.attacker is not None and start.attacker == start.defender:
            raise fail("an attacker and a defender that differ", start.attacker)
        return start if start.turnup is None else replace(start, trump=start.turnup.suit)

    def as_json(self) -> Json:
        data = {"trump": None, "turnup": None, **plain(to_builtins(self, enc_hook=str))}
        for key in ("fool", "winner"):
            if len(getattr(self, key)) == 1:
                data[key] = getattr(self, key)[0]
        return data


_MAY_BE_EMPTY = ("heap", "known", "picked")
"""Keys of the start whose value may be anything empty, as earlier versions took it."""


class Header(RecordMessage, frozen=True, kw_only=True, tag_field="kozyr", tag=VERSION):
    """
    The first line of a match: rule set, who sits where (clockwise), where it begins, its tone, the record's source.

    ``dealer``: None where a start names the attacker but not the dealer.

    >>> header = Header.parse({"kozyr": 1, "rules": "podkidnoy-36", "seats": ["A", "B"], "dealer": "B"})
    >>> header.seats, header.start
    (('A', 'B'), None)
    >>> Header.parse(header.as_json()) == header
    True
    """

    rules: Annotated[str, Meta(description="the name of a rule set")]
    options: Mapping[str, Any] = {}
    seats: Annotated[tuple[Annotated[str, Meta(min_length=1)], ...], Meta(description="a list of names")]
    dealer: Name | None = None
    tone: Tone = "call"
    witness: Witness = "person"
    start: Start | None = None

    @classmethod
    def parse(cls, data: object) -> Header:
        """Read the header's object; :class:`RecordError` states what was expected. The rulebook checks the rules."""
        if not isinstance(data, dict) or "kozyr" not in data:
            raise fail('a header with "kozyr", "rules", "seats" and "dealer"', data)
        if isinstance(data["kozyr"], bool) or data["kozyr"] != VERSION:
            raise fail(f'"kozyr" to be {VERSION}, the version of the record', data["kozyr"])
        given = {key: value for key, value in data.items() if key != "start" and (value or key != "options")}
        header, start = read(given, cls, "a header"), data.get("start")
        seats = header.seats
        _check_names(seats)
        is_needed = not (isinstance(start, dict) and start.get("attacker") is not None)
        if header.dealer not in seats and (header.dealer is not None or is_needed):
            raise fail(f'"dealer" to be one of the seats {", ".join(seats)}', header.dealer)
        return header if start is None else replace(header, start=Start.parse(start, seats))

    def as_json(self) -> Json:
        data: Json = plain(to_builtins(replace(self, start=None), enc_hook=str))
        return data if self.start is None else data | {"start": self.start.as_json()}


def _check_names(seats: tuple[str, ...]) -> None:
    """Raise :class:`RecordError` where names can't be shown or told apart."""
    if not all(can_be_shown(seat) for seat in seats):
        raise fail('"seats" to be names that can be printed on one line', seats)
    too_long = next(filter(is_too_long, seats), None)
    if too_long is not None:
        raise fail(f'"seats" to be names of at most {LONGEST_NAME} characters', too_long)
    if len(set(seats)) != len(seats) or HEAP in seats:
        raise fail(f'"seats" to be different names, none of them {HEAP!r}', seats)
    if not 2 <= len(seats) <= 6:
        raise fail("two to six seats", seats)
