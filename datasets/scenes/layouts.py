"""Arrange cards as people do, as poses in table millimetres. The first card lies lowest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class ScenePose:
    """Centre in mm, turn in radians, and which side is up."""

    x: float
    y: float
    turn: float
    face_down: bool = False


Layout = list[ScenePose]


def spun(rng: np.random.Generator, layout: Layout) -> Layout:
    """Return the whole arrangement turned about the origin and centred there."""
    centre = np.mean([(pose.x, pose.y) for pose in layout], axis=0)
    angle = rng.uniform(0, 2 * np.pi)
    cos, sin = np.cos(angle), np.sin(angle)
    return [
        ScenePose(
            cos * (pose.x - centre[0]) - sin * (pose.y - centre[1]),
            sin * (pose.x - centre[0]) + cos * (pose.y - centre[1]),
            pose.turn + angle,
            pose.face_down,
        )
        for pose in layout
    ]


def single(rng: np.random.Generator) -> Layout:
    """Lay one card."""
    return [ScenePose(0, 0, rng.uniform(0, 2 * np.pi), rng.random() < 0.15)]


def scattered(rng: np.random.Generator) -> Layout:
    """Lay cards thrown down anyhow, some overlapping."""
    count = int(rng.integers(2, 12))
    reach = 50 * np.sqrt(count) * rng.uniform(0.5, 1.3)
    down = rng.uniform(0, 0.35)
    return [
        ScenePose(x, y, rng.uniform(0, 2 * np.pi), rng.random() < down)
        for x, y in (rng.uniform(-reach, reach, 2) for _ in range(count))
    ]


def bout(rng: np.random.Generator) -> Layout:
    """Lay a bout of Durak: attack cards in one or two rows, most covered by a defence card laid across."""
    count = int(rng.integers(1, 7))
    columns = min(count, int(rng.integers(2, 7)))
    step_x, step_y = rng.uniform(68, 115), rng.uniform(100, 150)
    order: Layout = []
    flip = rng.random() < 0.5
    habit = rng.uniform(-0.6, 0.6)
    shift = rng.uniform(-1, 1, 2) * (22, 38)
    for index in range(count):
        x = index % columns * step_x + rng.normal(0, 4)
        y = index // columns * step_y + rng.normal(0, 5)
        turn = rng.normal(0, 0.12) + (np.pi if rng.random() < 0.5 else 0)
        order.append(ScenePose(x, y, turn))
        if rng.random() < 0.7:
            across = rng.choice([habit, rng.uniform(-0.9, 0.9), np.pi / 2], p=[0.7, 0.2, 0.1])
            by = shift + rng.normal(0, 5, 2)
            order.append(ScenePose(x + by[0], y + by[1], turn + across + rng.normal(0, 0.08) + (np.pi if flip else 0)))
    return order


def fan(rng: np.random.Generator) -> Layout:
    """Lay a hand of cards spread over a corner, each covering most of the one before."""
    count = int(rng.integers(3, 8))
    step = rng.uniform(0.06, 0.5) * rng.choice([-1, 1])
    pivot = rng.uniform(30, 160)
    return [
        ScenePose(pivot * np.sin(step * i) + rng.normal(0, 2), -pivot * np.cos(step * i) + rng.normal(0, 2), step * i)
        for i in range(count)
    ]


def splay(rng: np.random.Generator) -> Layout:
    """Lay a few cards pushed apart by a thumb: each covers much of the one before, none quite straight."""
    count = int(rng.integers(2, 7))
    heading = rng.uniform(0, 2 * np.pi) if rng.random() < 0.5 else rng.normal(0, 0.3)
    step = rng.uniform(10, 48)
    turn = rng.normal(0, 0.1)
    twist = rng.normal(0, 0.15)
    at = np.zeros(2)
    order: Layout = []
    for _ in range(count):
        order.append(ScenePose(float(at[0]), float(at[1]), turn, rng.random() < 0.03))
        heading += rng.normal(0, 0.15)
        at = at + step * rng.uniform(0.6, 1.4) * np.array([np.cos(heading), np.sin(heading)])
        turn += twist + rng.normal(0, 0.1)
    return order


def row(rng: np.random.Generator) -> Layout:
    """Lay cards side by side, touching, apart or half covered."""
    count = int(rng.integers(2, 8))
    step = rng.uniform(18, 90)
    tilt = rng.normal(0, 0.08)
    return [ScenePose(i * step, rng.normal(0, 6), tilt + rng.normal(0, 0.1), rng.random() < 0.05) for i in range(count)]


def column(rng: np.random.Generator) -> Layout:
    """Lay cards one over another downwards, the tops showing."""
    count = int(rng.integers(2, 7))
    step = rng.uniform(18, 95)
    return [ScenePose(rng.normal(0, 3), i * step, rng.normal(0, 0.06)) for i in range(count)]


def grid(rng: np.random.Generator) -> Layout:
    """Lay rows and columns."""
    rows, columns = int(rng.integers(1, 4)), int(rng.integers(2, 6))
    step = rng.uniform((60, 88), (85, 120))
    return [
        ScenePose(
            c * step[0] + rng.normal(0, 3), r * step[1] + rng.normal(0, 3), rng.normal(0, 0.06), rng.random() < 0.08
        )
        for r in range(rows)
        for c in range(columns)
    ]


def talon(rng: np.random.Generator) -> Layout:
    """Lay the turn-up with the face-down stack across its middle."""
    turnup = ScenePose(
        rng.normal(0, 6) + rng.choice([-1, 1]) * rng.uniform(0, 30), rng.normal(0, 5), rng.normal(0, 0.06)
    )
    turn = np.pi / 2 + rng.normal(0, 0.1)
    jitter = rng.uniform(0.2, 2.5)
    stack = [
        ScenePose(rng.normal(0, jitter), rng.normal(0, jitter) - 0.3 * i, turn + rng.normal(0, 0.02), True)
        for i in range(int(rng.integers(1, 6)))
    ]
    side = rng.choice([-1, 1]) * rng.uniform(18, 40)
    stack = [ScenePose(pose.x, pose.y + side, pose.turn, True) for pose in stack]
    return [ScenePose(turnup.y, turnup.x * 0.3, turnup.turn), *stack]


def heap(rng: np.random.Generator) -> Layout:
    """Lay beaten cards, face down, untidy."""
    spread = rng.uniform(3, 28)
    return [
        ScenePose(x, y, rng.uniform(0, 2 * np.pi) if spread > 10 else rng.normal(0, 0.3), True)
        for x, y in (rng.normal(0, spread, 2) for _ in range(int(rng.integers(2, 10))))
    ]


def table(rng: np.random.Generator) -> Layout:
    """Lay a game in progress: a bout in the middle, talon and discard pile aside."""
    middle = bout(rng)
    reach = max((abs(pose.x) for pose in middle), default=0) + 120
    parts = list(middle)
    for part in (talon(rng), heap(rng)):
        if rng.random() < 0.7:
            at = np.array([-rng.uniform(100, 190), rng.uniform(-120, 160)])
            if part[-1].face_down and not part[0].face_down:
                at[0] = reach + rng.uniform(0, 60)
            parts = [ScenePose(p.x + at[0], p.y + at[1], p.turn, p.face_down) for p in part] + parts
    return parts


LAYOUTS: tuple[tuple[Callable[[np.random.Generator], Layout], float], ...] = (
    (single, 0.09),
    (scattered, 0.15),
    (bout, 0.26),
    (fan, 0.11),
    (splay, 0.12),
    (row, 0.09),
    (column, 0.02),
    (grid, 0.04),
    (talon, 0.06),
    (heap, 0.03),
    (table, 0.15),
)
"""Arrangements and how often each is drawn."""


def any_layout(rng: np.random.Generator) -> Layout:
    """Return one random arrangement, turned anyhow."""
    weights = np.array([weight for _, weight in LAYOUTS])
    maker = LAYOUTS[int(rng.choice(len(LAYOUTS), p=weights / weights.sum()))][0]
    return spun(rng, maker(rng))
