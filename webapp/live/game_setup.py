"""Hold the settings chosen before a game: players, rules, cards and camera; and build the record's header."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from referee.fields import PlainValue, fail, read
from referee.header import LONGEST_NAME, TONES, Tone, can_be_shown, is_too_long
from referee.match_judge import MatchJudge
from referee.record import Header
from referee.rulebook import FREE, rulebook
from webapp.text.catalogue import LANGUAGES

USUAL_RULES = "podkidnoy-36"
NO_OPTIONS: Mapping[str, Any] = MappingProxyType({})
LONGEST_SOURCE = 1000
A_START = "a position as a record's header has it under 'start', or null"
A_LANGUAGE = f"one of {', '.join(LANGUAGES)}"


class GameSetup(PlainValue, frozen=True):
    """
    The settings of `watch`, from the command line or the page.

    ``source``: as ``vision.capture.sources.open_source`` takes it, None if not chosen. ``seats``: clockwise as the
    camera sees them, the first at the bottom edge; empty if not chosen. ``dealer``: None is the last seat. ``lead``:
    who leads the first bout of a game that has not been dealt, None: as the rules say. ``start``: a position under way,
    as in a record's header. ``deck``: name of an enrolled deck. ``recording``: is a film kept? ``mirrored``: are the
    pictures of a camera turned back?
    """

    source: str | None = None
    seats: tuple[str, ...] = ()
    rules: str = USUAL_RULES
    options: Mapping[str, Any] = NO_OPTIONS
    dealer: str | None = None
    lead: str | None = None
    start: Mapping[str, Any] | None = None
    deck: str | None = None
    language: str = LANGUAGES[0]
    tone: str = TONES[0]
    recording: bool = True
    mirrored: bool = False

    @property
    def missing(self) -> tuple[str, ...]:
        """
        Return what a game needs and nobody has chosen: of ``source``, ``seats``, ``trump`` and ``talon``.

        The free table needs neither names nor a position. A position may leave the trump out, but not name none.
        """
        lacking = {"source": self.source is None}
        if self.rules != FREE:
            lacking["seats"] = len(self.seats) < 2
            lacking |= {key: self.start is not None and self.start.get(key, "") is None for key in ASKED_IN_START}
        return tuple(key for key, lacks in lacking.items() if lacks)

    def changed(self, values: Mapping[str, Any]) -> GameSetup:
        """
        Return a copy with ``values`` as ``POST /api/setup`` takes them; ``ValueError`` says what is wrong.

        A position or a dealer that names somebody who no longer plays is dropped, unless ``values`` sets it.

        >>> setup = GameSetup(source="0").changed({"seats": ["Anna", "Boris"], "dealer": "Anna"})
        >>> setup.changed({"seats": ["Anna", "Vera"]}).dealer, setup.changed({"seats": ["Vera", "Boris"]}).dealer
        ('Anna', None)
        >>> setup.changed({"dealer": "Vera"})
        Traceback (most recent call last):
            ...
        ValueError: expected one of the seats Anna, Boris, got 'Vera'
        """
        read = read_choices(values)
        if "rules" in read and "options" not in read and read["rules"] != self.rules:
            read["options"] = NO_OPTIONS
        if "mirrored" not in read and read.get("source", self.source) != self.source:
            read["mirrored"] = False
        setup = replace(self, **read)
        gone: dict[str, Any] = {
            key: None
            for key in ("dealer", "lead")
            if key not in read and getattr(setup, key) is not None and getattr(setup, key) not in setup.seats
        }
        if "start" not in read and setup.start is not None and set(setup.start.get("hands", ())) != set(setup.seats):
            gone["start"] = None
        setup = replace(setup, **gone)
        if setup.seats or setup.rules == FREE:
            start = setup.start
            if start is not None and start.get("talon") is None:  # any value for what it still lacks
                start = {key: value for key, value in start.items() if key != "heap_count"}
                start |= {"talon": 0, "turnup": None}
            replace(setup, start=start).header()  # raises if settings contradict each other
        elif "rules" in read or "options" in read:
            fewest = rulebook(setup.rules, setup.options).players()[0]
            replace(setup, seats=tuple("ABCDEF"[:fewest])).header()
        return setup

    def header(self) -> Header:
        """Return the record's header; ``ValueError`` if rules, options, seats and start contradict each other."""
        seats = self.seats or FREE_SEATS
        for name in (self.dealer, self.lead):
            if name is not None and name not in seats:
                raise ValueError(f"expected one of the seats {', '.join(seats)}, got {name!r:.60}")
        values: dict[str, Any] = {
            "kozyr": 1,
            "witness": "camera",
            "rules": self.rules,
            "options": dict(self.options),
            "seats": list(seats),
            "dealer": self.dealer or seats[-1],
        }
        if self.tone != TONES[0]:
            values["tone"] = self.tone
        if self.start is not None:
            values["start"] = dict(self.start)
        elif self.lead is not None:  # rule sets name the dealer; whoever leads sits to the dealer's left
            values["options"]["first_lead"] = "left_of_dealer"
            values["dealer"] = seats[seats.index(self.lead) - 1]
        header = Header.parse(values)
        MatchJudge(header)  # checks the number of seats and the counts of the start
        return header

    @classmethod
    def of(cls, header: Header, **more: Any) -> GameSetup:
        values = header.as_json()
        return cls(
            seats=tuple(header.seats),
            rules=header.rules,
            options=dict(values.get("options", {})),
            dealer=values.get("dealer"),
            start=values.get("start"),
            tone=header.tone,
            **more,
        )


