"""One decision of a match with all that is needed to rate it and to say why."""

from __future__ import annotations

from dataclasses import dataclass

from features.analysis.deals import Deals
from features.analysis.position import Decision, Position


@dataclass(frozen=True, slots=True)
class DecisionCase:
    """
    One decision with all that is needed to rate it. ``truth``: the hands as the record shows them later. ``sure``: the
    cards that the player held without doubt. ``added``: who threw in which card of the rank that this decision brought
    to the table.
    """

    line: int
    seat: int
    name: str
    seats: tuple[str, ...]
    decision: Decision
    truth: Position
    deals: Deals
    options: tuple[Decision, ...]
    is_sure: bool
    sure: int
    added: tuple[tuple[str, int], ...] = ()

    @property
    def certain(self) -> int:
        """Return the cards that the player certainly held; other cards give no reason."""
        held = self.truth.hands[self.seat]
        return held if self.is_sure else held & self.sure
