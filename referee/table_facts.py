"""The position as a person states it: a part of a header's ``start`` (docs/record.md, *Corrections*)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from referee.cards import Card
from referee.fields import count_of, fail, name_of, optional_card_of
from referee.rulings import NO_FACTS

KEYS = ("hands", "talon", "heap_count", "attacker", "defender", "turnup")
"""Keys that a statement of the position may have."""


@dataclass(frozen=True, slots=True)
class TableFacts:
    """
    Stated facts of the position. None: not stated.

    ``hands``: cards really held, by seat, for any number of seats. ``has_turnup`` distinguishes ``"turnup": null``
    (none lies there) from a missing key.

    >>> facts = TableFacts.parse({"hands": {"A": 5}, "turnup": None})
    >>> facts.as_json()
    {'hands': {'A': 5}, 'turnup': None}
    """

    hands: Mapping[str, int]
    talon: int | None = None
    heap_count: int | None = None
    attacker: str | None = None
    defender: str | None = None
    turnup: Card | None = None
    has_turnup: bool = False

    @classmethod
    def parse(cls, data: object) -> TableFacts:
        """Read the object under ``table``; :class:`~referee.errors.RecordError` states what was expected."""
        if not isinstance(data, dict) or not data or not set(data) <= set(KEYS):
            raise fail(f'"table" to be an object with some of {", ".join(KEYS)}', data)
        hands = data.get("hands", {})
        if not isinstance(hands, dict):
            raise fail('"hands" of the table to count the cards by seat', hands)
        counts = {key: count_of(data[key], f'"{key}"') for key in ("talon", "heap_count") if key in data}
        return cls(
            hands={seat: count_of(count, f'"hands" of {seat}') for seat, count in hands.items()} or NO_FACTS,
            talon=counts.get("talon"),
            heap_count=counts.get("heap_count"),
            attacker=name_of(data, "attacker"),
            defender=name_of(data, "defender"),
            turnup=optional_card_of(data, "turnup"),
            has_turnup="turnup" in data,
        )

    @property
    def seats(self) -> tuple[str, ...]:
        """Return the seats that the statement names."""
        return (*self.hands, *(seat for seat in (self.attacker, self.defender) if seat is not None))

    def as_json(self) -> dict[str, Any]:
        """Return the object under ``table``."""
        data: dict[str, Any] = {} if not self.hands else {"hands": dict(self.hands)}
        for key in ("talon", "heap_count", "attacker", "defender"):
            if getattr(self, key) is not None:
                data[key] = getattr(self, key)
        if self.has_turnup:
            data["turnup"] = None if self.turnup is None else str(self.turnup)
        return data