ASKED_IN_START = ("trump", "talon")
"""What a position under way must state, and the set-up may still lack."""


FREE_SEATS = ("A", "B")
"""Seats of a free table: people name none, and the record needs two."""


def _text(description: str, longest: int = 100) -> Meta:
    return Meta(min_length=1, max_length=longest, description=description)


class SetupChoices(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What ``POST /api/setup`` may choose; keys that are not sent stay as they are, null takes a choice back."""

    source: Annotated[str, _text("a camera or a film", LONGEST_SOURCE)] | UnsetType | None = UNSET
    seats: Annotated[list[str], Meta(description="two to six names as a list")] | UnsetType = UNSET
    rules: Annotated[str, _text("the name of a rule set")] | UnsetType = UNSET
    options: Annotated[Mapping[str, Any], Meta(description="an object such as {'transfer': true}")] | UnsetType = UNSET
    dealer: Annotated[str, _text("a seat's name")] | UnsetType | None = UNSET
    lead: Annotated[str, _text("a seat's name")] | UnsetType | None = UNSET
    start: Annotated[Mapping[str, Any], Meta(description=A_START)] | UnsetType | None = UNSET
    deck: Annotated[str, _text("the name of a deck")] | UnsetType | None = UNSET
    language: Annotated[str, Meta(pattern=f"^({'|'.join(LANGUAGES)})$", description=A_LANGUAGE)] | UnsetType = UNSET
    tone: Tone | UnsetType = UNSET
    recording: bool | UnsetType = UNSET
    mirrored: bool | UnsetType = UNSET

    def choices(self) -> dict[str, Any]:
        found = {key: getattr(self, key) for key in SetupChoices.__struct_fields__}
        return {key: value for key, value in found.items() if value is not UNSET}


def read_choices(values: Mapping[str, Any]) -> dict[str, Any]:
    found = read(dict(values), SetupChoices, "the setup").choices()
    for key in ("source", "rules", "dealer", "lead", "deck"):
        if found.get(key) is not None:
            found[key] = found[key].strip()
            if not found[key] or not found[key].isprintable():
                raise fail(f'"{key}" to be a name that can be printed on one line', values[key])
    return found | {"seats": _seats(found["seats"])} if "seats" in found else found


def _seats(value: list[str]) -> tuple[str, ...]:
    if not value:
        return ()
    names = tuple(name.strip() for name in value)
    if not 2 <= len(names) <= 6:
        raise ValueError(f"expected two to six different names, got {len(names)}; add or remove some")
    for name in names:
        if not name:
            raise ValueError("expected a name for each player, got an empty one; type one")
        if not can_be_shown(name):
            raise ValueError(f"expected names that can be read, got {name!r:.60}; type another")
        if is_too_long(name):
            raise ValueError(f"expected names of at most {LONGEST_NAME} characters, got {name:.80}; shorten it")
        if names.count(name) > 1:
            raise ValueError(f"expected different names, got {name} twice; add a letter to one of them")
    return names
