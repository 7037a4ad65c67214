"""
What the referee would say: asked before an event is told, so that the witness looks again before anybody is accused.

Nothing of the match is changed by asking.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from referee.events import TableEvent
from referee.rulings import FaultId, Verdict

ACCUSING = (Verdict.ILLEGAL, Verdict.IMPOSSIBLE)

DRAWS_MISSING = (FaultId.DRAW_TOO_FEW, FaultId.DRAW_PENDING)
"""Faults that would be none, had a seat drawn more than was seen."""


@dataclass(frozen=True, slots=True)
class Foresight:
    """
    What some events would bring.

    ``accuses``: a ruling ``illegal`` or ``impossible``. ``asks``: a ruling that asks which card it was. ``owed``:
    (seat, count) in order, draws still owed where that is what somebody would be accused of. ``open``: plays that
    have been called and are neither mended nor forgiven, before these events. ``overtakes``: somebody would be accused
    of drawing before another, who may have drawn unseen.
    """

    accuses: bool = False
    asks: bool = False
    owed: tuple[tuple[str, int], ...] = ()
    open: int = 0
    overtakes: bool = False


Foresee = Callable[[tuple[TableEvent, ...]], Foresight]
