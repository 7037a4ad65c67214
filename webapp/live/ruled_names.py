"""Name the cards of a record's lines as the rulings on them do, so that a card has one name in every list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import structs

from referee.apply_event import renamed
from referee.cards import Card
from referee.corrections import RecordLine
from referee.events import Placed, Swept
from referee.messages import Message
from referee.rulings import Ruling


def named_as_ruled(lines: Iterable[RecordLine], rulings: Iterable[Message]) -> Iterator[RecordLine]:
    """
    Yield the lines, each card that was laid alone under the name that the ruling on it gives it.

    A correction may prove that a card was misread on a later line, too, as when the same card is laid once more. The
    record keeps what the camera reported.
    """
    ruled = {each.line: each.what for each in rulings if isinstance(each.what, Ruling)}
    names: dict[Card, Card] = {}
    for each in lines:
        event = each.event
        for was, card in names.items():
            event = renamed(event, was, card)
        if isinstance(event, Swept):
            names = {was: card for was, card in names.items() if card in event.left}
        elif isinstance(event, Placed):
            names.pop(event.card, None)
            ruling = ruled.get(each.line)
            if not each.is_stated and ruling is not None and len(ruling.cards) == 1 and ruling.cards[0] != event.card:
                names[event.card] = ruling.cards[0]
                event = structs.replace(event, card=ruling.cards[0])
        yield each if event is each.event else each._replace(event=event)
