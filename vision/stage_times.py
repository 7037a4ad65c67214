"""How long the stages of a pipeline take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(slots=True)
class StageTime:
    """Calls of a stage, and the milliseconds they took together."""

    calls: int = 0
    total_ms: float = 0.0

    @property
    def mean_ms(self) -> float:
        """Return the milliseconds a call."""
        return self.total_ms / self.calls if self.calls else 0.0


class StageTimes:
    """Times named stages by a ``clock`` in seconds; without one it only counts their calls."""

    def __init__(self, names: Iterable[str], clock: Callable[[], float] | None) -> None:
        self.by_name = {name: StageTime() for name in names}
        self._clock = clock

    @contextmanager
    def measure(self, name: str) -> Iterator[None]:
        """
        Add the time of the ``with`` block to a stage.

        >>> times = StageTimes(["motion"], iter([1.0, 1.5]).__next__)
        >>> with times.measure("motion"):
        ...     pass
        >>> times.by_name["motion"]
        StageTime(calls=1, total_ms=500.0)
        """
        stage, began = self.by_name[name], None if self._clock is None else self._clock()
        yield
        stage.calls += 1
        if self._clock is not None and began is not None:
            stage.total_ms += (self._clock() - began) * 1e3
