"""Find the unbeaten cards on the table before and after each line of a record, for people who correct a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from referee.cards import Card
from referee.corrections import RecordLine
from referee.events import Lifted, Placed, Reread, Swept, TableEvent

Open = tuple[Card, ...]


def with_open_cards(lines: Iterable[RecordLine]) -> Iterator[tuple[RecordLine, Open, Open]]:
    """Yield each line with the cards that lay unbeaten before it and after it, in the order in which they were laid."""
    beaten_by: dict[Card, Card | None] = {}
    for line in lines:
        before = _unbeaten(beaten_by)
        _play(beaten_by, line.event)
        yield line, before, _unbeaten(beaten_by)


def _unbeaten(beaten_by: dict[Card, Card | None]) -> Open:
    return tuple(card for card, defence in beaten_by.items() if defence is None)


def _play(beaten_by: dict[Card, Card | None], event: TableEvent) -> None:
    """Update the attack cards on the table (card -> what beats it) by an event."""
    if isinstance(event, Placed):
        if event.on in beaten_by:
            beaten_by[event.on] = event.card
        else:
            beaten_by[event.card] = None
    elif isinstance(event, Lifted):
        beaten_by.pop(event.card, None)
        for card, defence in beaten_by.items():
            beaten_by[card] = None if defence == event.card else defence
    elif isinstance(event, Reread):
        pairs = tuple(beaten_by.items())
        beaten_by.clear()
        for card, defence in pairs:
            beaten_by[event.card if card == event.was else card] = event.card if defence == event.was else defence
    elif isinstance(event, Swept):
        for card in [card for card in beaten_by if card not in event.left]:
            del beaten_by[card]
