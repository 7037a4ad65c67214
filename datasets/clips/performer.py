"""What people at a filmed table can do with cards: where cards lie, ways of hands, and how much everything varies."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from datasets.clips.choreography import Choreographer
from datasets.clips.habits import Habits
from datasets.clips.hand_paths import Way
from datasets.clips.motion import SHEET_MM, TURNED
from datasets.clips.stage import CardPose3D, Vector
from referee.cards import Card


@dataclass(slots=True)
class Performer(Choreographer):
    """A table and the cards that lie on it. ``over``: what each card of the bout lies across."""

    habits: Habits = field(default_factory=Habits)
    over: dict[Card, Card | None] = field(default_factory=dict)
    nominal: dict[Card, CardPose3D] = field(default_factory=dict)
    """How a card was meant to lie, where it lies crooked."""
    turnup: Card | None = None
    pack_at: CardPose3D | None = None
    """Where the pack lies before the deal."""

    def some(self, span: tuple[float, float]) -> float:
        """Draw a time from a range of the tempo, at this table's pace."""
        return self._some(span) / self.habits.hurry**0.5

    def chance(self, share: float) -> bool:
        """Return True with probability ``share``."""
        return bool(self.rng.random() < share)

    def jitter(self, sigma: float) -> float:
        """Draw a number about 0, never more than twice ``sigma``."""
        return self._jitter(sigma)

    def way(self, seat: str, lean: float = 0.05) -> tuple[Way, Vector]:
        """Return a way from the seat, and the elbow behind it."""
        start = self.stage.shoulder(seat, self._jitter(lean))
        out = start[:2] / np.linalg.norm(start[:2])
        return Way(start, self._jitter(22)), np.array([*(start[:2] + out * 420.0), 0.0])

    def _on_heap(self, x: float, y: float) -> CardPose3D:
        """Return a pose face down on the discard pile, which spreads as far as these people let it."""
        untidy = self.habits.untidy
        neat = Choreographer._on_heap(self, x, y)
        wide, turned = 45.0 * untidy, 0.9 * untidy
        return replace(
            neat, x=neat.x + self._jitter(wide), y=neat.y + self._jitter(wide), yaw=neat.yaw + self._jitter(turned)
        )

    def on_stack(self, at: CardPose3D, height: int) -> CardPose3D:
        """Return a pose face down on a stack that is nearly square."""
        return CardPose3D(
            at.x + self._jitter(0.9), at.y + self._jitter(0.9), at.z + SHEET_MM * height, at.yaw + self._jitter(0.025),
            0.0, TURNED,
        )  # fmt: skip

    def spot(self, seat: str, card: Card, on: Card | None) -> CardPose3D:
        """Return where a card is meant to lie."""
        facing = self.stage.seat_angle(seat) - np.pi / 2
        facing = (facing + np.pi / 2) % np.pi - np.pi / 2
        yaw = self.habits.across * facing + self._jitter(0.07)
        if on is None:
            slot = next(i for i in range(24) if i not in self.slots.values())
            self.slots[card] = slot
            x, y = self.stage.slot(slot)
            return self._uppermost(CardPose3D(x + self._jitter(4), y + self._jitter(4), 0.0, yaw))
        under = self.lying[on]
        pile = [other for other, below in self.over.items() if below == on]
        cos, sin = np.cos(under.yaw), np.sin(under.yaw)
        less = 1.2 - 0.8 * self.habits.overlap
        dx, dy = (23 + self._jitter(4)) * less + 8 * len(pile), (30 + self._jitter(4)) * less
        return self._uppermost(
            CardPose3D(
                under.x + cos * dx - sin * dy,
                under.y + sin * dx + cos * dy,
                0.0,
                under.yaw + 0.24 + 0.3 * self.habits.across * facing + self._jitter(0.10),
            )
        )

    def _uppermost(self, pose: CardPose3D) -> CardPose3D:
        """Return the same place, on top of whatever lies there."""
        below = [p.z for p in self.lying.values() if np.hypot(p.x - pose.x, p.y - pose.y) < 105]
        return replace(pose, z=max(below) + SHEET_MM) if below else pose

    def enter(self, card: Card, pose: CardPose3D, on: Card | None, seat: str) -> None:
        """Add a card to the bout."""
        self.lying[card] = pose
        self.over[card] = on
        self.here.add(seat)

    def leave(self, card: Card) -> CardPose3D:
        """Remove a card from the bout and return its pose."""
        self.slots.pop(card, None)
        self.over.pop(card, None)
        self.nominal.pop(card, None)
        return self.lying.pop(card)

    def nearby(self, card: Card) -> list[Card]:
        """Return the bout's cards that a hand reaching for ``card`` may touch, and those lying on them."""
        middle = self.lying[card].middle
        near = [
            other
            for other, below in self.over.items()
            if below is None and other != card and self.over.get(card) != other
            and np.linalg.norm(self.lying[other].middle - middle) < 190
        ]  # fmt: skip
        return self.pile_of(near[int(self.rng.integers(len(near)))]) if near else []

    def under_arm(self, tip: Vector, elbow: Vector, laid: Card) -> list[Card]:
        """Return an attack card under the arm of a hand at ``tip``, and the cards on it; never the card ``laid``."""
        ahead = tip[:2] - elbow[:2]
        length = float(np.linalg.norm(ahead))
        ahead = ahead / length
        for card, below in self.over.items():
            off = self.lying[card].middle[:2] - elbow[:2]
            along, aside = float(off @ ahead), abs(float(off[0] * ahead[1] - off[1] * ahead[0]))
            if below is None and laid not in self.pile_of(card) and along < length - 60 and aside < 38:
                return self.pile_of(card)
        return []

    def pile_of(self, attack: Card) -> list[Card]:
        """Return an attack card and the cards lying across it."""
        return [attack, *(other for other, below in self.over.items() if below == attack)]
