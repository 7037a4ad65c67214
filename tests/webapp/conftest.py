"""Fixtures of a table without a camera: scripted frames, pipeline and clock; the referee is the real one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from referee.cards import Card
from referee.events import Placed, TableEvent
from referee.record import Header
from webapp.live.board import SnapshotHub, TableWarning
from webapp.live.runtime import Listener
from webapp.live.session import MatchSession
from webapp.match.log import MatchLog


@dataclass(frozen=True)
class FakeFrame:
    """Return a black frame."""

    number: int
    at: float
    lost: str | None = None
    cause: str | None = None
    image_bgr: Any = field(default_factory=lambda: np.zeros((36, 64, 3), np.uint8))


@dataclass
class FakePipeline:
    """Fake pipeline that reports the given events at their frames."""

    events: dict[int, tuple[TableEvent, ...]]
    last: tuple[TableEvent, ...] = ()
    seen: list[int] = field(default_factory=list)
    view: Any = None
    detector: Any = None

    def feed(self, frame: FakeFrame) -> tuple[TableEvent, ...]:
        self.seen.append(frame.number)
        return self.events.get(frame.number, ())

    def finish(self) -> tuple[TableEvent, ...]:
        return self.last


class FakeClock:
    """Fake clock that advances only by waiting."""

    def __init__(self) -> None:
        self.time_s = 100.0
        self.waits: list[float] = []

    def now_s(self) -> float:
        return self.time_s

    def wait(self, stop: threading.Event, seconds: float) -> bool:
        self.waits.append(round(seconds, 6))
        self.time_s += max(seconds, 0.0)
        return stop.is_set()


def frames(count: int, fps: float = 10.0) -> Iterator[FakeFrame]:
    """Yield ``count`` frames."""
    return (FakeFrame(number, number / fps) for number in range(count))


HEADER = {
    "kozyr": 1,
    "rules": "podkidnoy-36",
    "seats": ["A", "B", "C"],
    "dealer": "C",
    "start": {"trump": "h", "turnup": "9h", "talon": 18, "hands": {"A": 6, "B": 6, "C": 6}, "attacker": "A"},
}


@pytest.fixture
def header() -> Header:
    """Return the header of three players after the deal; A leads."""
    return Header.parse(HEADER)


@pytest.fixture
def match(header: Header) -> MatchLog:
    """Return a new match."""
    return MatchLog(header)


@pytest.fixture
def board() -> SnapshotHub:
    """Return an empty board."""
    return SnapshotHub()


def placed(at: float, card: str, by: str, on: str | None = None) -> Placed:
    """Return the event of a card that was laid."""
    return Placed(at=at, card=Card.parse(card), by=by, on=None if on is None else Card.parse(on))


@pytest.fixture
def table() -> Iterable[type]:
    """Return the fakes, for tests that build a table themselves."""
    return Fakes


class FakeListener(Listener):
    """Listener that calls given functions."""

    def __init__(
        self,
        on_lines: Callable[[tuple[Any, ...]], Any] = lambda lines: None,
        more_warnings: Callable[[], tuple[TableWarning, ...]] = lambda: (),
    ) -> None:
        self._on_lines, self._more_warnings = on_lines, more_warnings

    def on_lines(self, lines: tuple[Any, ...]) -> None:
        self._on_lines(lines)

    def more_warnings(self) -> tuple[TableWarning, ...]:
        return self._more_warnings()


def session(source: Iterable[Any], pipeline: Any, match: Any, **more: Any) -> MatchSession:
    """Return a match session without a store."""
    return MatchSession(Header.parse(HEADER), source, pipeline, match, **more)


class Fakes:
    """Parts of a table."""

    FakeListener = FakeListener
    session = staticmethod(session)

    Frame = FakeFrame
    Pipeline = FakePipeline
    Clock = FakeClock
    frames = staticmethod(frames)
    placed = staticmethod(placed)
    header = HEADER
