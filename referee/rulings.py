"""
Rulings and announcements: the four verdicts, the fault ids (which never change), and what is announced.

A rule returns a :class:`Fault`; the referee returns a :class:`Ruling` on a play, and an :class:`Announcement` of what
is no ruling (docs/record.md). All are plain values: ids and facts, never sentences (``webapp/text/present`` makes
those).

The results of one event are collected in the order in which they arise. A message is a ruling, an announcement or a
withdrawal with the line of the record that it belongs to.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from types import MappingProxyType
from typing import Any

from referee.cards import BACK, Card
from referee.fields import Facts, Json, plain
from referee.plays import Beat, Laid, Swap
from referee.rulebook import FaultId

NO_FACTS: Facts = MappingProxyType({})


class Verdict(Enum):
    """The verdict on a play (docs/rules.md, 15, *Four words for a judgement*)."""

    __hash__ = object.__hash__  # there is one object of each, and hypotheses are compared by them

    LEGAL = "legal"
    ILLEGAL = "illegal"
    IMPOSSIBLE = "impossible"
    UNCLEAR = "unclear"

    def __str__(self) -> str:
        return self.value


_GRADES = {
    FaultId.NOT_IN_PACK: Verdict.IMPOSSIBLE,
    FaultId.DEAD_CARD: Verdict.IMPOSSIBLE,
    FaultId.DUPLICATE_CARD: Verdict.IMPOSSIBLE,
    FaultId.CARD_IN_TALON: Verdict.IMPOSSIBLE,
    FaultId.CARD_HELD_BY_OTHER: Verdict.IMPOSSIBLE,
    FaultId.NOT_IN_HAND: Verdict.IMPOSSIBLE,
    FaultId.HAND_LEDGER: Verdict.IMPOSSIBLE,
    FaultId.PLAYER_OUT: Verdict.IMPOSSIBLE,
    FaultId.PRIORITY: Verdict.UNCLEAR,
}
"""Verdicts of faults that are not ``illegal``; the rule that found a fault may give another (docs/rules.md, 15)."""


def grade_of(fault: FaultId) -> Verdict:
    """
    Return the verdict of a fault where everything was seen (docs/rules.md, *Four words for a judgement*).

    >>> str(grade_of(FaultId.DEAD_CARD)), str(grade_of(FaultId.DOES_NOT_BEAT))
    ('impossible', 'illegal')
    """
    return _GRADES.get(fault, Verdict.ILLEGAL)


MANNERS = frozenset((FaultId.PRIORITY, FaultId.ATTACK_NOT_CLOSED))
"""Faults that are excused by leave, which players give by speaking (option ``etiquette``)."""


SEAT_FACTS = frozenset(
    ("attackers", "before", "dealer", "defender", "holder", "principal", "seat", "seats", "target", "turn")
)
"""Facts that name seats, which rules know by number (:meth:`Fault.named`); ``due`` names them too if it lists draws."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One broken rule: its id, the verdict, and the facts that a sentence about it needs."""

    id: FaultId
    verdict: Verdict
    facts: Facts = field(default_factory=lambda: NO_FACTS)

    @classmethod
    def of(cls, fault: FaultId, verdict: Verdict | None = None, /, **facts: object) -> Fault:
        """Return a fault with its usual verdict, or the one given."""
        return cls(fault, verdict or grade_of(fault), facts)

    def named(self, seats: Sequence[str]) -> Fault:
        """Return the fault of a rule, whose facts have the numbers of seats, with their names."""
        facts = {key: _named(value, seats) if key in SEAT_FACTS else value for key, value in self.facts.items()}
        due = self.facts.get("due")
        if isinstance(due, tuple):
            facts["due"] = tuple((seats[seat], count) for seat, count in due)
        return Fault(self.id, self.verdict, facts)


@dataclass(frozen=True, slots=True)
class Ruling:
    """
    The ruling on one play.

    ``question``: for ``unclear``, the question that resolves it: ``{"ask": "card" | "leave" | "fault", ...}``.
    """

    verdict: Verdict
    play: str
    cards: tuple[Card, ...] = ()
    by: str | None = None
    fault: FaultId | None = None
    facts: Facts = field(default_factory=lambda: NO_FACTS)
    question: Facts | None = None

    @property
    def rests_on_leave(self) -> bool:
        """Check whether spoken leave would make the play legal."""
        return self.verdict is Verdict.UNCLEAR and self.fault in MANNERS

    @property
    def asks_leave(self) -> bool:
        """Check whether the ruling asks if a player gave leave."""
        return self.question is not None and self.question["ask"] == "leave"

    def without_names(self, unread: Container[Card], ranks: frozenset[str]) -> Ruling:
        """Return the ruling with cards that nobody has read as ``back``. ``ranks``: those of the cards on the table."""
        cards = tuple(card for card in self.cards if card not in unread)
        facts = {key: value & ranks if key == "ranks" else _unnamed(value, unread) for key, value in self.facts.items()}
        return replace(self, cards=cards, facts=facts)

    def as_json(self) -> Json:
        """Return the keys of docs/record.md, without ``line``, ``at`` and ``text``."""
        data: Json = {"ruling": str(self.verdict)}
        if self.fault is not None:
            data["fault"] = str(self.fault)
        data["play"] = self.play
        data["cards"] = [str(card) for card in self.cards]
        data["by"] = self.by
        if self.facts:
            data["facts"] = plain(self.facts)
        if self.question is not None:
            data["question"] = plain(self.question)
        return data


