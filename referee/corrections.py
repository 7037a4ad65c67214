"""
Apply corrections to the events of a record, and find the rulings and announcements that they change.

A person's correction is complete for its moment. A person who denies a line, or moves a card elsewhere, has checked the
rest of the bout: no unseen card is assumed in it. Directly after a line on which nothing happened no unseen event of
any kind is assumed. So a line has the rates of errors of a person, of a camera whose bout was checked, or of its
source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from msgspec import structs

from referee.apply_event import renamed
from referee.belief.rates import CHECKED, PERSON, Rates
from referee.cards import Card
from referee.errors import RefereeError
from referee.events import (
    Blocked,
    Corrected,
    Dealt,
    Placed,
    Pressed,
    Reread,
    Shown,
    Swept,
    TableEvent,
    Tick,
    is_same_play,
)
from referee.fields import fail
from referee.record import UNTIMED
from referee.rulings import Announcement, Message, Ruling, Withdrawal, fault_of, holding


def reread(seen: TableEvent, event: Reread) -> TableEvent | None:
    """Return the event that misread the card, with the right card; None: the event is not about it."""
    if isinstance(seen, Placed) and seen.card == event.was:
        return structs.replace(seen, card=event.card, confidence=None, alternatives=())
    if isinstance(seen, Dealt) and seen.turnup == event.was:
        return structs.replace(seen, turnup=event.card)
    if isinstance(seen, Shown) and seen.card == event.was:
        return structs.replace(seen, card=event.card)
    return None


def assigned(seen: TableEvent, event: Pressed) -> TableEvent | None:
    """Return the event of laying the card, with the seat that a person names; None: it is another event."""
    if isinstance(seen, Placed) and seen.card == event.card:
        return structs.replace(seen, by=event.to)
    return None


class RecordLine(NamedTuple):
    """
    A line with all corrections applied.

    ``is_stated``: a person has corrected it, so nothing about it is uncertain. ``sensor``: the rates of errors of this
    line where people have corrected it or its bout; None: those of the record's source.
    """

    line: int
    event: TableEvent
    is_stated: bool = False
    sensor: Rates | None = None

    @property
    def is_void(self) -> bool:
        """Check whether the correction is that nothing happened. Such a line doesn't separate two cards of one play."""
        return self.is_stated and isinstance(self.event, Tick)


class _Line(NamedTuple):
    """
    A line of the record while it is corrected.

    ``reported``: the event as reported; None for an inserted event. ``is_stated``: a person has corrected it.
    """

    line: int
    event: TableEvent
    reported: TableEvent | None
    after: int
    is_stated: bool = False


MOST_CORRECTIONS = 100
"""Corrections of one line. People change their minds a few times; each costs judging the lines since again."""


class CorrectedRecord:
    """
    The ``lines`` of a record with all corrections applied, each card under the name that a correction gave it.

    An inserted event has the line number of its correction. Raise ``RecordError`` where a correction names no earlier
    line of the match, or a time outside its place.
    """

    def __init__(self, reported: Sequence[tuple[int, TableEvent]], header_line: int) -> None:
        self.lines: list[RecordLine] = []
        self._names: dict[Card, Card] = {}
        self._stated: TableEvent | None = None  # the newest event, if a person has stated it
        self._is_checked = False  # a person has denied a line of this bout
        self._was_denied = False  # a person has denied the newest line that is no statement
        for each in _with_certain_insertions(_applied(reported, header_line)):
            self.add(each.line, each.event, each.reported, is_stated=each.is_stated)

    def add(self, line: int, event: TableEvent, reported: TableEvent | None, *, is_stated: bool = False) -> RecordLine:
        """Add a line. ``reported``: the event as reported; None for an inserted event."""
        for was, card in self._names.items():
            event = renamed(event, was, card)
        is_void = is_stated and isinstance(event, Tick)
        is_pause = isinstance(event, Tick | Blocked) and not is_void
        is_more = self._stated is not None and is_same_play(self._stated, event)
        sensor = None
        if not is_pause and (is_stated or is_more or self._was_denied):
            sensor = PERSON
        elif not is_pause and self._is_checked:
            sensor = CHECKED
        moved = isinstance(reported, Placed) and not (isinstance(event, Placed) and event.on == reported.on)
        self._is_checked = self._is_checked or is_void or (is_stated and moved)
        if not is_pause and not isinstance(event, Pressed):
            self._was_denied = is_void
        if not isinstance(event, Tick) and not (is_more and not is_stated):
            self._stated = event if is_stated else None
        if isinstance(event, Swept | Dealt):
            self._is_checked = False
        if isinstance(event, Swept):
            self._names = {was: card for was, card in self._names.items() if card in event.left}
        elif isinstance(reported, Placed):
            self._names.pop(reported.card, None)
            if isinstance(event, Placed) and event.card != reported.card:
                self._names[reported.card] = event.card
        self.lines.append(RecordLine(line, event, is_stated, sensor))
        return self.lines[-1]


