"""
The append-only log of a match: header, events and statements, each followed by the rulings that it brought.

    project(log, at=None) -> View

is pure: the same lines give the same view, live after each line and later for a stored match (``at``: as it was after
that number of lines of the record). A :class:`MatchLog` that grows keeps what it has projected, and shows the same.
:func:`judged` is how a stored record is judged, whatever for.

A log owns no thread and reads no clock. ``webapp.live.session`` adds to it, live and in a review.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import zip_longest
from typing import Any, Protocol

from msgspec import structs

from referee.cards import Card
from referee.corrections import RecordLine, StandingCorrection
from referee.events import (
    Blocked,
    Corrected,
    Dealt,
    Placed,
    Pressed,
    Reread,
    Swept,
    TableEvent,
    Tick,
    Unread,
    is_same_play,
)
from referee.fields import plain
from referee.game import GameState
from referee.match_judge import MatchJudge
from referee.record import Header, event_to_json, read_record
from referee.rulebook import rulebook
from referee.rulings import Announcement, Message, Ruling, Verdict, Withdrawal, in_order
from referee.seating import Seating
from webapp.errors import ContradictsError, NotAskedError
from webapp.match.open_matters import Answered, OpenMatter, open_matters, past_questions
from webapp.match.view import (
    SHOWN_ANYWAY,
    WEIGHT,
    Call,
    Correction,
    Headline,
    OpenQuestion,
    Sentence,
    TablePosition,
    TimelineStep,
    View,
    named_as_ruled,
)
from webapp.output import as_line
from webapp.text.catalogue import LANGUAGES
from webapp.text.present import say
from webapp.text.put_right import Understanding, consequences, contradiction_sentence, statement

RULING_KINDS = ("legal", "illegal", "impossible", "unclear")
LATE_S = 0.001
"""Seconds between two events that were reported too late; with the same time they would count as one play."""
REPORT_DELAY_S = 1.0
"""
Seconds. The pipeline may report an event this much later than it happened, so a ``tick`` waits as long. Higher delays
rulings while nothing happens; lower dates late events after the tick. The pipeline reports an event at most 0.7 s after
it happened (p95, benchmarks/README.md).
"""
RESUMED = "the program was away for a while"
"""Reason of the ``blocked`` event with which a match continues that an earlier run of the program began."""

Line = Mapping[str, Any]


class MatchKeeper(Protocol):
    def write(self, line: Line) -> None:
        """Append one line."""


class Store(Protocol):
    """Keeps a match line by line, with the calls of each line (``webapp.store.match_writer``)."""

    def write(self, line: Line, messages: tuple[Line, ...], result: Line | None) -> None:
        """Keep one line; it is stored when this returns."""


@dataclass(frozen=True, slots=True)
class MatchUpdate:
    """
    What a frame, a press or a correction brought.

    ``lines``: those of the record, each followed by its rulings and announcements, in the order in which they are
    printed. ``line``: the number of the press's or the correction's own, None without one. ``texts`` (by language):
    what a correction states, empty where it corrected nothing; ``details`` (by language): what follows from it, a
    sentence each; ``events``: what the person stated. ``is_stored``:
    False if the lines wait for the store; True also where no match is stored.
    """

    lines: tuple[Line, ...] = ()
    line: int | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    details: Mapping[str, Sequence[str]] = field(default_factory=dict)
    events: tuple[TableEvent, ...] = ()
    is_stored: bool = True


def project(log: Iterable[Line], at: int | None = None, *, has_ended: bool = False) -> View:
    """
    Return what people see of a match by its log. ``at``: number of lines of its record after which; None: after all.

    ``has_ended``: nothing more will happen; every question that nobody answered is open then. ``RecordError`` where a
    line can't be used.
    """
    return judged(log, at, has_ended=has_ended).view


def judged(
    log: Iterable[Line],
    at: int | None = None,
    *,
    has_ended: bool = False,
    match: MatchLog | None = None,
    name: str = "kept match",
    report: Callable[[float], None] = lambda share: None,
) -> MatchLog:
    """
    Judge the record of a log as it stands, and return the match; its lines are written nowhere.

    ``at``: number of lines after which to stop. ``has_ended``: the record is complete and all is decided; people may
    still correct it. ``match``: one without lines that takes the record under its own header; by default one with the
    header of the record. ``name``: of the record, for the ``RecordError`` if it can't be used. ``report``: called with
    the share of the lines that are judged, 0 to 1.
    """
    record = record_of(log)
    match = MatchLog(Header.parse(record[0])) if match is None else match
    match._take(record, at, has_ended=has_ended, name=name, report=report)
    return match


def record_of(log: Iterable[Line]) -> list[Line]:
    """Return the header and the events of a log, without what the referee said."""
    return [line for line in log if "kozyr" in line or "event" in line]


class MatchLog:
    """
    One match: its judge, the number of the record's newest line, and all ``lines`` so far: those of the record, each
    followed by its rulings and announcements. Lines are only appended.

    ``open`` returns the lines of the header, ``judge`` those of an event; ``pass_time`` and ``finish`` those that were
    waiting. Every ruling and announcement belongs to a record line, so judging the record again gives the same ones.
    With ``record`` the record is written there as it grows; with ``store`` the match is kept there, and a line is
    stored before it is returned. ``language``: of the lines' sentences; a view has all languages.
    """

    def __init__(
        self,
        header: Header,
        record: MatchKeeper | None = None,
        language: str = LANGUAGES[0],
        store: Store | None = None,
    ) -> None:
        self.header = header
        self.line = 0
        self.lines: list[Line] = []
        self.times_s: dict[int, float] = {}
        rules = rulebook(header.rules, header.options)
        stated = () if header.start is None else header.start.teams
        self.pack = rules.pack
        self.teams = Seating.of(tuple(header.seats), rules.teams, stated).teams
        self._judge = MatchJudge(header)
        self._opening = self._judge.state
        self._record, self._store, self._language = record, store, language
        self._reported: dict[int, Card] = {}  # by line
        self._was_s: float | None = None  # of the newest event as it was reported, and as it was dated
        self._dated_s = 0.0
        self._resumed_at_s: float | None = None
        self._has_ended = False
        # What a view needs beside the judge: the newest event, what it brought, and what people's corrections changed.
        self._last_event: Line | None = None
        self._news: tuple[Message, ...] = ()
        self._news_from = 0
        self._changes: dict[int, tuple[Sentence, tuple[Sentence, ...]]] = {}
        self._corrections: tuple[StandingCorrection, ...] | None = ()
        self._calls: dict[int, tuple[Message, Call]] = {}
        self._steps: dict[int, tuple[GameState, TableEvent, TimelineStep]] = {}
        self._view: View | None = None

    # --- reading and writing ---

    def _take(
        self, record: Sequence[Line], at: int | None, *, has_ended: bool, name: str, report: Callable[[float], None]
    ) -> None:
        """Take the lines of a record (:func:`judged`)."""
        for taken, _ in enumerate(self._reading(record, at, name), start=1):
            report(taken / len(record))
        if has_ended:
            self.lines += self._said(self._judge.finish())
        self._has_ended, self._view = has_ended, None

    def reading(self, log: Iterable[Line]) -> Iterator[View]:
        """Yield the view after each line of the record of a log, as ``project`` returns it there."""
        yield from (self.view for _ in self._reading(record_of(log), None))

    def _reading(self, record: Sequence[Line], at: int | None, name: str = "kept match") -> Iterator[None]:
        writes, self._record, self._store = (self._record, self._store), None, None
        self.open()
        yield
        read = (event for _, event in read_record(map(as_line, record), name))
        events = [event for event in read if isinstance(event, TableEvent)]
        for place, event in enumerate(events if at is None else events[: max(at - 1, 0)], start=1):
            before = self._before(event)
            messages = self._judge.apply(self.line + 1, event)
            following = events[place] if place < len(events) else None
            if self._judge.holds_back_ruling and (following is None or not is_same_play(event, following)):
                messages = in_order((*messages, *self._judge.end_play()))
            self._keep(event, messages)
            self._note_change(event, before, self.line, messages)
            self._was_s = self._dated_s = event.at
            yield
        self._resumed_at_s = self._dated_s
        self._record, self._store = writes

    def open(self) -> tuple[Line, ...]:
        """Return the header's line and the announcements of the position before the first event."""
        if self._resumed_at_s is not None:
            return self.judge(Blocked(at=self._resumed_at_s, reason=RESUMED))
        self.line += 1
        return self._append(self.header.as_json(), self._judge.opening)

    def judge(self, *events: TableEvent) -> tuple[Line, ...]:
        """
        Judge events that were reported together; return each event's line, followed by its rulings and announcements.

        A camera's event is written in its most likely reading, given all that is known of the game; one that surely
        did not happen is left out. An earlier line that surely was otherwise is corrected.

        Cards laid together are one play: its ruling waits for the last of them. All cards of a play are reported
        together, since cards at rest at one moment are seen at one moment. An event that is reported after a later one,
        such as a press, is dated just after that. ``RecordError`` if a correction contradicts the record.
        """
        lines: list[Line] = []
        dated = [self._dated(event) for event in events]
        for event, following in zip_longest(dated, dated[1:]):
            before = self._before(event)
            for recorded, messages in self._judge.observe(self.line + 1, event, following):
                lines += self._keep(recorded, messages)
                self._note_change(recorded, before, self.line, messages)
        return tuple(lines)

    def _dated(self, event: TableEvent) -> TableEvent:
        """
        Return the event with the time at which it may be written now: just after the newest one if it is reported late.
        Consecutive events of one moment keep a common time, since they may be a single play.
        """
        if event.at != self._was_s:
            is_late = self._was_s is not None and event.at <= self._dated_s
            self._was_s, self._dated_s = event.at, round(self._dated_s + LATE_S, 6) if is_late else event.at
        return event if event.at == self._dated_s else structs.replace(event, at=self._dated_s)

    def pass_time(self, at_s: float) -> tuple[Line, ...]:
        """Return a ``tick`` and the lines of rulings that have waited long enough by ``at_s``."""
        due_s = self._judge.due
        return () if due_s is None or at_s < due_s + REPORT_DELAY_S else self.judge(Tick(at=due_s))

    def finish(self) -> tuple[Line, ...]:
        """End the match: return a ``tick`` and the lines that were still waiting. People may still correct it."""
        messages = self._judge.finish()
        if not messages:
            return ()
        end = self._dated(Tick(at=max(self.times_s.values(), default=0.0)))
        return self._keep(end, (*messages, *self._judge.apply(self.line + 1, end)))

    def correct(self, correction: TableEvent | Answered) -> MatchUpdate:
        """
        Apply a correction, the undo of one, or the answer to an open matter; return the lines and what it changed.

        ``RecordError`` if it can't be applied, ``ContradictsError`` if it contradicts what is known and is not stated
        ``anyway``, ``NotAskedError`` if the matter is not open or has no such answer; nothing has changed then.
        """
        if isinstance(correction, Answered):
            return self._answer(correction)
        if isinstance(correction, Corrected):
            correction = correction.stated
        if isinstance(correction, Corrected) and not correction.anyway:
            against = self._judge.contradiction(correction)
            if against is not None:
                raise ContradictsError({language: contradiction_sentence(against, language) for language in LANGUAGES})
        return self._apply(correction)

    def _apply(self, correction: TableEvent) -> MatchUpdate:
        first = self.line + 1
        lines = self.judge(correction)
        line = next((line for line in range(first, self.line + 1) if line in self._changes), first)
        stated, follows = self._changes.get(line, (Sentence(partial(say, "doubt.nothing-to-undo")), ()))
        texts = {language: stated.in_language(language) for language in LANGUAGES}
        details = {language: [each.in_language(language) for each in follows] for language in LANGUAGES}
        return MatchUpdate(lines, line, texts, details, (correction,))

    def _answer(self, answered: Answered) -> MatchUpdate:
        offered = past_questions(self._judge) if answered.is_past else self._matters()
        answers = [answer for matter in offered if matter.line == answered.line for answer in matter.answers]
        chosen = next((answer for answer in answers if answer.shown == answered.answer), None)
        if chosen is None:
            raise NotAskedError(
                f"expected an answer to what is open on line {answered.line}, got {answered.answer!r:.80}"
            )
        lines: tuple[Line, ...] = ()
        corrected = MatchUpdate()
        line = self.line + 1
        for event in chosen.events:
            event = structs.replace(event, at=answered.at)
            if isinstance(event, Corrected):
                corrected = self._apply(event)
                lines = (*lines, *corrected.lines)
            else:
                lines = (*lines, *self.judge(event))
        return MatchUpdate(lines, line, corrected.texts, corrected.details, chosen.events)

    def _before(self, event: TableEvent) -> tuple[TableEvent | None, Understanding, Mapping[int, float]] | None:
        """Return what holds before a person's correction, or the undo of one; None for other events."""
        is_correction = isinstance(event, Corrected) and not event.is_second_thought
        if not is_correction and not (isinstance(event, Pressed) and event.button == "undo"):
            return None
        about = event.line if isinstance(event, Corrected) else None
        was = next((line.event for line in self._judge.lines if line.line == about), None)
        return was, self._understanding(), self._judge.unexplained

    def _understanding(self) -> Understanding:
        judge = self._judge
        return Understanding(tuple(judge.lines), judge.holding, judge.state.as_json())

    def _note_change(
        self,
        event: TableEvent,
        before: tuple[TableEvent | None, Understanding, Mapping[int, float]] | None,
        line: int,
        messages: Sequence[Message],
    ) -> None:
        """Keep the sentences about what a person's correction states and what follows from it."""
        if before is None or (isinstance(event, Corrected) and event.is_second_thought):
            return
        if Message(line, Announcement.of("doubt", reason="nothing-to-undo")) in messages:
            return
        was, understood, unexplained = before
        since = [at for line, at in self._judge.unexplained.items() if line not in unexplained]
        follows = consequences(event, understood, self._understanding(), min(since, default=None))
        unchanged = (partial(say, "put_right.unchanged"),)
        self._changes[line] = Sentence(partial(statement, event, was)), tuple(map(Sentence, follows or unchanged))

    def _keep(self, event: TableEvent, messages: tuple[Message, ...]) -> tuple[Line, ...]:
        self.line += 1
        self.times_s[self.line] = event.at
        if isinstance(event, Corrected | Pressed | Reread):
            self._corrections = None
        if isinstance(event, Placed):
            self._reported[self.line] = event.card
        line = event_to_json(event)
        if not isinstance(event, Tick):
            self._last_event = line
        if isinstance(event, Tick | Blocked) or (isinstance(event, Corrected) and event.is_second_thought):
            self._news += messages
        else:
            self._news, self._news_from = messages, self.line
        return self._append(line, messages)

    def _append(self, line: Line, messages: tuple[Message, ...]) -> tuple[Line, ...]:
        """Append a line of the record and what it brought, once both are stored: nobody sees them before."""
        said = self._said(messages)
        if self._store is not None:
            self._store.write(line, said, self.result)
        if self._record is not None:
            self._record.write(line)
        self.lines += (line, *said)
        self._view = None
        return (line, *said)

    def _said(self, messages: Iterable[Message]) -> tuple[Line, ...]:
        """Return the lines of these messages, each in the words that a view has for it."""
        calls = [Call.of(message, self.times_s) for message in messages]
        if any(map(_found_nothing, calls)):
            texts = {call.key: call.text for call in self._projected().calls}
            calls = [structs.replace(call, text=texts.get(call.key, call.text)) for call in calls]
        return tuple(call.as_line(self._language, self.times_s) for call in calls)

    # --- what the judge knows ---

    @property
    def result(self) -> Line | None:
        result = self._judge.state.result
        return None if result is None else result.as_json()

    @property
    def holding(self) -> tuple[Message, ...]:
        return self._judge.holding

    @property
    def suspected(self) -> tuple[tuple[TableEvent, float], ...]:
        """Return events with any probability of a broken rule, with the highest such probability."""
        by_line = self._judge.probabilities
        return tuple((line.event, by_line[line.line]) for line in self._judge.lines if line.line in by_line)

    @property
    def believed_lines(self) -> tuple[RecordLine, ...]:
        """Return the lines as the referee believes them now, each card under the name of the ruling on it."""
        return tuple(named_as_ruled(self._judge.lines, self.holding))

    @property
    def events(self) -> tuple[TableEvent, ...]:
        return self._judge.events

    def summary(self, **played: float) -> Line:
        """Return the last line of a review; see :func:`summary_of`."""
        return summary_of(self._judge.holding, self.result, **played)

    # --- the view ---

    @property
    def view(self) -> View:
        if self._view is None:
            self._view = self._projected()
        return self._view

    def _projected(self) -> View:
        judge, held = self._judge, self._judge.holding
        rulings = [message for message in held if isinstance(message.what, Ruling)]
        announcements = [message for message in held if isinstance(message.what, Announcement)]
        asked = {announcement.line for announcement in announcements if _kind(announcement) == "challenge"}
        is_silent = self.header.tone != "call"

        matters = self._matters()
        seen = [matter for matter in matters if not is_silent or matter.line < max(asked, default=0)]
        shown = {card for matter in seen for card in matter.cards}
        lines = tuple(named_as_ruled(judge.lines, rulings))
        gone = (
            message for message in self._news if isinstance(message.what, Withdrawal) or _kind(message) == "withdrawn"
        )
        calls = []
        for message in (*rulings, *announcements, *gone):
            is_kept_back = is_silent and not isinstance(message.what, Announcement)
            calls.append(self._call(message, not is_kept_back or (message.revised_by or message.line) in asked))
        calls += self._takes(lines)
        for line, (stated, follows) in self._changes.items():
            corrected = {"announce": "corrected"}
            calls.append(Call(line, line, self.times_s[line], corrected, stated, details=follows))
        timeline = tuple(self._timeline(lines, rulings))
        calls = _challenges_answered(sorted(calls, key=lambda call: call.said), timeline)
        if self._corrections is None:
            self._corrections = judge.corrections
        position = TablePosition.of(judge.state, lambda matter: any(str(card) in shown for card in matter.cards))
        laid = {line.line: line.event.card for line in lines if isinstance(line.event, Placed)}
        names = {str(card): str(laid.get(line, card)) for line, card in self._reported.items()}
        return View(
            line=self.line,
            at=self.times_s.get(self.line),
            rules=self.header.rules,
            tone=self.header.tone,
            seats=tuple(self.header.seats),
            teams=self.teams,
            pack=self.pack,
            position=position,
            start=TablePosition.of(self._opening),
            timeline=timeline,
            calls=tuple(calls),
            headline=self._headline(calls, timeline, seen),
            matters=tuple(
                OpenQuestion(
                    matter.line,
                    str(matter.verdict),
                    matter.message.as_json().get("fault"),
                    list(matter.cards),
                    matter.is_question,
                    Sentence(partial(say, matter.message.what)),
                    [dict(answer.shown) for answer in matter.answers],
                    matter in seen,
                )
                for matter in matters
            ),
            corrections=tuple(map(Correction.of, self._corrections)),
            results=tuple(
                plain(announcement.what.facts)
                for announcement in announcements
                if isinstance(announcement.what, Announcement) and announcement.what.kind == "result"
            ),
            rulings=dict(counted_rulings(held)),
            last_event=None if self._last_event is None else dict(self._last_event),
            misread={was: card for was, card in names.items() if was != card and card in position.cards},
        )

    def _matters(self) -> tuple[OpenMatter, ...]:
        return past_questions(self._judge) if self._has_ended else open_matters(self._judge)

    def _call(self, message: Message, is_aloud: bool) -> Call:
        """Return a message as a call; the same object as long as it is the same."""
        known, call = self._calls.get(id(message), (None, None))
        if known is not message or call is None:
            call = Call.of(message, self.times_s)
        if call.aloud is not is_aloud:
            call = structs.replace(call, aloud=is_aloud)
        self._calls[id(message)] = message, call
        return call

    def _takes(self, lines: Iterable[RecordLine]) -> list[Call]:
        """Return a call for each take that holds, as there is one for each play."""
        sweeps = ((line.line, line.event) for line in lines if isinstance(line.event, Swept))
        return [
            Call(
                line,
                line,
                event.at,
                {"announce": "take", "seat": event.to},
                Sentence(partial(say, "page.told_taken", who=event.to)),
            )
            for line, event in sweeps
            if event.to in self.header.seats
        ]

    def _timeline(self, lines: Iterable[RecordLine], rulings: Iterable[Message]) -> Iterable[TimelineStep]:
        """Yield the lines as they are believed now; a step that has not changed is the same object as before."""
        ruled = {
            ruling.line: ruling.what
            for ruling in rulings
            if isinstance(ruling.what, Ruling) and (ruling.what.verdict is not Verdict.UNCLEAR or ruling.what.question)
            if ruling.what.verdict is not Verdict.LEGAL
        }
        known, self._steps = self._steps, {}
        bout, is_over = 0, True
        for (line, event, is_stated, _), (_, state) in zip(lines, self._judge.positions, strict=True):
            if isinstance(event, Placed | Unread) and is_over:
                bout, is_over = bout + 1, False
            elif isinstance(event, Swept | Dealt):
                is_over = True
            if isinstance(event, Tick) and not is_stated:
                continue
            ruling = ruled.get(line)
            verdict, asks = (None, False) if ruling is None else (str(ruling.verdict), ruling.question is not None)
            was = known.get(line)
            if was is None or was[0] is not state or was[1] != event:
                position = was[2].position if was is not None and was[0] is state else TablePosition.of(state)
                step = TimelineStep(
                    line, event.at, event_to_json(event), is_stated, max(bout, 1), position, verdict, asks
                )
            else:
                step = was[2]
                changes = {"said": is_stated, "bout": max(bout, 1), "ruling": verdict, "asks": asks}
                if any(getattr(step, name) != value for name, value in changes.items()):
                    step = structs.replace(step, **changes)
            self._steps[line] = state, event, step
            yield step

    def _headline(
        self, calls: Sequence[Call], timeline: Sequence[TimelineStep], seen: Sequence[OpenMatter]
    ) -> Headline:
        """Return what stands in large type; never what a later event has left behind, unless it is still open."""
        new = {Call.of(message, self.times_s).key for message in self._news}
        new |= {(line, "corrected", None) for line in self._changes if line >= self._news_from}
        worth = (call for call in calls if call.aloud and not call.note and call.kind not in SHOWN_ANYWAY)
        fresh = [call for call in worth if call.key in new]
        newest = timeline[-1] if timeline else None
        if newest is not None:  # a ruling that comes late is no news where the game has gone on
            fresh = [call for call in fresh if call.kind != "legal" or call.line == newest.line]
        fresh.sort(key=lambda call: WEIGHT.index(call.kind) if call.kind in WEIGHT else len(WEIGHT))
        if not fresh:
            faults = [matter.line for matter in seen if not matter.is_question]
            fresh = [call for call in calls if faults and call.line == faults[-1] and "ruling" in call.content]
        if not fresh:
            return Headline(event=None if newest is None else newest.event)
        main = fresh[0]
        corrected = [call for call in fresh if call.kind == "corrected"]
        if corrected:  # what else follows from it stands in its row
            fresh = [main, *(call for call in corrected if call is not main)]
        tone = main.kind if "ruling" in main.content or main.kind == "result" else "announcement"
        return Headline(tone, main.line, tuple(fresh))


