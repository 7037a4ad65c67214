"""Judge simulated records: by the belief, or by the rules alone as if every line were certain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from referee.belief.rates import RATES, Rates
from referee.events import Drawn, Placed, Shown, Swapped, Swept, TableEvent, is_same_play
from referee.header import Header
from referee.match_judge import MatchJudge
from referee.rulings import Announcement, Message, Ruling
from tests.referee.certain_referee import Referee


class SimulationJudge(Protocol):
    """Judges one match line by line; the header is line 1."""

    def open(self, header: Header) -> None:
        """Begin a match."""

    def apply(self, line: int, event: TableEvent) -> Sequence[Message]:
        """Judge the record's next line and return the rulings and announcements on it."""

    def finish(self) -> Sequence[Message]:
        """End the record and return what was still undecided."""

    def position(self) -> dict[str, Any]:
        """Return the most likely position, as ``state`` in docs/record.md."""

    def probabilities(self) -> Mapping[int, float]:
        """Return by line the highest probability that a rule was broken there."""


class RefereeJudge:
    """Judges by the rules alone, as if a person had recorded the match."""

    def open(self, header: Header) -> None:
        self._referee = Referee(header)
        self._events: list[tuple[int, TableEvent]] = []

    def apply(self, line: int, event: TableEvent) -> Sequence[Message]:
        messages: list[Message] = []
        if self._events and self._referee.holds_back_ruling and not is_same_play(self._events[-1][1], event):
            messages += self._with_lines(self._referee.end_play().rulings)
        self._events.append((line, event))
        step = self._referee.apply(event)
        return [*messages, *self._with_lines((*step.rulings, *step.announcements))]

    def finish(self) -> Sequence[Message]:
        return self._with_lines(self._referee.end_play().rulings)

    def position(self) -> dict[str, Any]:
        return self._referee.state.as_json()

    def probabilities(self) -> Mapping[int, float]:
        return {}

    def _with_lines(self, messages: Iterable[Ruling | Announcement]) -> list[Message]:
        return [
            Message(self._line_of(message) if isinstance(message, Ruling) else self._events[-1][0], message)
            for message in messages
        ]

    def _line_of(self, ruling: Ruling) -> int:
        """Return the newest line that the ruling can be about; earlier plays are ruled on again after a revision."""
        newest = self._events[-1][0]
        fits = (line for line, event in reversed(self._events) if _is_about(ruling, event))
        return next(fits, newest)


def _is_about(ruling: Ruling, event: TableEvent) -> bool:
    if ruling.play == "sweep":
        return isinstance(event, Swept)
    if ruling.play == "draw":
        return isinstance(event, Drawn) and event.by in (None, ruling.by)
    if not ruling.cards:
        return True
    return isinstance(event, Placed | Shown | Swapped) and event.card in ruling.cards


class BeliefJudge:
    """Judges by the belief; its rulings come a line or two late. ``rates``: replace the usual ones."""

    def __init__(self, rates: Rates = RATES) -> None:
        self._rates = rates

    def open(self, header: Header) -> None:
        self._match = MatchJudge(header, rates=self._rates)

    def apply(self, line: int, event: TableEvent) -> Sequence[Message]:
        return self._match.apply(line, event)

    def finish(self) -> Sequence[Message]:
        return self._match.finish()

    def position(self) -> dict[str, Any]:
        return self._match.state.as_json()

    def probabilities(self) -> Mapping[int, float]:
        return self._match.probabilities


JUDGES: dict[str, Callable[[], SimulationJudge]] = {"certain": RefereeJudge, "belief": BeliefJudge}
"""Judges by their names on the command line."""


def judge_by(name: str, rates: Mapping[str, float]) -> SimulationJudge:
    """Return the judge of this name; ``rates``: rates of the belief to replace, by name."""
    return BeliefJudge(replace(RATES, **rates)) if rates else JUDGES[name]()  # type: ignore[arg-type]
