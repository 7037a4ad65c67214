"""
How a hypothesis interprets a line of the record, linked to the lines before.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from referee.events import TableEvent
from referee.rulebook import FaultId
from referee.rulings import Announcement, Ruling, Verdict

WINDOW = 4
"""Number of newest lines. Hypotheses that differ in the faults on them are not merged."""

REMEMBERED = 64
"""
Number of newest lines for which the probability of a fault is kept, also after hypotheses were merged: unbeaten cards
that were swept leave nothing to see but a hand that is empty too late.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Interpretation:
    """
    How a hypothesis interprets one reported line, linked to the line before.

    ``place``: the line's ordinal among the observed lines. ``event``: what happened; None: nothing. ``cue``: which
    alternative of the line this is. ``unseen``: the events assumed before it. ``rulings`` and ``announced``: what the
    rules give for it. ``log_factor``: natural logarithm of the factor by which the line changed the hypothesis's
    weight; ``log_prior``: the part of it that is the prior of the play. ``is_silent_error``: the record lists no such
    alternative. ``before``: the interpretation of the previous line. ``faults``: those of its rulings that accuse
    somebody; ``recent``: those of the newest ``WINDOW`` lines.
    """

    before: Interpretation | None
    place: int
    event: TableEvent | None
    cue: str
    unseen: tuple[TableEvent, ...]
    rulings: tuple[Ruling, ...]
    announced: tuple[Announcement, ...]
    log_factor: float
    log_prior: float = 0.0
    is_silent_error: bool = False
    faults: tuple[FaultId | None, ...] = field(init=False)
    recent: tuple[tuple[FaultId | None, ...], ...] = field(init=False)

    def __post_init__(self) -> None:
        faults = tuple([ruling.fault for ruling in self.rulings if accuses(ruling)]) if self.rulings else ()
        object.__setattr__(self, "faults", faults)
        earlier = () if self.before is None else self.before.recent[: WINDOW - 1]
        object.__setattr__(self, "recent", (faults, *earlier))


class FaultShare(NamedTuple):
    """The share of a hypothesis in which a rule was broken on a line: 1, unless hypotheses were merged into it."""

    place: int
    fault: FaultId | None
    share: float
    rulings: tuple[Ruling, ...]


def interpretation_of(last: Interpretation | None, place: int) -> Interpretation | None:
    """Return the interpretation of the line with this ordinal; None if the hypothesis has none."""
    while last is not None and last.place > place:
        last = last.before
    return last if last is not None and last.place == place else None


def assumes_since(last: Interpretation | None, first: int) -> bool:
    """Check whether an unseen event or a silent error is assumed at a line from this ordinal on."""
    while last is not None and last.place >= first:
        if last.unseen or last.is_silent_error:
            return True
        last = last.before
    return False


def in_reported_order(last: Interpretation | None) -> Interpretation | None:
    """Exchange the two newest interpretations and their ordinals: the lines were judged in the reverse order."""
    if last is None or last.before is None:
        return last
    later, earlier = last, last.before
    return replace(earlier, place=later.place, before=replace(later, place=earlier.place, before=earlier.before))


def accuses(ruling: Ruling) -> bool:
    """Check whether the ruling says that a rule was broken, or that a card cannot be where it is."""
    return ruling.verdict in (Verdict.ILLEGAL, Verdict.IMPOSSIBLE)
