"""
The results of one event, rulings and announcements in the order in which they arise, and as messages about a line.

A message is a ruling, an announcement or a withdrawal with the line of the record that it belongs to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from referee.cards import Card
from referee.plays import Beat, Laid, Play, Swap
from referee.rulings import NO_FACTS, Announcement, Fault, FaultId, Ruling, Verdict, plain


@dataclass(frozen=True, slots=True)
class Step:
    """The result of one event: its rulings and announcements."""

    rulings: tuple[Ruling, ...] = ()
    announcements: tuple[Announcement, ...] = ()


@dataclass(slots=True)
class Results:
    """Collector of a step, used for one event. It is the only mutable value in the judging of an event."""

    rulings: list[Ruling] = field(default_factory=list)
    announcements: list[Announcement] = field(default_factory=list)

    def say(self, kind: str, /, **facts: object) -> None:
        """Add an announcement."""
        self.announcements.append(Announcement(kind, facts))

    def legal(self, play: Laid | Swap, by: str | None) -> None:
        """Add a ruling that the play is legal."""
        facts: Mapping[str, Any] = {"over": play.over} if isinstance(play, Beat) else NO_FACTS
        self.rulings.append(Ruling(Verdict.LEGAL, play.name, cards_of(play), by, None, facts))

    def fault(
        self,
        fault: Fault,
        play: str,
        by: str | None,
        cards: tuple[Card, ...] = (),
        question: Mapping[str, Any] | None = None,
    ) -> None:
        """Add a ruling with this fault and its verdict."""
        self.rulings.append(Ruling(fault.verdict, play, cards, by, fault.id, fault.facts, question))

    def soften(self) -> None:
        """Make faults ``unclear``, since not all was seen."""
        self.rulings = [
            replace(each, verdict=Verdict.UNCLEAR) if each.verdict is Verdict.ILLEGAL else each for each in self.rulings
        ]

    def step(self) -> Step:
        """Return the collected rulings and announcements."""
        return Step(tuple(self.rulings), tuple(self.announcements))


def cards_of(play: Play) -> tuple[Card, ...]:
    """Return the cards that a ruling on this play names."""
    return play.cards if isinstance(play, Laid | Swap) else ()


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
