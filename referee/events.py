"""
Events of a match: changes on the table and statements of players, in order of time.

Events are independent of the rules. Each has ``at`` (seconds since the match began; never decreasing), its own facts
and, where a camera reported it, its confidence. The kinds and their keys are those of docs/record.md, *Events*.

A position as a person states it is a part of a header's ``start`` (*Corrections* there).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field, to_builtins
from msgspec.structs import replace

from referee.cards import RANKS, Card
from referee.fields import (
    Cards,
    Count,
    Facts,
    Json,
    LineNumber,
    Name,
    Number,
    Ordinal,
    Probability,
    RecordMessage,
    fail,
    read,
)


class TableFacts(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """
    Stated facts of the position. None: not stated; ``turnup`` None: none lies there.

    ``hands``: cards really held, by seat, for any number of seats.

    >>> facts = TableFacts.parse({"hands": {"A": 5}, "turnup": None})
    >>> facts.as_json()
    {'hands': {'A': 5}, 'turnup': None}
    """

    hands: Annotated[Mapping[str, Count], Meta(description="the count of cards by seat")] = {}
    talon: Count | UnsetType = UNSET
    heap_count: Count | UnsetType = UNSET
    attacker: Name | None = None
    defender: Name | None = None
    turnup: Card | UnsetType | None = UNSET

    @classmethod
    def parse(cls, data: object) -> TableFacts:
        """Read the object under ``table``; :class:`~referee.errors.RecordError` states what was expected."""
        if not data:
            raise fail(f'"table" to be {KEYS}', data)
        return read(data, cls, '"table"', KEYS)

    @property
    def seats(self) -> tuple[str, ...]:
        return (*self.hands, *(seat for seat in (self.attacker, self.defender) if seat is not None))

    def as_json(self) -> Json:
        data: Json = to_builtins(self, enc_hook=str)
        return data


KEYS = f"an object with some of {', '.join(TableFacts.__struct_fields__)}"


HEAP = "heap"
"""The discard pile as the ``to`` of a sweep."""

Rank = Annotated[str, Meta(pattern=f"^[{RANKS}]$", max_length=1, description=f"one of the ranks {RANKS}")]
Otherwise = Annotated[
    tuple[tuple[Facts | None, Number], ...],
    Meta(description="a list of [keys that differ or null, probability]"),
]
"""What may have happened instead of an event, each with its probability."""


class TableEvent(RecordMessage, frozen=True, kw_only=True, tag_field="event", tag=str.lower):
    """
    One change on the table, or one statement.

    ``at``: seconds since the match began. ``confidence``: 0..1, or None where it is certain. ``alternatives``: other
    readings of its card, each with its own confidence. ``otherwise``: what may have happened instead, each with its
    probability: the record's keys that differ (:func:`referee.record.instead_of` makes an event of them), or None for
    no event. ``missed``: the probability that an event since the one before was not reported; None: no sign of one.
    """

    at: Number
    confidence: Probability | None = None
    alternatives: Annotated[tuple[tuple[Card, Number], ...], Meta(description="a list of [card, confidence]")] = ()
    otherwise: Otherwise = ()
    missed: Probability | None = None

    def __hash__(self) -> int:
        # Equal events agree in these; a record has few others that do, and hashing all fields takes ten times as long.
        return hash((type(self), self.at, getattr(self, "card", None), getattr(self, "by", None)))


class Placed(TableEvent, frozen=True, kw_only=True):
    """A card was laid: across ``on``, or beside the others. ``by`` None: the seat is not known."""

    card: Card
    by: Name | None = None
    on: Card | None = None


class Unread(TableEvent, frozen=True, kw_only=True):
    """A card with an unreadable face was laid, across ``on`` or beside the others. ``by`` None: seat not known."""

    by: Name | None = None
    on: Card | None = None


class Named(TableEvent, frozen=True, kw_only=True):
    """
    The unread card that ``by`` laid, across ``on`` or beside the others, is assumed to be this one. Not recorded.

    ``over``: the attack card that a card of the defender beats although it was reported beside the others.
    """

    card: Card
    by: Name
    on: Card | None = None
    over: Card | None = None


class Lifted(TableEvent, frozen=True, kw_only=True):
    """One card left the bout (taken back, put right)."""

    card: Card
    by: Name | None = None


class Dealt(TableEvent, frozen=True, kw_only=True):
    """The deal is over; hands and talon follow from the rules. ``turnup`` None: not seen."""

    turnup: Card | None = None


class Swept(TableEvent, frozen=True, kw_only=True):
    """The bout was cleared to the discard pile or to a seat; ``left``: cards left lying."""

    to: Annotated[str, Meta(description='"heap" or a seat')]
    left: Cards = ()


class Drawn(TableEvent, frozen=True, kw_only=True):
    """``count`` cards drawn from the talon; ``card`` where its face was seen."""

    card: Card | None = None
    by: Name | None = None
    count: Ordinal = 1


class Swapped(TableEvent, frozen=True, kw_only=True):
    """``card`` (the lowest trump) was exchanged for the turn-up."""

    card: Card
    by: Name | None = None


class Shown(TableEvent, frozen=True, kw_only=True):
    """A card was shown and kept (a transfer by showing; Severnyi's last card; proof of the lead)."""

    card: Card
    by: Name | None = None


Button = Literal[
    "allow",
    "assign",
    "challenge",
    "claim",
    "dismiss",
    "done",
    "forgive",
    "pass",
    "resign",
    "take",
    "touched",
    "undo",
    "wait",
]
"""
Statements that can be pressed (docs/record.md, *Events*). ``challenge`` asks what was wrong in the last bout,
``dismiss`` leaves a question or an open fault as it is.
"""


class Pressed(TableEvent, frozen=True, kw_only=True):
    """
    A statement made with a button.

    ``card``: ``UNSET`` where it is not named, None for no trump. ``of``: the line of the correction that an ``undo``
    takes back (None: the newest event), or the line whose question or fault a ``dismiss`` leaves as it is.
    """

    card: Card | UnsetType | None = UNSET
    by: Name | None = None
    to: Name | None = None
    button: Button
    highest: Rank | None = None
    of: LineNumber | None = None
    allowed: Name | None = field(default=None, name="for")
    what: Annotated[Literal["pack", "heap"], Meta(description='"pack" or "heap"')] = "pack"


class Reread(TableEvent, frozen=True, kw_only=True):
    """The card on the table that was taken for ``was`` turned out to be ``card``."""

    card: Card
    was: Card


class Corrected(TableEvent, frozen=True, kw_only=True):
    """
    A correction of the record.

    Either ``line`` of the record becomes ``to`` (None: nothing happened then), or ``insert`` happened after the line
    ``after``, or ``table`` is the position now. ``by``: the seat that corrects; None: the camera, or not known.
    ``anyway``: the person repeated it after the warning that something contradicts it.
    """

    line: int | None = None
    to: TableEvent | None = None
    after: int | None = None
    insert: TableEvent | None = None
    table: TableFacts | None = None
    by: Name | None = None
    anyway: bool = False

    @property
    def is_second_thought(self) -> bool:
        """Check whether the camera made the correction, which then keeps its uncertainty."""
        corrected = self.to or self.insert
        return self.by is None and corrected is not None and corrected.confidence is not None

    @property
    def stated(self) -> Corrected:
        """Return the correction as a person means it: what a person says carries no uncertainty."""
        to, insert = (None if event is None else certain(event) for event in (self.to, self.insert))
        return replace(self, to=to, insert=insert)


def certain(event: TableEvent) -> TableEvent:
    """Return the event without its uncertainty."""
    return replace(event, confidence=None, alternatives=(), otherwise=(), missed=None)


class Blocked(TableEvent, frozen=True, kw_only=True):
    """The table can't be seen."""

    reason: str = ""


class Tick(TableEvent, frozen=True, kw_only=True):
    """Time passed."""


def is_same_play(event: TableEvent, following: TableEvent | None) -> bool:
    """Check whether the two events are cards laid by one seat at one moment."""
    return (
        isinstance(event, Placed)
        and isinstance(following, Placed)
        and (event.at, event.by) == (following.at, following.by)
    )
