"""Fake services of a table without a game; tests may replace the answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from webapp.match.log import MatchUpdate
from webapp.web.app_services import ServedTable


@dataclass
class FakeTable(ServedTable):
    """A table, and the game on it, with given functions and values. ``on_press``, ``arrange``: does the game go on?"""

    on_press: Callable[[Any], bool] = lambda press: False
    on_correct: Callable[[Any], Any] = lambda correction: None
    arrange: Callable[[Mapping[str, Any]], bool] = lambda values: False
    on_film: Callable[[bool], bool] = lambda on: False
    crops: Mapping[int, tuple[str, bytes]] = field(default_factory=dict)
    sources: Sequence[Mapping[str, Any]] = ()
    live_match: str | None = None
    resumable: str | None = None

    @property
    def game(self) -> Any:
        return self

    def press(self, statement: Any) -> Future[MatchUpdate] | None:
        """Return the answer of a referee that has judged and kept the press as line 2, if ``on_press`` takes it."""
        if not self.on_press(statement):
            return None
        answer: Future[MatchUpdate] = Future()
        answer.set_result(MatchUpdate(line=2))
        return answer

    def correct(self, correction: Any) -> Any:
        return self.on_correct(correction)

    def crop_of(self, line: int) -> tuple[str, bytes] | None:
        return self.crops.get(line)

    def turn_film(self, on: bool) -> bool:
        return self.on_film(on)

    def offered_sources(self) -> Sequence[Mapping[str, Any]]:
        return self.sources
