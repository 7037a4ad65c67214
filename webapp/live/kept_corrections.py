"""Correct a kept match that has ended: judge its record again and append the correction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from referee.cards import Card
from referee.corrections import RecordLine
from referee.events import Corrected, Lifted, Placed, Pressed, Reread, Swept, TableEvent
from referee.record import Header, check_seats
from webapp.errors import MatchGoesOnError
from webapp.live.live_match import CorrectedMatch, LiveMatch
from webapp.live.open_matters import Answered
from webapp.store.matches import Matches, RecordEntry

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


class _Added:
    """Collect the lines of a correction, to be appended to the store in one step."""

    def __init__(self, line: int) -> None:
        self._line = line
        self.entries: list[RecordEntry] = []

    def write(
        self, line: Mapping[str, Any], said: tuple[Mapping[str, Any], ...], result: Mapping[str, Any] | None
    ) -> None:
        self._line += 1
        self.entries.append(RecordEntry(self._line, line, said, result))


def judged_again(matches: Matches, match: str) -> LiveMatch:
    """Judge a kept match again from its record. ``UnusableInputError`` if there is no such match."""
    return _judged(matches.record(match))


def correct_kept(matches: Matches, match: str, correction: Corrected | Pressed | Answered) -> CorrectedMatch:
    """
    Append a correction, the undo of one, or an answer; return what it changed.

    Raises ``RefereeError`` if it contradicts the record, ``NotAskedError`` if nobody asks that any more,
    ``MatchGoesOnError`` during the match, ``UnusableInputError`` if there is no such match, ``StoreError`` if the store
    fails; nothing has changed then.
    """
    about, _ = matches.about(match)
    if not about["ended"]:
        raise MatchGoesOnError(
            f"expected a match that has ended, got {match}, which goes on; correct it on the page of its table, "
            "or go on with it: kozyr watch SOURCE --resume"
        )
    record = matches.record(match)
    added = _Added(len(record))
    judged = _judged(record, added)
    if not isinstance(correction, Answered):
        check_seats(correction, judged.header.seats)
    done = judged.correct(replace(correction, at=float(about["seconds"])))
    matches.amend(match, added.entries)
    return done


def _judged(record: tuple[Mapping[str, Any], ...], store: _Added | None = None) -> LiveMatch:
    match = LiveMatch(Header.parse(record[0]), store=store)
    match.resume(record, has_ended=True)
    return match
