"""The observed lines, with the beliefs before them, and the decisions on them."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from referee.belief.decide import Decision, Outcome
from referee.belief.hypotheses import Beam
from referee.belief.interpretation import REMEMBERED
from referee.belief.rates import RATES, Rates, SensorModel
from referee.belief.reported_event import ReportedEvent
from referee.events import Swept
from referee.rulings import Announcement

OPEN = 16
"""Number of newest lines that may be undecided or be decided again; of older ones only those of ``LineLog.older``."""

LINES_AGO = 6
"""Number of lines back to which an unseen sweep is assumed: a lead, a throw-in and their beats."""

WHOLE = 256
"""Number of the newest lines of which the belief before them is kept: two deals, in which people correct something."""

MOST_HYPOTHESES = 16_384
"""Most hypotheses of these beliefs, 2 kB each. 256 lines of usual games have 4,000; where a game makes no sense, each
line has 128, and of fewer lines the belief is kept."""

CHECKPOINT = 128
"""
Number of earlier lines of which one keeps its hypotheses, since they take 50 kB a line: a correction there judges more
lines.
"""

Announced = tuple[tuple[int, Announcement], ...]
"""Announcements, each with the ordinal of its line."""


@dataclass(frozen=True, slots=True)
class ObservedLine:
    """
    A line that was observed, with what was believed before it.

    ``place``: its ordinal. ``line``: its number in the record. ``announced``: the announcements on the newest lines
    then. ``sensor``: what was known of the camera. ``log_evidence``: logarithm of the line's probability by that
    belief. ``rates``: of errors at this line. ``is_joined``: the lines before it were judged again, and its
    own interpretations follow those of an earlier judgement (``Belief.joined``). ``waits``: events may have gone unseen
    before it, so its ruling waits for what people do next.
    """

    place: int
    line: int
    reported: ReportedEvent
    before: Beam
    announced: Announced
    sensor: SensorModel
    log_evidence: float = 0.0
    rates: Rates = RATES
    is_joined: bool = False
    waits: bool = True


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision, and the ordinal of the line at which it was made."""

    decision: Decision
    at: int


@dataclass(slots=True)
class LineLog:
    """
    The observed lines, and by ordinal the decisions on each, the newest last.

    Older decisions are kept since they count again if the belief goes back. ``first_whole``: index of the first of the
    newest lines of which the belief before them is kept.
    """

    lines: list[ObservedLine] = field(default_factory=list)
    decisions: dict[int, tuple[Decided, ...]] = field(default_factory=dict)
    first_whole: int = 0

    @property
    def newest(self) -> Sequence[ObservedLine]:
        """Return the lines that may be undecided or be decided again."""
        return self.lines[-OPEN:]

    def older(self, after: int) -> list[ObservedLine]:
        """Return older lines, with ordinals above ``after``, that may be decided again: sweeps and questions."""
        older = [line for line in self.lines[-REMEMBERED:-OPEN] if line.place > after]
        return [
            line
            for line in older
            if isinstance(line.reported.event, Swept)
            or ((made := self.decision_on(line)) is not None and made.outcome is Outcome.ASKED)
        ]

    @property
    def whole(self) -> Sequence[ObservedLine]:
        """Return the lines of which the belief before them is kept."""
        return self.lines[self.first_whole :]

    def decision_on(self, line: ObservedLine) -> Decision | None:
        """Return the newest decision on the line."""
        made = self.decisions.get(line.place, ())
        return made[-1].decision if made else None

    def keep(self, line: ObservedLine, decision: Decision, at: int) -> None:
        """Add a decision on the line. ``at``: the ordinal of the newest line."""
        self.decisions[line.place] = (*self.decisions.get(line.place, ()), Decided(decision, at))

    def append(self, line: ObservedLine) -> None:
        """Append a line; release the belief before lines that are now too old, unless they belong to a checkpoint."""
        self.lines.append(line)
        kept = sum(len(line.before) for line in self.whole)
        while len(self.lines) - self.first_whole > (WHOLE if kept <= MOST_HYPOTHESES else OPEN):
            kept -= len(self.lines[self.first_whole].before)
            self._release(self.first_whole)
            self.first_whole += 1

    def _release(self, place: int) -> None:
        """Release the belief before a line, unless the line belongs to a checkpoint."""
        if 0 < place % CHECKPOINT < CHECKPOINT - LINES_AGO and not self.lines[place].is_joined:
            self.lines[place] = replace(self.lines[place], before=())

    def joined(self, later: LineLog, place: int, beam: Beam) -> LineLog:
        """Return this log up to this ordinal, followed by the lines of ``later``; ``beam``: the belief before those."""
        mine = [line for line in self.lines if line.place <= place]
        following = [line for line in later.lines if line.place > place]
        following[0] = replace(following[0], before=beam, is_joined=True)
        decisions = dict(later.decisions)
        for line in {*self.decisions, *later.decisions}:
            if line <= place:
                since = tuple(dated for dated in later.decisions.get(line, ()) if dated.at > place)
                decisions[line] = (*self.decisions.get(line, ()), *since)
        first_whole = later.first_whole + len(mine) + len(following) - len(later.lines)
        log = LineLog(
            [*mine, *following], {line: made for line, made in decisions.items() if made}, max(0, first_whole)
        )
        for released in range(min(log.first_whole, len(mine))):
            log._release(released)
        return log

    def following(self, place: int) -> ObservedLine | None:
        """Return the first line after the one with this ordinal."""
        index = bisect(self.lines, place, key=lambda line: line.place)
        return self.lines[index] if index < len(self.lines) else None

    def decides_like(self, other: LineLog, place: int) -> bool:
        """Check whether lines up to this ordinal that ``other`` decided later had been decided as here until then."""
        for line, made in other.decisions.items():
            if line <= place and made[-1].at > place:
                before = [dated.decision for dated in made if dated.at <= place][-1:]
                mine = [dated.decision for dated in self.decisions.get(line, ())][-1:]
                if [(decision.outcome, decision.fault) for decision in before] != [
                    (decision.outcome, decision.fault) for decision in mine
                ]:
                    return False
        return True

    def restorable(self, place: int) -> int:
        """Return the highest number of lines, at most ``place``, after which the belief can be restored."""
        count = sum(line.place <= place for line in self.lines)
        whole = count
        while not all(line.before for line in self.lines[max(0, whole - LINES_AGO) : whole + 1]):
            whole -= 1
        return place if whole == count else self.lines[whole].place - 1

    def before(self, place: int) -> LineLog:
        """Return the log as it was after the line with this ordinal."""
        made = {
            line: tuple(dated for dated in decided if dated.at <= place)
            for line, decided in self.decisions.items()
            if line <= place
        }
        kept = [line for line in self.lines if line.place <= place]
        decisions = {line: decided for line, decided in made.items() if decided}
        return LineLog(kept, decisions, min(self.first_whole, len(kept)))
