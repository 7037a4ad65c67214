"""
How often events and errors occur at a table: the prior, as data, and what this match's camera adds to it.

Each rate, halved or doubled, changes lines that the referee prints of simulated games in which its error occurs
(``benchmarks.ablate --only Rates.``). How games are judged as a whole hardly depends on a single one: at a third and
at three times its value only ``in_a_row`` changed more than one game of forty or one fault of 76. So they are chosen
by hand and not fitted. ``python -m benchmarks.simulate --rate NAME=VALUE`` measures one (``benchmarks/FINDINGS.md``).

A camera that has reported a hundred events without uncertainty hardly misses any; one that is uncertain about every
tenth misses some. A few levels of quality are weighed by Bayes' rule; the rates of unseen events follow their mean.
While the table is hidden any camera misses events, more of them the longer it lasts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import exp, inf, log

from referee.events import Corrected, Drawn, Lifted, Placed, Pressed, Swapped, TableEvent
from referee.rulebook import FaultId

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
    """A play breaks a rule that has a rate of its own."""
    impossible: float = 0.0005
    """A card is where it cannot be, by cheating or because the position is wrong."""
    impossible_in_doubt: float = 2e-5
    """A card that was reported as uncertain is where it cannot be; otherwise it was misread."""
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
    misseated: float = 0.001
    """A seat was reported wrongly as certain."""
    misplaced: float = 1e-4
    """A card across another was reported beside it, or the other way round."""
    upside_down: float = 0.02
    """A card and the one on it, reported no further apart than ``SAME_INFERENCE_S``, lie the other way round."""
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
        """Return the rates directly after an unseen event: what hid it hides more, but for cards that were checked."""
        return replace(
            self,
            unseen_card=max(self.unseen_card, self.in_a_row) if self.unseen_card else 0.0,
            unseen_sweep=max(self.unseen_sweep, self.in_a_row),
            unseen_draw=max(self.unseen_draw, self.in_a_row),
        )

    @property
    def has_errors(self) -> bool:
        """Check whether the sensor may miss events: a person does not."""
        return self.unseen_sweep > 0.0


RATES = Rates()
"""Rates of errors of a camera."""

HIDDEN = replace(
    RATES,
    unseen_swap=0.0,
    misread=0.0,
    misseated=0.0,
    misplaced=0.0,
    upside_down=0.0,
    in_strokes=0.0,
    swept_elsewhere=0.0,
)
"""A person from whom the table was hidden: events went unseen, but no card is misread and no seat confused."""

CHECKED = replace(HIDDEN, unseen_card=0.0, unseen_lift=0.0, stands=0.0, take=0.0, adrift=0.0, dropped=0.0)
"""A camera in a bout of which a person has denied a line: no card of it is misread or went unseen."""

PERSON = replace(
    HIDDEN,
    unseen_card=0.0,
    unseen_sweep=0.0,
    unseen_draw=0.0,
    unseen_deal=0.0,
    unseen_lift=0.0,
    in_a_row=0.0,
    stands=0.0,
    take=0.0,
    adrift=0.0,
    dropped=0.0,
)
"""A person, who misses, misreads and confuses nothing and hears every statement."""


def log_of(probability: float) -> float:
    """Return the natural logarithm of a probability, which may be 0."""
    return log(probability) if probability > 0.0 else -inf


@dataclass(frozen=True, slots=True)
class SensorPrior:
    """
    The prior over cameras.

    ``levels``: each level of quality (1: misses events as ``Rates`` states) with its share of cameras. None is perfect:
    one missed card is never a reason for an accusation. ``uncertain_share``: the share of its events that a camera of
    level 1 reports as uncertain. ``sure``: confidence from which an event counts as certain. Both measured on simulated
    games (``python -m benchmarks.simulate``). ``missed``: usual probability that something went unreported before an
    event; an event that states a higher one (``missed``) raises the level in proportion.

    ``brief_s``: shortest time in seconds for which a hidden table counts as hidden. ``pace_s``: seconds between two
    events (development clips: 1.7 to 2.5; real tables slower). ``hidden``: greatest probability that an event of a kind
    happened unseen meanwhile. ``fades``: share of the hidden time that remains with each reported event.
    ``shortest_s``: hidden seconds below which none remain. Chosen by hand.
    """

    levels: tuple[tuple[float, float], ...] = ((0.1, 0.3), (0.3, 0.1), (1.0, 0.4), (2.0, 0.2))
    uncertain_share: float = 0.085
    sure: float = 0.97
    brief_s: float = 2.0
    pace_s: float = 4.0
    hidden: float = 0.3
    fades: float = 0.5
    shortest_s: float = 0.1
    missed: float = 0.02


SENSOR_PRIOR = SensorPrior()


def is_uncertain(event: TableEvent) -> bool:
    """Check whether the event is reported with less confidence than a certain one."""
    return event.confidence is not None and event.confidence < SENSOR_PRIOR.sure


LIKE = 0.01
"""Greatest difference of two levels of quality that count as the same. Chosen by hand."""


@dataclass(frozen=True, slots=True)
class SensorModel:
    """
    What is known of the camera.

    ``reported``: events so far; ``uncertain``: those of them that were uncertain or without a seat. ``hidden_since``:
    second from which the table is hidden, None while it is visible. ``hidden_s``: how long it was hidden recently.
    """

    reported: int = 0
    uncertain: int = 0
    hidden_since: float | None = None
    hidden_s: float = 0.0

    def blocked(self, at: float) -> SensorModel:
        """Return the model from this second on, with the table hidden."""
        return self if self.hidden_since is not None else replace(self, hidden_since=at)

    def seeing(self, at: float) -> SensorModel:
        """Return the model when an event is reported again: the table is visible."""
        if self.hidden_since is None:
            return self
        hidden_s = max(SENSOR_PRIOR.brief_s, at - self.hidden_since)
        return replace(self, hidden_since=None, hidden_s=self.hidden_s + hidden_s)

    def after(self, event: TableEvent) -> SensorModel:
        """Return the model after one more event; presses and corrections by people say nothing about the camera."""
        if isinstance(event, Pressed | Corrected):
            return self
        unsure = is_uncertain(event)
        nobody = isinstance(event, Placed | Lifted | Drawn | Swapped) and event.by is None
        hidden_s = self.hidden_s * SENSOR_PRIOR.fades
        hidden_s = hidden_s if hidden_s >= SENSOR_PRIOR.shortest_s else 0.0
        return SensorModel(self.reported + 1, self.uncertain + (unsure or nobody), hidden_s=hidden_s)

    def is_like(self, other: SensorModel) -> bool:
        """Check whether two models give nearly the same rates."""
        is_hidden_alike = (self.hidden_since, self.hidden_s) == (other.hidden_since, other.hidden_s)
        return is_hidden_alike and abs(self.level() - other.level()) <= LIKE

    def level(self) -> float:
        """Return the expected level of quality: 1 as ``Rates`` states, 0 misses nothing."""
        logs = {
            level: self.uncertain * log(level) - self.reported * level * SENSOR_PRIOR.uncertain_share
            for level, _ in SENSOR_PRIOR.levels
        }
        most = max(logs.values())  # else all shares are 0 after some thousand events
        shares = {level: share * exp(logs[level] - most) for level, share in SENSOR_PRIOR.levels}
        return sum(level * share for level, share in shares.items()) / sum(shares.values())

    def rates_for(self, event: TableEvent, rates: Rates) -> Rates:
        """Return the rates for this event, by its own uncertainty."""
        seen = self.rates(rates, event.missed)
        return seen.for_uncertain_event() if is_uncertain(event) else seen

    def rates(self, rates: Rates, missed: float | None = None) -> Rates:
        """
        Return the rates of events that this camera misses. ``missed``: the probability that the event itself states.
        """
        level = self.level()
        if missed is not None:
            level = max(level, missed / SENSOR_PRIOR.missed)
        unseen = SENSOR_PRIOR.hidden * (1 - exp(-self.hidden_s / SENSOR_PRIOR.pace_s))
        if unseen and not rates.has_errors:
            rates, level = HIDDEN, 0.0

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
