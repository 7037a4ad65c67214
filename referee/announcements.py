"""Announcements, which are no rulings: a key and its facts, never a sentence (docs/record.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from referee.rulings import NO_FACTS, plain

KINDS = (
    "lead",
    "turn",
    "draw",
    "talon",
    "turnup",
    "trump",
    "out",
    "limit",
    "result",
    "deal",
    "score",
    "withdrawn",
    "doubt",
    "challenge",
    "unread",
)
"""
The kinds (docs/record.md, *Rulings and announcements*). Among them: ``challenge`` (``count``: how many faults of the
last bout the rulings beside it name), ``withdrawn`` (``of``: an earlier announcement no longer holds, after an
``undo`` or a correction), ``doubt`` (``reason``: an event that fits no card on the table, such as a lift of a card
that does not lie there; it changed nothing), and ``unread`` (``by``, ``on``: a card with an unreadable face was laid).
"""


@dataclass(frozen=True, slots=True)
class Announcement:
    """One announcement: its kind and its facts."""

    kind: str
    facts: Mapping[str, Any] = field(default_factory=lambda: NO_FACTS)

    @classmethod
    def of(cls, kind: str, /, **facts: object) -> Announcement:
        """Return an announcement with its facts as keywords."""
        return cls(kind, facts)

    def as_json(self) -> dict[str, Any]:
        """Return the keys of docs/record.md, without ``line``, ``at`` and ``text``."""
        return {"announce": self.kind, **plain(self.facts)}
