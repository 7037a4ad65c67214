"""What a hypothesis remembers: line by line what it takes each told one for, and the rules broken there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from referee.announcements import Announcement
from referee.events import TableEvent
from referee.rulings import FaultId, Ruling, Verdict

WINDOW = 4
"""So many of the newest lines are told apart: hypotheses that differ in their faults there are not merged."""

REMEMBERED = 16
"""Of so many of the newest lines it is remembered how likely a rule was broken there, whatever is merged since."""


@dataclass(frozen=True, slots=True, eq=False)
class Trail:
    """
    What a hypothesis holds of one told line: the event taken for it (None: nothing happened), what went unseen before
    it, and what the law said. ``place``: its number among the lines fed. ``log_factor``: how well it explains the line,
    natural logarithm, and ``log_prior`` what of that is how likely people do such a thing. ``before``: the line before.
    """

    before: Trail | None
    place: int
    event: TableEvent | None
    cue: str
    unseen: tuple[TableEvent, ...]
    rulings: tuple[Ruling, ...]
    announced: tuple[Announcement, ...]
    log_factor: float
    log_prior: float = 0.0


class Blame(NamedTuple):
    """That a rule was broken on a line: its number, the fault, how likely by this hypothesis, and what the law said."""

    place: int
    fault: FaultId | None
    share: float
    rulings: tuple[Ruling, ...]


def on_place(trail: Trail | None, place: int) -> Trail | None:
    """What a hypothesis holds of the line fed as number ``place``."""
    while trail is not None and trail.place > place:
        trail = trail.before
    return trail if trail is not None and trail.place == place else None


def in_told_order(trail: Trail | None) -> Trail | None:
    """The two newest lines, taken the other way round, under their own numbers again."""
    if trail is None or trail.before is None:
        return trail
    later, earlier = trail, trail.before
    return replace(earlier, place=later.place, before=replace(later, place=earlier.place, before=earlier.before))


def accuses(ruling: Ruling) -> bool:
    """Does it say that a rule was broken, or that a card can't be where it is?"""
    return ruling.verdict in (Verdict.ILLEGAL, Verdict.IMPOSSIBLE)
