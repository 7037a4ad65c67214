"""
The record of a match as people's statements leave it, and the rulings and announcements that a statement changes.

Whatever is said of an earlier line is a :class:`~referee.events.Corrected`, by a person or, on second thought, by the
camera: this line was that event, or nothing; after it this happened; the table stands so now. :func:`statements_of`
makes one of the record's other forms (``reread``, ``assign``); :class:`CorrectedRecord` derives the lines from what was
reported and from the statements that stand.

A person's statement is complete for its moment. A person who denies a line, or moves a card elsewhere, has checked the
rest of the bout: no unseen card is assumed in it. Directly after a line on which nothing happened no unseen event of
any kind is assumed. So a line has the rates of errors of a person, of a camera whose bout was checked, or of its
source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from msgspec import structs

from referee.belief.rates import CHECKED, PERSON, Rates
from referee.cards import Card
from referee.effects import renamed
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
    certain,
    is_same_play,
)
from referee.fields import fail
from referee.record import UNTIMED
from referee.rulings import Announcement, Message, Ruling, Withdrawal, fault_of, holding

FIRM = 0.01
"""Probability that a card reported without uncertainty was misread, given that it is reread. Chosen by hand."""

LAID_OVER = 0.005
"""Probability. A card was laid exactly on another, so that the other seems to be reread. Chosen by hand."""

LEAST_LAID = 0.05
"""Probability. A card laid over another is not followed below this. Chosen by hand."""

LEAST_DOUBT = 0.01
"""Lowest probability that the new reading is wrong. Chosen by hand."""

ACROSS = 0.6
"""Share of the cards laid exactly on another that beat it; the others are attack cards. Chosen by hand."""


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


def statements_of(
    event: TableEvent, lines: Sequence[RecordLine], record: Sequence[tuple[int, TableEvent]], *, is_weighed: bool
) -> tuple[TableEvent, ...]:
    """
    Return a ``reread`` or ``assign`` as the correction of the newest line with its card; any other event as it is.

    Nothing: there is no such line. ``record``: the lines as reported: a camera does not override the
    newest name that a person has given. ``is_weighed``: the camera cannot tell a card that it misread from one on which
    another was laid exactly. So its new reading makes two lines uncertain: the one that reported the card, which may
    have been either card, and a new one, on which the other may have been laid on it. If the first line is given the
    new name nothing can have been laid, since no card is there twice: the rules couple the two lines.
    """
    is_assignment = isinstance(event, Pressed) and event.button == "assign"
    if not isinstance(event, Reread) and not is_assignment:
        return (event,)
    about: Any = event
    was = about.card if is_assignment else about.was
    sure = None if is_assignment else event.confidence
    recorded = dict(record)
    for line in reversed(lines):
        seen: Any = line.event
        key = "turnup" if isinstance(seen, Dealt) else "card"
        is_card = isinstance(seen, Placed if is_assignment else (Placed, Dealt, Shown)) and getattr(seen, key) == was
        if sure is not None and line.is_stated:
            reported = recorded.get(line.line)
            if is_card or (isinstance(reported, Placed) and reported.card == was):
                return (Tick(at=event.at),)
        if is_card:
            break
    else:
        return ()
    to = structs.replace(seen, **({"by": about.to} if is_assignment else {key: about.card}))
    if sure is None:
        # A card that the camera's reread made a line of its own may still be none.
        is_inferred = not line.is_stated and any(
            number == line.line and isinstance(by, Corrected) for number, by in record
        )
        sure_to = structs.replace(to, confidence=None, alternatives=()) if is_inferred else certain(to)
        return (Corrected(at=event.at, line=line.line, to=sure_to),)
    to = structs.replace(to, confidence=sure, alternatives=())
    # The three cases (misread before, another card laid on it, misread now) get their weights on both lines together.
    wrong = max(sum(share for card, share in seen.alternatives if card == about.card), FIRM)
    laid, misread = sure * LAID_OVER / (wrong + LAID_OVER), max(1.0 - sure, LEAST_DOUBT)
    if not is_weighed or not isinstance(seen, Placed) or was == about.card or laid < LEAST_LAID:
        return (Corrected(at=event.at, line=line.line, to=to),)
    renamed_share = sure - laid
    by_new_name, nothing = renamed_share / (renamed_share + misread), misread / (laid + misread)
    to = structs.replace(
        to,
        confidence=round(by_new_name, 4),
        alternatives=((was, round(1.0 - by_new_name, 4)),),
        otherwise=tuple((keys, share) for keys, share in seen.otherwise if keys is not None and "card" not in keys),
    )
    over = Placed(
        at=event.at,
        card=about.card,
        confidence=round((1.0 - nothing) * (1.0 - ACROSS), 4),
        otherwise=((None, round(nothing, 4)), ({"on": str(was)}, round((1.0 - nothing) * ACROSS, 4))),
    )
    return Corrected(at=event.at, line=line.line, to=to), over


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


class _Line(NamedTuple):
    """
    A line of the record while it is corrected.

    ``reported``: the event as reported; None for an inserted event. ``after``: the line after which it was inserted.
    ``is_stated``: a person has corrected it. ``was``: by line of each correction, the event without it.
    """

    line: int
    event: TableEvent
    reported: TableEvent | None
    after: int
    is_stated: bool = False
    was: tuple[tuple[int, TableEvent], ...] = ()


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
        self._reported = reported
        self._was: dict[int, TableEvent] = {}  # by line of a correction, the event without it
        self._names: dict[Card, Card] = {}
        self._stated: TableEvent | None = None  # the newest event, if a person has stated it
        self._is_checked = False  # a person has denied a line of this bout
        self._was_denied = False  # a person has denied the newest line that is no statement
        record, is_stated = _applied(reported, header_line), False
        for place in reversed(range(len(record))):
            corrected = record[place]
            if is_stated and corrected.reported is None and not corrected.is_stated:
                # What the camera inserted directly before a stated line had nearly certainly happened.
                record[place] = corrected._replace(event=certain(corrected.event))
            elif corrected.is_stated or not isinstance(corrected.event, Tick):
                is_stated = corrected.is_stated and not isinstance(corrected.event, Tick)
        for recorded in record:
            self._was |= {line: self._named(event) for line, event in recorded.was}
            self.add(recorded.line, recorded.event, recorded.reported, is_stated=recorded.is_stated)

    def _named(self, event: TableEvent) -> TableEvent:
        for was, card in self._names.items():
            event = renamed(event, was, card)
        return event

    def add(self, line: int, event: TableEvent, reported: TableEvent | None, *, is_stated: bool = False) -> RecordLine:
        """Add a line. ``reported``: the event as reported; None for an inserted event."""
        event = self._named(event)
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

    @property
    def standing(self) -> tuple[StandingCorrection, ...]:
        """Return the corrections by people in order, without those that a later one of the same line replaces."""
        events = {line.line: line.event for line in self.lines if not isinstance(line.event, Tick | Corrected)}
        by_people = [
            (line, event)
            for line, event in self._reported
            if isinstance(event, Corrected) and not event.is_second_thought
        ]
        newest = {event.line: line for line, event in by_people if event.line is not None}
        found = []
        for line, event in by_people:
            if event.line is None or newest[event.line] == line:
                about = None if event.table is not None else event.line or line
                was = self._was.get(line)
                now = None if about is None else events.get(about)
                found.append(StandingCorrection(line, event.at, about, None if isinstance(was, Tick) else was, now))
        return tuple(found)


def _applied(reported: Sequence[tuple[int, TableEvent]], header_line: int) -> list[_Line]:
    record: list[_Line] = []
    places: dict[int, int] = {}
    corrected: Counter[int] = Counter()

    def place_of(line: int | None, key: str) -> int:
        if line not in places:
            raise fail(
                f"{key} to be the number of an earlier event's line of this match (the header is no event)", line
            )
        return places[line]

    for line, event in reported:
        if not isinstance(event, Corrected) or event.table is not None:
            places.setdefault(line, len(record))
            record.append(_Line(line, event, event, line))
        elif event.line is not None:
            place = place_of(event.line, '"line"')
            corrected[event.line] += 1
            if corrected[event.line] > MOST_CORRECTIONS:
                raise fail(f"at most {MOST_CORRECTIONS} corrections of one line", f"one more of line {event.line}")
            was = record[place]
            to = event.to if event.to is not None else Tick(at=was.event.at)
            # A correction by the camera keeps its uncertainty; one by a person has none.
            record[place] = was._replace(
                event=_timed(to, was.event.at),
                is_stated=to.confidence is None,
                was=(*was.was, (line, was.event)),
            )
        else:
            assert event.insert is not None
            assert event.after is not None
            place = 0 if event.after == header_line else place_of(event.after, '"after"') + 1
            earliest = record[place - 1].event.at if place else 0.0
            inserted = _timed(event.insert, earliest)
            # Events inserted at the same place are kept in order of time.
            while place < len(record) and record[place].after == event.after and record[place].event.at <= inserted.at:
                place += 1
            latest = next((line.event.at for line in record[place:] if line.reported is not None), inserted.at)
            if not earliest <= inserted.at <= latest:
                expected = f'"at" of what is inserted to be from {earliest:g} to {latest:g}, its place in the match'
                raise fail(expected, inserted.at)
            record.insert(place, _Line(line, inserted, None, event.after, is_stated=inserted.confidence is None))
            places = {line.line: number for number, line in reversed(list(enumerate(record)))}
    return record


def _timed(event: TableEvent, at: float) -> TableEvent:
    return structs.replace(event, at=at) if event.at == UNTIMED else event


def changed(before: Sequence[Message], now: Sequence[Message], line: int) -> tuple[Message, ...]:
    """
    Return what to print on this line when ``before`` was printed and ``now`` holds instead.

    Each ruling and announcement that changed is printed as it is now, and those that no longer hold are withdrawn.
    Consequences that cancel out are not printed: of a count that changes back and forth only its newest value is.
    """
    (were, was_said), (are, is_said) = map(_by_kind, (before, now))
    messages = [
        replace(message, revised_by=line) for message in are if not any(_is_same(message, other) for other in were)
    ]
    ruled = {message.line for message in are}
    for message in were:
        ruling = message.what
        assert isinstance(ruling, Ruling)
        is_gone = (
            message.line not in ruled
            if ruling.fault is None
            else not any(_names_fault(other, message) for other in are)
        )
        if is_gone:
            messages.append(Message(message.line, Withdrawal(ruling.fault), revised_by=line))
    gone, new = _difference(was_said, is_said), _difference(is_said, was_said)
    messages += [
        Message(line, message.what.withdrawn())
        for message in gone
        if isinstance(message.what, Announcement) and message.what.can_be_withdrawn
    ]
    newest = {kind: _newest(kind, was_said, is_said) for kind in ("talon", "limit")}
    messages += [
        replace(message, revised_by=line)
        for message in new
        if isinstance(message.what, Announcement) and (newest.get(message.what.kind, message) is message)
    ]
    return tuple(messages)


def _by_kind(messages: Sequence[Message]) -> tuple[list[Message], list[Message]]:
    """Return the rulings that hold, and the announcements that hold."""
    held = holding(messages)
    return [message for message in held if isinstance(message.what, Ruling)], [
        message for message in held if isinstance(message.what, Announcement)
    ]


def _newest(kind: str, before: Sequence[Message], now: Sequence[Message]) -> Message | None:
    """Return the newest announcement of this kind that holds now; None where it equals the newest before."""
    was, becomes = (
        next(
            (
                message
                for message in reversed(those)
                if isinstance(message.what, Announcement) and message.what.kind == kind
            ),
            None,
        )
        for those in (before, now)
    )
    return None if becomes is None or (was is not None and was.what == becomes.what) else becomes


def _is_same(one: Message, other: Message) -> bool:
    """Check whether two rulings on one line agree in verdict, fault and cards; other facts may differ."""
    assert isinstance(one.what, Ruling)
    assert isinstance(other.what, Ruling)
    contents = [
        (
            ruling.verdict,
            ruling.fault,
            ruling.cards,
            ruling.by,
            ruling.play,
            ruling.facts.get("over"),
            ruling.facts.get("card"),
        )
        for ruling in (one.what, other.what)
    ]
    return one.line == other.line and contents[0] == contents[1]


def _names_fault(message: Message, other: Message) -> bool:
    return message.line == other.line and fault_of(message) is fault_of(other)


def _difference(some: Sequence[Message], others: Sequence[Message]) -> list[Message]:
    """Return the items whose content is not among the others, counted as a multiset."""
    left = [other.what for other in others]
    found = []
    for message in some:
        if message.what in left:
            left.remove(message.what)
        else:
            found.append(message)
    return found
