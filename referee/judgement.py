"""What the referee says while judging one event: rulings and announcements, gathered in the order they come up."""

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
    """What one event brought: rulings on it and announcements it caused."""

    rulings: tuple[Ruling, ...] = ()
    announcements: tuple[Announcement, ...] = ()


@dataclass(slots=True)
class Told:
    """A step being gathered. The one thing in the referee that is filled in place; it lives for one event."""

    rulings: list[Ruling] = field(default_factory=list)
    announcements: list[Announcement] = field(default_factory=list)

    def say(self, kind: str, /, **facts: object) -> None:
        """Announce."""
        self.announcements.append(Announcement(kind, facts))

    def legal(self, play: Laid | Swap, by: str | None) -> None:
        """Rule that the play breaks no rule."""
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
        """Rule that the play breaks a rule, with the fault's own grade."""
        self.rulings.append(Ruling(fault.verdict, play, cards, by, fault.id, fault.facts, question))

    def soften(self) -> None:
        """Not all was seen: nobody is accused of breaking a rule."""
        self.rulings = [
            replace(each, verdict=Verdict.UNCLEAR) if each.verdict is Verdict.ILLEGAL else each for each in self.rulings
        ]

    def step(self) -> Step:
        """What was gathered."""
        return Step(tuple(self.rulings), tuple(self.announcements))


def cards_of(play: Play) -> tuple[Card, ...]:
    """The cards that a ruling on this play names."""
    return play.cards if isinstance(play, Laid | Swap) else ()
