"""
Simulate mishaps of camera and light while people play: a bump, a slow zoom, a lamp that is switched, exposure that
follows the brightness, frames that get lost.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


def ease(share: float) -> float:
    """Return the minimum-jerk course from 0 to 1, as people's hands move."""
    s = min(max(share, 0.0), 1.0)
    return s * s * s * (10 - 15 * s + 6 * s * s)


@dataclass(frozen=True, slots=True)
class Bump:
    """
    The camera is pushed at ``begins`` (s), shakes for ``shakes`` s and stays moved: shift in pixels, turn in radians,
    ``zoom`` a factor, all about the picture's middle.
    """

    begins: float
    shakes: float
    shift: tuple[float, float]
    turn: float = 0.0
    zoom: float = 1.0
    wobble_px: float = 0.0

    def at(self, t: float, size: tuple[int, int]) -> np.ndarray:
        """Return the (3, 3) matrix that moves each pixel to where the bump has carried it."""
        share = ease((t - self.begins) / max(self.shakes, 1e-6))
        swing = 0.0
        if self.begins < t < self.begins + 2.5 * self.shakes:
            since = (t - self.begins) / self.shakes
            swing = self.wobble_px * float(np.exp(-2.0 * since) * np.sin(19.0 * since))
        zoom = 1 + (self.zoom - 1) * share
        cos, sin = zoom * np.cos(self.turn * share), zoom * np.sin(self.turn * share)
        cx, cy = size[0] / 2, size[1] / 2
        dx, dy = self.shift[0] * share + swing, self.shift[1] * share - 0.6 * swing
        return np.array(
            [[cos, -sin, cx - cos * cx + sin * cy + dx], [sin, cos, cy - sin * cx - cos * cy + dy], [0, 0, 1]]
        )


def swayed(t: float, size: tuple[int, int], sway_px: float) -> np.ndarray:
    """Return the (3, 3) matrix of a hand-held camera's sway: breath, and a hand's slower wandering."""
    x = 0.6 * np.sin(1.7 * t) + 0.4 * np.sin(4.9 * t + 1)
    y = 0.6 * np.sin(2.3 * t + 2) + 0.4 * np.sin(5.7 * t)
    turn = sway_px / size[0] * np.sin(1.3 * t + 0.5)
    cos, sin, cx, cy = np.cos(turn), np.sin(turn), size[0] / 2, size[1] / 2
    dx, dy = cx - cos * cx + sin * cy + sway_px * x, cy - sin * cx - cos * cy + sway_px * y
    return np.array([[cos, -sin, dx], [sin, cos, dy], [0, 0, 1]])


@dataclass(frozen=True, slots=True)
class LampChange:
    """
    At ``at`` (s) the light changes to ``level`` times what it was, with a BGR ``tint``; the camera's exposure follows
    within about ``follows`` s and makes up for ``made_up`` of it.
    """

    at: float
    level: float
    tint: tuple[float, float, float] = (1.0, 1.0, 1.0)
    follows: float = 0.8
    made_up: float = 0.8


