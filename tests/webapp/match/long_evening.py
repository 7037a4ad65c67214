"""A session of several deals with a fault and a correction at its beginning, as a record."""

from __future__ import annotations

from typing import Any

from tests.referee.random_play import RandomSession


def long_evening(deals: int = 6) -> list[dict[str, Any]]:
    """
    Return the record of a session. In its first bout the attacker throws in a card of another rank and takes it back,
    and a person says that the lead was as it was seen.
    """
    session = RandomSession("podkidnoy-36", 3, 5)
    session.play(deals)
    header, *events = session.record
    lead = next(place for place, event in enumerate(events) if event["event"] == "placed")
    seat, card, at = events[lead]["by"], events[lead]["card"], events[lead]["at"]
    later = (event for event in events[lead + 1 :] if event["event"] == "placed" and event["by"] == seat)
    wrong = next(event["card"] for event in later if event["card"][0] != card[0])
    return [
        header,
        *events[: lead + 1],
        {"at": at + 0.01, "event": "placed", "card": wrong, "by": seat},
        {"at": at + 0.02, "event": "lifted", "card": wrong, "by": seat},
        {"at": at + 0.03, "event": "corrected", "line": lead + 2, "to": events[lead], "by": seat},
        *events[lead + 1 :],
    ]
