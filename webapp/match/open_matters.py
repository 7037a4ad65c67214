"""
Find what people can decide about a match: its open question and its open faults, each with the answers to it.

Pages show these matters and send back one of the answers; ``Match.correct`` applies the events that it stands for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET, Struct
from msgspec.structs import replace

from referee.cards import Card
from referee.corrections import RecordLine
from referee.events import Blocked, Corrected, Placed, Pressed, TableEvent, Tick, Unread
from referee.match_judge import MatchJudge
from referee.record import UNTIMED, instead_of
from referee.rulings import Message, Ruling, Verdict

DISMISS = {"answer": "dismiss"}


class Answered(Struct, frozen=True):
    """
    A person's answer to the open matter of a line: ``answer`` as a page sends it; ``at``: when, in seconds.

    ``is_past``: it is about the time of that line, as on the page of a stored match, and not about now.
    """

    line: int
    answer: Mapping[str, str]
    at: float = 0.0
    is_past: bool = False


@dataclass(frozen=True, slots=True)
class OfferedAnswer:
    """One way to answer. ``shown``: ``answer`` and what it names (``card``, ``by``); ``events``: what it states."""

    shown: Mapping[str, str]
    events: tuple[Corrected | Pressed, ...]


@dataclass(frozen=True, slots=True)
class OpenMatter:
    """
    A question, or a fault that is still open.

    ``line``: of the play that it is about. ``message``: the ruling. ``cards``: those that still lie on the table.
    """

    line: int
    message: Message
    verdict: Verdict
    cards: tuple[str, ...]
    is_question: bool
    answers: tuple[OfferedAnswer, ...]


def open_matters(judge: MatchJudge) -> tuple[OpenMatter, ...]:
    """Return the open question, if there is one, then the open faults, the newest last; none that was dismissed."""
    dismissed = judge.dismissed
    asked = judge.question
    found = [] if asked is None else [_question(asked, judge)]
    open_faults: Sequence[Mapping[str, Any]] = judge.state.as_json()["open"]
    for place, fault in enumerate(open_faults):
        message = next((message for message in reversed(judge.holding) if _is_about(message, fault)), None)
        if message is None:
            continue
        line = _line_of_play(message, judge.lines)
        if line in dismissed or (asked is not None and line == asked.line):
            continue
        # `forgive` names a card, or means the newest fault: one without cards has to wait for those after it.
        cards = tuple(fault["cards"])
        card = Card.parse(cards[0]) if cards else None
        forgive = Pressed(at=0.0, button="forgive", card=UNSET if card is None else card)
        stands = "forgive" if fault["ruling"] == str(Verdict.ILLEGAL) else "was_right"
        can_forgive = bool(cards) or place == len(open_faults) - 1
        answers = (*([OfferedAnswer({"answer": stands}, (forgive,))] if can_forgive else ()), _dismissal(line))
        found.append(OpenMatter(line, message, Verdict(fault["ruling"]), cards, False, answers))
    return tuple(found)


def past_questions(judge: MatchJudge) -> tuple[OpenMatter, ...]:
    """Return every question of a match that has ended that nobody answered or dismissed, in order."""
    asking = (message for message in judge.holding if isinstance(message.what, Ruling) and message.what.question)
    dismissed = judge.dismissed
    return tuple(_question(message, judge, is_past=True) for message in asking if message.line not in dismissed)


def _is_about(message: Message, fault: Mapping[str, Any]) -> bool:
    """Check whether a ruling opened this entry of the state's ``open``; a ruling may name nobody."""
    ruling = message.what
    if not isinstance(ruling, Ruling) or str(ruling.fault) != fault["fault"] or ruling.by not in (None, fault["by"]):
        return False
    return not fault["cards"] or any(str(card) in fault["cards"] for card in ruling.cards)


