"""
How often things happen at a table and how often an eye errs: the belief's prior, as data.

Every number is a probability. ``python -m benchmarks.simulate`` measures what they bring; the results do not hang on
them: with faults at 0.001 or at 0.01 the same is said.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from referee.rulings import FaultId

FAULTS: Mapping[FaultId, float] = {
    FaultId.DRAW_PENDING: 0.001,
    FaultId.DRAW_TOO_FEW: 0.001,
    FaultId.GAME_OVER: 0.001,
}
"""Faults whose rate is not the usual one: what looks like them is more often something that was not seen."""


@dataclass(frozen=True, slots=True)
class Rates:
    """
    ``fault``: a play breaks a given rule. ``impossible``: a card is where it cannot be (a cheat, or the books err).
    ``unclear``: a play that rests on what was said. ``mended``: a card that breaks a rule is taken back at once;
    ``taken_back``: one that breaks none is.

    ``unseen_*``: something of that kind was not told. ``stands``: a fault that nobody mends counts as made. ``take``: a
    defender with something unbeaten says that he takes, unheard. ``given_across``: a card given on after a take lies
    across another.

    ``misread``, ``misseated``: a card, a seat told wrongly without a word; ``look_alike``, ``same_rank``: so many times
    likelier as a card that looks alike, as another of its rank. ``misplaced``: a card across another told as beside it,
    or the other way round.

    ``misfit``: an event changes nothing on the table. ``adrift``: the books were wrong before. ``dropped``: of what was
    too unlikely to be kept, the share that would have turned out true. ``followed``: while the thread is lost, any one
    event; ``lifted``: one that is a card taken back. ``broken_off``: what is told ends before the deal is decided;
    ``last_sweep``: the sweep that decides it goes untold.
    """

    fault: float = 0.004
    faults: Mapping[FaultId, float] = field(default_factory=lambda: FAULTS)
    impossible: float = 0.0005
    unclear: float = 0.7
    mended: float = 0.7
    taken_back: float = 0.003
    unseen_card: float = 0.01
    unseen_sweep: float = 0.005
    unseen_draw: float = 0.02
    unseen_swap: float = 0.02
    unseen_lift: float = 0.01
    stands: float = 0.7
    take: float = 0.3
    given_across: float = 0.1
    misread: float = 4e-4
    look_alike: float = 20.0
    same_rank: float = 4.0
    misseated: float = 4e-4
    misplaced: float = 1e-4
    misfit: float = 0.001
    adrift: float = 3e-5
    dropped: float = 0.1
    followed: float = 0.5
    lifted: float = 0.02
    broken_off: float = 0.003
    last_sweep: float = 0.5

    def of(self, fault: FaultId) -> float:
        """How often this rule is broken."""
        return self.faults.get(fault, self.fault)


RATES = Rates()
