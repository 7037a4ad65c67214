"""Rulings, announcements and withdrawals, each with the line of the record that it belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from referee.announcements import Announcement
from referee.rulings import FaultId, Ruling, plain
from referee.step import Step


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """Withdraw a ruling that no longer holds. ``fault``: the fault that it named; None: it was legal."""

    fault: FaultId | None

    def as_json(self) -> dict[str, Any]:
        """Return the keys of docs/record.md, without ``line``, ``at``, ``of`` and ``text``."""
        return {"withdrawn": "legal" if self.fault is None else str(self.fault)}


@dataclass(frozen=True, slots=True)
class Message:
    """
    One ruling, announcement or withdrawal of a line.

    ``line``: the line of the record that it belongs to. ``revised_by``: the later line that revised it, or None.
    ``probability``: that the fault it names was committed. ``why``: the evidence for and against it, each item with
    ``cue``, ``for`` and ``weight``.
    """

    line: int
    what: Ruling | Announcement | Withdrawal
    probability: float | None = None
    why: tuple[Mapping[str, Any], ...] = ()
    revised_by: int | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the line of docs/record.md, without ``at`` and ``text``."""
        data: dict[str, Any] = {"line": self.revised_by or self.line, **self.what.as_json()}
        if self.revised_by is not None and "of" not in data:
            data["of"] = self.line
        if self.probability is not None:
            data["probability"] = round(self.probability, 4)
        if self.why:
            data["why"] = plain(self.why)
        return data


def messages_of(line: int, step: Step) -> tuple[Message, ...]:
    """Return the rulings and announcements of a step, all of one line."""
    found: tuple[Ruling | Announcement, ...] = (*step.rulings, *step.announcements)
    return tuple(Message(line, each) for each in found)


def in_order(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Return rulings before announcements."""
    return tuple(sorted(messages, key=lambda each: isinstance(each.what, Announcement)))
