"""Collect the rulings and announcements of one event, in the order in which they arise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from referee.announcements import Announcement
from referee.cards import Card
from referee.plays import Laid, Play, Swap
from referee.rulings import NO_FACTS, Fault, Ruling, Verdict


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
        facts: Mapping[str, Any] = {"over": play.over} if hasattr(play, "over") else NO_FACTS
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
