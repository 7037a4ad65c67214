"""
Simulate a camera with calibrated errors: turn a true record into the record that the camera reports.

Calibrated: of all facts reported with confidence c, a share c is right, and the truth is always among the alternatives.
The alternatives are exchangeable: each of them, if true, would have led to the same list with its probability there.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from benchmarks.simulation.truth import TrueGame, TrueLine
from tests.referee.hands import LOWEST, ORDER

T = TypeVar("T")

ALIKE = ("689", "JQK", "TA", "27", "35", "4")
"""Groups of ranks that are confused with each other; so are the two suits of a colour."""

LEAST_SURE, MOST_SURE = 0.4, 0.95
"""Range of the confidence of an uncertain report; uniform."""


@dataclass(frozen=True, slots=True)
class Errors:
    """
    Error rates of the camera, as shares of the events, at level 1; :meth:`at` scales them.

    ``wrong``: cards and seats reported wrongly with full confidence. ``blurs_faults``: plays that break a rule are
    reported with the same errors as all others; otherwise without errors. ``alike``: a card is only confused with
    similar cards; otherwise with any of the pack.
    """

    doubtful_card: float = 1 / 12
    doubtful_sweep: float = 1 / 20
    doubtful_draw: float = 1 / 25
    unseen_card: float = 1 / 100
    unseen_sweep: float = 1 / 200
    unseen_draw: float = 1 / 50
    unseen_seat: float = 1 / 33
    wrong: float = 0.0
    blurs_faults: bool = False
    alike: bool = True

    @classmethod
    def at(cls, level: float, wrong: float = 0.0, blurs_faults: bool = False, alike: bool = True) -> Errors:
        """Return the rates of a level: 0 makes no error, 2 twice as many as 1."""
        usual = cls()
        return cls(
            doubtful_card=level * usual.doubtful_card,
            doubtful_sweep=level * usual.doubtful_sweep,
            doubtful_draw=level * usual.doubtful_draw,
            unseen_card=level * usual.unseen_card,
            unseen_sweep=level * usual.unseen_sweep,
            unseen_draw=level * usual.unseen_draw,
            unseen_seat=level * usual.unseen_seat,
            wrong=wrong,
            blurs_faults=blurs_faults,
            alike=alike,
        )


@dataclass(frozen=True, slots=True)
class ReportedLine:
    """A line that the camera reports; ``true``: index of the event in the true game, None if there was none."""

    event: dict[str, Any]
    true: int | None


def shares(rng: random.Random, least: float = LEAST_SURE, most: int = 3) -> list[float]:
    """Draw the probabilities of the alternatives, the largest first; their sum is 1."""
    first = rng.uniform(least, MOST_SURE)
    others = rng.randint(2 if first < 0.5 else 1, most) if most > 1 else 1
    parts = [rng.uniform(0.5, 1.0) for _ in range(others)]
    rest = [min(first, (1 - first) * part / sum(parts)) for part in parts]
    found = [round(share, 3) for share in (first, *rest)]
    return [round(1 - sum(found[1:]), 3), *sorted(found[1:], reverse=True)]


def doubted(rng: random.Random, truth: T, others: Sequence[T], weights: Sequence[float]) -> list[tuple[T, float]]:
    """Return alternatives with their probabilities; ``truth`` is placed among ``others`` according to the weights."""
    place = rng.choices(range(len(weights)), weights)[0]
    listed = list(rng.sample(others, len(weights) - 1))
    listed.insert(place, truth)
    return list(zip(listed, weights, strict=True))


def look_alikes(card: str, pack: int, *, alike: bool = True) -> list[str]:
    """
    Return the cards of the pack that are confused with this one, and with each other. Not ``alike``: all others.
    """
    if not alike:
        return [rank + suit for rank in ORDER[ORDER.index(LOWEST[pack]) :] for suit in "shdc" if rank + suit != card]
    similar = next(ranks for ranks in ALIKE if card[0] in ranks)
    suits = "sc" if card[1] in "sc" else "hd"
    lowest = ORDER.index(LOWEST[pack])
    every = [rank + suit for rank in similar for suit in suits if ORDER.index(rank) >= lowest]
    return [other for other in every if other != card]


def reported(game: TrueGame, errors: Errors, pack: int, rng: random.Random) -> list[ReportedLine]:
    """Return the lines that the camera reports of a game."""
    camera = _Camera(game, errors, pack, rng)
    for place, line in enumerate(game.lines):
        camera.see(place, line)
    return camera.lines


class _Camera:
    """Reports one game. ``names``: the reported name of each card on the table; None: the card was missed."""

    def __init__(self, game: TrueGame, errors: Errors, pack: int, rng: random.Random) -> None:
        self.errors, self.pack, self.rng = errors, pack, rng
        self.seats: list[str] = game.header["seats"]
        self.names: dict[str, str | None] = {}
        self.lines: list[ReportedLine] = []
        self.surely = False
        self.faulty: set[str] = set()

    def see(self, place: int, line: TrueLine) -> None:
        """Report one line, or miss it."""
        event = dict(line.event)
        if event["event"] == "placed":
            self.surely = bool(line.faults) and not self.errors.blurs_faults
            self.faulty = self.faulty | {event["card"]} if self.surely else self.faulty - {event["card"]}
        elif event["event"] == "lifted":
            self.surely = event["card"] in self.faulty
        else:
            self.surely = bool(line.faults) and not self.errors.blurs_faults
        if getattr(self, f"_{event['event']}")(event):
            self.lines.append(ReportedLine(event, place))
        if event["event"] == "drawn" and self._happens(self.errors.doubtful_draw / 3):
            self._phantom(line)

    def _happens(self, rate: float) -> bool:
        return self.rng.random() < rate and not self.surely

    # Each kind of event: change what is reported; return False if the event is missed.

    def _placed(self, event: dict[str, Any]) -> bool:
        card = event["card"]
        if self._happens(self.errors.unseen_card):
            self.names[card] = None
            return False
        self._reads(event)
        self.names[card] = event["card"]
        if "on" in event:
            under = self.names[event["on"]]
            if under is None:
                del event["on"]
            else:
                event["on"] = under
        self._attributes(event)
        return True

    def _lifted(self, event: dict[str, Any]) -> bool:
        name = self.names.pop(event["card"])
        if name is None or self._happens(self.errors.unseen_card):
            return False
        event["card"] = name
        self._attributes(event)
        return True

    def _shown(self, event: dict[str, Any]) -> bool:
        if self._happens(self.errors.unseen_card):
            return False
        self._reads(event)
        return True

    def _swept(self, event: dict[str, Any]) -> bool:
        self.names.clear()
        if self._happens(self.errors.unseen_sweep):
            return False
        if self._happens(self.errors.doubtful_sweep):
            others = [to for to in ("heap", *self.seats) if to != event["to"]]
            self._doubts(event, "to", others, shares(self.rng, 0.5, 2))
        return True

    def _drawn(self, event: dict[str, Any]) -> bool:
        if self._happens(self.errors.unseen_draw):
            return False
        if self._happens(self.errors.doubtful_draw):
            what = self.rng.choice(("count", "by", "nothing"))
            weights = shares(self.rng, 0.5, 1)
            if what == "by":
                self._doubts(event, "by", [seat for seat in self.seats if seat != event["by"]], weights)
            elif what == "nothing":
                event |= {"confidence": weights[0], "otherwise": [[None, weights[1]]]}
            else:
                other = event["count"] + self.rng.choice((-1, 1))
                if other > 0:
                    self._doubts(event, "count", [other], weights)
        elif self._happens(self.errors.unseen_seat):
            del event["by"]
        return True

    def _swapped(self, event: dict[str, Any]) -> bool:
        return not self._happens(self.errors.unseen_draw)

    def _dealt(self, event: dict[str, Any]) -> bool:
        return True

    # Errors of single facts.

    def _reads(self, event: dict[str, Any]) -> None:
        """Make the name of a card uncertain, or wrong with full confidence."""
        others = look_alikes(event["card"], self.pack, alike=self.errors.alike)
        if self._happens(self.errors.wrong):
            event["card"] = self.rng.choice(others)
        elif self._happens(self.errors.doubtful_card):
            weights = shares(self.rng, 0.51 if len(others) < 2 else LEAST_SURE, min(3, len(others)))
            (event["card"], event["confidence"]), *rest = doubted(self.rng, event["card"], others, weights)
            event["alternatives"] = [[card, share] for card, share in rest]

    def _attributes(self, event: dict[str, Any]) -> None:
        """Drop the seat, or report a wrong one with full confidence."""
        if self._happens(self.errors.unseen_seat):
            del event["by"]
        elif self._happens(self.errors.wrong):
            event["by"] = self.rng.choice([seat for seat in self.seats if seat != event["by"]])

    def _doubts(self, event: dict[str, Any], key: str, others: Sequence[Any], weights: list[float]) -> None:
        """Make one key of the event uncertain."""
        weights = weights if len(others) >= len(weights) - 1 else [weights[0], round(1 - weights[0], 3)]
        (event[key], event["confidence"]), *rest = doubted(self.rng, event[key], others, weights)
        event["otherwise"] = [[{key: value}, share] for value, share in rest]

    def _phantom(self, line: TrueLine) -> None:
        """
        Report a draw that did not happen, with uncertainty, as often as calibration requires for this confidence.
        """
        sure, not_so = shares(self.rng, 0.5, 1)
        if self.rng.random() < not_so / sure:
            event = {"at": line.event["at"], "event": "drawn", "by": self.rng.choice(self.seats), "count": 1}
            self.lines.append(ReportedLine(event | {"confidence": sure, "otherwise": [[None, not_so]]}, None))
