"""Things that move besides cards and arms: a glass, a phone, a head that leans in, the cloth."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from datasets.clips.camera_and_light import ease


@dataclass(slots=True)
class Thing:
    """
    A thing on the table. ``stays``: (from, until, x, y) in s and mm, in order of time; between two of them a hand
    carries it. Before the first and after the last one it isn't there.
    """

    kind: str
    stays: list[tuple[float, float, float, float]] = field(default_factory=list)

    def at(self, t: float) -> tuple[float, float, float] | None:
        """Return the place of the thing (mm); None: not on the table."""
        if not self.stays or t < self.stays[0][0] - 0.6 or t > self.stays[-1][1] + 0.5:
            return None
        for start, end, x, y in self.stays:
            if start <= t <= end:
                return x, y, 0.0
        for (_, left, x0, y0), (there, _, x1, y1) in zip(self.stays, self.stays[1:], strict=False):
            if left < t < there:
                share = ease((t - left) / (there - left))
                return x0 + (x1 - x0) * share, y0 + (y1 - y0) * share, 26.0 * float(np.sin(np.pi * share))
        # Coming or going, it is in the hand of a gesture that brings it over the edge.
        return None


@dataclass(frozen=True, slots=True)
class Head:
    """Somebody's head, seen from above, leans in from a seat between ``begins`` and ``ends`` as far as ``tip`` (mm)."""

    seat: str
    begins: float
    ends: float
    edge: tuple[float, float]
    tip: tuple[float, float]
    hair: tuple[float, float, float]
    radius: float = 98.0

    def at(self, t: float) -> tuple[float, float] | None:
        """Return the middle of the head on the table plane; None: out of sight."""
        if not self.begins < t < self.ends:
            return None
        way = min(1.0, (self.ends - self.begins) * 0.4)
        share = ease(min((t - self.begins) / way, (self.ends - t) / way))
        return tuple(float(a + (b - a) * share) for a, b in zip(self.edge, self.tip, strict=True))  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class Cloth:
    """The cloth is pulled between ``begins`` and ``ends``: everything on it turns about the middle and shifts (mm)."""

    begins: float
    ends: float
    dx: float
    dy: float
    turn: float

    def at(self, t: float) -> np.ndarray:
        """Return the (3, 3) matrix that moves each point of the cloth, mm."""
        share = ease((t - self.begins) / (self.ends - self.begins))
        cos, sin = np.cos(self.turn * share), np.sin(self.turn * share)
        return np.array([[cos, -sin, self.dx * share], [sin, cos, self.dy * share], [0, 0, 1.0]])


Extra = Thing | Head | Cloth
