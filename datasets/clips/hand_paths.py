"""The way of a hand, built key by key: it reaches, touches, moves on, and leaves."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from datasets.clips.motion import Path
from datasets.clips.stage import CardPose3D, Vector

ALOFT_MM = 46.0
"""How high fingertips travel."""


@dataclass(slots=True)
class Way:
    """A way from outside the picture (``start``, mm) and back; ``sway``: how far it bends aside (mm)."""

    start: Vector
    sway: float = 0.0
    keys: list[list[float]] = field(default_factory=list)
    stops: list[bool] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.keys.append([0.0, float(self.start[0]), float(self.start[1]), ALOFT_MM])
        self.stops.append(True)

    @property
    def now(self) -> float:
        """Return the time of the last key (s)."""
        return self.keys[-1][0]

    @property
    def here(self) -> Vector:
        """Return the place of the last key."""
        return np.array(self.keys[-1][1:])

    def to(self, place: Vector, seconds: float, stop: bool = True) -> float:
        """Move straight on; return the time of arrival."""
        self.keys.append([self.now + seconds, *(float(v) for v in place)])
        self.stops.append(stop)
        return self.now

    def wait(self, seconds: float) -> float:
        """Stay; return the time when that is over."""
        return self.to(self.here, seconds)

    def over(self, place: Vector, seconds: float, height: float = 0.5) -> float:
        """Move in a low arc, ``height`` times as high as hands usually travel."""
        middle = (self.here + place) / 2
        middle[2] = max(ALOFT_MM * height, self.here[2], place[2])
        self.to(middle, seconds * 0.5, stop=False)
        return self.to(place, seconds * 0.5)

    def _aside(self, place: Vector) -> Vector:
        way = (place - self.start)[:2]
        side = np.array([-way[1], way[0]]) / max(float(np.linalg.norm(way)), 1e-6)
        near = place[:2] + (self.start[:2] - place[:2]) * 0.30 + side * self.sway
        return np.array([*near, ALOFT_MM * 0.7])

    def reach(self, place: Vector, seconds: float) -> float:
        """Move from outside the picture to a place on the table."""
        self.to(self._aside(place), seconds * 0.6, stop=False)
        return self.to(place, seconds * 0.4)

    def home(self, seconds: float) -> float:
        """Move out of the picture."""
        past = self._aside(self.here)
        self.to(past * np.array([0.9, 0.9, 1.1]) + np.array([*self.start[:2], 0.0]) * 0.1, seconds * 0.42, stop=False)
        return self.to(np.array([*self.start[:2], ALOFT_MM]), seconds * 0.58)

    @property
    def path(self) -> Path:
        """Return the path that the arm takes."""
        return Path(np.array(self.keys), tuple(self.stops))


@dataclass(frozen=True, slots=True)
class Grasp:
    """Where a card lies in a hand: ahead and aside of the fingertip (mm), its middle above it, and its turn."""

    along: float
    across: float
    turn: float


def grasp(pose: CardPose3D, tip: Vector, elbow: Vector) -> Grasp:
    """Return how the hand holds a card that lies there."""
    yaw = float(np.arctan2(tip[1] - elbow[1], tip[0] - elbow[0]))
    off = pose.middle[:2] - tip[:2]
    cos, sin = np.cos(yaw), np.sin(yaw)
    return Grasp(float(cos * off[0] + sin * off[1]), float(-sin * off[0] + cos * off[1]), pose.yaw - yaw)
