"""How a position is changed: all of it is frozen, so each event gives a new one that differs in a little."""

from __future__ import annotations

from typing import Any, Self


class Position:
    """
    A frozen dataclass without slots: it is copied several times an event, and a dictionary is copied in one go.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Place(Position):
    ...     seat: str
    ...     cards: int
    >>> Place("A", 6).but(cards=5)
    Place(seat='A', cards=5)
    """

    def but(self, **changes: Any) -> Self:
        """The same but for these fields; ``TypeError`` where it has no such field."""
        values = self.__dict__.copy()
        values.update(changes)
        if len(values) != len(self.__dict__):
            raise TypeError(f"expected fields of {type(self).__name__}, got {', '.join(values.keys() - self.__dict__)}")
        changed = object.__new__(type(self))
        object.__setattr__(changed, "__dict__", values)
        return changed
