"""The position as a person states it: a part of a header's ``start`` (docs/record.md, *Corrections*)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType, to_builtins

from referee.cards import Card
from referee.fields import Count, Name, fail, read


class TableFacts(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """
    Stated facts of the position. None: not stated; ``turnup`` None: none lies there.

    ``hands``: cards really held, by seat, for any number of seats.

    >>> facts = TableFacts.parse({"hands": {"A": 5}, "turnup": None})
    >>> facts.as_json()
    {'hands': {'A': 5}, 'turnup': None}
    """

    hands: Annotated[Mapping[str, Count], Meta(description="the count of cards by seat")] = {}
    talon: Count | UnsetType = UNSET
    heap_count: Count | UnsetType = UNSET
    attacker: Name | None = None
    defender: Name | None = None
    turnup: Card | UnsetType | None = UNSET

    @classmethod
    def parse(cls, data: object) -> TableFacts:
        """Read the object under ``table``; :class:`~referee.errors.RecordError` states what was expected."""
        if not data:
            raise fail(f'"table" to be {KEYS}', data)
        return read(data, cls, '"table"', KEYS)

    @property
    def seats(self) -> tuple[str, ...]:
        """Return the seats that the statement names."""
        return (*self.hands, *(seat for seat in (self.attacker, self.defender) if seat is not None))

    def as_json(self) -> dict[str, Any]:
        """Return the object under ``table``."""
        data: dict[str, Any] = to_builtins(self, enc_hook=str)
        return data


KEYS = f"an object with some of {', '.join(TableFacts.__struct_fields__)}"
