"""
The vocabulary between eye and belief: for every change on the table what may have happened, each with how well it
explains what was seen.

A record keeps the same in its own words (``confidence``, ``alternatives``, ``otherwise``), and need not say all of it:
doubts about two things of one event may both be right, and a confidence may stand without what else it was.
:func:`change_of` reads it: what is left to 1 goes to what such an event is usually taken for
(:class:`UnlistedShares`), what is more than 1 is scaled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import log
from typing import Any, NamedTuple

from referee.belief.misreading import look_alike
from referee.cards import Card
from referee.events import HEAP, Dealt, Drawn, Lifted, Placed, Pressed, Shown, Swapped, Swept, TableEvent
from referee.record import event_to_json, instead_of

LEAST = 1e-4
"""Options less likely than this are not followed."""

LEAST_BOTH = 0.01
"""Two doubts about one event that are less likely than this both right are not followed together."""


@dataclass(frozen=True, slots=True)
class UnlistedShares:
    """
    What an event was whose record leaves open what else it may have been: shares of that rest. Set by hand, 2026-11;
    ``python -m benchmarks.simulate --words foreign`` shows what they bring.
    """

    least: float = 0.02
    """A smaller rest is followed only where the line fits badly. Higher is quicker; lower follows more doubts."""
    card: float = 0.7
    """Another card that looks alike. Higher believes in misreadings; lower in cards and seats that are told."""
    nothing: float = 0.1
    """Nothing happened, of a card; the other kinds have what their own doubts leave. Higher believes fewer events."""
    count: float = 0.4
    """One card more or fewer was drawn. Higher believes in other counts; lower in other seats."""
    seat: float = 0.3
    """Another seat drew or exchanged. Higher believes in other seats; lower in events that were none."""
    elsewhere: float = 0.8
    """A sweep went elsewhere. Higher believes in that; lower in sweeps that were none."""
    any_card: float = 0.1
    """A card that does not look alike; tried where the line fits badly. Higher believes in any misreading."""
    any_seat: float = 0.1
    """A card laid by another seat; tried where the line fits badly. Higher believes in it sooner."""


UNLISTED = UnlistedShares()


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
    so it was not told wrongly. ``unlisted``: so likely it was none of what its record lists.
    """

    at: float
    told: TableEvent
    options: tuple[Option, ...]
    is_said: bool = False
    unlisted: float = 0.0


REVIEWED_LEAST = 0.05
"""Probability. An option of a line in a bout that a person has checked counts from this on. Chosen by hand."""


def reviewed(change: Change) -> Change:
    """Return the change of a line whose bout a person has checked: only options that the camera held likely count."""
    best = max(each.log_likelihood for each in change.options)
    likely = tuple(each for each in change.options if each.log_likelihood >= min(best, log(REVIEWED_LEAST)))
    return replace(change, options=likely, is_said=True, unlisted=0.0)


class _Share(NamedTuple):
    event: TableEvent | None
    share: float
    cue: str


def change_of(
    event: TableEvent, seats: tuple[str, ...], cards: Sequence[Card] = (), *, is_said: bool = False
) -> Change:
    """
    What an event of a record may have been. Options name every seat where none was seen.

    ``cards``: the pack, always in one order. ``is_said``: somebody says that it was so, and it was nothing else.
    """
    listed = _listed(event)
    total = sum(each.share for each in listed)
    unlisted = 0.0 if is_said or isinstance(event, Pressed) else max(0.0, 1.0 - total)
    if unlisted >= UNLISTED.least:
        listed += _unlisted(certain(event), unlisted, seats, cards, {each.event for each in listed})
    scale = 1.0 / max(1.0, total)
    options = tuple(
        Option(each.event, log(each.share), each.cue)
        for told in listed
        if told.share * scale >= LEAST
        for each in _by_somebody(told._replace(share=told.share * scale), seats)
    )
    return Change(event.at, event, options or (Option(certain(event), 0.0, "told"),), is_said, unlisted)


def certain(event: TableEvent) -> TableEvent:
    """The event as it was told, without its doubts."""
    return replace(event, confidence=None, alternatives=(), otherwise=(), missed=None)


