"""
How much this match's eye misses, by the doubts that its own events carry.

An eye that has told a hundred events without one doubt hardly misses any; one that doubts every tenth misses some. A
few kinds of eye are held against what was told so far, by Bayes' rule; what goes unseen follows their mean.

While the table is hidden any eye misses what happens, the more the longer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import exp, log

from referee.belief.rates import Rates
from referee.events import Corrected, Drawn, Lifted, Placed, Pressed, Swapped, TableEvent


@dataclass(frozen=True, slots=True)
class SensorPrior:
    """
    The kinds of eye there are. ``levels``: how badly one sees (1: as the rates have it) -> how common it is. None is
    perfect: even of the best a single missed card is no cause for an accusation.
    ``doubts``: the share of its events that an eye of level 1 tells with doubt; ``sure``: told with at least this
    confidence an event is in no doubt. Measured on simulated games (``python -m benchmarks.simulate``). ``missed``: so
    likely it usually is that something went untold before an event; where an event says more, so many times likelier.

    ``brief_s``: so long at least the table was hidden where that is told; higher, and a moment's darkness excuses more.
    ``pace_s``: seconds between two events at a table (the development clips: 1.7 to 2.5, people at real tables slower);
    higher, and darkness must last longer to excuse as much. ``hidden``: how likely at most it is that one kind of event
    happened unseen meanwhile; higher, and after darkness less is called. ``fades``: what share of that is left with
    each event that is told since; higher, and it excuses longer. ``shortest_s``: less of it is none; higher, and it
    is forgotten sooner.
    """

    levels: Mapping[float, float] = field(default_factory=lambda: {0.1: 0.3, 0.3: 0.1, 1.0: 0.4, 2.0: 0.2})
    doubts: float = 0.085
    sure: float = 0.97
    brief_s: float = 2.0
    pace_s: float = 4.0
    hidden: float = 0.3
    fades: float = 0.5
    shortest_s: float = 0.1
    missed: float = 0.02


SENSOR_PRIOR = SensorPrior()


def is_in_doubt(event: TableEvent, prior: SensorPrior = SENSOR_PRIOR) -> bool:
    """Is it told with less confidence than what is sure?"""
    return event.confidence is not None and event.confidence < prior.sure


@dataclass(frozen=True, slots=True)
class SensorModel:
    """
    ``told``: events so far, ``doubted``: those of them told with doubt, or without the seat. ``hidden_since``: from
    when on the table could not be seen, None where it can. ``hidden_s``: how long it was hidden lately, less with each
    event since.
    """

    told: int = 0
    doubted: int = 0
    hidden_since: float | None = None
    hidden_s: float = 0.0

    def blocked(self, at: float) -> SensorModel:
        """From this second on the table can't be seen."""
        return self if self.hidden_since is not None else replace(self, hidden_since=at)

    def seeing(self, at: float, prior: SensorPrior = SENSOR_PRIOR) -> SensorModel:
        """Something is told of the table again: how long was it hidden?"""
        if self.hidden_since is None:
            return self
        hidden_s = max(prior.brief_s, at - self.hidden_since)
        return replace(self, hidden_since=None, hidden_s=self.hidden_s + hidden_s)

    def after(self, event: TableEvent, prior: SensorPrior = SENSOR_PRIOR) -> SensorModel:
        """What is known of the eye after one more event; people's buttons tell nothing of it."""
        if isinstance(event, Pressed | Corrected):
            return self
        unsure = is_in_doubt(event, prior)
        nobody = isinstance(event, Placed | Lifted | Drawn | Swapped) and event.by is None
        hidden_s = self.hidden_s * prior.fades
        hidden_s = hidden_s if hidden_s >= prior.shortest_s else 0.0
        return SensorModel(self.told + 1, self.doubted + (unsure or nobody), hidden_s=hidden_s)

    def level(self, prior: SensorPrior = SENSOR_PRIOR) -> float:
        """How badly it sees: 1 as the rates have it, 0 not at all."""
        shares = {
            level: share * exp(self.doubted * log(level) - self.told * level * prior.doubts)
            for level, share in prior.levels.items()
        }
        return sum(level * share for level, share in shares.items()) / sum(shares.values())

    def rates_for(self, event: TableEvent, rates: Rates, prior: SensorPrior = SENSOR_PRIOR) -> Rates:
        """How often what goes wrong with a line that this eye tells now, by its own doubts."""
        seen = self.rates(rates, event.missed, prior)
        return seen.told_with_doubt() if is_in_doubt(event, prior) else seen

    def rates(self, rates: Rates, missed: float | None = None, prior: SensorPrior = SENSOR_PRIOR) -> Rates:
        """How often things go unseen by this eye. ``missed``: how likely it says itself that something did."""
        level = self.level(prior)
        if missed is not None:
            level = max(level, missed / prior.missed)
        unseen = prior.hidden * (1 - exp(-self.hidden_s / prior.pace_s))

        def hidden(rate: float) -> float:
            return max(rate * level, unseen)

        return replace(
            rates,
            unseen_card=hidden(rates.unseen_card),
            unseen_sweep=hidden(rates.unseen_sweep),
            unseen_draw=hidden(rates.unseen_draw),
            unseen_swap=rates.unseen_swap * level,
            unseen_deal=hidden(rates.unseen_deal),
            misread=rates.misread * level,
            misseated=rates.misseated * level,
            swept_elsewhere=rates.swept_elsewhere * level,
        )
