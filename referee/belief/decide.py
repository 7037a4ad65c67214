"""
What is said of what is believed: one place, one set of thresholds.

A line is decided when the next event has come (the table's reaction is evidence), when its time is up, or when nothing
more comes. Its play
is called a fault where that is nearly certain; between the two thresholds it waits a little, and then is asked about;
else nobody is accused. What has been decided is looked at again as long as hypotheses tell such lines apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from math import exp
from typing import Any

from referee.belief.hypotheses import Beam
from referee.belief.trail import accuses, on_place
from referee.belief.why import why
from referee.rulings import FaultId, Ruling, Verdict


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When something is said. Probabilities of a fault. From simulated games (``python -m benchmarks.simulate``)."""

    accuse: float = 0.95
    """So likely must a fault be to be called. Higher calls fewer; lower calls more, and more that were none."""
    sure: float = 0.99
    """So likely must a fault be to be called where the line had been called legal. Higher calls fewer; lower calls
    more, and more that were none."""
    ask: float = 0.4
    """So likely to be asked about. Higher asks less and lets more faults pass; lower asks more."""
    clear: float = 0.05
    """A play less likely a fault is called legal at once. Higher says so sooner, and of more faults; lower waits
    longer."""
    wait: int = 3
    """So many further events a line in between may wait for what they tell. More calls later; fewer asks more."""
    withdraw: float = 0.5
    """A fault that has been called is taken back when it is less likely than this. Higher takes back more readily;
    lower lets a false call stand."""
    plain_s: float = 2.5
    """Seconds without an event after a line that is plain, and it is decided: a card that breaks a rule is taken back
    within some two seconds, or is not. Longer waits for what people do about it; shorter speaks sooner and on less."""
    doubtful_s: float = 6.0
    """The same where it is in between."""


THRESHOLDS = Thresholds()


class Answer(Enum):
    """What a decision says of a play."""

    LEGAL = "legal"
    ASKED = "asked"
    ACCUSED = "accused"


@dataclass(frozen=True, slots=True)
class Decision:
    """What is said of one line: its rulings, and how likely it is that a rule was broken there."""

    answer: Answer
    rulings: tuple[Ruling, ...]
    probability: float
    why: tuple[Mapping[str, Any], ...] = ()

    def is_settled(self, age: int, thresholds: Thresholds) -> bool:
        """Need it wait no longer, ``age`` events after its own?"""
        if age < 1:
            return False
        return self.is_plain(thresholds) or age >= thresholds.wait

    def time_s(self, thresholds: Thresholds) -> float:
        """How long it waits where nothing happens."""
        return thresholds.plain_s if self.is_plain(thresholds) else thresholds.doubtful_s

    def is_plain(self, thresholds: Thresholds) -> bool:
        """Is it nearly certain, one way or the other?"""
        return self.probability >= thresholds.accuse or self.probability < thresholds.clear

    @property
    def asks(self) -> bool:
        """Is somebody asked what happened? Whether leave was given is no such question."""
        return self.answer is Answer.ASKED and any(each.question is not None for each in self.rulings)

    def as_note(self) -> Decision:
        """The same, but nobody is asked."""
        return replace(self, rulings=tuple(replace(each, question=None) for each in self.rulings))

    def gives_way_to(self, other: Decision, thresholds: Thresholds) -> bool:
        """Has the line to be ruled on anew, since ``other`` is what would be said of it now?"""
        if self.answer is Answer.ACCUSED:
            return other.probability < thresholds.withdraw
        if self.answer is Answer.ASKED:
            return other.answer is Answer.ACCUSED or other.probability < thresholds.clear
        return other.answer is Answer.ACCUSED and other.probability >= thresholds.sure

    @property
    def fault(self) -> FaultId | None:
        """The fault that is called or asked about."""
        named = [each.fault for each in self.rulings if accuses(each) or each.question is not None]
        return named[0] if named and self.answer is not Answer.LEGAL else None


def decided(beam: Beam, place: int, thresholds: Thresholds = THRESHOLDS) -> Decision:
    """What to say of the line fed as number ``place``, by all that is believed now."""
    shares: defaultdict[FaultId | None, float] = defaultdict(float)
    example: dict[FaultId | None, tuple[Ruling, ...]] = {}
    for hypothesis in beam:
        weight, innocent = exp(hypothesis.log_weight), 1.0
        for blame in hypothesis.blames:
            if blame.place == place:
                shares[blame.fault] += weight * blame.share
                example.setdefault(blame.fault, blame.rulings)
                innocent -= blame.share
        shares[None] += weight * max(0.0, innocent)
        trail = on_place(hypothesis.trail, place)
        if trail is not None and not any(map(accuses, trail.rulings)):
            example.setdefault(None, trail.rulings)
    innocent = shares.pop(None, 0.0)
    guilty = max(0.0, 1.0 - innocent)
    if not shares or guilty < thresholds.ask:
        return Decision(Answer.LEGAL, _notes(example.get(None, ())), guilty)
    rulings = example[max(shares, key=lambda kind: shares[kind])]
    reasons = why(beam, place)
    if guilty >= thresholds.accuse:
        return Decision(Answer.ACCUSED, rulings, min(1.0, guilty), reasons)
    return Decision(Answer.ASKED, tuple(_asked(each) for each in rulings), guilty, reasons)


def _notes(rulings: tuple[Ruling, ...]) -> tuple[Ruling, ...]:
    """What is in doubt here is settled already: nobody is asked, but for leave, where the house wants that."""
    return tuple(each if each.asks_leave else replace(each, question=None) for each in rulings)


def _asked(ruling: Ruling) -> Ruling:
    question = {"ask": "fault", "fault": str(ruling.fault)}
    return replace(ruling, verdict=Verdict.UNCLEAR, question=question) if accuses(ruling) else ruling