def _challenges_answered(calls: list[Call], timeline: Sequence[TimelineStep]) -> list[Call]:
    """Return the calls; a challenge that finds nothing new in its bout says which fault was called there already."""
    bouts = {step.line: step.bout for step in timeline}
    answered: list[Call] = []
    for call in calls:
        if _found_nothing(call):
            bout = bouts.get(call.line, 0)
            in_bout = (fault for fault in reversed(answered) if bouts.get(fault.line) == bout and fault.aloud)
            fault = next((fault for fault in in_bout if fault.kind in ("illegal", "impossible")), None)
            if fault is not None:
                call = structs.replace(call, text=Sentence(partial(_called_already, fault.text)))
        answered.append(call)
    return answered


def _found_nothing(call: Call) -> bool:
    return call.kind == "challenge" and call.content["count"] == 0


def _called_already(fault: Sentence, language: str, is_spelled: bool) -> str:
    return say("challenge.already", language, is_spelled, of=fault.in_language(language, is_spelled))


def _kind(message: Message) -> str | None:
    return message.what.kind if isinstance(message.what, Announcement) else None


def counted_rulings(held: Iterable[Message]) -> Mapping[str, int]:
    """Return the number of rulings that hold, by kind (all four)."""
    rulings = Counter(str(message.what.verdict) for message in held if isinstance(message.what, Ruling))
    return {kind: rulings[kind] for kind in RULING_KINDS}


def summary_of(
    held: Sequence[Message], result: Line | None, *, frames: float, seconds_of_clip: float, seconds_taken: float
) -> Line:
    """Return the last line of a review. ``doubts``: rulings that people should check; notes are not among them."""
    rulings = [message.what for message in held if isinstance(message.what, Ruling)]
    return {
        "summary": {
            "frames": frames,
            "seconds_of_clip": round(seconds_of_clip, 3),
            "seconds_taken": round(seconds_taken, 3),
            "rulings": counted_rulings(held),
            "result": None if result is None else dict(result),
            "doubts": sum(ruling.verdict is Verdict.IMPOSSIBLE or ruling.question is not None for ruling in rulings),
        }
    }
