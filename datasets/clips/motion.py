"""
Describe how arms and cards move: paths of a fingertip, cards carried or pushed, and the actions made of them.

Everything is a pure function of time (s); places are in table millimetres.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from datasets.clips.camera_and_light import RoomConditions, ease
from datasets.clips.moving_things import Extra
from datasets.clips.stage import CardPose3D, Stage, Vector
from datasets.clips.story import Step, Story
from referee.cards import Card

TURNED = float(np.pi)
SHEET_MM = 0.32
"""Thickness of a card."""
GRIP_MM = 19.0
"""How far the fingertips reach onto a card they hold."""
ELBOW_MM = 420.0
"""How far behind the point of entry the arm turns."""
FPS = 25


def mix(a: CardPose3D, b: CardPose3D, share: float) -> CardPose3D:
    """Interpolate between two poses, the shorter way round."""

    def between(p: float, q: float) -> float:
        return p + (q - p) * share

    turn = (b.yaw - a.yaw + np.pi) % (2 * np.pi) - np.pi
    return CardPose3D(
        between(a.x, b.x),
        between(a.y, b.y),
        between(a.z, b.z),
        a.yaw + turn * share,
        between(a.pitch, b.pitch),
        between(a.roll, b.roll),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """
    Way of a fingertip: keys (n, 4) of time (s) and place (mm). At keys where ``stop`` it comes to rest; through the
    others it passes smoothly.
    """

    keys: np.ndarray
    stop: tuple[bool, ...]

    def at(self, t: float) -> Vector:
        """Place at time ``t``."""
        times = self.keys[:, 0]
        if t <= times[0]:
            return np.asarray(self.keys[0, 1:])
        if t >= times[-1]:
            return np.asarray(self.keys[-1, 1:])
        i = int(np.searchsorted(times, t, side="right")) - 1
        t0, t1 = times[i], times[i + 1]
        p0, p1 = self.keys[i, 1:], self.keys[i + 1, 1:]
        share = (t - t0) / (t1 - t0)
        if self.stop[i] and self.stop[i + 1]:
            return np.asarray(p0 + (p1 - p0) * ease(share))
        m0, m1 = self._slope(i) * (t1 - t0), self._slope(i + 1) * (t1 - t0)
        s2, s3 = share * share, share**3
        return np.asarray(
            (2 * s3 - 3 * s2 + 1) * p0 + (s3 - 2 * s2 + share) * m0 + (3 * s2 - 2 * s3) * p1 + (s3 - s2) * m1
        )

    def _slope(self, i: int) -> Vector:
        if self.stop[i] or i in (0, len(self.keys) - 1):
            return np.zeros(3)
        before, after = self.keys[i - 1], self.keys[i + 1]
        return np.asarray((after[1:] - before[1:]) / (after[0] - before[0]))


@dataclass(frozen=True, slots=True)
class ArmPose:
    """An arm at one moment: fingertip (mm), direction of the forearm (radians), whose, and the shape of the hand."""

    seat: str
    hand: str
    tip: tuple[float, float, float]
    yaw: float


@dataclass(frozen=True, slots=True)
class Carry:
    """
    A card in the hand from ``take`` to ``drop`` (s).

    ``start``/``end``: how it lies before and after; None: it comes from, or goes to, somewhere outside the picture.
    ``along``, ``across``, ``above``: its middle in the hand's frame (mm). ``turn``: its yaw in that frame. ``swing``:
    further yaw that dies away until ``drop``. ``flip``: (from, to) times in which it is turned over.
    ``slide``: seconds it needs to come into the hand; ``settle``: to leave it.
    """

    card: Card
    take: float
    drop: float
    start: CardPose3D | None
    end: CardPose3D | None
    along: float
    across: float
    above: float
    turn: float
    roll: float
    swing: float = 0.0
    lean: float = 0.0
    flip: tuple[float, float] | None = None
    slide: float = 0.0
    settle: float = 0.0
    order: int = 0

    def pose(self, t: float, tip: Vector, yaw: float) -> CardPose3D:
        """Return the card's pose while it is carried."""
        cos, sin = np.cos(yaw), np.sin(yaw)
        away = 1.0 - ease((t - self.take) / max(self.drop - self.take, 1e-6))
        roll, lift = self.roll, 0.0
        if self.flip:
            share = ease((t - self.flip[0]) / (self.flip[1] - self.flip[0]))
            roll += TURNED * share
            lift = 34.0 * float(np.sin(np.pi * share))
        held = CardPose3D(
            float(tip[0] + cos * self.along - sin * self.across),
            float(tip[1] + sin * self.along + cos * self.across),
            float(max(tip[2] + self.above, 0.3) + lift),
            yaw + self.turn + self.swing * away,
            self.lean * away,
            roll,
        )
        if self.start and self.slide > 0:
            held = mix(self.start, held, ease((t - self.take) / self.slide))
        if self.end and self.settle > 0:
            held = mix(held, self.end, ease((t - self.drop + self.settle) / self.settle))
        return held


