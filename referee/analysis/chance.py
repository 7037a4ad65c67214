"""The random generator of the search: the caller passes it, so the same seed gives the same analysis."""

from __future__ import annotations

from typing import Protocol


class Chance(Protocol):
    """A source of numbers that nobody can foresee, such as Python's ``random.Random(seed)``."""

    def random(self) -> float:
        """Return the next number from 0 up to 1."""


def shuffled(cards: list[int], chance: Chance) -> None:
    """Put a list into a random order, in place."""
    draw = chance.random
    for place in range(len(cards) - 1, 0, -1):
        other = int(draw() * (place + 1))
        cards[place], cards[other] = cards[other], cards[place]
