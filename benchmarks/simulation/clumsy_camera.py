"""
Add the systematic errors of a real vision pipeline, made with full confidence, to a reported record.

The errors of ``erring_camera.py`` are calibrated and independent. Those before real arms are not: a sweep is reported
while the cards are being gathered, two cards drawn in one grip count as one, an arm hides several events in a row.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.simulation.erring_camera import ReportedLine

HIDDEN_LINES = (2, 4)
"""Fewest and most consecutive lines that are missed behind an arm."""

GATHERED_S = 1.0
"""Seconds between the two reports of a sweep that is gathered in two strokes."""

PHANTOM_SURE = 0.85
"""Confidence of a reported card that was not laid; the alternative is that nothing happened."""

ONE_INFERENCE_S = 0.8
"""Seconds between two cards that one inference finds, as they are reported."""


@dataclass(frozen=True, slots=True)
class Clumsiness:
    """
    Error rates, as shares of the events concerned; :meth:`at` scales them.

    ``strokes``: a sweep is reported twice, first with cards left. ``as_lifts``: some of its cards are reported as
    lifted before it. ``one_grip``: of several cards drawn one is not counted. ``reversed``: attack and beat, reported
    together, are exchanged. ``beside``: a beat is reported beside the card, ``across``: a throw-in across another.
    ``unread``: a card that can't be read. ``phantom``: a card is reported that was not laid. ``elsewhere``: the target
    of a sweep is wrong. ``hidden``: an arm begins to hide the table.
    """

    strokes: float = 1 / 25
    as_lifts: float = 1 / 40
    one_grip: float = 1 / 12
    reversed: float = 1 / 60
    beside: float = 1 / 150
    across: float = 1 / 150
    unread: float = 1 / 60
    phantom: float = 1 / 150
    elsewhere: float = 1 / 60
    hidden: float = 1 / 150

    @classmethod
    def at(cls, level: float) -> Clumsiness:
        """Return the rates of a level: 0 no errors, 1 as on the development clips, 2 twice as many."""
        return cls(*(level * getattr(cls(), name) for name in cls.__slots__))


def reported_clumsily(
    lines: Sequence[ReportedLine], seats: Sequence[str], pack: Sequence[str], clumsiness: Clumsiness, rng: random.Random
) -> list[ReportedLine]:
    """Return the record with these errors. ``pack``: the names of all cards."""
    camera = _ClumsyCamera(seats, pack, clumsiness, rng)
    for line in lines:
        camera.see(line)
    return camera.reported


class _ClumsyCamera:
    """``lying``: the cards of the bout by their reported names, each with who laid it."""

    def __init__(self, seats: Sequence[str], pack: Sequence[str], clumsiness: Clumsiness, rng: random.Random) -> None:
        self.seats, self.pack, self.rates, self.rng = seats, pack, clumsiness, rng
        self.reported: list[ReportedLine] = []
        self.lying: dict[str, str | None] = {}
        self.hidden = 0

    def see(self, line: ReportedLine) -> None:
        """Report one line: unchanged, changed, several times, or not at all."""
        if self.hidden:
            self.hidden -= 1
            return
        if self._happens(self.rates.hidden):
            self.hidden = self.rng.randint(*HIDDEN_LINES)
            return
        kinds: dict[str, Callable[[ReportedLine], None]] = {
            "placed": self._placed,
            "lifted": self._lifted,
            "swept": self._swept,
            "drawn": self._drawn,
        }
        kinds.get(line.event["event"], self.reported.append)(line)

    def _happens(self, rate: float) -> bool:
        return self.rng.random() < rate

    def _placed(self, line: ReportedLine) -> None:
        event = line.event
        card, on = event["card"], event.get("on")
        if self._happens(self.rates.unread):
            blocked = {"at": event["at"], "event": "blocked", "reason": "unread"}
            facts = {key: value for key, value in event.items() if key in ("by", "on")}
            self.reported.append(_as(line, blocked | facts))
            return
        before = self.reported[-1] if self.reported else None
        self.lying[card] = event.get("by")
        is_beat = before is not None and before.event["event"] == "placed" and before.event["card"] == on
        if before is not None and is_beat and "on" not in before.event and self._happens(self.rates.reversed):
            at = max(before.event["at"], round(event["at"] - ONE_INFERENCE_S, 2))
            lower = {key: value for key, value in event.items() if key != "on"} | {"at": at}
            self.reported[-1:] = [_as(line, lower), _as(before, {**before.event, "at": event["at"], "on": card})]
            return
        if on is not None and self._happens(self.rates.beside):
            event = {key: value for key, value in event.items() if key != "on"}
        elif on is None and self.lying and self._happens(self.rates.across):
            others = [other for other in self.lying if other != card]
            event = {**event, "on": self.rng.choice(others)} if others else event
        self.reported.append(_as(line, event))
        if self._happens(self.rates.phantom):
            name = self.rng.choice([card for card in self.pack if card not in self.lying])
            doubt = {"confidence": PHANTOM_SURE, "otherwise": [[None, round(1 - PHANTOM_SURE, 2)]]}
            self.reported.append(ReportedLine({"at": event["at"], "event": "placed", "card": name, **doubt}, None))

    def _lifted(self, line: ReportedLine) -> None:
        self.lying.pop(line.event["card"], None)
        self.reported.append(line)

    def _swept(self, line: ReportedLine) -> None:
        event, lying = line.event, dict(self.lying)
        self.lying.clear()
        began = max(self.reported[-1].event["at"] if self.reported else 0.0, round(event["at"] - GATHERED_S, 2))
        if self._happens(self.rates.elsewhere):
            others = [seat for seat in self.seats if seat not in lying.values()] or list(self.seats)
            event = {**event, "to": self.rng.choice(others) if event["to"] == "heap" else "heap"}
        if len(lying) > 1 and self._happens(self.rates.strokes):
            left = self.rng.sample(sorted(lying), self.rng.randint(1, len(lying) - 1))
            self.reported.append(ReportedLine({**event, "at": began, "left": left}, None))
        elif len(lying) > 1 and self._happens(self.rates.as_lifts):
            for card in self.rng.sample(sorted(lying), self.rng.randint(1, len(lying) - 1)):
                lifted = {"at": began, "event": "lifted", "card": card}
                self.reported.append(
                    ReportedLine(lifted if lying[card] is None else {**lifted, "by": lying[card]}, None)
                )
        self.reported.append(_as(line, event))

    def _drawn(self, line: ReportedLine) -> None:
        event = line.event
        if event["count"] > 1 and self._happens(self.rates.one_grip):
            event = {**event, "count": event["count"] - 1}
        self.reported.append(_as(line, event))


def _as(line: ReportedLine, event: dict[str, Any]) -> ReportedLine:
    return replace(line, event=event)
