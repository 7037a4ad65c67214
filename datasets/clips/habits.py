"""
The habits of the people at one table: how they lay, draw, gather, rest their hands, and how the table is arranged.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np


@dataclass(frozen=True, slots=True)
class Habits:
    """
    Chances (0 to 1) unless another unit stands there. 0 switches a habit off, 1 does it whenever it can be done.

    How a card is laid: ``slides`` it over the table; ``tosses`` it; ``crooked``; ``straightens`` the crooked one;
    ``turns`` it face up only over the table. ``knocks``: a hand brushes another card. ``across``: how far cards are
    turned towards those who lay them. ``overlap``: how much of an attack card its answer hides, 0 little to 1 much.

    ``together``: two cards of one visit are dropped in one motion, the second partly on the first. ``crowds``: a card
    is thrown in while another person's hand still lays one. ``sleeve``: the arm that withdraws drags along cards that
    lie under it. ``moves``: chance before each step that somebody moves an attack card, with what beats it, to a free
    place.

    ``pieces``: the bout is gathered card by card; ``pushes``: somebody else pushes the cards over to the taker;
    ``strokes``: it is swept together from both sides with the side of a hand; ``shares``: two people clear a beaten
    bout at once. ``untidy``: how far a discard pile spreads, 0 nearly square to 1 cards side by side.

    ``squares``: chance before each step that somebody squares the talon or the discard pile; ``leans``: that a hand
    rests on the talon, on the discard pile or on a card.

    ``rests``: share of the time in which somebody's other hand lies on the table; ``points``, ``hides``, ``hesitates``,
    ``glass``, ``phone``, ``cloth``, ``head``: chance before each step that somebody points at a card, holds a hand over
    the cards, offers a card and thinks again, moves his glass, puts a phone down or takes it away, pulls the cloth,
    leans into the picture.

    ``hurry``: factor by which pauses are shorter. ``pause_s``: usual time between two touches.
    """

    slides: float = 0.2
    tosses: float = 0.15
    crooked: float = 0.2
    straightens: float = 0.5
    turns: float = 0.3
    knocks: float = 0.04
    across: float = 0.3
    overlap: float = 0.4
    together: float = 0.2
    crowds: float = 0.12
    sleeve: float = 0.06
    moves: float = 0.03
    pieces: float = 0.35
    pushes: float = 0.3
    strokes: float = 0.25
    shares: float = 0.12
    untidy: float = 0.25
    squares: float = 0.03
    leans: float = 0.03
    rests: float = 0.2
    points: float = 0.04
    hides: float = 0.025
    hesitates: float = 0.03
    glass: float = 0.02
    phone: float = 0.015
    cloth: float = 0.01
    head: float = 0.012
    hurry: float = 1.0
    pause_s: float = 1.0

    @classmethod
    def quiet(cls) -> Habits:
        """Return the habits of people who do nothing but play."""
        nothing = {f.name: 0.0 for f in fields(cls) if f.name not in ("hurry", "pause_s", "across", "overlap")}
        return cls(**nothing)

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> Habits:
        """Draw the habits of a table at random: each more or less frequent, some absent."""
        usual = cls()
        chosen = {}
        for f in fields(cls):
            if f.name in ("hurry", "pause_s", "across", "overlap"):
                continue
            often = float(rng.choice([0.0, 0.6, 1.0, 1.8], p=[0.25, 0.3, 0.3, 0.15]))
            chosen[f.name] = min(1.0, getattr(usual, f.name) * often)
        return replace(
            usual,
            **chosen,
            hurry=float(rng.uniform(0.75, 1.25)),
            pause_s=float(rng.uniform(0.7, 1.7)),
            across=float(rng.choice([0.0, 0.15, 0.4, 1.0], p=[0.2, 0.4, 0.3, 0.1])),
            overlap=float(rng.uniform(0.1, 0.9)),
        )


def with_habits(habits: Habits, chances: list[str]) -> Habits:
    """
    Return the habits with some of them changed, each written ``NAME=CHANCE``.

    >>> with_habits(Habits(), ["slides=0.5"]).slides
    0.5
    >>> with_habits(Habits(), ["sings=1"])
    Traceback (most recent call last):
        ...
    ValueError: expected a habit such as slides=0.5, got 'sings=1'; the habits are slides, tosses, ..., pause_s
    """
    names = [f.name for f in fields(Habits)]
    for text in chances:
        name, _, value = text.partition("=")
        try:
            chance = float(value)
        except ValueError:
            chance = -1.0
        if name not in names or chance < 0:
            raise ValueError(
                f"expected a habit such as slides=0.5, got {text!r}; "
                f"the habits are {', '.join(names[:2])}, ..., {names[-1]}"
            )
        habits = replace(habits, **{name: chance})
    return habits
