"""
How often events and errors occur at a table: the prior, as data.

Results hardly depend on single rates: of seventeen, each a third and three times its value, only ``in_a_row`` changed
more than one game of forty or one fault of 76 (``benchmarks/FINDINGS.md``). ``python -m benchmarks.simulate --rate
NAME=VALUE`` measures the effect of one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from referee.rulings import FaultId

FAULTS: Mapping[FaultId, float] = {
    FaultId.DRAW_PENDING: 0.001,
    FaultId.DRAW_TOO_FEW: 0.001,
    FaultId.GAME_OVER: 0.001,
    FaultId.RANK_NOT_ON_TABLE: 0.002,
    FaultId.UNBEATEN_CARDS: 0.001,
}
"""Probability of faults that are broken more rarely than others: what looks like them is usually an unseen event."""


@dataclass(frozen=True, slots=True)
class Rates:
    """Probabilities, unless another unit is named. Chosen by hand in 2026-11 on simulated games."""

    fault: float = 0.004
    """A play breaks a given rule."""
    faults: Mapping[FaultId, float] = field(default_factory=lambda: FAULTS)
    """The same for rules with a rate of their own."""
    impossible: float = 0.0005
    """A card is where it cannot be, by cheating or because the position is wrong."""
    impossible_in_doubt: float = 2e-5
    """The same for a card that was reported as uncertain: then it was misread."""
    mended: float = 0.7
    """A card that breaks a rule is taken back at once."""
    taken_back: float = 0.003
    """A card that breaks no rule is taken back."""
    unseen_card: float = 0.01
    """A laid card was not reported."""
    unseen_sweep: float = 0.005
    """A sweep was not reported."""
    unseen_draw: float = 0.02
    """A draw was not reported."""
    unseen_swap: float = 0.02
    """An exchange of the turn-up was not reported."""
    unseen_deal: float = 0.005
    """A deal with its turn-up was not reported."""
    unseen_lift: float = 0.01
    """A lifted card was not reported."""
    stands: float = 0.7
    """A fault that nobody corrects counts as made."""
    take: float = 0.3
    """A defender with unbeaten cards has announced the take, unheard."""
    misread: float = 4e-4
    """A card was reported by a wrong name as certain."""
    misseated: float = 4e-4
    """A seat was reported wrongly as certain."""
    misplaced: float = 1e-4
    """A card across another was reported beside it, or the other way round."""
    upside_down: float = 0.02
    """A card and the one on it, reported no further apart than ``one_look_s``, lie the other way round."""
    in_strokes: float = 0.04
    """A sweep that leaves cards was only the first stroke of one."""
    swept_elsewhere: float = 2e-5
    """A sweep reported as certain went elsewhere."""
    in_a_row: float = 0.1
    """A further event goes unseen directly after another one: one arm hides both."""
    adrift: float = 3e-5
    """The position was wrong before this line."""
    dropped: float = 0.1
    """Share of the pruned weight that would have proved right."""

    def of(self, fault: FaultId) -> float:
        """Return the probability that this rule is broken."""
        return self.faults.get(fault, self.fault)

    def for_uncertain_event(self) -> Rates:
        """Return the rates for a line that was reported as uncertain: a card that cannot be there has another name."""
        return replace(self, impossible=min(self.impossible, self.impossible_in_doubt))

    def after_a_miss(self) -> Rates:
        """Return the rates directly after an unseen event: what hid it hides more."""
        return replace(
            self,
            unseen_card=max(self.unseen_card, self.in_a_row),
            unseen_sweep=max(self.unseen_sweep, self.in_a_row),
            unseen_draw=max(self.unseen_draw, self.in_a_row),
        )


RATES = Rates()
