"""Records that begin in an ending with known hands, and their lines with the positions around them."""

from __future__ import annotations

from typing import Any

from features.analysis.recorded import RecordStep
from referee.match_judge import MatchJudge
from referee.record import Header, event_from_json


def steps_of(record: list[dict[str, Any]]) -> list[RecordStep]:
    """Return a record's lines with the positions around them."""
    header = Header.parse(record[0])
    judge = MatchJudge(header)
    before = judge.state
    for line, data in enumerate(record[1:], start=2):
        judge.apply(line, event_from_json(data))
    judge.finish()
    steps = []
    for line, after in judge.positions:
        steps.append(RecordStep(line.line, line.event, before, after))
        before = after
    return steps


def ended(attacker: str, defender: str, *events: dict[str, Any], **start: Any) -> list[dict[str, Any]]:
    """Return a record of two from an ending in which A leads and hearts are trumps; all hands are known."""
    hands = {"A": attacker.split(), "B": defender.split()}
    held = [card for hand in hands.values() for card in hand]
    heap = [rank + suit for suit in "shdc" for rank in "6789TJQKA" if rank + suit not in held]
    header = {
        "kozyr": 1,
        "rules": "podkidnoy-36",
        "seats": ["A", "B"],
        "dealer": "B",
        "start": {
            "trump": "h",
            "turnup": None,
            "talon": 0,
            "hands": {seat: len(hand) for seat, hand in hands.items()},
            "known": hands,
            "heap": heap,
            "attacker": "A",
            "bout": 7,
            "beaten_off": 4,
            **start,
        },
    }
    return [header, *({"at": float(n), **event} for n, event in enumerate(events))]


RECORD = ended(
    "6s 6c Kh",
    "7s 7c 9c",
    {"at": 1.0, "event": "placed", "card": "6s", "by": "A"},
    {"at": 2.0, "event": "placed", "card": "7s", "by": "B", "on": "6s"},
    {"at": 3.0, "event": "swept", "to": "heap"},
    {"at": 4.0, "event": "placed", "card": "7c", "by": "B"},
    {"at": 5.0, "event": "pressed", "button": "take", "by": "A"},
)
"""A short game: a card beaten, and a card that is taken."""
