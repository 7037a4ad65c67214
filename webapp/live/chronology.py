"""Keep a record in order of time: the camera may report an event only after a press that came later."""

from __future__ import annotations

from msgspec.structs import replace

from referee.events import TableEvent

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
