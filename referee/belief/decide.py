"""
Decide what is announced: one function, one set of thresholds.

A line is decided when the next event has arrived (people's reaction is evidence), when it has waited long enough, or at
the end of the record. A fault is announced if its probability is at least ``accuse``. Between ``ask`` and ``accuse``
the line waits a little and is then asked about. Otherwise nobody is accused. A decision is reconsidered as long as
hypotheses still distinguish the line.

A called or asked fault is explained by the lines that speak for it and against it: the most likely hypothesis with the
fault is compared with the most likely one without it, line by line. Where they explain a line unequally well, the
difference is the line's weight.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from math import exp
from typing import Any

from referee.belief.hypotheses import Beam, Hypothesis
from referee.belief.interpretation import Interpretation, accuses, interpretation_of
from referee.belief.reported_event import ReportedEvent
from referee.events import TableEvent
from referee.rulebook import FaultId
from referee.rulings import Ruling, Verdict

LEAST = 0.5
"""Nats. Smaller differences are not reported. Chosen by hand."""

BEFORE = 8
"""Number of lines before the play that are compared."""

CUES = {
    "told": "told so",
    "card": "read as another card",
    "misread": "misread without a doubt",
    "by": "another seat",
    "seat": "another seat",
    "to": "swept elsewhere",
    "count": "another number drawn",
    "place": "laid across or beside",
    "on": "laid across or beside",
    "nothing": "nothing happened",
    "strokes": "the bout was still being gathered",
}
"""What another alternative of a line is called, by the key of the record that differs or by what is assumed."""

OTHERWISE = "told otherwise"
"""What an alternative with any other key is called."""


def why(beam: Beam, place: int) -> tuple[dict[str, Any], ...]:
    """
    Return the reasons, the weightiest first: ``cue``, ``for`` (True: for the fault) and ``weight`` (nats).

    A cue that appears on several lines is reported once, with the sum of its weights.
    """
    guilty = next((hypothesis for hypothesis in beam if _accuses(hypothesis, place)), None)
    innocent = next((hypothesis for hypothesis in beam if not _accuses(hypothesis, place)), None)
    if guilty is None:
        return ()
    if innocent is None:
        return ({"cue": "nothing else explains it", "for": True, "weight": round(-guilty.log_weight, 2)},)
    weights: dict[tuple[str, bool], float] = {}
    for cue, weight, for_it in _reasons(guilty.last, innocent.last, place - BEFORE):
        weights[cue, for_it] = weights.get((cue, for_it), 0.0) + weight
    ordered = sorted(weights.items(), key=lambda pair: -pair[1])
    return tuple({"cue": cue, "for": for_it, "weight": round(weight, 2)} for (cue, for_it), weight in ordered)


def _accuses(hypothesis: Hypothesis, place: int) -> bool:
    """Check whether the hypothesis holds that a rule was broken on this line."""
    last = interpretation_of(hypothesis.last, place)
    return last is not None and any(map(accuses, last.rulings))


def _reasons(
    guilty: Interpretation | None, innocent: Interpretation | None, oldest: int
) -> Iterator[tuple[str, float, bool]]:
    """Yield cue, weight and direction of each line on which the two differ, the newest first."""
    while guilty is not None and innocent is not None and guilty is not innocent and guilty.place >= oldest:
        weight = guilty.log_factor - innocent.log_factor
        if abs(weight) >= LEAST:
            yield _cue(guilty, innocent), abs(weight), weight > 0
        guilty, innocent = guilty.before, innocent.before


def _cue(guilty: Interpretation, innocent: Interpretation) -> str:
    """Return what distinguishes the two on a line: an assumption of one of them, or a difference in the prior."""
    for one, other in ((innocent, guilty), (guilty, innocent)):
        if len(one.unseen) > len(other.unseen):
            return "unseen " + ", ".join(type(event).__name__.lower() for event in one.unseen)
        if one.cue != other.cue and one.cue != "told":
            return CUES.get(one.cue, OTHERWISE)
    if [ruling.fault for ruling in guilty.rulings] != [ruling.fault for ruling in innocent.rulings]:
        return "the rule is rarely broken"
    return "what people did next"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """
    Probabilities of a fault at which something is announced, chosen on simulated games (``python -m
    benchmarks.simulate``).
    """

    accuse: float = 0.95
    """From this on the fault is announced."""
    sure: float = 0.99
    """From this on it is announced for a line that was called legal before."""
    ask: float = 0.4
    """From this on people are asked."""
    clear: float = 0.05
    """Below this the play is called legal without waiting."""
    wait: int = 3
    """Number of further events that a line between ``clear`` and ``accuse`` waits for."""
    late_sweeps: int = 2
    """Number of sweeps after a line from which a fault found there is asked about and no longer called: nobody at the
    table can put it right, and what speaks for it is a chain of inferences."""
    withdraw: float = 0.5
    """Below this an announced fault is withdrawn."""
    plain_s: float = 2.5
    """
    Seconds without an event after which a clear line is decided: people take a wrong card back within about two
    seconds.
    """
    doubtful_s: float = 6.0
    """Seconds without an event after which any other line is decided."""


THRESHOLDS = Thresholds()


class Outcome(Enum):
    """What was decided about a play."""

    LEGAL = "legal"
    ASKED = "asked"
    ACCUSED = "accused"


@dataclass(frozen=True, slots=True)
class Decision:
    """
    The rulings on one line, and the probability that a rule was broken there. ``is_late``: the fault was found so late
    that it is asked about, however likely.
    """

    outcome: Outcome
    rulings: tuple[Ruling, ...]
    probability: float
    why: tuple[Mapping[str, Any], ...] = ()
    is_late: bool = False

    def is_final(self, age: int, thresholds: Thresholds) -> bool:
        """Check whether the decision need not wait any longer, ``age`` events after its line."""
        if age < 1:
            return False
        return self.is_clear(thresholds) or age >= thresholds.wait

    def time_s(self, thresholds: Thresholds) -> float:
        """Return the seconds that it waits while nothing happens."""
        return thresholds.plain_s if self.is_clear(thresholds) else thresholds.doubtful_s

    def is_clear(self, thresholds: Thresholds) -> bool:
        """Check whether it is nearly certain, one way or the other."""
        return self.probability >= thresholds.accuse or self.probability < thresholds.clear

    @property
    def asks(self) -> bool:
        """Check whether people are asked what happened. A question about leave does not count."""
        return self.outcome is Outcome.ASKED and any(ruling.question is not None for ruling in self.rulings)

    def as_note(self) -> Decision:
        """Return the decision without its question."""
        return replace(self, rulings=tuple(replace(ruling, question=None) for ruling in self.rulings))

    def as_late(self) -> Decision:
        """Return the decision with a fault that is called turned into a question whether it happened."""
        if self.outcome is not Outcome.ACCUSED:
            return self
        return replace(self, outcome=Outcome.ASKED, rulings=tuple(map(_asked, self.rulings)), is_late=True)

    def is_superseded_by(self, other: Decision, thresholds: Thresholds) -> bool:
        """Check whether the line is ruled on again, since the decision would now be ``other``."""
        if self.outcome is Outcome.ACCUSED:
            return other.probability < thresholds.withdraw
        if self.is_late:
            return other.probability < thresholds.clear
        if self.outcome is Outcome.ASKED:
            return other.outcome is not Outcome.ASKED and not thresholds.clear <= other.probability < thresholds.accuse
        return (other.outcome is Outcome.ACCUSED or other.is_late) and other.probability >= thresholds.sure

    @property
    def fault(self) -> FaultId | None:
        """Return the fault that is announced or asked about."""
        named = [ruling.fault for ruling in self.rulings if accuses(ruling) or ruling.question is not None]
        return named[0] if named and self.outcome is not Outcome.LEGAL else None


def decide(
    beam: Beam, place: int, thresholds: Thresholds = THRESHOLDS, doubtful: ReportedEvent | None = None
) -> Decision:
    """
    Return the decision on the line with this ordinal, by all that is believed now.

    ``doubtful``: the line, if it gets a question where it breaks a rule as recorded and most likely was something that
    the record does not list.
    """
    shares: defaultdict[FaultId | None, float] = defaultdict(float)
    seats: defaultdict[str | None, float] = defaultdict(float)
    likeliest: TableEvent | None = None
    example: dict[FaultId | None, tuple[Ruling, ...]] = {}
    for hypothesis in beam:
        weight, innocent = exp(hypothesis.log_weight), 1.0
        for fault_share in hypothesis.fault_shares:
            if fault_share.place == place:
                shares[fault_share.fault] += weight * fault_share.share
                example.setdefault(fault_share.fault, fault_share.rulings)
                seats[fault_share.rulings[0].by] += weight * fault_share.share
                innocent -= fault_share.share
        shares[None] += weight * max(0.0, innocent)
        last = interpretation_of(hypothesis.last, place)
        if last is not None and not any(map(accuses, last.rulings)) and None not in example:
            example[None], likeliest = last.rulings, last.event
    innocent = shares.pop(None, 0.0)
    guilty = max(0.0, 1.0 - innocent)
    is_unlisted = doubtful is not None and None in example and likeliest not in doubtful.listed
    if not shares or (guilty < thresholds.ask and not is_unlisted):
        return Decision(Outcome.LEGAL, example.get(None, ()), guilty)
    fault = max(shares, key=lambda kind: shares[kind])
    rulings = example[fault]
    if max(seats.values()) < thresholds.accuse * guilty:
        rulings = tuple(replace(ruling, by=None) for ruling in rulings)  # that it was broken is surer than by whom
    reasons = why(beam, place)
    if guilty >= thresholds.accuse:
        return Decision(Outcome.ACCUSED, rulings, min(1.0, guilty), reasons)
    return Decision(Outcome.ASKED, tuple(_asked(ruling) for ruling in rulings), guilty, reasons)


def decide_stated(beam: Beam, best: Hypothesis, place: int) -> Decision:
    """
    Return the decision on a line that a person has stated: the rulings by the rules in ``best``, without a question.

    The person has stated the event, so neither how rarely people break the rule nor a question matters. Other lines may
    leave open whether it was a fault: below the probability for an announcement the line gets a note.
    """
    decision = decide(beam, place)
    last = interpretation_of(best.last, place)
    rulings = () if last is None else last.rulings
    if any(map(accuses, rulings)) and decision.outcome is not Outcome.ACCUSED:
        return replace(decision, rulings=_notes(decision.rulings))
    outcome = Outcome.ACCUSED if any(map(accuses, rulings)) else Outcome.LEGAL
    return Decision(outcome, rulings, decision.probability, decision.why)


def _notes(rulings: tuple[Ruling, ...]) -> tuple[Ruling, ...]:
    """Return the rulings without questions, except about leave where the house asks for it."""
    return tuple(ruling if ruling.asks_leave else replace(ruling, question=None) for ruling in rulings)


def _asked(ruling: Ruling) -> Ruling:
    """Return the ruling as a question whether the fault was committed."""
    question = {"ask": "fault", "fault": str(ruling.fault)}
    return replace(ruling, verdict=Verdict.UNCLEAR, question=question) if accuses(ruling) else ruling
