"""
What an eye before a camera gets wrong without saying so: a told record in, the record that a clumsier eye tells out.

The errors of ``erring_camera.py`` are honest and each comes by itself. Those of an eye before real arms are not: a bout
is told as swept while it is being gathered, two cards drawn in one grip are one, what an arm hides is missed in a row.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.simulation.erring_camera import ToldLine

HIDDEN_LINES = (2, 4)
"""At least and at most so many lines in a row go unseen behind an arm."""

GATHERED_S = 1.0
"""Seconds between the strokes in which a bout is gathered."""

PHANTOM_SURE = 0.85
"""How surely a card is told that no hand brought: the eye says itself that it may be none."""

ONE_LOOK_S = 0.8
"""Seconds between two cards that one look makes out, as they are told."""


@dataclass(frozen=True, slots=True)
class Clumsiness:
    """
    How often, as shares of what there is to tell; :meth:`at` scales them.

    ``strokes``: a sweep is told twice, first with cards left lying. ``as_lifts``: cards of it are told as taken back
    before it. ``one_grip``: two cards drawn are told as one. ``reversed``: an attack and its beat, told together, lie
    the other way round. ``beside``: a beat is told as laid beside, and ``across``: a throw-in as laid across.
    ``unread``: a card that can't be read. ``phantom``: a card is told that never was laid. ``elsewhere``: a sweep goes
    to the heap that went home, or the other way round. ``hidden``: an arm begins to hide what happens.
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
        """The rates of a level: 0 never, 1 as often as on the development clips, 2 twice as often."""
        return cls(*(level * getattr(cls(), name) for name in cls.__slots__))


def told_clumsily(
    lines: Sequence[ToldLine], seats: Sequence[str], pack: Sequence[str], clumsiness: Clumsiness, rng: random.Random
) -> list[ToldLine]:
    """The record as such an eye tells it. ``pack``: the cards there are."""
    eye = _Eye(seats, pack, clumsiness, rng)
    for line in lines:
        eye.see(line)
    return eye.told


class _Eye:
    """``lying``: the cards of the bout by their told names, each with who laid it."""

    def __init__(self, seats: Sequence[str], pack: Sequence[str], clumsiness: Clumsiness, rng: random.Random) -> None:
        self.seats, self.pack, self.rates, self.rng = seats, pack, clumsiness, rng
        self.told: list[ToldLine] = []
        self.lying: dict[str, str | None] = {}
        self.hidden = 0

    def see(self, line: ToldLine) -> None:
        """Tell one line: as it was told, otherwise, several times, or not at all."""
        if self.hidden:
            self.hidden -= 1
            return
        if self._happens(self.rates.hidden):
            self.hidden = self.rng.randint(*HIDDEN_LINES)
            return
        kinds: dict[str, Callable[[ToldLine], None]] = {
            "placed": self._placed,
            "lifted": self._lifted,
            "swept": self._swept,
            "drawn": self._drawn,
        }
        kinds.get(line.event["event"], self.told.append)(line)

    def _happens(self, rate: float) -> bool:
        return self.rng.random() < rate

    def _placed(self, line: ToldLine) -> None:
        event = line.event
        card, on = event["card"], event.get("on")
        if self._happens(self.rates.unread):
            facts = {key: event[key] for key in ("by", "on") if key in event}
            self.told.append(_as(line, {"at": event["at"], "event": "blocked", "reason": "unread", **facts}))
            return
        before = self.told[-1] if self.told else None
        self.lying[card] = event.get("by")
        is_beat = before is not None and before.event["event"] == "placed" and before.event["card"] == on
        if before is not None and is_beat and "on" not in before.event and self._happens(self.rates.reversed):
            at = max(before.event["at"], round(event["at"] - ONE_LOOK_S, 2))
            lower = {key: value for key, value in event.items() if key != "on"} | {"at": at}
            self.told[-1:] = [_as(line, lower), _as(before, {**before.event, "at": event["at"], "on": card})]
            return
        if on is not None and self._happens(self.rates.beside):
            event = {key: value for key, value in event.items() if key != "on"}
        elif on is None and self.lying and self._happens(self.rates.across):
            others = [each for each in self.lying if each != card]
            event = {**event, "on": self.rng.choice(others)} if others else event
        self.told.append(_as(line, event))
        if self._happens(self.rates.phantom):
            name = self.rng.choice([each for each in self.pack if each not in self.lying])
            doubt = {"confidence": PHANTOM_SURE, "otherwise": [[None, round(1 - PHANTOM_SURE, 2)]]}
            self.told.append(ToldLine({"at": event["at"], "event": "placed", "card": name, **doubt}, None))

    def _lifted(self, line: ToldLine) -> None:
        self.lying.pop(line.event["card"], None)
        self.told.append(line)

    def _swept(self, line: ToldLine) -> None:
        event, lying = line.event, dict(self.lying)
        self.lying.clear()
        began = max(self.told[-1].event["at"] if self.told else 0.0, round(event["at"] - GATHERED_S, 2))
        if self._happens(self.rates.elsewhere):
            others = [seat for seat in self.seats if seat not in lying.values()] or list(self.seats)
            event = {**event, "to": self.rng.choice(others) if event["to"] == "heap" else "heap"}
        if len(lying) > 1 and self._happens(self.rates.strokes):
            left = self.rng.sample(sorted(lying), self.rng.randint(1, len(lying) - 1))
            self.told.append(ToldLine({**event, "at": began, "left": left}, None))
        elif len(lying) > 1 and self._happens(self.rates.as_lifts):
            for card in self.rng.sample(sorted(lying), self.rng.randint(1, len(lying) - 1)):
                lifted = {"at": began, "event": "lifted", "card": card}
                self.told.append(ToldLine(lifted if lying[card] is None else {**lifted, "by": lying[card]}, None))
        self.told.append(_as(line, event))

    def _drawn(self, line: ToldLine) -> None:
        event = line.event
        if event["count"] > 1 and self._happens(self.rates.one_grip):
            event = {**event, "count": event["count"] - 1}
        self.told.append(_as(line, event))


def _as(line: ToldLine, event: dict[str, Any]) -> ToldLine:
    return replace(line, event=event)
