"""
Read a reported event as evidence: what may have happened, each alternative with its likelihood.

A record states alternatives in its own keys (``confidence``, ``alternatives``, ``otherwise``) and need not state all:
two uncertainties about one event may both apply, and a confidence may stand without alternatives.
:func:`reported_event` completes them: the rest up to 1 goes to the usual errors of such an event
(:class:`UnlistedShares`), among them misreadings of its card; shares that sum to more than 1 are scaled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import log
from typing import Any, NamedTuple

from msgspec import structs

from referee.cards import CARD_OF, Card, Suit, cards_of, mask_of, same_ranks
from referee.events import (
    HEAP,
    Dealt,
    Drawn,
    Lifted,
    Placed,
    Pressed,
    Shown,
    Swapped,
    Swept,
    TableEvent,
    Unread,
    certain,
)
from referee.record import event_to_json, instead_of
from referee.rulebook import Rulebook

SAME_RANK = 4.0
"""Factor by which another card of the rank is the more likely misreading. Chosen by hand."""

LOOK_ALIKE = 20.0
"""Factor by which a card that looks alike is the more likely misreading. Chosen by hand."""

ALIKE = ("689", "JQK", "TA", "27", "35", "4")
"""Groups of ranks whose printed indices are confused with one another."""

BLACK = (Suit.SPADES, Suit.CLUBS)


@cache
def pack_in_order(rules: Rulebook) -> tuple[Card, ...]:
    """Return the pack in a fixed order, so that the same record always gives the same rulings."""
    return tuple(sorted(rules.cards(), key=str))


def look_alike(one: Card, other: Card) -> bool:
    """
    Check whether two cards are of one colour and of ranks that are confused with one another.

    >>> look_alike(Card.parse("6s"), Card.parse("9c")), look_alike(Card.parse("6s"), Card.parse("6h"))
    (True, False)
    """
    same_colour = (one.suit in BLACK) == (other.suit in BLACK)
    return same_colour and any(one.rank in ranks and other.rank in ranks for ranks in ALIKE)


@cache
def _looking_like(recorded: Card) -> int:
    """Return the cards that look like this one, as a set."""
    return mask_of(card for card in CARD_OF.values() if look_alike(recorded, card))


def misreadings(recorded: Card, cards: int, in_all: float, among: int = -1) -> Iterator[tuple[Card, float]]:
    """
    Yield cards that may have been misread as ``recorded``, each with its share of ``in_all``.

    ``cards``: all that may have been, which share it; ``among``: those of them that are yielded. Both are sets.
    """
    cards &= ~recorded.bit
    alike, same_rank = cards & _looking_like(recorded), cards & same_ranks(recorded.bit)
    same_rank &= ~alike
    others = (cards & ~alike & ~same_rank).bit_count()
    total = LOOK_ALIKE * alike.bit_count() + SAME_RANK * same_rank.bit_count() + others
    for card in cards_of(cards & among):
        share = LOOK_ALIKE if card.bit & alike else SAME_RANK if card.bit & same_rank else 1.0
        yield card, in_all * share / total


LEAST = 1e-4
"""Probability. Options below it are dropped."""

LEAST_BOTH = 0.01
"""Probability. Two errors in one event are followed together only from this on."""


@dataclass(frozen=True, slots=True)
class UnlistedShares:
    """
    What an event was if its record does not state the alternatives: shares of the rest of probability.

    Chosen by hand in 2026-11; ``python -m benchmarks.simulate --words foreign`` measures their effect.
    """

    least: float = 0.02
    """A smaller rest is followed only where the line fits badly."""
    card: float = 0.7
    """Another card that looks alike."""
    nothing: float = 0.1
    """A card that was none; other events: what their own errors leave."""
    count: float = 0.4
    """One card more or fewer was drawn."""
    seat: float = 0.3
    """Another seat drew or exchanged."""
    elsewhere: float = 0.8
    """A sweep went elsewhere."""
    any_card: float = 0.1
    """A card that does not look alike; tried only where the line fits badly."""
    any_seat: float = 0.1
    """A card laid by another seat; tried only where the line fits badly."""


UNLISTED = UnlistedShares()


@dataclass(frozen=True, slots=True)
class Option:
    """
    One alternative of a line: the event (None: nothing happened), the logarithm of the evidence's likelihood, and
    ``cue``: what differs from the recorded event. ``is_silent_error``: it is none of the line's own alternatives.
    """

    event: TableEvent | None
    log_likelihood: float
    cue: str
    is_silent_error: bool = False


@dataclass(frozen=True, slots=True)
class ReportedEvent:
    """
    A recorded event with its options, which exclude one another.

    ``is_stated``: a person has stated it, so it is not silently in error. ``unlisted``: probability that it is none of
    the alternatives that the record lists (``listed``).
    """

    at: float
    event: TableEvent
    options: tuple[Option, ...]
    is_stated: bool = False
    unlisted: float = 0.0
    listed: tuple[TableEvent | None, ...] = ()


class _Share(NamedTuple):
    event: TableEvent | None
    share: float
    cue: str


def reported_event(
    event: TableEvent, seats: tuple[str, ...], cards: Sequence[Card] = (), *, is_stated: bool = False
) -> ReportedEvent:
    """
    Return a record's event with its options; where no seat was seen they name every seat.

    ``cards``: the pack in a fixed order. ``is_stated``: a person states that it was so.
    """
    listed = _listed(event)
    total = sum(option.share for option in listed)
    known = tuple(option.event for one in listed for option in _with_each_seat(one, seats))
    unlisted = 0.0 if is_stated or isinstance(event, Pressed) else max(0.0, 1.0 - total)
    if unlisted >= UNLISTED.least:
        listed += _unlisted(certain(event), unlisted, seats, cards, {option.event for option in listed})
    scale = 1.0 / max(1.0, total)
    options = tuple(
        Option(option.event, log(option.share), option.cue)
        for recorded in listed
        if recorded.share * scale >= LEAST
        for option in _with_each_seat(recorded._replace(share=recorded.share * scale), seats)
    )
    return ReportedEvent(event.at, event, options or (Option(certain(event), 0.0, "told"),), is_stated, unlisted, known)


def _listed(event: TableEvent) -> list[_Share]:
    """
    Return the alternatives that the record itself states, the recorded event first, and combinations of two of them.
    """
    sure = certain(event)
    named = _with_other_cards(sure, event.alternatives)
    others = [_Share(event, share, "card") for event, share in named]
    for keys, share in event.otherwise:
        others.append(_Share(instead_of(event, keys), share, "nothing" if keys is None else next(iter(keys))))
    others = [other for other in others if other.share > 0.0]
    rest = 1.0 - sum(other.share for other in others)
    recorded = event.confidence if event.confidence is not None else rest if rest > 0.0 else 1.0
    recorded = max(recorded, 2 * LEAST)  # the recorded event is always followed
    found = [_Share(sure, recorded, "told"), *others]
    if len(others) > 1:
        found += _two_errors(sure, recorded, others)
    return found


def difference(recorded: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of the other event that differ; None for those that it lacks."""
    return {key: other.get(key) for key in {**recorded, **other} if recorded.get(key) != other.get(key)}


