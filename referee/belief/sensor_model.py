"""
How much this match's eye misses, by the doubts that its own events carry.

An eye that has told a hundred events without one doubt hardly misses any; one that doubts every tenth misses some. A
few kinds of eye are held against what was told so far, by Bayes' rule; what goes unseen follows their mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import exp, log

from referee.belief.rates import Rates
from referee.events import Drawn, Lifted, Placed, Pressed, Swapped, TableEvent


@dataclass(frozen=True, slots=True)
class SensorPrior:
    """
    The kinds of eye there are. ``levels``: how badly one sees (1: as the rates have it) -> how common it is. None is
    perfect: even of the best a single missed card is no cause for an accusation.
    ``doubts``: the share of its events that an eye of level 1 tells with doubt; ``sure``: told with at least this
    confidence an event is in no doubt. Measured on simulated games (``python -m benchmarks.simulate``).
    """

    levels: Mapping[float, float] = field(default_factory=lambda: {0.1: 0.3, 0.3: 0.1, 1.0: 0.4, 2.0: 0.2})
    doubts: float = 0.085
    sure: float = 0.97


SENSOR_PRIOR = SensorPrior()


@dataclass(frozen=True, slots=True)
class SensorModel:
    """``told``: events so far, ``doubted``: those of them told with doubt, or without the seat."""

    told: int = 0
    doubted: int = 0

    def after(self, event: TableEvent, prior: SensorPrior = SENSOR_PRIOR) -> SensorModel:
        """What is known of the eye after one more event; people's buttons tell nothing of it."""
        if isinstance(event, Pressed):
            return self
        unsure = event.confidence is not None and event.confidence < prior.sure
        nobody = isinstance(event, Placed | Lifted | Drawn | Swapped) and event.by is None
        return SensorModel(self.told + 1, self.doubted + (unsure or nobody))

    def level(self, prior: SensorPrior = SENSOR_PRIOR) -> float:
        """How badly it sees: 1 as the rates have it, 0 not at all."""
        shares = {
            level: share * exp(self.doubted * log(level) - self.told * level * prior.doubts)
            for level, share in prior.levels.items()
        }
        return sum(level * share for level, share in shares.items()) / sum(shares.values())

    def rates(self, rates: Rates, prior: SensorPrior = SENSOR_PRIOR) -> Rates:
        """How often things go unseen by this eye."""
        level = self.level(prior)
        return replace(
            rates,
            unseen_card=rates.unseen_card * level,
            unseen_sweep=rates.unseen_sweep * level,
            unseen_draw=rates.unseen_draw * level,
            unseen_swap=rates.unseen_swap * level,
            misread=rates.misread * level,
            misseated=rates.misseated * level,
        )
