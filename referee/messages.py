"""Rulings, announcements and withdrawals, each with the line of the record that it belongs to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
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


class Standing:
    """
    Collect results in their order. ``rulings``, ``announcements``: those that were not withdrawn.

    >>> from referee.rulings import FaultId, Verdict
    >>> wrong = Ruling(Verdict.ILLEGAL, "beat", fault=FaultId.DOES_NOT_BEAT)
    >>> standing = Standing([Message(7, wrong), Message(7, Withdrawal(FaultId.DOES_NOT_BEAT), revised_by=9)])
    >>> standing.rulings
    []
    """

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self.rulings: list[Message] = []
        self.announcements: list[Message] = []
        for each in messages:
            self.hear(each)

    def hear(self, message: Message) -> None:
        """Add one ruling, announcement or withdrawal."""
        what = message.what
        if isinstance(what, Ruling):
            if message.revised_by is not None:
                self._drop(lambda other: other.line == message.line and other.revised_by != message.revised_by)
            self.rulings.append(message)
        elif isinstance(what, Withdrawal):
            self._drop(lambda other: other.line == message.line and fault_of(other) is what.fault)
        elif what.kind == "withdrawn":
            facts = {key: value for key, value in what.facts.items() if key != "of"}
            back = Announcement(what.facts["of"], facts)
            newest = next((other for other in reversed(self.announcements) if other.what == back), None)
            self.announcements = [other for other in self.announcements if other is not newest]
        else:
            self.announcements.append(message)

    def _drop(self, is_gone: Callable[[Message], bool]) -> None:
        self.rulings = [other for other in self.rulings if not is_gone(other)]


def fault_of(message: Message) -> FaultId | None:
    """Return the fault of a ruling; None: a legal ruling, or no ruling."""
    return message.what.fault if isinstance(message.what, Ruling) else None