def _listed(event: TableEvent) -> list[_Share]:
    """What the record itself says of it, as told first; two doubts that may both be right among it."""
    sure = certain(event)
    named = _named_otherwise(sure, event.alternatives)
    others = [_Share(each, share, "card") for each, share in named]
    for keys, share in event.otherwise:
        others.append(_Share(instead_of(event, keys), share, "nothing" if keys is None else next(iter(keys))))
    others = [each for each in others if each.share > 0.0]
    rest = 1.0 - sum(each.share for each in others)
    told = event.confidence if event.confidence is not None else rest if rest > 0.0 else 1.0
    told = max(told, 2 * LEAST)  # what is told is followed, however unsure
    found = [_Share(sure, told, "told"), *others]
    if len(others) > 1:
        found += _both_right(sure, told, others)
    return found


def difference(told: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of the other event that differ from what was told; None for those it lacks."""
    return {key: other.get(key) for key in {**told, **other} if told.get(key) != other.get(key)}


def _named_otherwise(sure: TableEvent, cards: Iterable[tuple[Card, float]]) -> Iterator[tuple[TableEvent, float]]:
    """The event with each other card that it may have been of; nothing where it is of none."""
    for card, share in cards:
        if isinstance(sure, Dealt):
            yield replace(sure, turnup=card), share
        elif isinstance(sure, Placed | Lifted | Shown | Swapped) or (isinstance(sure, Drawn) and sure.card is not None):
            yield replace(sure, card=card), share


def _both_right(sure: TableEvent, told: float, others: list[_Share]) -> Iterator[_Share]:
    """Doubts about different things of one event, right together: as likely as two independent ones."""
    plain = event_to_json(sure)
    known = {each.event for each in others}
    changed = [(each, difference(plain, event_to_json(each.event))) for each in others if each.event is not None]
    for (one, of_one), (other, of_other) in combinations(changed, 2):
        share = one.share * other.share / told
        if share >= LEAST_BOTH and of_one and of_other and of_one.keys().isdisjoint(of_other):
            both = instead_of(sure, of_one | of_other)
            if both not in known:
                yield _Share(both, share, one.cue)


def _unlisted(
    sure: TableEvent, rest: float, seats: tuple[str, ...], cards: Sequence[Card], known: set[TableEvent | None]
) -> Iterator[_Share]:
    """What it usually was where its record leaves that open, each with its part of the rest."""
    parts: list[tuple[list[TableEvent | None], float, str]] = []
    nothing = UNLISTED.nothing
    match sure:
        case Placed() | Shown():
            named = [replace(sure, card=card) for card in cards if card != sure.card and look_alike(card, sure.card)]
            parts = [([*named], UNLISTED.card, "card")]
        case Dealt(turnup=Card() as turnup):
            named_deals = [replace(sure, turnup=card) for card in cards if card != turnup and look_alike(card, turnup)]
            parts = [([*named_deals], UNLISTED.card, "card")]
        case Swept():
            parts = [([replace(sure, to=to) for to in (HEAP, *seats) if to != sure.to], UNLISTED.elsewhere, "to")]
            nothing = 1 - UNLISTED.elsewhere
        case Drawn():
            counts = [count for count in (sure.count - 1, sure.count + 1) if count > 0]
            by = [replace(sure, by=seat) for seat in seats if sure.by not in (None, seat)]
            parts = [([replace(sure, count=count) for count in counts], UNLISTED.count, "count")]
            parts += [([*by], UNLISTED.seat, "by")]
            nothing = 1 - UNLISTED.count - UNLISTED.seat
        case Swapped():
            by_others = [replace(sure, by=seat) for seat in seats if sure.by not in (None, seat)]
            parts = [([*by_others], UNLISTED.seat, "by")]
            nothing = 1 - UNLISTED.seat
        case Lifted():
            nothing = 1 - UNLISTED.card
    parts.append(([None], nothing, "nothing"))
    for events, share, cue in parts:
        new = [each for each in events if each not in known]
        for each in new:
            yield _Share(each, rest * share / len(new), cue)


def _by_somebody(told: _Share, seats: tuple[str, ...]) -> Iterator[_Share]:
    """Where nobody was seen to do it, anybody may have."""
    event = told.event
    if isinstance(event, Placed | Drawn | Swapped) and event.by is None:
        for seat in seats:
            yield _Share(replace(event, by=seat), told.share / len(seats), "seat")
    else:
        yield told
