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
    swept_wrongly: float = 0.0005
    """A bout goes where it must not: the defender takes a beaten bout, or discards what has to be taken."""
    together: float = 0.25
    """A play that breaks a rule is continued with one more card."""
    impossible: float = 0.0005
    """A card is where it cannot be, by cheating or because the position is wrong."""
    impossible_in_doubt: float = 2e-5
    """The same for a card that was reported as uncertain: then it was misread."""
    unclear: float = 0.7
    """A play rests on what was said at the table."""
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
    drawn_apart: float = 0.25
    """Owed cards are drawn in several grips."""
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
    given_across: float = 0.1
    """A card given after a take is laid across another."""
    misread: float = 4e-4
    """A card was reported by a wrong name as certain."""
    look_alike: float = 20.0
    """Factor by which a card that looks alike is the more likely misreading."""
    same_rank: float = 4.0
    """Factor by which another card of the rank is the more likely misreading."""
    misseated: float = 4e-4
    """A seat was reported wrongly as certain."""
    misplaced: float = 1e-4
    """A card across another was reported beside it, or the other way round."""
    swapped: float = 0.05
    """Two cards reported at about the same time were laid in the reverse order."""
    together_s: float = 0.6
    """Seconds. Two cards reported no further apart are reported at about the same time."""
    upside_down: float = 0.02
    """A card and the one on it, reported no further apart than ``one_look_s``, lie the other way round."""
    one_look_s: float = 1.2
    """Seconds. Two cards reported no further apart may have been found in one inference."""
    in_strokes: float = 0.04
    """A sweep that leaves cards was only the first stroke of one."""
    swept_elsewhere: float = 2e-5
    """A sweep reported as certain went elsewhere."""
    laid_over: float = 0.005
    """A card was laid exactly on another, so that the other seems to be reread."""
    in_a_row: float = 0.1
    """A further event goes unseen directly after another one: one arm hides both."""
    on_nothing: float = 1e-6
    """A card was reported on one that is not on the table."""
    misfit: float = 0.001
    """An event changes nothing on the table."""
    adrift: float = 3e-5
    """The position was wrong before this line."""
    dropped: float = 0.1
    """Share of the pruned weight that would have proved right."""
    followed: float = 0.5
    """An event in the fallback hypothesis."""
    lifted: float = 0.02
    """A lifted card in the fallback hypothesis."""
    broken_off: float = 0.003
    """The record ends before the deal is decided."""
    last_sweep: float = 0.5
    """The sweep that decides a deal was not reported."""

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