def _applied(reported: Sequence[tuple[int, TableEvent]], header_line: int) -> list[_Line]:
    record: list[_Line] = []
    places: dict[int, int] = {}
    corrected: Counter[int] = Counter()
    for line, event in reported:
        if not isinstance(event, Corrected) or event.table is not None:
            places[line] = len(record)
            record.append(_Line(line, event, event, line))
        elif event.line is not None:
            place = places[event.line] if event.line in places else _place_of(record, event.line, '"line"')
            corrected[event.line] += 1
            if corrected[event.line] > MOST_CORRECTIONS:
                raise fail(f"at most {MOST_CORRECTIONS} corrections of one line", f"one more of line {event.line}")
            was = record[place]
            to = event.to if event.to is not None else Tick(at=was.event.at)
            # A correction by the camera keeps its uncertainty; one by a person has none.
            is_stated = to.confidence is None
            record[place] = was._replace(event=_timed(to, was.event.at), is_stated=is_stated)
        else:
            _insert(record, line, event, header_line)
            places = {each.line: place for place, each in enumerate(record)}
    return record


class StandingCorrection(NamedTuple):
    """
    A correction by a person that holds.

    ``line``, ``at``: of the correction. ``about``: the line that it changes, its own line for an inserted event; None:
    it states the position. ``was``, ``now``: the event of that line without the correction, and with it, both under the
    names that cards have now; None: nothing happened then.
    """

    line: int
    at: float
    about: int | None
    was: TableEvent | None
    now: TableEvent | None


def standing_corrections(reported: Sequence[tuple[int, TableEvent]], header_line: int) -> Iterator[StandingCorrection]:
    """Yield the corrections by people in order, without those that a later one of the same line replaces."""
    by_people = [
        (place, line, event)
        for place, (line, event) in enumerate(reported)
        if isinstance(event, Corrected) and not event.is_second_thought
    ]
    newest = {event.line: line for _, line, event in by_people if event.line is not None}
    for place, line, event in by_people:
        if event.line is not None and newest[event.line] != line:
            continue
        about = None if event.table is not None else event.line or line
        try:
            without = CorrectedRecord([*reported[:place], *reported[place + 1 :]], header_line).lines
        except RefereeError:  # a later correction is about the event that this one inserted
            without = []
        was, now = (_event_of(about, lines) for lines in (without, CorrectedRecord(reported, header_line).lines))
        yield StandingCorrection(line, event.at, about, was, now)


def _event_of(line: int | None, lines: Sequence[RecordLine]) -> TableEvent | None:
    event = next((each.event for each in lines if each.line == line), None)
    return None if isinstance(event, Tick | Corrected) else event


def _place_of(record: list[_Line], line: int, key: str) -> int:
    place = next((place for place, each in enumerate(record) if each.line == line), None)
    if place is None:
        raise fail(f"{key} to be the number of an earlier event's line of this match (the header is no event)", line)
    return place


def _timed(event: TableEvent, at: float) -> TableEvent:
    return structs.replace(event, at=at) if event.at == UNTIMED else event


