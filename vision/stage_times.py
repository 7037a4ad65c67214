"""How long the stages of a pipeline take."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class StageTime:
    """How long a stage took so far."""

    calls: int = 0
    total_ms: float = 0.0

    @property
    def mean_ms(self) -> float:
        """Milliseconds a call."""
        return self.total_ms / self.calls if self.calls else 0.0


class StageTimes:
    """Times the named stages by a ``clock`` in seconds; without one their calls are counted only."""

    def __init__(self, names: Iterable[str], clock: Callable[[], float] | None) -> None:
        self.by_name = {name: StageTime() for name in names}
        self._clock = clock

    def timed(self, name: str, work: Callable[[], T]) -> T:
        """What the work gives; its time is added to the stage's."""
        stage, began = self.by_name[name], None if self._clock is None else self._clock()
        result = work()
        stage.calls += 1
        if self._clock is not None and began is not None:
            stage.total_ms += (self._clock() - began) * 1e3
        return result
