"""Score a judge on a simulated game, and add up many games."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from benchmarks.simulation.judges import SimulationJudge
from benchmarks.simulation.simulated_games import SimulatedGame
from benchmarks.simulation.truth import TrueLine
from referee.events import TableEvent
from referee.header import Header
from referee.record import event_from_json
from referee.rulings import Announcement, Message, Ruling, Verdict, Withdrawal
from tests.referee.certain_referee import Referee

ACCUSING = (Verdict.ILLEGAL, Verdict.IMPOSSIBLE)

LEAST_SUSPECTED = 0.01
"""Probability below which a suspected fault is not counted."""

MANNERS = ("priority", "attack-not-closed")
"""Faults of manners (``etiquette``): questions about them are counted separately."""


class Weighed(NamedTuple):
    """
    The probability that the referee gave a fault, and whether the fault was committed. ``reported``: the ruling carried
    the probability; otherwise an accusation counts as 1 and a question as one half.
    """

    probability: float
    true: bool
    reported: bool


@dataclass(slots=True)
class SimulationScore:
    """
    Counts of one game or many.

    ``false_accusations``: innocent plays accused at any time; ``false_standing``: not withdrawn by the end.
    ``of_standing``: innocent plays accused because of an earlier fault that nobody objected to; not counted as false.
    ``wrong_seat``: the wrong seat accused of a true fault. ``misnamed``: a fault announced by an id that does not
    apply. ``asked``: faults that were asked about, not announced. ``notes``: uncertainties without a question.
    ``results``: right ones. ``accused``: numbers of the games with false accusations. ``suspected``: plays with the
    probability that they broke a rule, and whether they did. The ``_by`` fields count by fault id.
    """

    games: int = 0
    events: int = 0
    false_accusations: int = 0
    false_standing: int = 0
    of_standing: int = 0
    wrong_seat: int = 0
    questions: int = 0
    notes: int = 0
    manners: int = 0
    results: int = 0
    faults: int = 0
    called: int = 0
    misnamed: int = 0
    asked: int = 0
    false_by: Counter[str] = field(default_factory=Counter)
    questions_by: Counter[str] = field(default_factory=Counter)
    faults_by: Counter[str] = field(default_factory=Counter)
    missed_by: Counter[str] = field(default_factory=Counter)
    weighed: list[Weighed] = field(default_factory=list)
    suspected: list[tuple[float, bool]] = field(default_factory=list)
    took_ms: list[float] = field(default_factory=list)
    accused: list[int] = field(default_factory=list)

    def add(self, other: SimulationScore) -> None:
        """Add the counts of other games."""
        for name in self.__slots__:
            value = getattr(self, name)
            setattr(self, name, value + getattr(other, name))


class JudgedGame(NamedTuple):
    """The rulings and announcements of a game in order, and the processor time of each event in ms."""

    messages: tuple[Message, ...]
    took_ms: tuple[float, ...]


def judged(judge: SimulationJudge, header: Header, events: Iterable[TableEvent]) -> JudgedGame:
    """Judge a record."""
    messages: list[Message] = []
    took: list[float] = []
    judge.open(header)
    for line, event in enumerate(events, start=2):
        began = time.process_time()
        messages += judge.apply(line, event)
        took.append((time.process_time() - began) * 1000)
    return JudgedGame((*messages, *judge.finish()), tuple(took))


def events_of(game: SimulatedGame) -> list[TableEvent]:
    """Return the reported events."""
    return [event_from_json(line.event) for line in game.reported]


def score_of(game: SimulatedGame, judge: SimulationJudge) -> SimulationScore:
    """Return the score of the judge."""
    done = judged(judge, Header.parse(game.truth.header), events_of(game))
    score = SimulationScore(games=1, events=len(game.reported), took_ms=list(done.took_ms))
    _score_accusations(score, game, done.messages)
    _score_questions(score, done.messages)
    score.suspected = _suspected(game, judge.probabilities())
    score.results = int(_results(done.messages)[-len(game.truth.results) :] == game.truth.results)
    return score


def _results(messages: Sequence[Message]) -> list[tuple[str, tuple[str, ...]]]:
    """Return the results of the deals that were announced and not withdrawn."""
    found: list[tuple[str, tuple[str, ...]]] = []
    for message in messages:
        if not isinstance(message.what, Announcement):
            continue
        facts = message.what.facts
        is_withdrawn = message.what.kind == "withdrawn" and facts["of"] == "result"
        if message.what.kind != "result" and not is_withdrawn:
            continue
        result = (facts["kind"], tuple(sorted(facts["seats"])))
        if not is_withdrawn:
            found.append(result)
        elif result in found:
            del found[len(found) - 1 - found[::-1].index(result)]
    return found


def _score_accusations(score: SimulationScore, game: SimulatedGame, messages: Sequence[Message]) -> None:
    faults, due = _faults(game), _due_to_standing(game)
    standing = _standing(messages)
    called: set[int] = set()
    misnamed: set[int] = set()
    asked: set[int] = set()
    innocent: set[int] = set()
    weighed: dict[tuple[str, int], Weighed] = {}
    for line, ruling, probability in ((message.line, message.what, message.probability) for message in messages):
        if not isinstance(ruling, Ruling) or ruling.fault is None or str(ruling.fault) in MANNERS:
            continue
        fault, accuses = str(ruling.fault), ruling.verdict in ACCUSING
        place = game.reported[line - 2].true
        truth = None if place is None else game.truth.lines[place]
        true_of_it = faults.get(truth.play, frozenset()) if truth is not None else frozenset()
        if accuses and truth is not None and not true_of_it and truth.play in due:
            score.of_standing += 1
            continue
        key = ("play", truth.play) if truth is not None and true_of_it else ("line", line)
        sure = probability if probability is not None else 1.0 if accuses else 0.5
        if key not in weighed or weighed[key].probability < sure:
            weighed[key] = Weighed(sure, fault in true_of_it, probability is not None)
        if truth is None or not true_of_it:
            if accuses and line not in innocent:
                innocent.add(line)
                score.false_by[fault] += 1
        elif not accuses:
            asked |= {truth.play} if ruling.question else set()
        else:
            (called if fault in true_of_it else misnamed).add(truth.play)
            by = truth.event.get("by")
            score.wrong_seat += None not in (ruling.by, by) and ruling.by != by
    score.false_accusations = len(innocent)
    score.false_standing = len(innocent & standing)
    score.accused = [game.number] if innocent else []
    score.weighed = list(weighed.values())
    score.faults, score.called = len(faults), len(called)
    score.misnamed, score.asked = len(misnamed - called), len(asked - called - misnamed)
    for play, ids in faults.items():
        score.faults_by["/".join(sorted(ids))] += 1
        if play not in called:
            score.missed_by["/".join(sorted(ids))] += 1


def _suspected(game: SimulatedGame, probabilities: Mapping[int, float]) -> list[tuple[float, bool]]:
    """Return plays with their highest probability, without those that are faults only because an earlier one stands."""
    faults, due = _faults(game), _due_to_standing(game)
    found: dict[tuple[str, int], float] = {}
    for line, probability in probabilities.items():
        place = game.reported[line - 2].true if 2 <= line < len(game.reported) + 2 else None
        play = None if place is None else game.truth.lines[place].play
        if probability < LEAST_SUSPECTED or (play in due and play not in faults):
            continue
        key = ("line", line) if play is None else ("play", play)
        found[key] = max(probability, found.get(key, 0.0))
    return [(probability, kind == "play" and number in faults) for (kind, number), probability in found.items()]


def _standing(messages: Sequence[Message]) -> set[int]:
    """Return the lines that are still accused at the end: neither revised nor withdrawn."""
    accused: set[int] = set()
    for message in messages:
        if isinstance(message.what, Ruling) and message.what.verdict in ACCUSING:
            accused.add(message.line)
        elif isinstance(message.what, Ruling | Withdrawal):
            accused.discard(message.line)
    return accused


def _score_questions(score: SimulationScore, messages: Sequence[Message]) -> None:
    doubts = {
        (message.line, str(message.what.fault), message.what.question is not None)
        for message in messages
        if isinstance(message.what, Ruling) and message.what.verdict is Verdict.UNCLEAR
    }
    for _, fault, asks in doubts:
        if fault in MANNERS:
            score.manners += 1
        elif asks:
            score.questions += 1
            score.questions_by[fault] += 1
        else:
            score.notes += 1


def _faults(game: SimulatedGame) -> dict[int, frozenset[str]]:
    """Return the plays that break a rule, each with all fault ids that apply."""
    found: dict[int, frozenset[str]] = {}
    for line in game.truth.lines:
        if line.faults:
            found[line.play] = found.get(line.play, frozenset()) | line.faults
    return found


def _due_to_standing(game: SimulatedGame) -> set[int]:
    """
    Return innocent plays that the rules forbid because an earlier fault stands and was not announced as forgiven.

    These are the plays that a referee who has seen everything accuses up to the next lead.
    """
    lines = game.truth.lines
    if not any(line.stands for line in lines):
        return set()
    judge = RefereeOfTruth(Header.parse({**game.truth.header, "witness": "person"}))
    due: set[int] = set()
    within = False
    swept = False
    for line in lines:
        accuses = judge.accuses(line)
        if line.stands:
            within, swept = True, False
        elif within:
            if accuses and not line.faults:
                due.add(line.play)
            if swept and line.event["event"] == "placed":
                within = False
        swept = swept or line.event["event"] == "swept"
    return due


class RefereeOfTruth:
    """Judges the true record by the rules alone."""

    def __init__(self, header: Header) -> None:
        self._referee = Referee(header)

    def accuses(self, line: TrueLine) -> bool:
        """Check whether this line is ruled a fault."""
        return any(ruling.verdict in ACCUSING for ruling in self._rulings(line))

    def objects(self, line: TrueLine) -> bool:
        """Check whether the line brings a fault, a doubt or no change; manners do not count."""
        rulings = self._rulings(line)
        return any(ruling.fault is not None and str(ruling.fault) not in MANNERS for ruling in rulings) or self.doubts

    def _rulings(self, line: TrueLine) -> tuple[Ruling, ...]:
        step = self._referee.apply(event_from_json(line.event))
        self.doubts = any(announcement.kind == "doubt" for announcement in step.announcements)
        return (*step.rulings, *self._referee.end_play().rulings)


def calibration(weighed: Sequence[Weighed]) -> list[dict[str, Any]]:
    """Return for the faults with about this probability: count, mean probability, share that was true."""
    edges = (0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99, 1.0)
    table = []
    for low, high in pairwise(edges):
        within = [weight for weight in weighed if weight.reported and low <= weight.probability < high + (high == 1.0)]
        if within:
            stated = sum(weight.probability for weight in within) / len(within)
            right = sum(weight.true for weight in within) / len(within)
            table.append({"from": low, "to": high, "count": len(within), "stated": stated, "right": right})
    return table
