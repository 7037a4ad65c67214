"""
The vocabulary between eye and belief: for every change on the table what may have happened, each with how well it
explains what was seen.

A record keeps the same in its own words (``confidence``, ``alternatives``, ``otherwise``); :func:`options_of` reads it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import log

from referee.events import Drawn, Placed, Swapped, TableEvent
from referee.record import instead_of

LEAST = 1e-4
"""Options less likely than this are not followed."""


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that may have happened: ``event`` (None: nothing), how well it explains what was seen (natural
    logarithm), and which sensor says so."""

    event: TableEvent | None
    log_likelihood: float
    cue: str


@dataclass(frozen=True, slots=True)
class Change:
    """
    Something on the table became another: the options exclude one another. ``is_said``: somebody has said what it was,
    so it was not told wrongly.
    """

    at: float
    told: TableEvent
    options: tuple[Option, ...]
    is_said: bool = False


def change_of(event: TableEvent, seats: tuple[str, ...], *, is_said: bool = False) -> Change:
    """
    What an event of a record may have been. Options name every seat where none was seen.

    ``is_said``: somebody says that it was so, and it was nothing else.
    """
    options = tuple(
        Option(each, log(share), cue)
        for each, share, cue in _options(event)
        if share >= LEAST
        for each, share, cue in _by_somebody(each, share, cue, seats)
    )
    return Change(event.at, event, options or (Option(certain(event), 0.0, "told"),), is_said)


def certain(event: TableEvent) -> TableEvent:
    """The event as it was told, without its doubts."""
    return replace(event, confidence=None, alternatives=(), otherwise=(), missed=None)


def _options(event: TableEvent) -> Iterator[tuple[TableEvent | None, float, str]]:
    sure = certain(event)
    yield sure, 1.0 if event.confidence is None else event.confidence, "told"
    for card, share in event.alternatives:
        yield replace(sure, card=card), share, "card"  # type: ignore[call-arg]
    for keys, share in event.otherwise:
        yield instead_of(event, keys), share, "nothing" if keys is None else next(iter(keys))


def _by_somebody(
    event: TableEvent | None, share: float, cue: str, seats: tuple[str, ...]
) -> Iterator[tuple[TableEvent | None, float, str]]:
    """Where nobody was seen to do it, anybody may have."""
    if isinstance(event, Placed | Drawn | Swapped) and event.by is None:
        for seat in seats:
            yield replace(event, by=seat), share / len(seats), "seat"
    else:
        yield event, share, cue
