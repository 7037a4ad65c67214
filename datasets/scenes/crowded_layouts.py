"""Arrange cards that cover one another: beaten attacks, fanned hands, columns of solitaire, heaps of faces."""

from __future__ import annotations

import numpy as np

from datasets.scenes.layouts import Layout, ScenePose

CARD_WIDTH_MM, CARD_HEIGHT_MM = 63.0, 88.0
MOST_ATTACKS = 6
"""Cards that may lie against a defender."""


def beaten_attacks(rng: np.random.Generator) -> tuple[Layout, tuple[int, ...]]:
    """
    Lay one to six attacks, four in five of them beaten: the layout, and for each card which one it lies on, -1: on
    none.

    A third of the tables cross their pairs as one person does it, by a small lean, a third anyhow, a third straight
    across, where the lower card may end under the upper one.
    """
    attacks = 1 if rng.random() < 0.5 else int(rng.integers(2, MOST_ATTACKS + 1))
    columns = min(3, attacks)
    step = rng.uniform((108, 132), (130, 150))
    kind = ("habit", "anyhow", "across")[int(rng.integers(3))]
    habit, habit_by = float(rng.uniform(-0.5, 0.5)), rng.uniform(-1, 1, 2) * (24, 36)
    layout: Layout = []
    on: list[int] = []
    for index in range(attacks):
        x, y = index % columns * step[0] + rng.normal(0, 3), index // columns * step[1] + rng.normal(0, 3)
        lean = float(rng.normal(0, 0.15))
        layout.append(ScenePose(x, y, lean))
        on.append(-1)
        if attacks > 1 and rng.random() < 0.2:
            continue
        if kind == "habit":
            by, turn = habit_by + rng.normal(0, 4, 2), habit + float(rng.normal(0, 0.08))
        elif kind == "anyhow":
            far, heading = rng.uniform(12, 42), rng.uniform(0, 2 * np.pi)
            by, turn = np.array([np.cos(heading), np.sin(heading)]) * far, float(rng.uniform(-np.pi / 2, np.pi / 2))
        else:
            along, aside = rng.uniform(-42, 42), rng.normal(0, 7)
            by = np.array([np.cos(lean), np.sin(lean)]) * aside + np.array([-np.sin(lean), np.cos(lean)]) * along
            turn = float(rng.choice([-1, 1]) * np.pi / 2 + rng.normal(0, 0.12))
        layout.append(ScenePose(x + float(by[0]), y + float(by[1]), lean + turn))
        on.append(len(layout) - 2)
    return layout, tuple(on)


def held_fan(rng: np.random.Generator, count: int) -> Layout:
    """Lay a hand of cards fanned, each leaving the index of the one before in view; it opens upwards."""
    strip_mm = rng.uniform(13, 20)
    pivot = rng.uniform(60, 130)
    step = strip_mm / (pivot + CARD_HEIGHT_MM / 2)
    first = -step * (count - 1) / 2
    turns = first + step * np.arange(count) + rng.normal(0, 0.006, count)
    return [ScenePose(float(pivot * np.sin(t)), float(-pivot * np.cos(t)), float(t)) for t in turns]


def fanned_hands(rng: np.random.Generator) -> Layout:
    """Lay one to four hands of 6 to 13 cards; four of them lie as players sit, round the table's middle."""
    hands = int(rng.choice([1, 2, 4]))
    size = int(rng.choice([6, 9, 13])) if hands < 4 else 13
    layout: Layout = []
    for hand in range(hands):
        fan = held_fan(rng, size)
        turn, away = 2 * np.pi * hand / hands, 0.0 if hands == 1 else (150.0 if hands == 2 else 235.0)
        cos, sin = np.cos(turn), np.sin(turn)
        middle = np.mean([(pose.x, pose.y) for pose in fan], axis=0)
        for pose in fan:
            x, y = pose.x - middle[0], pose.y - middle[1] + away
            layout.append(ScenePose(float(cos * x - sin * y), float(sin * x + cos * y), pose.turn + float(turn)))
    return layout


def solitaire(rng: np.random.Generator) -> Layout:
    """Lay four to eight columns of up to eight faces; each card leaves the index row of the one above it in view."""
    columns = int(rng.integers(4, 9))
    gap, step = CARD_WIDTH_MM + rng.uniform(6, 22), CARD_HEIGHT_MM * rng.uniform(0.28, 0.36)
    layout: Layout = []
    for column in range(columns):
        count = min(int(rng.integers(1, 9)), 52 - len(layout))
        for row in range(count):
            layout.append(
                ScenePose(
                    column * gap + float(rng.normal(0, 1.2)), row * step + float(rng.normal(0, 1)), rng.normal(0, 0.015)
                )
            )
    return layout


def heap_of_faces(rng: np.random.Generator) -> Layout:
    """Lay six to sixteen faces thrown together."""
    spread = rng.uniform(45, 85)
    return [
        ScenePose(float(rng.normal(0, spread)), float(rng.normal(0, spread * 0.7)), float(rng.uniform(0, 2 * np.pi)))
        for _ in range(int(rng.integers(6, 17)))
    ]


def whole_deck(rng: np.random.Generator) -> Layout:
    """Lay out 52 cards face up in four rows of thirteen, a few millimetres apart and a few degrees askew."""
    step_x, step_y = rng.uniform((64, 90), (76, 110))
    return [
        ScenePose(column * step_x + rng.normal(0, 1.5), line * step_y + rng.normal(0, 2.5), rng.normal(0, 0.03))
        for line in range(4)
        for column in range(13)
    ]


def stepped_column(rng: np.random.Generator) -> Layout:
    """Lay two to four faces over one another, each a quarter of a card further on, turned as a whole at random."""
    count, step_mm = int(rng.integers(2, 5)), float(rng.uniform(15, 32))
    turn = float(rng.choice([0.0, 0.0, np.pi / 2, rng.uniform(0, 2 * np.pi)]))
    along = step_mm * np.array([-np.sin(turn), np.cos(turn)])
    places = (k * along + rng.normal(0, 0.7, 2) for k in range(count))
    return [ScenePose(x, y, turn + float(rng.normal(0, 0.01))) for x, y in places]


def one_fan(rng: np.random.Generator) -> Layout:
    """Lay one hand of nine to thirteen cards."""
    return held_fan(rng, int(rng.integers(9, 14)))


def large_rows(rng: np.random.Generator) -> Layout:
    """Lay six to eight cards in two rows, each over the edge of the one before and of the row above."""
    count = int(rng.integers(6, 9))
    step = rng.uniform((0.6, 0.75), (0.85, 0.95)) * (CARD_WIDTH_MM, CARD_HEIGHT_MM)
    return [
        ScenePose(
            index // 2 * step[0] + float(rng.normal(0, 3)),
            index % 2 * step[1] + float(rng.normal(0, 3)),
            float(rng.normal(0, 0.12)),
        )
        for index in range(count)
    ]
