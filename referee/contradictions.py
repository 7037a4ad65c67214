"""
Find what contradicts a person's correction, so that the person is warned before it is applied.

A card cannot be where a person states it if it lies in the discard pile, in another hand or under the talon then, or if
it is seen again although it lay in the discard pile, on the table or in another hand. Counts that a person states are
compared with the cards that are known to be there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from msgspec import UNSET, structs

from referee.cards import Card
from referee.corrections import RecordLine
from referee.effects import apply
from referee.errors import InvariantError, RecordError
from referee.events import HEAP, Dealt, Lifted, Placed, Swept, TableEvent, TableFacts, certain
from referee.game import GameState
from referee.rulings import Ruling, Verdict

Course = Mapping[int, tuple[TableEvent, ...]]
"""The most likely course of the game: by line of the record what happened, unseen events before it included."""


@dataclass(frozen=True, slots=True)
class Objection:
    """
    What speaks against a correction.

    ``kind``: ``now``: a card cannot be where it is stated; ``later``: it is seen again afterwards; ``heap`` or
    ``hand``: more cards are known to be there than stated. ``cards``: those; ``ruling``: why they cannot be there;
    ``at``: when they are seen again, in seconds. ``seat``: of the hand, which would hold ``held`` cards, as the pile.
    """

    kind: str
    cards: tuple[Card, ...]
    ruling: Ruling | None = None
    at: float = 0.0
    seat: str | None = None
    held: int = 0


def against_line(
    state: GameState, course: Course, before: Sequence[RecordLine], now: Sequence[RecordLine], about: int
) -> Objection | None:
    """
    Return what speaks against the event that a person states on line ``about``.

    ``state``: the position before the lines. ``before`` and ``now``: the lines without the correction and with it, from
    some line before ``about`` on.
    """
    place = next(place for place, line in enumerate(now) if line.line == about)
    stated = now[place].event
    ruling = _why_impossible(state, _events(course, now[:place]), stated)
    if ruling is not None:
        return Objection("now", ruling.cards, ruling)
    was = [event for line in before if line.line == about for event in _events(course, [line])]
    if not isinstance(stated, Placed) or any(isinstance(event, Placed) and event.card == stated.card for event in was):
        return None
    later = (
        structs.replace(event, by=None) if isinstance(event, Placed) and _is_by_unknown_seat(line.event) else event
        for line in now[place + 1 :]
        for event in _events(course, [line])
    )
    at = _seen_again(stated, later)
    return None if at is None else Objection("later", (stated.card,), at=at)


def _why_impossible(state: GameState, earlier: Iterable[TableEvent], stated: TableEvent) -> Ruling | None:
    """Return the ruling that the card cannot be where it is stated, after the earlier events; None: it can."""
    try:
        for event in earlier:
            state, _ = apply(state, event)
        is_by_unknown = isinstance(stated, Placed) and stated.by is None
        seats = (state.living or state.seating.seats) if is_by_unknown else ()
        events = [structs.replace(stated, by=seat) for seat in seats] or [stated]
        found = [
            next((ruling for ruling in apply(state, event)[1].rulings if ruling.verdict is Verdict.IMPOSSIBLE), None)
            for event in events
        ]
    except (InvariantError, RecordError):
        return None
    return None if None in found else found[0]


def _events(course: Course, lines: Sequence[RecordLine]) -> Iterator[TableEvent]:
    for line in lines:
        yield from course.get(line.line, (certain(line.event),))


def _is_by_unknown_seat(event: TableEvent) -> bool:
    return isinstance(event, Placed) and event.by is None


TABLE = ""
"""Where a card is that lies in the bout: no seat, whose name is never empty."""


def _seen_again(stated: Placed, later: Iterable[TableEvent]) -> float | None:
    """Return when the stated card is laid again by somebody who cannot hold it; None: it is not, in this deal."""
    place: str | None = TABLE  # or the discard pile, or the seat that holds it; None: a hand, not known whose
    owner = stated.by
    for event in later:
        match event:
            case Dealt():
                return None
            case Placed(card=stated.card, by=by):
                if place in (TABLE, HEAP) or (place is not None and by not in (None, place)):
                    return event.at
                place, owner = TABLE, place if by is None else by
            case Swept(to=to, left=left) if place == TABLE and stated.card not in left:
                place = to
            case Lifted(card=stated.card):
                place = owner
    return None


def against_table(state: GameState, facts: TableFacts) -> Objection | None:
    """Return what speaks against the counts that a person states now."""
    ledger, bout = state.ledger, state.bout
    for seat, held in facts.hands.items():
        if len(ledger.known[seat]) > held:
            return Objection("hand", tuple(sorted(ledger.known[seat], key=str)), seat=seat, held=held)
    talon = ledger.talon if facts.talon is UNSET else facts.talon
    lying = len(bout.cards) + bout.untrusted if bout is not None else 0
    rest = state.rules.pack - talon - lying - sum({**ledger.hands, **facts.hands}.values())
    held = rest if facts.heap_count is UNSET else facts.heap_count
    if 0 <= held < len(ledger.heap):
        return Objection("heap", tuple(ledger.heap), held=held)
    return None
