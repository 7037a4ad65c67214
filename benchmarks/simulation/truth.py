"""The true record of a simulated game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.referee.engine import Deal


@dataclass(slots=True)
class TrueLine:
    """
    One true event.

    ``play``: cards laid together share this number. ``faults``: the rules that it breaks (any may be named).
    ``stands``: nobody objects, so it counts. ``position``: the one after it; None within a play.
    """

    event: dict[str, Any]
    play: int
    faults: frozenset[str] = frozenset()
    stands: bool = False
    position: Mapping[str, Any] | None = None


@dataclass(slots=True)
class TrueGame:
    """One deal or several: header, lines, and the result of each deal, kind and seats."""

    header: dict[str, Any]
    lines: list[TrueLine] = field(default_factory=list)
    results: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    @property
    def result(self) -> tuple[str, tuple[str, ...]] | None:
        """Return the result of the last deal."""
        return self.results[-1] if self.results else None

    def as_record(self, reported_on: Mapping[int, int] | None = None) -> list[dict[str, Any]]:
        """
        Return the true record.

        ``fault``: the rules that a line breaks. ``reported``: the line that reports it, None for none; present where
        ``reported_on`` gives it: place in ``lines`` -> line of the reported record.
        """
        record = [{key: value for key, value in self.header.items() if key != "witness"}]
        for place, line in enumerate(self.lines):
            data = dict(line.event)
            if line.faults:
                data |= {"fault": sorted(line.faults), "stands": line.stands}
            if reported_on is not None:
                data["reported"] = reported_on.get(place)
            record.append(data)
        return record


def position_of(deal: Deal) -> dict[str, Any]:
    """Return the position that a spectator could know, as ``state`` in docs/record.md."""
    return {
        "hands": {seat: len(hand) for seat, hand in deal.hands.items()},
        "talon": len(deal.talon),
        "heap": len(deal.heap),
        "attacker": deal.attacker,
        "defender": deal.defender,
        "table": sorted([attack, defence or None] for attack, defence in deal.pairs),
    }


def is_at(position: Mapping[str, Any], state: Mapping[str, Any], unnamed: str | None = None) -> bool:
    """Check whether a referee's ``state`` equals the true position; the card ``unnamed`` may have any name."""
    same = all(state[key] == position[key] for key in ("hands", "talon", "heap", "attacker", "defender"))
    truth, table = _without(position["table"], unnamed), [list(pair) for pair in state["table"]]
    if len(truth) < len(position["table"]):
        # The guess that lies in its place, if any does; the hands show who laid it.
        known = [attack for attack, _ in truth]
        table = [pair for pair in table if pair[0] in known] if len(table) <= len(truth) + 1 else table
    if unnamed is not None:
        table = [[attack, unnamed] if [attack, unnamed] in truth else [attack, defence] for attack, defence in table]
    return same and sorted(table, key=str) == sorted(truth, key=str)


def _without(table: Sequence[Sequence[str | None]], attack: str | None) -> list[list[str | None]]:
    return [list(pair) for pair in table if attack is None or pair[0] != attack]
