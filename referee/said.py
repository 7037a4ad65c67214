"""What a judge says of a line of the record, and that something said before no longer holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from referee.announcements import Announcement
from referee.judgement import Step
from referee.rulings import FaultId, Ruling, plain


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A ruling no longer holds: the fault that it named, or, without one, a legal ruling."""

    fault: FaultId | None

    def as_json(self) -> dict[str, Any]:
        """The keys of docs/record.md, without ``line``, ``at``, ``of`` and ``text``."""
        return {"withdrawn": "legal" if self.fault is None else str(self.fault)}


@dataclass(frozen=True, slots=True)
class Said:
    """
    One thing said.

    ``line``: the record's line that it belongs to. ``anew``: the later line on which it is said, where it takes the
    place of what was said before. ``probability``: that the fault it names was committed. ``why``: what spoke for it
    and against it, each with ``cue``, ``for`` and ``weight``.
    """

    line: int
    what: Ruling | Announcement | Withdrawal
    probability: float | None = None
    why: tuple[Mapping[str, Any], ...] = ()
    anew: int | None = None

    def as_json(self) -> dict[str, Any]:
        """The line of docs/record.md, without ``at`` and ``text``."""
        data: dict[str, Any] = {"line": self.line if self.anew is None else self.anew, **self.what.as_json()}
        if self.anew is not None and "of" not in data:
            data["of"] = self.line
        if self.probability is not None:
            data["probability"] = round(self.probability, 4)
        if self.why:
            data["why"] = plain(self.why)
        return data


def said_of(line: int, step: Step) -> tuple[Said, ...]:
    """A step's rulings and announcements, all of one line."""
    told: tuple[Ruling | Announcement, ...] = (*step.rulings, *step.announcements)
    return tuple(Said(line, each) for each in told)


def in_order(said: Iterable[Said]) -> tuple[Said, ...]:
    """Rulings before announcements."""
    return tuple(sorted(said, key=lambda each: isinstance(each.what, Announcement)))