def _with_other_cards(sure: TableEvent, cards: Iterable[tuple[Card, float]]) -> Iterator[tuple[TableEvent, float]]:
    """Yield the event with each of these cards instead; nothing if it names no card."""
    for card, share in cards:
        if isinstance(sure, Dealt):
            yield structs.replace(sure, turnup=card), share
        elif isinstance(sure, Placed | Lifted | Shown | Swapped) or (isinstance(sure, Drawn) and sure.card is not None):
            yield structs.replace(sure, card=card), share


def _two_errors(sure: TableEvent, recorded: float, others: list[_Share]) -> Iterator[_Share]:
    """Yield the combinations of two errors about different keys of the event, as if they were independent."""
    plain = event_to_json(sure)
    known = {other.event for other in others}
    changed = [(other, difference(plain, event_to_json(other.event))) for other in others if other.event is not None]
    for (one, of_one), (other, of_other) in combinations(changed, 2):
        share = one.share * other.share / recorded
        if share >= LEAST_BOTH and of_one and of_other and of_one.keys().isdisjoint(of_other):
            both = instead_of(sure, of_one | of_other)
            if both not in known:
                yield _Share(both, share, one.cue)


def _unlisted(
    sure: TableEvent, rest: float, seats: tuple[str, ...], cards: Sequence[Card], known: set[TableEvent | None]
) -> Iterator[_Share]:
    """
    Yield what the event may have been if the record does not state it: ``rest`` of probability by ``UnlistedShares``.
    """
    parts: list[tuple[list[TableEvent | None], float, str]] = []
    nothing = UNLISTED.nothing
    by = [structs.replace(sure, by=seat) for seat in seats if getattr(sure, "by", None) not in (None, seat)]
    match sure:
        case Placed(card=named) | Shown(card=named) | Dealt(turnup=Card() as named):
            alike = ((card, rest) for card in cards if card != named and look_alike(card, named))
            parts = [([event for event, _ in _with_other_cards(sure, alike)], UNLISTED.card, "card")]
        case Swept():
            elsewhere = [structs.replace(sure, to=to) for to in (HEAP, *seats) if to != sure.to]
            parts, nothing = [([*elsewhere], UNLISTED.elsewhere, "to")], 1 - UNLISTED.elsewhere
        case Drawn():
            counts = [structs.replace(sure, count=count) for count in (sure.count - 1, sure.count + 1) if count > 0]
            parts = [([*counts], UNLISTED.count, "count"), ([*by], UNLISTED.seat, "by")]
            nothing = 1 - UNLISTED.count - UNLISTED.seat
        case Swapped():
            parts, nothing = [([*by], UNLISTED.seat, "by")], 1 - UNLISTED.seat
        case Lifted():
            nothing = 1 - UNLISTED.card
    parts.append(([None], nothing, "nothing"))
    for events, share, cue in parts:
        new = [event for event in events if event not in known]
        for event in new:
            yield _Share(event, rest * share / len(new), cue)


def _with_each_seat(recorded: _Share, seats: tuple[str, ...]) -> Iterator[_Share]:
    """Yield the event with each seat if none was seen."""
    event = recorded.event
    if isinstance(event, Placed | Unread | Drawn | Swapped) and event.by is None:
        for seat in seats:
            yield _Share(structs.replace(event, by=seat), recorded.share / len(seats), "seat")
    else:
        yield recorded
