"""
Place the signs of a face at random: rank and suit beside each other or apart, once or often, of any size.

Lengths are shares of the card's height, from its upper left corner. A card is read by a rank sign and a suit sign; the
arrangement says where these are and nothing of what else is printed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

RELATIONS = {"above": 0.2, "below": 0.09, "right": 0.22, "left": 0.1, "askew": 0.07, "apart": 0.32}
"""How often the rank stands how to its suit, in training: above it, below it, with the suit at its right or left, at a
slant, or far from it."""
KEPT_OUT = ("inside", "scattered", "column")
"""Relations that no training ever sees, for checking: the rank within a large suit sign; both once, each at any place
and turned any way; the rank at one end of the card and its suit at the other, in the middle of the edge."""
SYMMETRIES = {"half turn": 0.6, "single": 0.14, "four": 0.16, "upright": 0.1}
"""How often what is printed at one corner is printed again: turned by half at the other end, nowhere, at all four
corners, or once more the same way up."""
LEAST, LARGEST = 0.075, 0.44
"""Heights of a rank sign. A smaller one is not legible on a card of 70 px."""


@dataclass(frozen=True, slots=True)
class Mark:
    """
    One sign in its place. sign: ``rank`` or ``suit``. x, y: its middle. wide, tall: the box it is fitted into. turn:
    quarter turns clockwise. light: printed in the paper's colour, upon another mark.
    """

    sign: str
    x: float
    y: float
    wide: float
    tall: float
    turn: int = 0
    light: bool = False

    def box(self) -> tuple[float, float, float, float]:
        """Return left, top, right, bottom of the mark as it lies on the card."""
        wide, tall = (self.tall, self.wide) if self.turn % 2 else (self.wide, self.tall)
        return self.x - wide / 2, self.y - tall / 2, self.x + wide / 2, self.y + tall / 2


@dataclass(frozen=True, slots=True)
class Arrangement:
    """
    The marks of every face of one deck. needs_line: no rank stands both ways up, so that a line below must distinguish
    a 6 from a 9.
    """

    relation: str
    marks: tuple[Mark, ...]
    needs_line: bool


def _unit(rng: np.random.Generator, relation: str, rank: float) -> list[Mark]:
    """Return rank and suit of one index about the origin."""
    wide = rank * float(rng.uniform(0.62, 0.95))
    suit = rank * float(rng.uniform(0.45, 1.3))
    gap = rank * float(rng.uniform(0.04, 0.25))
    if relation == "inside":
        around = rank * float(rng.uniform(2.0, 2.6))
        return [Mark("suit", 0, 0, around, around), Mark("rank", 0, 0, wide * 0.8, rank * 0.8, light=True)]
    down, along = (rank + suit) / 2 + gap, (wide + suit) / 2 + gap
    slip = float(rng.uniform(-0.25, 0.25)) * rank
    at = {
        "above": (0.0, down),
        "below": (0.0, -down),
        "right": (along, slip),
        "left": (-along, slip),
        "askew": (along * float(rng.uniform(0.6, 1)), down * float(rng.uniform(0.4, 0.9))),
    }[relation]
    return [Mark("rank", 0, 0, wide, rank), Mark("suit", *at, suit, suit)]


def _bounds(marks: list[Mark]) -> tuple[float, float, float, float]:
    boxes = np.array([mark.box() for mark in marks])
    return (
        float(boxes[:, 0].min()),
        float(boxes[:, 1].min()),
        float(boxes[:, 2].max()),
        float(boxes[:, 3].max()),
    )


def _placed(
    rng: np.random.Generator, marks: list[Mark], room: tuple[float, float, float, float], where: str
) -> list[Mark]:
    """Move the marks of one index into ``room`` (left, top, right, bottom), shrunk where they must be."""
    left, top, right, bottom = _bounds(marks)
    scale = min(1.0, (room[2] - room[0]) / (right - left), (room[3] - room[1]) / (bottom - top))
    free_x, free_y = room[2] - room[0] - (right - left) * scale, room[3] - room[1] - (bottom - top) * scale
    along = {"left": 0.0, "right": 1.0, "middle": 0.5}.get(where, float(rng.random()))
    down = float(rng.random()) if where == "anywhere" else float(rng.choice([0.0, rng.random()], p=[0.75, 0.25]))
    x, y = room[0] + along * free_x - left * scale, room[1] + down * free_y - top * scale
    return [
        Mark(m.sign, x + m.x * scale, y + m.y * scale, m.wide * scale, m.tall * scale, m.turn, m.light) for m in marks
    ]


def _turned(marks: list[Mark]) -> list[Mark]:
    """Turn an index sideways."""
    return [Mark(m.sign, -m.y, m.x, m.wide, m.tall, m.turn + 1, m.light) for m in marks]


def _repeated(marks: list[Mark], symmetry: str, width: float) -> list[Mark]:
    half = [Mark(m.sign, width - m.x, 1 - m.y, m.wide, m.tall, m.turn + 2, m.light) for m in marks]
    if symmetry == "half turn":
        return marks + half
    if symmetry == "four":
        across = [Mark(m.sign, width - m.x, m.y, m.wide, m.tall, m.turn, m.light) for m in marks]
        below = [Mark(m.sign, m.x, 1 - m.y, m.wide, m.tall, m.turn + 2, m.light) for m in marks]
        return marks + across + half + below
    if symmetry == "upright":
        return marks + [Mark(m.sign, width - m.x, 1 - m.y, m.wide, m.tall, m.turn, m.light) for m in marks]
    return marks


def _room(symmetry: str, width: float, margin: float, where: str) -> tuple[float, float, float, float]:
    """Return the part of the card that one index may use, so that its copies have room too."""
    right = width / 2 - 0.01 if symmetry == "four" else width - margin
    bottom = 1 - margin if symmetry == "single" else 0.49
    if symmetry == "upright" and where in ("left", "right"):
        return margin, margin, right, 0.49
    return margin, margin, right, bottom


def _overlap(marks: list[Mark]) -> bool:
    boxes = [mark.box() for mark in marks if not mark.light]
    return any(
        a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3] for i, a in enumerate(boxes) for b in boxes[:i]
    )


def _apart(rng: np.random.Generator, width: float, rank: float, symmetry: str, margin: float) -> list[Mark]:
    """Return rank and suit each at a place of its own."""
    suit = rank * float(rng.uniform(0.5, 1.6))
    wide = rank * float(rng.uniform(0.62, 0.95))
    if rng.random() < 0.35:  # the suit once, in the middle, as large as there is room
        where = str(rng.choice(["left", "right"]))
        ranks = _placed(rng, [Mark("rank", 0, 0, wide, rank)], _room(symmetry, width, margin, where), where)
        large = float(rng.uniform(0.2, 0.55)) * width / 0.7
        return [*_repeated(ranks, symmetry, width), Mark("suit", width / 2, 0.5, large, large)]
    if rng.random() < 0.3:  # the rank once, in the middle
        where = str(rng.choice(["left", "right"]))
        suits = _placed(rng, [Mark("suit", 0, 0, suit, suit)], _room(symmetry, width, margin, where), where)
        large = float(rng.uniform(0.25, 0.55))
        return [*_repeated(suits, symmetry, width), Mark("rank", width / 2, 0.5, large * 0.8, large)]
    places = [str(p) for p in rng.permutation(["left", "right"])] if rng.random() < 0.7 else ["anywhere", "anywhere"]
    marks = []
    for mark, where in zip((Mark("rank", 0, 0, wide, rank), Mark("suit", 0, 0, suit, suit)), places, strict=True):
        marks += _placed(rng, [mark], _room(symmetry, width, margin, where), where)
    return _repeated(marks, symmetry, width)


def _column(rng: np.random.Generator, width: float, rank: float, margin: float) -> list[Mark]:
    tall = min(rank * 1.3, 0.42)
    suit = tall * float(rng.uniform(0.6, 1.1))
    ends = [(width / 2, margin + tall / 2), (width / 2, 1 - margin - suit / 2)]
    if rng.random() < 0.5:
        ends = [(width / 2, 1 - margin - tall / 2), (width / 2, margin + suit / 2)]
    return [Mark("rank", *ends[0], min(tall * 0.85, width - 2 * margin), tall), Mark("suit", *ends[1], suit, suit)]


def _scattered(rng: np.random.Generator, width: float, rank: float, margin: float) -> list[Mark]:
    marks = []
    for sign in ("rank", "suit"):
        tall = rank * float(rng.uniform(0.9, 1.3))
        mark = Mark(sign, 0, 0, tall * 0.8, tall, int(rng.integers(4)))
        marks += _placed(rng, [mark], (margin, margin, width - margin, 1 - margin), "anywhere")
    return marks


def arrange(rng: np.random.Generator, width: float, relation: str | None = None) -> Arrangement:
    """
    Draw a random arrangement for a card so wide.

    relation: one of ``RELATIONS`` or ``KEPT_OUT``; by default one that training may see.
    """
    chosen = relation or str(rng.choice(list(RELATIONS), p=list(RELATIONS.values())))
    symmetry = str(rng.choice(list(SYMMETRIES), p=list(SYMMETRIES.values())))
    if chosen in ("scattered", "column"):
        symmetry = "single"
    for attempt in range(12):
        margin = float(rng.uniform(0.015, 0.06))
        rank = float(np.exp(rng.uniform(np.log(LEAST), np.log(LARGEST)))) * 0.93**attempt
        rank = max(rank, LEAST)
        if chosen == "column":
            marks = _column(rng, width, max(rank, 0.15), margin)
        elif chosen == "scattered":
            marks = _scattered(rng, width, max(rank, 0.13), margin)
        elif chosen == "apart":
            marks = _apart(rng, width, rank, symmetry, margin)
        else:
            unit = _unit(rng, chosen, rank)
            if rng.random() < 0.06:
                unit = _turned(unit)
            where = str(rng.choice(["left", "right", "middle", "anywhere"], p=[0.6, 0.16, 0.1, 0.14]))
            if symmetry == "four":
                where = "left"
            marks = _repeated(_placed(rng, unit, _room(symmetry, width, margin, where), where), symmetry, width)
        if not _overlap(marks):
            break
    turns = {mark.turn % 4 for mark in marks if mark.sign == "rank"}
    return Arrangement(chosen, tuple(marks), not any((turn + 2) % 4 in turns for turn in turns))
