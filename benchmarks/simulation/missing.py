"""One event taken out of a game that is told surely otherwise: is anybody accused, is the position soon right again?"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field

from benchmarks.simulation.judges import SimulationJudge
from benchmarks.simulation.score import ACCUSING
from benchmarks.simulation.simulated_games import SimulatedGame
from benchmarks.simulation.truth import TrueLine, is_at
from referee.announcements import Announcement
from referee.header import Header
from referee.record import event_from_json
from referee.rulings import Ruling
from referee.said import Said

WITHIN = 2
"""So many plays of cards after the gap the position should be right again."""


@dataclass(slots=True)
class Missing:
    """Figures by the kind of event that was taken out; ``wrongly``: (game, place) where somebody was accused."""

    tried: Counter[str] = field(default_factory=Counter)
    accused: Counter[str] = field(default_factory=Counter)
    right_again: Counter[str] = field(default_factory=Counter)
    wrongly: list[tuple[int, int]] = field(default_factory=list)

    def add(self, other: Missing) -> None:
        """Count these too."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


def kind_of(line: TrueLine) -> str:
    """The kind of an event, a card laid across told from one laid beside."""
    event = line.event
    return str(event["event"] if event["event"] != "placed" else "beat" if "on" in event else "attack")


def without_one(game: SimulatedGame, judge: SimulationJudge) -> Missing:
    """Take out one event of each kind, at places drawn by lot, each by itself."""
    rng = random.Random(f"{game.number}/missing")
    places: dict[str, list[int]] = {}
    for place, line in enumerate(game.truth.lines):
        places.setdefault(kind_of(line), []).append(place)
    found = Missing()
    for kind, every in sorted(places.items()):
        place = rng.choice(every)
        accused, right = _judged_without(game, place, judge)
        found.tried[kind] += 1
        found.accused[kind] += accused
        found.right_again[kind] += right
        found.wrongly += [(game.number, place)] if accused else []
    return found


def _judged_without(game: SimulatedGame, gap: int, judge: SimulationJudge) -> tuple[bool, bool]:
    """Is anybody accused; is the position right within two plays (where none come any more: the result)?"""
    judge.open(Header.parse(game.truth.header))
    said: list[Said] = []
    plays: set[int] = set()
    right = False
    lines = [each for place, each in enumerate(game.truth.lines) if place != gap]
    for number, line in enumerate(lines):
        said += judge.feed(number + 2, event_from_json(line.event))
        if number < gap or line.event["event"] != "placed" or line.position is None:
            continue
        plays.add(line.play)
        if len(plays) <= WITHIN and not right:
            right = is_at(line.position, judge.position())
    said += judge.finish()
    if not plays:
        results = [each.what for each in said if isinstance(each.what, Announcement) and each.what.kind == "result"]
        right = bool(results) and results[-1].facts["kind"] == game.truth.result[0]  # type: ignore[index]
        right = right and tuple(sorted(results[-1].facts["seats"])) == game.truth.result[1]  # type: ignore[index]
    return any(isinstance(each.what, Ruling) and each.what.verdict in ACCUSING for each in said), right