def _line_of_play(message: Message, lines: Sequence[RecordLine]) -> int:
    """Return the line of the play that a ruling is about; rulings that answer a challenge have the challenge's line."""
    before = [other for other in lines if other.line <= message.line]
    ruling = message.what
    if not (before and before[-1].line == message.line and isinstance(ruling, Ruling)):
        return message.line
    asking = before.pop().event
    if not (isinstance(asking, Pressed) and asking.button == "challenge"):
        return message.line
    plays = (
        judged for judged in reversed(before) if isinstance(judged.event, Placed) and judged.event.card in ruling.cards
    )
    return next((play.line for play in plays), message.line)


def _dismissal(line: int) -> OfferedAnswer:
    return OfferedAnswer(DISMISS, (Pressed(at=0.0, button="dismiss", of=line),))


def _question(message: Message, judge: MatchJudge, *, is_past: bool = False) -> OpenMatter:
    ruling = message.what
    assert isinstance(ruling, Ruling)
    cards = tuple(map(str, ruling.cards))
    lines = judge.lines
    answers: tuple[OfferedAnswer, ...] = ()
    event = next((other.event for other in lines if other.line == message.line), None)
    if ruling.asks_leave:
        is_past = is_past or any(other.line > message.line and _goes_on(other.event) for other in lines)
        answers = _answers_about_leave(message.line, ruling, lines, is_past=is_past)
    elif event is not None and (question := ruling.question or {})["ask"] == "card":  # which card was it?
        if isinstance(event, Unread):
            event = Placed(at=event.at, card=question["card"], by=event.by, on=event.on)
        card = str(question["card"])
        fixed = _corrected(message.line, event, {"card": card})
        answers = (OfferedAnswer({"answer": "card", "card": card}, (fixed,)),)
    elif event is not None:  # did it happen as reported?
        answers = (OfferedAnswer({"answer": "as_seen"}, (_corrected(message.line, event, {}),)),)
    return OpenMatter(message.line, message, ruling.verdict, cards, True, (*answers, _dismissal(message.line)))


def _goes_on(event: TableEvent) -> bool:
    """Check whether the game went on with this event: it is no statement, no correction and no passing of time."""
    return not isinstance(event, Pressed | Corrected | Tick | Blocked)


def _corrected(line: int, event: TableEvent, changes: Mapping[str, str]) -> Corrected:
    """Return the correction of a line to this event with other values of the record's keys."""
    to = instead_of(replace(event, at=0.0), changes)
    return Corrected(at=0.0, line=line, to=None if to is None else replace(to, at=UNTIMED))


def _answers_about_leave(
    line: int, ruling: Ruling, lines: Sequence[RecordLine], *, is_past: bool
) -> tuple[OfferedAnswer, OfferedAnswer]:
    """
    Return the answers to whether the players had agreed: that the attack was over, or that somebody comes first.

    While nothing has happened since the play they are statements now. Where the game has gone on or has ended
    (``is_past``) a statement now would be about a later bout: they are inserted before the play, and a refusal, which
    leaves it open who was right, also dismisses the question.
    """
    question = ruling.question or {}
    seats = question.get("seats") or (question["seat"],)
    if ruling.play == "sweep":
        agreed = [Pressed(at=0.0, button="done")]
    elif ruling.by is not None:
        agreed = [Pressed(at=0.0, button="allow", by=seat, allowed=ruling.by) for seat in seats]
    else:
        agreed = [Pressed(at=0.0, button="pass", by=seat) for seat in seats]
    refused = [Pressed(at=0.0, button="wait", by=seat) for seat in seats]
    before = max((other.line for other in lines if other.line < line), default=1)

    def stated(presses: list[Pressed]) -> tuple[Corrected | Pressed, ...]:
        if not is_past:
            return tuple(presses)
        return tuple(Corrected(at=0.0, after=before, insert=replace(press, at=UNTIMED)) for press in presses)

    closing = _dismissal(line).events if is_past else ()
    return (
        OfferedAnswer({"answer": "agreed"}, stated(agreed)),
        OfferedAnswer({"answer": "not_agreed"}, (*stated(refused), *closing)),
    )
