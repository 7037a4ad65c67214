"""
What is said of what is believed: one place, one pair of thresholds.

A line is decided when the next event has come (the table's reaction is evidence), or when nothing more comes. Its play
is called a fault where that is nearly certain; between the two thresholds it is asked about; else nobody is accused.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import exp
from typing import Any

from referee.belief.hypotheses import Beam, Trail, accuses
from referee.rulings import Ruling, Verdict


@dataclass(frozen=True, slots=True)
class Thresholds:
    """
    ``accuse``: so likely must a fault be to be called; lower calls more, and more that were none. ``ask``: so
    likely to be asked about; lower asks more. ``clear``: a play less likely a fault is called legal at once. ``wait``:
    so many further events a line in between may wait for what they tell. From simulated games (``python -m
    benchmarks.simulate``).
    """

    accuse: float = 0.95
    ask: float = 0.7
    clear: float = 0.05
    wait: int = 3


THRESHOLDS = Thresholds()


@dataclass(frozen=True, slots=True)
class Decision:
    """What is said of one line: its rulings, and how likely it is that a rule was broken there."""

    rulings: tuple[Ruling, ...]
    probability: float
    why: tuple[Mapping[str, Any], ...] = field(default=())

    def is_settled(self, age: int, thresholds: Thresholds) -> bool:
        """Need it wait no longer, ``age`` events after its own?"""
        if age < 1:
            return False
        is_plain = self.probability >= thresholds.accuse or self.probability < thresholds.clear
        return is_plain or age >= thresholds.wait

    @property
    def fault(self) -> Ruling | None:
        """The ruling that accuses, if one does."""
        return next((each for each in self.rulings if accuses(each)), None)


def decided(beam: Beam, line: int, thresholds: Thresholds = THRESHOLDS) -> Decision:
    """What to say of a line, by all that is believed now."""
    shares: defaultdict[Any, float] = defaultdict(float)
    example: dict[Any, tuple[Ruling, ...]] = {}
    for hypothesis in beam:
        trail = on_line(hypothesis.trail, line)
        rulings = () if trail is None else trail.rulings
        fault = next((each for each in rulings if accuses(each)), None)
        kind = None if fault is None else fault.fault
        shares[kind] += exp(hypothesis.log_weight)
        example.setdefault(kind, rulings)
    guilty = 1.0 - min(1.0, shares.pop(None, 0.0))
    if not shares or guilty < thresholds.ask:
        return Decision(_innocent(example.get(None, ())), max(0.0, guilty))
    likeliest = max(shares, key=lambda kind: shares[kind])
    rulings = example[likeliest]
    if guilty >= thresholds.accuse:
        return Decision(rulings, guilty)
    return Decision(tuple(_asked(each) for each in rulings), guilty)


def on_line(trail: Trail | None, line: int) -> Trail | None:
    """What a hypothesis holds of a line."""
    while trail is not None and trail.line > line:
        trail = trail.before
    return trail if trail is not None and trail.line == line else None


def _innocent(rulings: tuple[Ruling, ...]) -> tuple[Ruling, ...]:
    """What rests on spoken leave is a note: nobody is asked about manners."""
    return tuple(replace(each, question=None) if each.verdict is Verdict.UNCLEAR else each for each in rulings)


def _asked(ruling: Ruling) -> Ruling:
    if not accuses(ruling):
        return ruling
    question = {"ask": "fault", "fault": str(ruling.fault)}
    return replace(ruling, verdict=Verdict.UNCLEAR, question=question)
