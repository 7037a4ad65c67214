"""Corrections: an event of the past as it is now taken to have been, and what no longer holds because of it."""

from __future__ import annotations

from dataclasses import replace

from referee.announcements import Announcement
from referee.events import Dealt, Placed, Pressed, Reread, Shown, TableEvent
from referee.game import GameState

LASTING = frozenset({"lead", "turn", "draw", "turnup", "trump", "out", "result", "deal", "score"})
"""Announcements of something that stands until it is withdrawn; counts and limits are simply said again."""


def what_no_longer_holds(said: tuple[Announcement, ...], was: GameState, now: GameState) -> tuple[Announcement, ...]:
    """What to say when these announcements have lost their ground: that they have, and the counts as they are."""
    found = [Announcement.of("withdrawn", of=each.kind, **each.facts) for each in said if each.kind in LASTING]
    if was.ledger.talon != now.ledger.talon:
        found.append(Announcement.of("talon", count=now.ledger.talon))
    if was.bout is not None and now.bout is not None and was.bout.limit != now.bout.limit:
        found.append(Announcement.of("limit", count=now.bout.limit))
    return tuple(found)


def reread(seen: TableEvent, event: Reread, state: GameState) -> TableEvent | None:
    """The event that saw the card wrongly, with the card as it is."""
    was = state.read_as.get(event.was, event.was)
    if isinstance(seen, Placed) and seen.card in (event.was, was):
        return replace(seen, card=event.card, confidence=None, alternatives=())
    if isinstance(seen, Dealt) and seen.turnup == event.was:
        return replace(seen, turnup=event.card)
    if isinstance(seen, Shown) and seen.card == event.was:
        return replace(seen, card=event.card)
    return None


def assigned(seen: TableEvent, event: Pressed) -> TableEvent | None:
    """The laying of the card, by the seat that is said to have laid it."""
    if isinstance(seen, Placed) and seen.card == event.card:
        return replace(seen, by=event.to)
    return None
