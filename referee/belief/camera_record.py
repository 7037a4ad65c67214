"""
Records by a camera: events may be missed, misread or given to the wrong seat, and lines are ruled on late.

A line is ruled on when the next event has come or its time is up, and again as long as hypotheses distinguish it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log

from referee.apply_event import apply_event
from referee.belief.decide import THRESHOLDS, Decision, Outcome, Thresholds, decide, decide_stated
from referee.belief.fixed_lag import filter_again, smooth_order
from referee.belief.hypotheses import Beam, Budget, Hypothesis, advance, merge
from referee.belief.interpretation import REMEMBERED, WINDOW, accuses
from referee.belief.rates import RATES, Rates
from referee.belief.record_source import (
    LineLog,
    ObservedLine,
    OpenRulings,
    Ruled,
    RulingTime,
    Situation,
    Updated,
    corrects_nothing,
)
from referee.belief.reported_event import pack_in_order, reported_event, reviewed
from referee.belief.update import LIMITS, Limits, Update
from referee.corrections import RecordLine, Review
from referee.events import HEAP, Blocked, Corrected, Pressed, Swept, TableEvent, Tick, is_same_play
from referee.game import Phase
from referee.rulings import Message, Withdrawal
from referee.table_events import may_become_legal

LAST_SWEEP = 0.5
"""Probability. The sweep that decides a deal was not reported. Chosen by hand."""

BROKEN_OFF = 0.003
"""Probability. The record ends before the deal is decided. Chosen by hand."""


@dataclass(frozen=True, slots=True)
class CameraRecord:
    """How a camera's lines are interpreted and ruled on."""

    rates: Rates = RATES
    limits: Limits = LIMITS
    thresholds: Thresholds = THRESHOLDS
    infers: bool = True

    def is_pause(self, event: TableEvent, phase: Phase) -> bool:
        """Check whether nothing happened at the table, or it was hidden, or a correction refers to no card."""
        return isinstance(event, Tick | Blocked) or corrects_nothing(event)

    def best(self, beam: Beam) -> Hypothesis:
        """Return the most likely hypothesis that is not a fallback; if all are, the most likely."""
        return next((each for each in beam if not each.is_fallback), beam[0])

    def update(self, recorded: RecordLine, situation: Situation) -> Updated:
        """Update the beam with a line. Raise ``RecordError`` if the table cannot be as a correction states."""
        line, event, is_stated, review = recorded
        state, seats, sensor = self.best(situation.beam).state, situation.seats, situation.sensor
        is_stated = is_stated or review is Review.PLAY
        reported = reported_event(event, seats, pack_in_order(state.rules), is_stated=is_stated)
        reported = reported if review is Review.NONE else reviewed(reported)
        sensor = sensor if isinstance(event, Pressed | Corrected) else sensor.seeing(event.at)
        rates = sensor.rates_for(event, self.rates)
        update = Update(reported, situation.place, seats, rates, self.limits, review)
        beam = update.of(situation.beam)
        if not beam and isinstance(event, Corrected):
            apply_event(state, event)  # raises the error that names what is wrong
        observed = situation.observed(line, reported, update.log_evidence, review)
        return Updated(observed, beam, sensor.after(event), rates)

    def smooth(self, updated: Updated, earlier: Sequence[ObservedLine], seats: tuple[str, ...]) -> Beam:
        """Add the hypotheses that reinterpret earlier lines, if this line fits badly or a fault is likely."""
        now, beam, rates, limits = updated.line, updated.beam, updated.rates, self.limits
        others: Beam = ()
        fits_badly = now.log_evidence < log(limits.wants)
        if earlier and (fits_badly or any(map(_has_fault, beam[:1]))):
            others = smooth_order(earlier[-1], now, seats, rates, limits)
        if beam and fits_badly:
            known = {each.key for each in beam}
            again = filter_again(earlier, now, seats, rates, limits)
            others = (*others, *(each for each in again if each.key not in known))
        return merge((*beam, *others), limits.most, limits.floor)[0] if others else beam

    def end(self, beam: Beam) -> Beam:
        """Return the beam at the end of the record: people stop when the deal is decided."""
        return merge(tuple(map(self._at_end, beam)), self.limits.most, self.limits.floor)[0]

    def _at_end(self, hypothesis: Hypothesis) -> Hypothesis:
        """Return the hypothesis as already decided, decided by an unreported sweep, or broken off."""
        state, weight, last = hypothesis.state, hypothesis.log_weight, hypothesis.last
        if state.phase is Phase.OVER or last is None:
            return hypothesis
        if state.bout is not None and state.bout.attacks:
            for to in (HEAP, state.bout.defender):
                found = advance(hypothesis, Swept(at=0.0, to=to), self.rates, Budget(1))
                if found is not None and found[0].phase is Phase.OVER and not any(map(accuses, found[1].rulings)):
                    swept = replace(last, announced=(*last.announced, *found[1].announcements))
                    weight += log(LAST_SWEEP)
                    return replace(hypothesis, state=found[0], log_weight=weight, last=swept)
        return replace(hypothesis, log_weight=weight + log(BROKEN_OFF))

    def decision(self, beam: Beam, place: int) -> Decision:
        """Return what would be decided about a line now."""
        return decide(beam, place, self.thresholds)

    def waiting(self, log: LineLog, beam: Beam) -> Mapping[int, float]:
        """Return the second at which each undecided line is decided if nothing happens."""
        undecided = (line for line in log.newest if line.place not in log.decisions)
        return {line.place: self._due_s(line, self.decision(beam, line.place)) for line in undecided}

    def rule_in_pause(
        self, recorded: RecordLine, log: LineLog, beam: Beam, still_open: OpenRulings, time: RulingTime
    ) -> Ruled:
        """Rule on the lines that have waited long enough by now."""
        if corrects_nothing(recorded.event):
            return Ruled((), still_open)
        return self.rule(log, beam, still_open, time._replace(now_s=recorded.event.at))

    def rule(self, log: LineLog, beam: Beam, still_open: OpenRulings, time: RulingTime) -> Ruled:
        """Decide the lines that need not wait any longer, and again those whose decision is superseded."""
        messages: list[Message] = []
        asking: list[tuple[ObservedLine, Decision, int]] = []
        waiting: dict[int, float] = {}
        suspected = {each.place for hypothesis in beam for each in hypothesis.fault_shares}
        older, sure = log.older(time.place - REMEMBERED), replace(self.thresholds, accuse=self.thresholds.sure)
        for number, line in enumerate(lines := (*older, *log.newest)):
            before = log.decision_on(line)
            if line.reported.is_stated:
                messages += self._rule_on_stated(line, lines[number + 1 :], beam, log, time)
                if log.decision_on(line) is None and number + 1 == len(lines):
                    waiting[line.place] = self._due_s(line, self.decision(beam, line.place))
                continue
            if before is not None and before.outcome is Outcome.LEGAL and line.place not in suspected:
                continue
            now = decide(beam, line.place, self.thresholds if number >= len(older) else sure)
            if before is not None:
                if before.is_superseded_by(now, self.thresholds):
                    log.keep(line, now, time.place)
                    messages += _revised(before, now, line.line, time.line)
                continue
            age, due_s = _age_of(line, lines[number + 1 :]), self._due_s(line, now)
            if not (time.at_end or time.now_s >= due_s or now.is_final(age, self.thresholds)):
                waiting[line.place] = due_s
            elif now.outcome is Outcome.ASKED:
                asking.append((line, now, age))
            else:
                log.keep(line, now, time.place)
                messages += _messages_of(now, line.line)
        messages += self._ask(asking, log, time)
        return Ruled(tuple(sorted(messages, key=lambda each: each.line)), OpenRulings(waiting))

    def _rule_on_stated(
        self, line: ObservedLine, later: Sequence[ObservedLine], beam: Beam, log: LineLog, time: RulingTime
    ) -> list[Message]:
        """
        Rule at once on a line that a person has stated, unless the next card of its play is ruled on with it.

        Later lines do not change the ruling: if they contradict the statement, they are in question.
        """
        before = log.decision_on(line)
        if later and is_same_play(line.reported.event, later[0].reported.event):
            if before is None or not before.rulings:
                return []
            log.keep(line, replace(before, rulings=()), time.place)
            return [Message(line.line, Withdrawal(each.fault), revised_by=time.line) for each in before.rulings]
        if before is not None:
            return []
        best = self.best(beam)
        now = decide_stated(beam, best, line.place)
        if may_become_legal(best.state, now.rulings) and not (time.at_end or time.now_s >= self._due_s(line, now)):
            return []
        log.keep(line, now, time.place)
        return _messages_of(now, line.line)

    def _ask(self, asking: list[tuple[ObservedLine, Decision, int]], log: LineLog, time: RulingTime) -> list[Message]:
        """Ask the question that resolves most, if none is open; a line that cannot wait for its turn gets a note."""
        made = map(log.decision_on, log.newest)
        is_open = any(each is not None and each.asks for each in made)
        messages: list[Message] = []
        for line, decision, age in sorted(asking, key=lambda each: abs(each[1].probability - 0.5)):
            is_certain = line.reported.is_certain
            if is_open or is_certain:
                if not (time.at_end or age >= WINDOW or is_certain):
                    continue
                decision = decision.as_note()
            else:
                is_open = True
            log.keep(line, decision, time.place)
            messages += _messages_of(decision, line.line)
        return messages

    def _due_s(self, line: ObservedLine, decision: Decision) -> float:
        """Return the second at which this decision has waited long enough."""
        return line.reported.at + decision.time_s(self.thresholds)


def _has_fault(hypothesis: Hypothesis) -> bool:
    """Check whether a rule was broken on one of the two newest lines."""
    newest = hypothesis.last
    rulings = () if newest is None else (*newest.rulings, *(() if newest.before is None else newest.before.rulings))
    return any(map(accuses, rulings))


def _age_of(line: ObservedLine, later: Iterable[ObservedLine]) -> int:
    """Count the events after this one, without those of the same play."""
    return sum(1 for each in later if not is_same_play(line.reported.event, each.reported.event))


def _messages_of(decision: Decision, line: int, revised_by: int | None = None) -> list[Message]:
    """Return the rulings of a decision. ``revised_by``: the later line that revises it."""
    probability = None if decision.fault is None else decision.probability
    return [Message(line, ruling, probability, decision.why, revised_by) for ruling in decision.rulings]


def _revised(before: Decision, now: Decision, line: int, newest: int) -> list[Message]:
    """Return what line ``newest`` announces about the earlier ``line``, which is ruled on again."""
    withdrawn = (
        [] if before.fault in (None, now.fault) else [Message(line, Withdrawal(before.fault), revised_by=newest)]
    )
    return [*withdrawn, *_messages_of(now, line, newest)]
