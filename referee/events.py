"""
Events of a match: changes on the table and statements of players, in order of time.

Events are independent of the rules. Each has ``at`` (seconds since the match began; never decreasing), its own facts
and, where a camera reported it, its confidence. The kinds and their keys are those of docs/record.md, *Events*.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from referee.cards import Card
from referee.table_facts import TableFacts

HEAP = "heap"
"""The discard pile as the ``to`` of a sweep."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableEvent:
    """
    One change on the table, or one statement.

    ``at``: seconds since the match began. ``confidence``: 0..1, or None where it is certain. ``alternatives``: other
    readings of its card, each with its own confidence. ``otherwise``: what may have happened instead, each with its
    probability: the record's keys that differ (:func:`referee.record.instead_of` makes an event of them), or None for
    no event. ``missed``: the probability that an event since the one before was not reported; None: no sign of one.
    """

    at: float
    confidence: float | None = None
    alternatives: tuple[tuple[Card, float], ...] = ()
    otherwise: tuple[tuple[Mapping[str, Any] | None, float], ...] = field(default=(), hash=False)
    missed: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed(TableEvent):
    """A card was laid: across ``on``, or beside the others. ``by`` None: the seat is not known."""

    card: Card
    by: str | None = None
    on: Card | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread(TableEvent):
    """A card with an unreadable face was laid, across ``on`` or beside the others. ``by`` None: seat not known."""

    by: str | None = None
    on: Card | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifted(TableEvent):
    """One card left the bout (taken back, put right)."""

    card: Card
    by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dealt(TableEvent):
    """The deal is over; hands and talon follow from the rules. ``turnup`` None: not seen."""

    turnup: Card | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept(TableEvent):
    """The bout was cleared to the discard pile or to a seat; ``left``: cards left lying."""

    to: str
    left: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn(TableEvent):
    """``count`` cards drawn from the talon; ``card`` where its face was seen."""

    by: str | None = None
    count: int = 1
    card: Card | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Swapped(TableEvent):
    """``card`` (the lowest trump) was exchanged for the turn-up."""

    card: Card
    by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown(TableEvent):
    """A card was shown and kept (a transfer by showing; Severnyi's last card; proof of the lead)."""

    card: Card
    by: str | None = None


BUTTONS = frozenset(
    {
        *("take", "pass", "done", "allow", "wait", "claim", "touched", "forgive", "assign", "undo", "resign"),
        *("challenge", "dismiss"),
    }
)
"""
Statements that can be pressed (docs/record.md, *Events*). ``challenge`` asks what was wrong in the last bout,
``dismiss`` leaves a question or an open fault as it is.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressed(TableEvent):
    """
    A statement made with a button.

    ``has_card`` distinguishes ``"card": null`` (no trump) from a missing key. ``of``: the line of the correction that
    an ``undo`` takes back (None: the newest event), or the line whose question or fault a ``dismiss`` leaves as it is.
    """

    button: str
    by: str | None = None
    card: Card | None = None
    has_card: bool = False
    highest: str | None = None
    allowed: str | None = None
    what: str = "pack"
    to: str | None = None
    of: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reread(TableEvent):
    """The card on the table that was taken for ``was`` turned out to be ``card``."""

    was: Card
    card: Card


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected(TableEvent):
    """
    A correction of the record.

    Either ``line`` of the record becomes ``to`` (None: nothing happened then), or ``insert`` happened after the line
    ``after``, or ``table`` is the position now. ``by``: the seat that corrects; None: the camera, or not known.
    """

    line: int | None = None
    to: TableEvent | None = None
    after: int | None = None
    insert: TableEvent | None = None
    table: TableFacts | None = None
    by: str | None = None

    @property
    def is_second_thought(self) -> bool:
        """Check whether the camera made the correction, which then keeps its uncertainty."""
        corrected = self.to or self.insert
        return self.by is None and corrected is not None and corrected.confidence is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocked(TableEvent):
    """The table can't be seen."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick(TableEvent):
    """Time passed."""


def is_same_play(event: TableEvent, following: TableEvent | None) -> bool:
    """Check whether the two events are cards laid by one seat at one moment."""
    return (
        isinstance(event, Placed)
        and isinstance(following, Placed)
        and (event.at, event.by) == (following.at, following.by)
    )
