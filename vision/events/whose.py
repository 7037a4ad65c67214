"""
Whose play it was, where arms crossed or came between two seats: of those whose hands were there, the one who may.

Only what nobody could be told of is asked about. Where two may, or none, nobody is named: a fault is never put down to
somebody who was not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from referee.events import Drawn, Placed, TableEvent
from vision.observation import HandVisit


@dataclass(frozen=True, slots=True)
class WhoseSettings:
    """When a hand was there."""

    before_s: float = 1.0
    """A hand that left longer before did not do it."""
    after_s: float = 0.1
    """Nor did one that came later than this."""


def seats_there(at: float, hands: Iterable[HandVisit], firm: bool, settings: WhoseSettings) -> tuple[str, ...]:
    """The seats whose hands were on the table at a time; none where a seat must be ``firm`` and isn't."""
    s = settings
    there = [
        visit
        for visit in hands
        if visit.came_at <= at + s.after_s and (visit.left_at is None or visit.left_at >= at - s.before_s)
    ]
    seats = [visit.seat if firm else visit.seat or visit.likely for visit in there]
    return () if None in seats else tuple(dict.fromkeys(seat for seat in seats if seat is not None))


def by_right(
    event: TableEvent,
    hands: Iterable[HandVisit],
    is_fault: Callable[[TableEvent], bool],
    settings: WhoseSettings = WhoseSettings(),
) -> TableEvent:
    """
    The event with its seat, where it had none and one alone of those there may have done it; else as it is.

    Attacks are anybody's: for them the hands' seats must be firm; only the defender beats, and one draws after another.
    """
    if not isinstance(event, Placed | Drawn) or event.by is not None:
        return event
    firm = isinstance(event, Placed) and event.on is None
    tried = [replace(event, by=seat) for seat in seats_there(event.at, hands, firm, settings)]
    fits = [told for told in tried if not is_fault(told)]
    return fits[0] if len(fits) == 1 else event
