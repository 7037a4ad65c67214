"""Keep the events of a match as the referee believes them now, and which of them changed since a page asked last."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from referee.corrections import RecordLine
from referee.events import TableEvent, Tick
from referee.messages import Standing
from referee.record import event_to_json
from referee.rulings import Ruling, Verdict


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
