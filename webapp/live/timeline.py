"""
The events of a match as the referee believes them now.

They are kept in order of time, for the camera may report an event only after a press that came later; their cards are
named as the rulings on them do, so that a card has one name in every list; and what changed since a page asked last is
marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from msgspec import structs
from msgspec.structs import replace

from referee.apply_event import renamed
from referee.cards import Card
from referee.corrections import RecordLine
from referee.events import Placed, Swept, TableEvent, Tick
from referee.messages import Message, Standing
from referee.record import event_to_json
from referee.rulings import Ruling, Verdict

STEP_S = 0.001
"""Seconds between two events that were reported too late; with the same time they would count as one play."""


class Chronology:
    """
    Put events in order of time: an event that is reported after a later one is dated just after that one.

    Consecutive events with the same ``at`` keep a common ``at``, since they may be a single play.

    >>> from referee.events import Tick
    >>> order = Chronology()
    >>> [order.dated(Tick(at=at)).at for at in (5.0, 4.2, 4.2, 4.6, 5.0, 6.0)]
    [5.0, 5.001, 5.001, 5.002, 5.003, 6.0]
    """

    def __init__(self) -> None:
        self._was_s: float | None = None
        self._reported_s = 0.0

    def dated(self, event: TableEvent) -> TableEvent:
        """Return the event with the time at which it may be written now."""
        is_same_moment = event.at == self._was_s
        is_late = self._was_s is not None and (
            event.at < self._reported_s or (event.at == self._reported_s != self._was_s)
        )
        if not is_same_moment:
            self._was_s, self._reported_s = event.at, round(self._reported_s + STEP_S, 6) if is_late else event.at
        return event if event.at == self._reported_s else replace(event, at=self._reported_s)


def named_as_ruled(lines: Iterable[RecordLine], rulings: Iterable[Message]) -> Iterator[RecordLine]:
    """
    Yield the lines, each card that was laid alone under the name that the ruling on it gives it.

    A correction may prove that a card was misread on a later line, too, as when the same card is laid once more. The
    record keeps what the camera reported.
    """
    ruled = {each.line: each.what for each in rulings if isinstance(each.what, Ruling)}
    names: dict[Card, Card] = {}
    for each in lines:
        event = each.event
        for was, card in names.items():
            event = renamed(event, was, card)
        if isinstance(event, Swept):
            names = {was: card for was, card in names.items() if card in event.left}
        elif isinstance(event, Placed):
            names.pop(event.card, None)
            ruling = ruled.get(each.line)
            if not each.is_stated and ruling is not None and len(ruling.cards) == 1 and ruling.cards[0] != event.card:
                names[event.card] = ruling.cards[0]
                event = structs.replace(event, card=ruling.cards[0])
        yield each if event is each.event else each._replace(event=event)


@dataclass(frozen=True, slots=True)
class TimelineStep:
    """
    One line of the record as it is believed now.

    ``event``: None if the line is gone, or nothing happened and nobody said so. ``ruling``: the ruling on it, unless it
    is legal or a note. ``revision``: when the step last changed.
    """

    line: int
    event: TableEvent | None
    is_stated: bool
    ruling: Ruling | None
    revision: int

    def as_json(self) -> dict[str, Any]:
        """Return the step as the timeline shows it."""
        call = None
        if self.ruling is not None:
            call = {"ruling": str(self.ruling.verdict), "question": self.ruling.question is not None}
        event = None if self.event is None else event_to_json(self.event)
        return {"line": self.line, "event": event, "said": self.is_stated, "call": call}


class Timeline:
    """The steps of one match; ``newest`` has all of them, those of lines that are gone too."""

    def __init__(self) -> None:
        self._by_line: dict[int, TimelineStep] = {}
        self._revision = 0

    @property
    def newest(self) -> tuple[TimelineStep, ...]:
        """Return all steps."""
        return tuple(self._by_line.values())

    def update(self, lines: Iterable[RecordLine], standing: Standing) -> None:
        """Take the lines and rulings that hold now; each step that changed gets a new revision."""
        rulings = {
            each.line: each.what
            for each in standing.rulings
            if isinstance(each.what, Ruling) and (each.what.verdict is not Verdict.UNCLEAR or each.what.question)
            if each.what.verdict is not Verdict.LEGAL
        }
        self._revision += 1
        gone = set(self._by_line)
        for line, event, is_stated, _ in lines:
            gone.discard(line)
            self._set(line, event if is_stated or not isinstance(event, Tick) else None, is_stated, rulings.get(line))
        for line in gone:
            self._set(line, None, False, None)

    def _set(self, line: int, event: TableEvent | None, is_stated: bool, ruling: Ruling | None) -> None:
        was = self._by_line.get(line)
        if was is None or (was.event, was.is_stated, was.ruling) != (event, is_stated, ruling):
            self._by_line[line] = TimelineStep(line, event, is_stated, ruling, self._revision)
