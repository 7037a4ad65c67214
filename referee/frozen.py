"""How a position is changed: all of it is frozen, so each event gives a new one that differs in a little."""

from __future__ import annotations

from typing import Any, Self

_new, _set = object.__new__, object.__setattr__


class Frozen:
    """
    A frozen dataclass without slots: it is copied several times an event, and a dictionary is copied in one go.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Place(Frozen):
    ...     seat: str
    ...     cards: int
    >>> Place("A", 6).but(cards=5)
    Place(seat='A', cards=5)
    """

    def but(self, **changes: Any) -> Self:
        """The same but for these fields; ``TypeError`` where it has no such field."""
        fields = self.__dict__
        values = fields | changes
        if len(values) != len(fields):
            raise TypeError(f"expected fields of {type(self).__name__}, got {', '.join(values.keys() - fields)}")
        changed = _new(self.__class__)
        _set(changed, "__dict__", values)
        return changed
