"""
What distinguishes records by cameras from records by people: the strategy that a belief is given.

A source states which alternatives a line has, what may be inferred besides it, and when the line is ruled on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple, Protocol

from referee.belief.decide import Decision
from referee.belief.hypotheses import Beam, Hypothesis
from referee.belief.line_log import Announced, LineLog, ObservedLine
from referee.belief.rates import RATES, Rates, SensorModel
from referee.corrections import RecordLine
from referee.events import Pressed, Reread, TableEvent
from referee.game import Phase
from referee.messages import Message


@dataclass(frozen=True, slots=True)
class Situation:
    """What is known before the line with the ordinal ``place``. ``seats``: clockwise."""

    place: int
    seats: tuple[str, ...]
    beam: Beam
    announced: Announced
    sensor: SensorModel


@dataclass(frozen=True, slots=True)
class Updated:
    """
    A line with the beam and the sensor model after it.

    ``rates``: how often events and errors occur at this line. ``beam``: empty if no hypothesis explains the line.
    """

    line: ObservedLine
    beam: Beam
    sensor: SensorModel
    rates: Rates = RATES


@dataclass(frozen=True, slots=True)
class OpenRulings:
    """
    Rulings that were not announced yet.

    ``waiting``: by a line's ordinal, the second at which it is decided if nothing happens. ``withheld``: rulings on a
    play that further cards may still make legal.
    """

    waiting: Mapping[int, float] = field(default_factory=dict)
    withheld: tuple[Message, ...] = ()


class RulingTime(NamedTuple):
    """
    When rulings are asked for: the newest line of the record and its ordinal.

    ``now_s``: the time, if nothing happened. ``at_end``: the record has ended.
    """

    line: int
    place: int
    now_s: float = -inf
    at_end: bool = False


@dataclass(frozen=True, slots=True)
class Ruled:
    """
    The rulings that are announced now, and those that stay open.

    ``released``: rulings on earlier lines that were withheld. ``is_answer``: a person asked, so the rulings are
    announced at a silent table too.
    """

    messages: tuple[Message, ...]
    still_open: OpenRulings
    released: tuple[Message, ...] = ()
    is_answer: bool = False


class RecordSource(Protocol):
    """How the lines of one kind of record are interpreted and ruled on."""

    @property
    def infers(self) -> bool:
        """Return whether events may be unreported or misreported, so that later lines may revise the record."""

    @property
    def rates(self) -> Rates:
        """Return how often events and errors occur."""

    def is_pause(self, event: TableEvent, phase: Phase) -> bool:
        """Check whether nothing happened at the table: only time has passed."""

    def best(self, beam: Beam) -> Hypothesis:
        """Return the hypothesis whose position is shown."""

    def update(self, recorded: RecordLine, situation: Situation) -> Updated:
        """Update the beam with a line. Raise ``RecordError`` if the table cannot be as a correction states."""

    def smooth(self, updated: Updated, earlier: Sequence[ObservedLine], seats: tuple[str, ...]) -> Beam:
        """Return the updated beam with hypotheses that reinterpret earlier lines."""

    def end(self, beam: Beam) -> Beam:
        """Return the beam at the end of the record."""

    def decision(self, beam: Beam, place: int) -> Decision:
        """Return what would be decided about a line now."""

    def waiting(self, log: LineLog, beam: Beam) -> Mapping[int, float]:
        """Return the second at which each undecided line is decided if nothing happens."""

    def rule(self, log: LineLog, beam: Beam, still_open: OpenRulings, time: RulingTime) -> Ruled:
        """Rule on the lines that are ready and keep the decisions in ``log``."""

    def rule_in_pause(
        self, recorded: RecordLine, log: LineLog, beam: Beam, still_open: OpenRulings, time: RulingTime
    ) -> Ruled:
        """Rule on the lines that have waited long enough while nothing happened."""


def corrects_nothing(event: TableEvent) -> bool:
    """Check whether the event changes no position: a correction of no card on the table, or a dismissed question."""
    return isinstance(event, Reread) or (isinstance(event, Pressed) and event.button in ("assign", "dismiss"))
