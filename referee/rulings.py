"""
Rulings and announcements: the four verdicts, the fault ids (which never change), and what is announced.

A rule returns a :class:`Fault`; the referee returns a :class:`Ruling` on a play, and an :class:`Announcement` of what
is no ruling (docs/record.md). All are plain values: ids and facts, never sentences (``webapp/text/present`` makes
those).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import Any

from referee.cards import Card

NO_FACTS: Mapping[str, Any] = MappingProxyType({})


class Verdict(Enum):
    """The verdict on a play (docs/rules.md, 15, *Four words for a judgement*)."""

    LEGAL = "legal"
    ILLEGAL = "illegal"
    IMPOSSIBLE = "impossible"
    UNCLEAR = "unclear"

    def __str__(self) -> str:
        return self.value


class FaultId(Enum):
    """The ids of all faults (docs/record.md)."""

    NOT_IN_PACK = "not-in-pack"
    DEAD_CARD = "dead-card"
    DUPLICATE_CARD = "duplicate-card"
    CARD_IN_TALON = "card-in-talon"
    CARD_HELD_BY_OTHER = "card-held-by-other"
    NOT_IN_HAND = "not-in-hand"
    HAND_LEDGER = "hand-ledger"
    NOT_PRINCIPAL = "not-principal"
    NOT_DEFENDER = "not-defender"
    NOT_ENTITLED = "not-entitled"
    PLAYER_OUT = "player-out"
    PRIORITY = "priority"
    LOST_RIGHT = "lost-right"
    GIVE_ORDER = "give-order"
    OPENING_SHAPE = "opening-shape"
    PASS_OPENING = "pass-opening"
    TOO_EARLY = "too-early"
    RANK_NOT_ON_TABLE = "rank-not-on-table"
    LIMIT_EXCEEDED = "limit-exceeded"
    DOES_NOT_BEAT = "does-not-beat"
    NO_SUCH_ATTACK = "no-such-attack"
    ALREADY_BEATEN = "already-beaten"
    TAKE_IS_FINAL = "take-is-final"
    NOTHING_TO_TAKE = "nothing-to-take"
    TRANSFER_OFF = "transfer-off"
    TRANSFER_RANK = "transfer-rank"
    TRANSFER_AFTER_BEAT = "transfer-after-beat"
    TRANSFER_MIXED_RANKS = "transfer-mixed-ranks"
    TRANSFER_TARGET_SHORT = "transfer-target-short"
    NOTHING_TO_TRANSFER = "nothing-to-transfer"
    SHOW_OFF = "show-off"
    SHOW_NOT_TRUMP = "show-not-trump"
    SHOW_REPEATED = "show-repeated"
    GIVE_OFF = "give-off"
    UNBEATEN_CARDS = "unbeaten-cards"
    ATTACK_NOT_CLOSED = "attack-not-closed"
    TAKE_INCOMPLETE = "take-incomplete"
    HEAP_TOUCHED = "heap-touched"
    DRAW_NOT_DUE = "draw-not-due"
    DRAW_OUT_OF_TURN = "draw-out-of-turn"
    DRAW_TOO_MANY = "draw-too-many"
    DRAW_TOO_FEW = "draw-too-few"
    DRAW_PENDING = "draw-pending"
    DRAW_EMPTY = "draw-empty"
    SWAP_OFF = "swap-off"
    SWAP_WRONG_CARD = "swap-wrong-card"
    SWAP_TOO_LATE = "swap-too-late"
    SWAP_NOT_ORIGINAL = "swap-not-original"
    SWAP_ONLY_FOR_ACE = "swap-only-for-ace"
    TOUCHED_PACK = "touched-pack"
    FALSE_LEAD_CLAIM = "false-lead-claim"
    GAME_OVER = "game-over"

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


@dataclass(frozen=True, slots=True)
class Fault:
    """One broken rule: its id, the verdict, and the facts that a sentence about it needs."""

    id: FaultId
    verdict: Verdict
    facts: Mapping[str, Any] = field(default_factory=lambda: NO_FACTS)

    @classmethod
    def of(cls, fault: FaultId, verdict: Verdict | None = None, /, **facts: object) -> Fault:
        """Return a fault with its usual verdict, or the one given."""
        return cls(fault, verdict or grade_of(fault), facts)


@dataclass(frozen=True, slots=True)
class Ruling:
    """
    The ruling on one play.

    ``question``: for ``unclear``, the question that resolves it: ``{"ask": "who" | "card" | "leave", ...}``.
    """

    verdict: Verdict
    play: str
    cards: tuple[Card, ...] = ()
    by: str | None = None
    fault: FaultId | None = None
    facts: Mapping[str, Any] = field(default_factory=lambda: NO_FACTS)
    question: Mapping[str, Any] | None = None

    @property
    def rests_on_leave(self) -> bool:
        """Check whether spoken leave would make the play legal."""
        return self.verdict is Verdict.UNCLEAR and self.fault in MANNERS

    @property
    def asks_leave(self) -> bool:
        """Check whether the ruling asks if a player gave leave."""
        return self.question is not None and self.question["ask"] == "leave"

    def as_json(self) -> dict[str, Any]:
        """Return the keys of docs/record.md, without ``line``, ``at`` and ``text``."""
        data: dict[str, Any] = {"ruling": str(self.verdict)}
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


def plain(value: Any) -> Any:
    """Convert facts to JSON values: cards and enums to text, tuples and sets to lists."""
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, frozenset):
        return sorted(plain(each) for each in value)
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    return str(value) if isinstance(value, Card | Enum) else value


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
