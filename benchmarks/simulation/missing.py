"""Leave one event out of a certain record and count accusations and how soon the position is right again."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from benchmarks.simulation.judges import SimulationJudge
from benchmarks.simulation.score import ACCUSING, RefereeOfTruth
from benchmarks.simulation.simulated_games import SimulatedGame
from benchmarks.simulation.truth import TrueLine, is_at
from referee.header import Header
from referee.record import event_from_json
from referee.rulings import Announcement, Message, Ruling

WITHIN = 2
"""Plays of cards after the gap within which the position should be right again."""


@dataclass(slots=True)
class Missing:
    """
    Counts by the kind of event that was left out; ``wrongly``: (game, place) where somebody was accused.

    ``right_again``: the position is right within two plays of the gap, including the name of the missed card.
    ``found``: it is right except for that name within two plays of the first line that contradicts the rules; if no
    line does, the result is right.
    """

    tried: Counter[str] = field(default_factory=Counter)
    accused: Counter[str] = field(default_factory=Counter)
    right_again: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    wrongly: list[tuple[int, int]] = field(default_factory=list)

    def add(self, other: Missing) -> None:
        """Add the counts of another run."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


def kind_of(line: TrueLine) -> str:
    """Return the kind of an event; a beat and an attack are two kinds."""
    event = line.event
    return str(event["event"] if event["event"] != "placed" else "beat" if "on" in event else "attack")


def without_one(game: SimulatedGame, judge: SimulationJudge) -> Missing:
    """Leave out one random event of each kind, one at a time."""
    rng = random.Random(f"{game.number}/missing")
    places: dict[str, list[int]] = {}
    for place, line in enumerate(game.truth.lines):
        places.setdefault(kind_of(line), []).append(place)
    found = Missing()
    for kind, every in sorted(places.items()):
        place = rng.choice(every)
        judged = _judged_without(game, place, judge)
        found.tried[kind] += 1
        found.accused[kind] += judged.accused
        found.right_again[kind] += judged.right_again
        found.found[kind] += judged.found
        found.wrongly += [(game.number, place)] if judged.accused else []
    return found


class WithoutOne(NamedTuple):
    """The result of one game without one event, see ``Missing``."""

    accused: bool
    right_again: bool
    found: bool


def _judged_without(game: SimulatedGame, gap: int, judge: SimulationJudge) -> WithoutOne:
    header = Header.parse(game.truth.header)
    judge.open(header)
    law = RefereeOfTruth(Header.parse({**game.truth.header, "witness": "person"}))
    missed = game.truth.lines[gap].event.get("card")
    messages: list[Message] = []
    since_gap, since_shown = _Plays(), _Plays()
    is_shown = False
    lines = [line for place, line in enumerate(game.truth.lines) if place != gap]
    for number, line in enumerate(lines):
        messages += judge.apply(number + 2, event_from_json(line.event))
        is_shown = (law.objects(line) and number >= gap) or is_shown
        if number < gap or line.event["event"] != "placed" or line.position is None:
            continue
        state = judge.position()
        since_gap.see(line.play, is_at(line.position, state))
        if is_shown:
            since_shown.see(line.play, is_at(line.position, state, unnamed=missed))
    messages += judge.finish()
    results = [
        message.what for message in messages if isinstance(message.what, Announcement) and message.what.kind == "result"
    ]
    facts: Mapping[str, Any] = results[-1].facts if results else {"kind": None, "seats": ()}
    is_result = (facts["kind"], tuple(sorted(facts["seats"]))) == game.truth.result
    return WithoutOne(
        any(isinstance(message.what, Ruling) and message.what.verdict in ACCUSING for message in messages),
        since_gap.right if since_gap.plays else is_result,
        since_shown.right if since_shown.plays else is_result,
    )


@dataclass(slots=True)
class _Plays:
    """Counts plays since an event and whether the position was right within the first two."""

    plays: set[int] = field(default_factory=set)
    right: bool = False

    def see(self, play: int, is_right: bool) -> None:
        self.plays.add(play)
        self.right = self.right or (is_right and len(self.plays) <= WITHIN)