@dataclass(frozen=True, slots=True)
class Push:
    """
    A card that moves over the table by itself or under a finger, from ``take`` to ``drop`` (s).

    ``thrown``: it is fast at first and slows down, else it starts and stops softly. It keeps its place among the cards
    that lie above and below it, unless it goes ``above`` all.
    """

    card: Card
    take: float
    drop: float
    start: CardPose3D
    end: CardPose3D | None
    away: CardPose3D | None = None
    thrown: bool = False
    above: bool = False
    spin: float = 0.0

    def pose(self, t: float, tip: Vector | None = None, yaw: float = 0.0) -> CardPose3D:
        """Return the card's pose; ``away`` is its goal if it leaves the picture (``end`` None)."""
        goal = self.end or self.away or self.start
        share = min(max((t - self.take) / max(self.drop - self.take, 1e-6), 0.0), 1.0)
        share = 1 - (1 - share) ** 2.4 if self.thrown else ease(share)
        here = mix(self.start, goal, share)
        return replace(here, yaw=here.yaw + self.spin * (1 - share))


@dataclass(slots=True)
class Action:
    """
    One visit of one arm to the table, and the step of the story it carries out (None: none).

    ``touch``, ``clear``: first and last time it has to do with anything on the table (s). ``at``: when a camera could
    be certain of the step. ``abreast``: it does not wait until the visit before it has let go.
    """

    step: Step | None
    seat: str
    hand: str
    elbow: Vector
    path: Path
    carries: tuple[Carry | Push, ...] = ()
    at: float = 0.0
    touch: float = 0.0
    clear: float = 0.0
    abreast: bool = False

    @property
    def begins(self) -> float:
        """Return when the hand sets out, outside the picture (s)."""
        return float(self.path.keys[0, 0])

    @property
    def ends(self) -> float:
        """Return when the hand is back (s)."""
        return float(self.path.keys[-1, 0])

    def later(self, seconds: float) -> Action:
        """Return the same visit, ``seconds`` later."""
        keys = self.path.keys.copy()
        keys[:, 0] += seconds
        carries = tuple(_later(carry, seconds) for carry in self.carries)
        return replace(
            self,
            path=Path(keys, self.path.stop),
            carries=carries,
            touch=self.touch + seconds,
            clear=self.clear + seconds,
        )

    def arm(self, t: float) -> ArmPose | None:
        """Return the arm at ``t``; None when it is away."""
        if not self.begins < t < self.ends:
            return None
        tip = self.path.at(t)
        yaw = float(np.arctan2(tip[1] - self.elbow[1], tip[0] - self.elbow[0]))
        return ArmPose(self.seat, self.hand, (float(tip[0]), float(tip[1]), float(tip[2])), yaw)

    def carried(self, t: float) -> Iterator[tuple[Carry, CardPose3D]]:
        """Yield the cards in the hand at ``t`` with their poses, the lowest first."""
        arm = self.arm(t)
        if arm is None:
            return
        for carry in self.carries:
            if isinstance(carry, Carry) and carry.take <= t < carry.drop:
                yield carry, carry.pose(t, np.array(arm.tip), arm.yaw)

    def pushed(self, t: float) -> Iterator[tuple[Push, CardPose3D]]:
        """Yield the cards that move over the table at ``t``."""
        for push in self.carries:
            if isinstance(push, Push) and push.take <= t < push.drop:
                yield push, push.pose(t)


def _later(carry: Carry | Push, seconds: float) -> Carry | Push:
    if isinstance(carry, Carry) and carry.flip:
        carry = replace(carry, flip=(carry.flip[0] + seconds, carry.flip[1] + seconds))
    return replace(carry, take=carry.take + seconds, drop=carry.drop + seconds)


@dataclass(slots=True)
class Performance:
    """A story on a stage: what lies there at first (lowest first), all actions in order, and how long it lasts (s)."""

    story: Story
    stage: Stage
    opening: dict[Card, CardPose3D]
    actions: list[Action]
    seconds: float
    fps: int = FPS
    extras: tuple[Extra, ...] = ()
    room: RoomConditions = field(default_factory=RoomConditions)
