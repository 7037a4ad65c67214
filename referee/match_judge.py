"""
Judge the record of a match line by line: lines go in, rulings and announcements come out.

The source of the record decides how often its events are missed or in error (:mod:`referee.belief.rates`). A
:class:`MatchJudge` keeps the record and applies corrections: it judges everything from the corrected line on again, as
if the record had read so from the beginning, and announces the rulings that changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from referee.belief.belief import Belief
from referee.belief.hypotheses import Beam
from referee.belief.rates import PERSON, RATES, Rates
from referee.contradictions import Objection, against_line, against_table
from referee.corrections import CorrectedRecord, RecordLine, StandingCorrection, changed, statements_of
from referee.effects.announce import undone
from referee.errors import RefereeError
from referee.events import Blocked, Corrected, Pressed, Reread, TableEvent, Tick, is_same_play
from referee.game import GameState
from referee.header import Header
from referee.record import check_seats
from referee.rulebook import FREE
from referee.rulings import Announcement, Message, Ruling, Step, holding, in_order, messages_of

SETTLED = 16
"""Lines at the end that are always judged again after a correction: later ones may still reconsider them."""

MOST_REVISIONS = 2
"""Revisions of one line by the camera: two options that are about as likely would be exchanged again and again."""

ASKED_LONG = 16
"""Lines after which an unanswered question is dropped. Chosen by hand."""


@dataclass(frozen=True, slots=True)
class _JudgedLine:
    """
    A line with all corrections applied, the rulings and announcements that it brought when it was judged, and the most
    likely position after it in which its seat and its destination are those that it names. ``is_explained``: the events
    until then fit a course of the game.
    """

    recorded: RecordLine
    messages: tuple[Message, ...]
    state: GameState
    is_explained: bool

    @property
    def line(self) -> int:
        return self.recorded.line

    @property
    def event(self) -> TableEvent:
        return self.recorded.event


class RecordedEvent(NamedTuple):
    """A line of the record as it was recorded, and the rulings and announcements that it brought."""

    event: TableEvent
    messages: tuple[Message, ...]


class MatchJudge:
    """
    Judge one match, whatever the source of its record.

    ``line``: the line number of its header. ``rates``: how often events and errors of the vision pipeline occur, used
    where a camera is the source. The judge keeps the lines of the record that hold, corrections included, without
    those that were undone.
    """

    def __init__(self, header: Header, line: int = 1, rates: Rates = RATES) -> None:
        self.header = header
        self.line = line
        # Rule set "free" has no rules, so there is no fault to weigh.
        self._is_weighed = header.witness == "camera" and header.rules != FREE
        self._judge = Belief(header, rates if self._is_weighed else PERSON)
        self._recorded: list[tuple[int, TableEvent]] = []
        self._second_thoughts: set[int] = set()
        self._judged: list[_JudgedLine] = []
        self._has_ended = False
        self._corrected: CorrectedRecord | None = None  # made from the record when it is needed
        self._certain: Beam | None = None  # the belief for which no earlier line needs a revision
        self._asked: tuple[int, Message | None] | None = (
            None  # number of lines, and the question that is open after them
        )
        self.opening: tuple[Message, ...] = messages_of(line, self._judge.opening)

    @property
    def state(self) -> GameState:
        """Return the current position of the most likely hypothesis."""
        return self._judge.state

    @property
    def events(self) -> tuple[TableEvent, ...]:
        """Return the events with all corrections applied, without corrections and ticks."""
        return tuple(line.event for line in self._judged if not isinstance(line.event, Corrected | Tick))

    @property
    def holds_back_ruling(self) -> bool:
        """Check whether a ruling is held back because further cards of the same play may still make it legal."""
        return self._judge.holds_back_ruling

    @property
    def readings(self) -> int:
        """Return the number of hypotheses; 1: nothing is uncertain."""
        return len(self._judge.beam)

    @property
    def due(self) -> float | None:
        """Return the time in seconds from which a ``tick`` would decide something; None where nothing is undecided."""
        return self._judge.due

    @property
    def holding(self) -> tuple[Message, ...]:
        """Return the rulings and announcements that still hold, in order."""
        return holding((*self.opening, *_messages_in(self._judged)))

    @property
    def probabilities(self) -> Mapping[int, float]:
        """Return by line the highest probability of a fault among the decisions made on it."""
        return self._judge.probabilities

    @property
    def lines(self) -> tuple[RecordLine, ...]:
        """Return the lines with all corrections applied and what people vouch for, without those that were undone."""
        return tuple(line.recorded for line in self._judged)

    @property
    def question(self) -> Message | None:
        """
        Return the one open question: the newest; a question about what happened precedes one about leave.

        None where no question is open, all have been answered or dismissed, or the game has gone on for ``ASKED_LONG``
        lines.
        """
        count, found = (0, None) if self._asked is None else self._asked
        since = self._judged[count:]
        if self._asked is None or any(line.messages or not isinstance(line.event, Tick | Blocked) for line in since):
            found = self._newest_question()
        self._asked = len(self._judged), found
        return found

    def _newest_question(self) -> Message | None:
        newest: list[_JudgedLine] = []
        place = len(self._judged)
        while place and len(newest) < ASKED_LONG:
            place -= 1
            if not isinstance(self._judged[place].event, Tick | Blocked):
                newest.append(self._judged[place])
        # What is dismissed comes before the press that does so.
        lines = {line.line for line in newest} - _dismissed_by(newest)
        answered = max((line.line for line in newest if _answers_leave(line.event)), default=0)
        asking = [
            message
            for message in holding(_messages_in(self._judged[place:]))
            if isinstance(message.what, Ruling) and message.what.question is not None and message.line in lines
            if not (message.what.asks_leave and message.line < answered)
        ]
        return max(asking, key=lambda message: (not _asks_leave(message), message.line), default=None)

    @property
    def unexplained(self) -> Mapping[int, float]:
        """Return the lines after which no course of the game fits what was seen and stated, each with its second."""
        return {line.line: line.event.at for line in self._judged if not line.is_explained}

    @property
    def positions(self) -> tuple[tuple[RecordLine, GameState], ...]:
        """
        Return the lines with all corrections applied, each with the position after it.

        A position is the most likely one at that time that agrees with its line; later lines don't change it.
        """
        return tuple((line.recorded, line.state) for line in self._judged)

    @property
    def corrections(self) -> tuple[StandingCorrection, ...]:
        """Return the corrections by people that hold, in order."""
        if self._corrected is None:
            self._corrected = CorrectedRecord(self._recorded, self.line)
        return self._corrected.standing

    @property
    def dismissed(self) -> frozenset[int]:
        """Return the lines whose questions and open faults people left as they are (button ``dismiss``)."""
        return frozenset(line for line in _dismissed_by(self._judged) if line is not None)

    def contradiction(self, correction: Corrected) -> Objection | None:
        """
        Return what speaks against a person's correction by all that is believed now; None: nothing.

        Raise ``RecordError`` if the correction can't be applied.
        """
        if self.header.rules == FREE or (correction.line is not None and correction.to is None):
            return None
        if correction.table is not None:
            return against_table(self.state, correction.table)
        line = max((number for number, _ in self._recorded), default=self.line) + 1
        now = CorrectedRecord([*self._recorded, (line, correction)], self.line).lines
        about = correction.line or line
        place = next(place for place, line in enumerate(now) if line.line == about)
        start = self._judge.restorable(place)
        earlier = self._judge.before(start)
        return against_line(earlier.state, self._judge.course, self.lines[start:], now[start:], about)

    def observe(self, line: int, event: TableEvent, following: TableEvent | None = None) -> Iterator[RecordedEvent]:
        """
        Judge an event that is reported now; yield each line that it adds to the record, from the number ``line`` on.

        A camera's event is recorded in its most likely reading, or not at all if most likely nothing happened. A
        confirmation of a card that was read with uncertainty is recorded as a correction of its line. Corrections of
        earlier lines that certainly were otherwise follow. ``following``: the next event reported with this one; a
        ruling on cards laid together waits for the last of them. Raise ``RecordError`` as ``apply`` does.
        """
        if isinstance(event, Corrected) and event.line is not None and not event.is_second_thought:
            check_seats(event, self.header.seats)
            CorrectedRecord([*self._recorded, (line, event)], self.line)  # refuses it before anything is recorded
            # What went unseen before the line is inserted first: as stated, the line is explained by nothing unseen.
            for insertion in tuple(self._insertions(event.at, stated=event.line)):
                yield RecordedEvent(insertion, self.apply(line, insertion))
                line += 1
        reported: TableEvent | None = event
        if isinstance(event, Reread) and event.was == event.card and event.confidence is not None:
            reported = next(
                (statement for statement in self._statements(event) if isinstance(statement, Corrected)), None
            )
        recorded = None if reported is None else self._judge_line(line, reported, is_report=True)
        if recorded is not None:
            if self.holds_back_ruling and (following is None or not is_same_play(event, following)):
                recorded = recorded._replace(messages=in_order((*recorded.messages, *self.end_play())))
            yield recorded
            line += 1
        for number, correction in enumerate(self.revisions(event.at), start=line):
            yield RecordedEvent(correction, self.apply(number, correction))

    def apply(self, line: int, event: TableEvent) -> tuple[Message, ...]:
        """
        Judge the next line of the record as it stands; return the rulings and announcements that it brings.

        Raise ``RecordError`` where the line names an unknown seat or makes a correction that can't be applied.
        """
        recorded = self._judge_line(line, event)
        return () if recorded is None else recorded.messages

    def _judge_line(self, line: int, event: TableEvent, *, is_report: bool = False) -> RecordedEvent | None:
        """Judge a line; return it as it is recorded. ``is_report``: None if most likely nothing happened."""
        check_seats(event, self.header.seats)
        if isinstance(event, Pressed) and event.button == "undo":
            return RecordedEvent(event, self._undo(line, event.of))
        statements = self._statements(event)
        if statements and isinstance(statements[0], Corrected):
            messages = self.correct(line, *statements)
            if isinstance(event, Corrected) and event.is_second_thought:
                self._second_thoughts.add(line)
            return RecordedEvent(event, messages)
        self._recorded.append((line, statements[0] if statements else event))
        recorded = self._as_corrected(*self._recorded[-1])
        try:
            took, messages = (
                self._judge.observe_report(recorded) if is_report else (recorded.event, self._judge.observe(recorded))
            )
        except RefereeError:
            del self._recorded[-1]
            self._corrected = None
            raise
        if took != recorded.event:  # recorded otherwise, or not at all
            self._corrected = None
            del self._recorded[-1]
            if took is None:
                return None
            self._recorded.append((line, took))
        if statements:
            self._has_ended = self._has_ended and isinstance(statements[0], Tick)
        else:  # it is about no card on the table, and kept so that it can be undone
            card = event.was if isinstance(event, Reread) else getattr(event, "card", None)
            messages = (Message(line, Announcement.of("doubt", reason="card-not-on-table", card=card)),)
        self._judged.append(
            _JudgedLine(
                recorded._replace(event=took), messages, self._judge.state_as_recorded(took), self._judge.is_explained
            )
        )
        return RecordedEvent(event if took == recorded.event else took, messages)

    def _statements(self, event: TableEvent) -> tuple[TableEvent, ...]:
        if isinstance(event, Corrected) and not event.is_second_thought:
            return (event.stated,)
        is_about_card = isinstance(event, Reread) or (isinstance(event, Pressed) and event.button == "assign")
        if not is_about_card or self.header.rules == FREE:  # without rules nothing is a correction of a card
            return (event,)
        return statements_of(event, self.lines, self._recorded, is_weighed=self._is_weighed)

    def correct(self, line: int, *statements: TableEvent) -> tuple[Message, ...]:
        """
        Take what line ``line`` states of the record, and judge from there on as if it had always read so.

        Return the rulings and announcements that change. Raise ``RecordError`` where that cannot be; nothing changes
        then.
        """
        return self._judge_again(line, [*self._recorded, *((line, statement) for statement in statements)])

    def _undo(self, line: int, of: int | None) -> tuple[Message, ...]:
        """
        Take back the correction of line ``of``, or else the newest line that is no tick, blocked view or correction by
        the camera; and what the camera has corrected since.
        """
        recorded, about = self._recorded, of
        if about is None:
            own = ((number, event) for number, event in reversed(recorded) if number not in self._second_thoughts)
            about = next((number for number, event in own if not isinstance(event, Tick | Blocked)), None)
        place = next((place for place, (number, _) in enumerate(recorded) if number == about), None)
        if place is None or (of is not None and not isinstance(recorded[place][1], Corrected)):
            return (Message(line, Announcement.of("doubt", reason="nothing-to-undo")),)
        since = recorded[place:]
        gone = {of, *self._second_thoughts}
        kept = [line for line in since if of is not None and line[0] not in gone]
        count = len(self._judged) - len(since)
        if of is not None or any(isinstance(event, Corrected) for _, event in since):
            return self._judge_again(line, [*recorded[:place], *kept])
        if self._judge.restorable(count) < count:
            return self._judge_again(line, recorded[:place])
        was, self._judge = self.state, self._judge.before(count)
        self._recorded, self._judged = recorded[:place], self._judged[:count]
        self._corrected = self._asked = None
        return messages_of(line, Step((), undone(was, self.state)))

    def _judge_again(self, line: int, recorded: list[tuple[int, TableEvent]]) -> tuple[Message, ...]:
        """
        Judge this record instead, from the first changed line on; return the rulings and announcements that changed.
        """
        corrected = CorrectedRecord(recorded, self.line)
        before, now = self.lines, corrected.lines
        pairs = enumerate(zip(before, now, strict=False))
        place = next((at for at, (one, other) in pairs if one != other), min(len(before), len(now)))
        place = min(_play_begins(before, place), _play_begins(now, place))
        while (kept := self._judge.restorable(place)) < place:
            place = min(_play_begins(before, kept), _play_begins(now, kept))
        same_from = len(now) + 1  # the number of lines after which both are the same
        if len(before) == len(now):
            same_from = next((at for at in range(len(now), 0, -1) if before[at - 1] != now[at - 1]), 0)
        judge, judged, end = self._judge.before(place), list[_JudgedLine](), len(before)
        stated = {number for number, line in enumerate(now, start=1) if line.is_stated}
        for count, recorded_line in enumerate(now[place:], start=place + 1):
            messages = judge.observe(recorded_line)
            following = next((other for other in now[count:] if not other.is_void), None)
            # The last play may go on.
            if following is not None and judge.holds_back_ruling and not recorded_line.is_void:
                messages = (
                    messages if is_same_play(recorded_line.event, following.event) else (*messages, *judge.end_play())
                )
            state = judge.state_as_recorded(recorded_line.event)
            judged.append(_JudgedLine(recorded_line, messages, state, judge.is_explained))
            may_end = same_from <= count <= len(now) - SETTLED and _play_begins(now, count) == count
            if may_end and judge.agrees(self._judge, stated):
                judge, end = judge.joined(self._judge), count
                break
        later = self._judged[end:]
        if self._has_ended and judged and not later:
            judged[-1] = replace(judged[-1], messages=(*judged[-1].messages, *judge.finish()))
        changes = changed(_messages_in(self._judged[place:end]), _messages_in(judged), line)
        self._judge, self._recorded, self._corrected, self._asked = judge, recorded, corrected, None
        self._judged = [*self._judged[:place], *judged, *later]
        return changes

    def revisions(self, at: float) -> tuple[Corrected, ...]:
        """
        Return corrections of lines that certainly happened otherwise than recorded, or else insertions of events that
        certainly happened between them unreported. ``at``: the current time in seconds.
        """
        if self._judge.beam is self._certain:
            return ()  # nothing has happened since
        proposed = tuple(self._judge.revised_lines())
        thoughts = (event.line for _, event in self._recorded if isinstance(event, Corrected) and event.by is None)
        times = Counter(thoughts if proposed else ())
        revised = tuple(Corrected(at=at, line=line, to=to) for line, to in proposed if times[line] < MOST_REVISIONS)
        revised = revised or tuple(self._insertions(at))
        self._certain = None if revised else self._judge.beam
        return revised

    def _insertions(self, at: float, stated: int | None = None) -> Iterator[Corrected]:
        """
        Yield each unreported event once, inserted after the line that was the newest at its time.

        ``stated``: only those directly before this line.
        """
        unreported = tuple(self._judge.unreported_events(stated))
        recorded = self._recorded if unreported else ()
        inserted = {line for line, event in recorded if isinstance(event, Corrected) and event.insert is not None}
        lines = [line.line for line in self._judged] if unreported else []
        for after, line, event in unreported:
            if after not in inserted:
                between = self._judged[lines.index(after) : lines.index(line)]
                newest = [line.line for line in between if line.event.at <= event.at][-1]
                yield Corrected(at=at, after=newest, insert=event)

    def end_play(self) -> tuple[Message, ...]:
        """End the last play: return the rulings that were held back."""
        return self._add(self._judge.end_play())

    def finish(self) -> tuple[Message, ...]:
        """End the record: return what was still undecided. Corrections are still accepted afterwards."""
        self._has_ended = True
        return self._add(self._judge.finish())

    def _add(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        if messages and self._judged:
            self._judged[-1] = replace(self._judged[-1], messages=(*self._judged[-1].messages, *messages))
            self._asked = None
        return messages

    def _as_corrected(self, line: int, event: TableEvent) -> RecordLine:
        """Return the newest line as people's corrections of earlier ones leave it."""
        if self._corrected is None:
            self._corrected = CorrectedRecord(self._recorded, self.line)
            return self._corrected.lines[-1]
        return self._corrected.add(line, event, event)


def _play_begins(lines: Sequence[RecordLine], place: int) -> int:
    """Return where the play of the line at this place begins: cards laid together are judged together."""
    while 0 < place < len(lines):
        following = next((line.event for line in lines[place:] if not line.is_void), None)
        if not (lines[place - 1].is_void or is_same_play(lines[place - 1].event, following)):
            return place
        place -= 1
    return place


def _dismissed_by(judged: Sequence[_JudgedLine]) -> set[int | None]:
    presses = (line.event for line in judged if isinstance(line.event, Pressed))
    return {press.of for press in presses if press.button == "dismiss"}


def _asks_leave(message: Message) -> bool:
    return isinstance(message.what, Ruling) and message.what.asks_leave


def _answers_leave(event: TableEvent) -> bool:
    return isinstance(event, Pressed) and event.button in ("done", "pass", "allow", "wait", "forgive")


def _messages_in(judged: list[_JudgedLine]) -> list[Message]:
    return [message for line in judged for message in line.messages]