@dataclass(frozen=True, slots=True)
class RoomConditions:
    """
    All of it for one clip. ``drift``: share by which exposure wanders, over about ``drift_s`` s. ``lost``: (first
    frame, count, freezes) of frames that get lost; where it ``freezes`` the last picture is repeated, else they are
    missing. ``sway_px``: how far a camera held in a hand wanders, without end.
    """

    size: tuple[int, int] = (1280, 720)
    bumps: tuple[Bump, ...] = ()
    lamps: tuple[LampChange, ...] = ()
    drift: float = 0.0
    drift_s: float = 9.0
    lost: tuple[tuple[int, int, bool], ...] = ()
    sway_px: float = 0.0

    def view(self, t: float) -> np.ndarray | None:
        """Return the (3, 3) matrix of the camera's motion by ``t``; None: it has not moved."""
        moves = [bump.at(t, self.size) for bump in self.bumps if t > bump.begins]
        if self.sway_px:
            moves.append(swayed(t, self.size, self.sway_px))
        if not moves:
            return None
        total = np.eye(3)
        for move in moves:
            total = move @ total
        return total

    def gain(self, t: float) -> np.ndarray:
        """Return (3,) BGR factors on the picture."""
        gain = np.ones(3)
        for lamp in self.lamps:
            if t >= lamp.at:
                back = 1 + (lamp.level ** (-lamp.made_up) - 1) * (1 - np.exp(-(t - lamp.at) / lamp.follows))
                gain *= lamp.level * back * np.array(lamp.tint)
        if self.drift:
            gain *= 1 + self.drift * np.sin(2 * np.pi * t / self.drift_s) * np.sin(2 * np.pi * t / (self.drift_s * 2.7))
        return gain

    def fate(self, frame: int) -> str:
        """Return what becomes of a frame: ``shown``, ``frozen`` (the one before again), ``missing``."""
        for first, count, freezes in self.lost:
            if first <= frame < first + count:
                return "frozen" if freezes else "missing"
        return "shown"


@dataclass(frozen=True, slots=True)
class Mishaps:
    """
    Frequencies of mishaps of camera and light: expected times in a clip; ``drift`` is a share (0.05: 5 %), ``sway``
    how far a hand that holds the camera wanders, in pixels of 1280.
    """

    bumps: float = 0.0
    lamps: float = 0.0
    drops: float = 0.0
    drift: float = 0.0
    sway: float = 0.0

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> Mishaps:
        """Draw the mishaps of a table at random: mostly few."""
        return cls(
            bumps=float(rng.choice([0.0, 0.0, 0.7])),
            lamps=float(rng.choice([0.0, 0.0, 0.0, 0.8])),
            drops=float(rng.choice([0.0, 2.0, 6.0])),
            drift=float(rng.choice([0.0, 0.02, 0.05])),
        )

    def happen(self, seconds: float, fps: int, size: tuple[int, int], rng: np.random.Generator) -> RoomConditions:
        """Draw when and how they happen in a clip of ``seconds``."""
        scale = size[0] / 1280
        bumps = []
        for _ in range(int(rng.poisson(self.bumps))):
            shift = tuple(float(v) for v in rng.normal(0, 14, 2) * scale)
            zoom = float(rng.uniform(0.97, 1.08)) if rng.random() < 0.3 else 1.0
            slow = zoom != 1.0
            begins = float(rng.uniform(5, max(6, seconds - 5)))
            shakes = float(rng.uniform(1.0, 2.0) if slow else rng.uniform(0.15, 0.4))
            wobble = 0.0 if slow else float(rng.uniform(3, 14)) * scale
            bumps.append(Bump(begins, shakes, (shift[0], shift[1]), float(rng.normal(0, 0.012)), zoom, wobble))
        lamps = []
        for _ in range(int(rng.poisson(self.lamps))):
            level = float(rng.choice([0.45, 0.65, 1.5]))
            warm = float(rng.uniform(-0.08, 0.10))
            lamps.append(
                LampChange(float(rng.uniform(5, max(6, seconds - 5))), level, (1 - warm, 1.0, 1 + warm),
                           float(rng.uniform(0.3, 1.4)), float(rng.uniform(0.6, 0.95)))
            )  # fmt: skip
        lost = []
        for _ in range(int(rng.poisson(self.drops))):
            first = int(rng.integers(fps, max(fps + 1, int(seconds * fps) - fps)))
            lost.append((first, int(rng.integers(1, 1 + fps // 3)), bool(rng.random() < 0.5)))
        bumps.sort(key=lambda bump: bump.begins)
        lamps.sort(key=lambda lamp: lamp.at)
        drift_s, sway_px = float(rng.uniform(6, 20)), self.sway * scale
        return RoomConditions(size, tuple(bumps), tuple(lamps), self.drift, drift_s, tuple(lost), sway_px)
