"""Helpers for referees of short records and their rulings."""

from __future__ import annotations

from typing import Any

from referee.record import Header, event_from_json
from referee.rulings import Step
from tests.referee.certain_referee import Referee
from tests.referee.record_lines import HEADER, START

DUREK: dict[str, Any] = {"kozyr": 1, "rules": "durek-platkowy", "seats": ["A", "B"], "dealer": "B"}
DUREK["start"] = {"trump": "c", "talon": 30, "hands": {"A": 5, "B": 5}, "attacker": "A"}


def referee_of(**start: Any) -> Referee:
    return Referee(Header.parse(HEADER | {"start": START | start}))


def feed(referee: Referee, *events: dict[str, Any]) -> list[Step]:
    return [referee.apply(event_from_json(event | {"at": event.get("at", float(n))})) for n, event in enumerate(events)]


def placed(card: str, by: str | None = None, on: str | None = None, **more: Any) -> dict[str, Any]:
    return {"event": "placed", "card": card, "by": by, "on": on, **more}


def faults(step: Step) -> list[str]:
    return [str(ruling.fault) for ruling in step.rulings if ruling.fault is not None]