def _named(value: int | tuple[int, ...], seats: Sequence[str]) -> object:
    """Return the seats with these numbers; None for nobody."""
    if isinstance(value, tuple):
        return tuple(seats[number] for number in value)
    return seats[value] if value >= 0 else None


def _unnamed(value: Any, unread: Container[Card]) -> Any:
    """Return a fact with cards that nobody has read as ``back``."""
    if isinstance(value, tuple):
        return tuple(_unnamed(part, unread) for part in value)
    return BACK if isinstance(value, Card) and value in unread else value


KINDS = {
    **dict.fromkeys(("lead", "turn", "draw", "turnup", "trump", "out", "result", "deal", "score"), True),
    **dict.fromkeys(("talon", "limit", "withdrawn", "doubt", "challenge", "unread"), False),
}
"""
The kinds (docs/record.md, *Rulings and announcements*), and whether it is withdrawn when it no longer holds. A count is
announced again instead; ``doubt``, ``challenge`` and ``unread`` answer an event and change nothing.
"""


@dataclass(frozen=True, slots=True)
class Announcement:
    """One announcement: its kind and its facts."""

    kind: str
    facts: Facts = field(default_factory=lambda: NO_FACTS)

    @classmethod
    def of(cls, kind: str, /, **facts: object) -> Announcement:
        """Return an announcement with its facts as keywords."""
        return cls(kind, facts)

    @property
    def can_be_withdrawn(self) -> bool:
        """Check whether people are told when it no longer holds."""
        return KINDS[self.kind]

    def withdrawn(self) -> Announcement:
        return Announcement("withdrawn", {"of": self.kind, **self.facts})

    def as_json(self) -> Json:
        """Return the keys of docs/record.md, without ``line``, ``at`` and ``text``."""
        return {"announce": self.kind, **plain(self.facts)}


@dataclass(frozen=True, slots=True)
class Step:
    """The result of one event: its rulings and announcements."""

    rulings: tuple[Ruling, ...] = ()
    announcements: tuple[Announcement, ...] = ()


@dataclass(slots=True)
class Results:
    """
    Collector of the rulings on one event, and of notes on an event that changed nothing (``doubt``, ``unread``). It is
    the only mutable value in the judging of an event.
    """

    rulings: list[Ruling] = field(default_factory=list)
    notes: list[Announcement] = field(default_factory=list)

    def note(self, kind: str, /, **facts: object) -> None:
        self.notes.append(Announcement(kind, facts))

    def legal(self, play: Laid | Swap, by: str | None) -> None:
        facts: Facts = {"over": play.over} if isinstance(play, Beat) else NO_FACTS
        self.rulings.append(Ruling(Verdict.LEGAL, play.name, play.cards, by, None, facts))

    def fault(
        self,
        fault: Fault,
        play: str,
        by: str | None,
        cards: tuple[Card, ...] = (),
        question: Facts | None = None,
    ) -> None:
        self.rulings.append(Ruling(fault.verdict, play, cards, by, fault.id, fault.facts, question))


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """Withdraw a ruling that no longer holds. ``fault``: the fault that it named; None: it was legal."""

    fault: FaultId | None

    def as_json(self) -> Json:
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
    why: tuple[Facts, ...] = ()
    revised_by: int | None = None

    def as_json(self) -> Json:
        """Return the line of docs/record.md, without ``at`` and ``text``."""
        data: Json = {"line": self.revised_by or self.line, **self.what.as_json()}
        if self.revised_by is not None and "of" not in data:
            data["of"] = self.line
        if self.probability is not None:
            data["probability"] = round(self.probability, 4)
        if self.why:
            data["why"] = plain(self.why)
        return data


def messages_of(line: int, step: Step) -> tuple[Message, ...]:
    found: tuple[Ruling | Announcement, ...] = (*step.rulings, *step.announcements)
    return tuple(Message(line, ruling) for ruling in found)


def in_order(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Return rulings before announcements."""
    return tuple(sorted(messages, key=lambda message: isinstance(message.what, Announcement)))


def holding(messages: Iterable[Message]) -> tuple[Message, ...]:
    """
    Return the rulings and announcements that were neither withdrawn nor replaced later, in order.

    >>> wrong = Ruling(Verdict.ILLEGAL, "beat", fault=FaultId.DOES_NOT_BEAT)
    >>> holding([Message(7, wrong), Message(7, Withdrawal(FaultId.DOES_NOT_BEAT), revised_by=9)])
    ()
    """
    held: list[Message] = []
    for message in messages:
        what, line = message.what, message.line
        if isinstance(what, Announcement) and what.kind == "withdrawn":
            back = Announcement(what.facts["of"], {key: value for key, value in what.facts.items() if key != "of"})
            gone = next((message for message in reversed(held) if message.what == back), None)
            held = [message for message in held if message is not gone]
            continue
        if isinstance(what, Withdrawal) or (isinstance(what, Ruling) and message.revised_by is not None):
            held = [
                other
                for other in held
                if other.line != line
                or isinstance(other.what, Announcement)
                or (
                    fault_of(other) is not what.fault
                    if isinstance(what, Withdrawal)
                    else other.revised_by == message.revised_by
                )
            ]
        if not isinstance(what, Withdrawal):
            held.append(message)
    return tuple(held)


def fault_of(message: Message) -> FaultId | None:
    """Return the fault of a ruling; None: a legal ruling, or no ruling."""
    return message.what.fault if isinstance(message.what, Ruling) else None