def _insert(record: list[_Line], line: int, event: Corrected, header_line: int) -> None:
    assert event.insert is not None
    assert event.after is not None
    place = 0 if event.after == header_line else _place_of(record, event.after, '"after"') + 1
    earliest = record[place - 1].event.at if place else 0.0
    inserted = _timed(event.insert, earliest)
    # Events inserted at the same place are kept in order of time.
    while place < len(record) and record[place].after == event.after and record[place].event.at <= inserted.at:
        place += 1
    latest = next((each.event.at for each in record[place:] if each.reported is not None), inserted.at)
    if not earliest <= inserted.at <= latest:
        raise fail(
            f'"at" of what is inserted to be from {earliest:g} to {latest:g}, its place in the match', inserted.at
        )
    # A correction by the camera keeps its uncertainty; one by a person has none.
    record.insert(place, _Line(line, inserted, None, event.after, is_stated=inserted.confidence is None))


def _with_certain_insertions(record: list[_Line]) -> list[_Line]:
    """
    Return the record with certain events where the camera inserted them directly before a line that a person stated.

    The stated line is judged after them: they were inserted since they had nearly certainly happened.
    """
    found = list(record)
    is_stated = False
    for place in range(len(found) - 1, -1, -1):
        line = found[place]
        is_inserted = line.reported is None and not line.is_stated
        if is_inserted and is_stated:
            event = structs.replace(line.event, confidence=None, alternatives=(), otherwise=(), missed=None)
            found[place] = line._replace(event=event)
        elif not isinstance(line.event, Tick) or line.is_stated:
            is_stated = line.is_stated and not isinstance(line.event, Tick)
    return found


def changed(before: Sequence[Message], now: Sequence[Message], line: int) -> tuple[Message, ...]:
    """
    Return what to print on this line when ``before`` was printed and ``now`` holds instead.

    Each ruling and announcement that changed is printed as it is now, and those that no longer hold are withdrawn.
    Consequences that cancel out are not printed: of a count that changes back and forth only its newest value is.
    """
    (were, was_said), (are, is_said) = map(_by_kind, (before, now))
    messages = [replace(each, revised_by=line) for each in are if not any(_is_same(each, other) for other in were)]
    ruled = {each.line for each in are}
    for each in were:
        ruling = each.what
        assert isinstance(ruling, Ruling)
        is_gone = (
            each.line not in ruled if ruling.fault is None else not any(_names_fault(other, each) for other in are)
        )
        if is_gone:
            messages.append(Message(each.line, Withdrawal(ruling.fault), revised_by=line))
    gone, new = _difference(was_said, is_said), _difference(is_said, was_said)
    messages += [
        Message(line, each.what.withdrawn())
        for each in gone
        if isinstance(each.what, Announcement) and each.what.can_be_withdrawn
    ]
    newest = {kind: _newest(kind, was_said, is_said) for kind in ("talon", "limit")}
    messages += [
        replace(each, revised_by=line)
        for each in new
        if isinstance(each.what, Announcement) and (newest.get(each.what.kind, each) is each)
    ]
    return tuple(messages)


def _by_kind(messages: Sequence[Message]) -> tuple[list[Message], list[Message]]:
    """Return the rulings that hold, and the announcements that hold."""
    held = holding(messages)
    return [each for each in held if isinstance(each.what, Ruling)], [
        each for each in held if isinstance(each.what, Announcement)
    ]


def _newest(kind: str, before: Sequence[Message], now: Sequence[Message]) -> Message | None:
    """Return the newest announcement of this kind that holds now; None where it equals the newest before."""
    was, becomes = (
        next((each for each in reversed(those) if isinstance(each.what, Announcement) and each.what.kind == kind), None)
        for those in (before, now)
    )
    return None if becomes is None or (was is not None and was.what == becomes.what) else becomes


def _is_same(one: Message, other: Message) -> bool:
    """Check whether two rulings on one line agree in verdict, fault and cards; other facts may differ."""
    assert isinstance(one.what, Ruling)
    assert isinstance(other.what, Ruling)
    called = [
        (each.verdict, each.fault, each.cards, each.by, each.play, each.facts.get("over"), each.facts.get("card"))
        for each in (one.what, other.what)
    ]
    return one.line == other.line and called[0] == called[1]


def _names_fault(message: Message, other: Message) -> bool:
    return message.line == other.line and fault_of(message) is fault_of(other)


def _difference(some: Sequence[Message], others: Sequence[Message]) -> list[Message]:
    """Return the items whose content is not among the others, counted as a multiset."""
    left = [each.what for each in others]
    found = []
    for each in some:
        if each.what in left:
            left.remove(each.what)
        else:
            found.append(each)
    return found
