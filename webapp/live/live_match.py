"""
Judge a match: events in; record lines, rulings and announcements out.

A match owns no thread and reads no clock. ``webapp.live.session`` passes events to it, live and in a review.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import Any, Protocol

from msgspec import structs

from referee.cards import Card
from referee.corrections import RecordLine, StandingCorrection
from referee.events import Blocked, Corrected, Placed, Pressed, Reread, Swept, TableEvent, Tick
from referee.game import GameState, Seating
from referee.legal import ranks_to_add
from referee.match_judge import MatchJudge
from referee.record import Header, event_to_json, read_record
from referee.rulebook import rulebook
from referee.rulings import Announcement, Message, Ruling, Standing, Verdict, Withdrawal, plain
from webapp.errors import ContradictsError, NotAskedError
from webapp.live.board import CALLS_KEPT, Call, Chronology, Timeline, TimelineStep, is_note, named_as_ruled
from webapp.live.open_matters import Answered, OpenMatter, open_matters, past_questions
from webapp.output import as_line
from webapp.text.catalogue import LANGUAGES
from webapp.text.present import contradiction_sentence, correction_sentence, say

RULING_KINDS = ("legal", "illegal", "impossible", "unclear")
TAKEN_SHOWN = 60
"""Number of lines offered for correction at the table; the review page has them all."""

REPORT_DELAY_S = 1.0
"""
Seconds. The pipeline may report an event this much later than it happened, so a ``tick`` waits as long. Higher delays
rulings while nothing happens; lower dates late events after the tick. The pipeline reports an event at most 0.7 s after
it happened (p95, benchmarks/README.md).
"""
RESUMED = "the program was away for a while"
"""Reason of the ``blocked`` event with which a match continues that an earlier run of the program began."""


class MatchKeeper(Protocol):
    """Keeps the record's lines."""

    def write(self, line: Mapping[str, Any]) -> None:
        """Append one line."""


class Store(Protocol):
    """Keeps a match line by line, with the calls of each line (``webapp.store.match_writer``)."""

    def write(
        self, line: Mapping[str, Any], messages: tuple[Mapping[str, Any], ...], result: Mapping[str, Any] | None
    ) -> None:
        """Keep one line; it is stored when this returns."""


@dataclass(frozen=True, slots=True)
class CorrectedMatch:
    """
    The result of a correction: its own ``line``, all ``lines`` that it adds with what the referee concludes from it,
    and in ``texts`` (by language) what changed.

    ``events``: what the person stated. ``texts`` is empty where that corrected nothing (a statement such as ``done``).
    """

    line: int
    lines: tuple[Mapping[str, Any], ...]
    texts: Mapping[str, str]
    events: tuple[TableEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class Keepers:
    """What keeps a match: the file of its record, and the store."""

    ledger: MatchKeeper | None = None
    store: Store | None = None

    def write(
        self, line: Mapping[str, Any], said: tuple[Mapping[str, Any], ...], result: Mapping[str, Any] | None
    ) -> None:
        """Keep one line with its rulings and announcements; it is stored when this returns."""
        if self.store is not None:
            self.store.write(line, said, result)
        if self.ledger is not None:
            self.ledger.write(line)


class NewestCalls:
    """
    The newest calls of a match, in all languages; ``question``: the one that is open. ``language``: of the lines'
    sentences. ``times_s``: when each line of the record happened.
    """

    def __init__(self, language: str) -> None:
        self.calls: tuple[Call, ...] = ()
        self.question: Call | None = None
        self.times_s: dict[int, float] = {}
        self._language = language

    def add(self, call: Call) -> None:
        """Add a call."""
        self.calls = (*self.calls, call)[-CALLS_KEPT:]

    def of(self, messages: tuple[Message, ...]) -> tuple[Call, ...]:
        """Return the messages of a line as calls."""
        return tuple(map(self._call, messages))

    def as_lines(self, calls: tuple[Call, ...]) -> tuple[Mapping[str, Any], ...]:
        """Return calls as lines of the match."""
        return tuple(call.as_json(self._language) for call in calls)

    def follow(self, messages: tuple[Message, ...], calls: tuple[Call, ...], question: Message | None) -> None:
        """Add the calls of a line's messages, and what is asked now."""
        # A revised call replaces the one before.
        gone = {
            each.line for each in messages if each.revised_by is not None and isinstance(each.what, Ruling | Withdrawal)
        }
        kept = (call for call in self.calls if "ruling" not in call.content or call.about not in gone)
        self.calls = (*kept, *calls)[-CALLS_KEPT:]
        self.question = None if question is None else self._call(question)

    def _call(self, message: Message) -> Call:
        words = message.as_json()
        line = words.pop("line")
        return Call.worded(line, self.times_s.get(line), words, partial(say, message.what))


class LiveMatch:
    """
    One match: its judge, the number of the record's newest line, and the calls so far. ``lines``: all record lines,
    rulings and announcements in order; lines are only appended.

    ``open`` returns the lines of the header, ``judge`` those of an event: first the record line, then the rulings and
    announcements it causes (docs/record.md, *Review and watch*); ``pass_time`` and ``finish`` return those that were
    waiting. Every ruling and announcement belongs to a record line, so judging the record again gives the same ones.
    With ``ledger`` the record is written there as it grows; with ``store`` the match is kept there, and a line is
    stored before it is returned. ``language``: of the lines' sentences; the calls for the page have all languages.
    """

    def __init__(
        self,
        header: Header,
        ledger: MatchKeeper | None = None,
        language: str = LANGUAGES[0],
        store: Store | None = None,
    ) -> None:
        self.header = header
        self.line = 0
        self.lines: list[Mapping[str, Any]] = []
        self.last_event: Mapping[str, Any] | None = None
        self._judge = MatchJudge(header)
        self._chronology = Chronology()
        self._keepers = Keepers(ledger, store)
        self._calls = NewestCalls(language)
        self._resumed_at_s: float | None = None
        self._has_ended = False
        self._steps = Timeline()
        self._corrections: tuple[StandingCorrection, ...] | None = None

    def resume(self, record: Iterable[Mapping[str, Any]], *, has_ended: bool = False) -> None:
        """
        Continue from a record that begins with this match's header: judge its events again, without storing them twice.

        ``has_ended``: the record is complete and all is decided; people may still correct it. Otherwise ``open``
        reports that the table was out of sight meanwhile. ``RecordError`` if the record can't be used.
        """
        keepers, self._keepers = self._keepers, Keepers()
        lines = read_record(map(as_line, record), "kept match")
        events = [event for _, event in lines if not isinstance(event, Header)]
        self.open()
        self.judge(*events)
        self._has_ended = has_ended
        if has_ended:
            self._judge.finish()
        self._resumed_at_s = events[-1].at if events else 0.0
        self._keepers = keepers

    def keep_in(self, store: Store) -> None:
        """Keep the lines that follow in this store."""
        self._keepers = Keepers(store=store)

    def open(self) -> tuple[Mapping[str, Any], ...]:
        """Return the header's line and the announcements of the position before the first event."""
        if self._resumed_at_s is not None:
            return self.judge(Blocked(at=self._resumed_at_s, reason=RESUMED))
        self.line += 1
        header = self.header.as_json()
        return (header, *self._follow(header, self._judge.opening))

    def judge(self, *events: TableEvent) -> tuple[Mapping[str, Any], ...]:
        """
        Judge events that were reported together; return each event's line, followed by its rulings and announcements.

        A camera's event is written in its most likely reading, given all that is known of the game; one that surely
        did not happen is left out. An earlier line that surely was otherwise is corrected.

        Cards laid together are one play: its ruling waits for the last of them. All cards of a play are reported
        together, since cards at rest at one moment are seen at one moment. An event that is reported after a later one,
        such as a press, is dated just after that. ``RecordError`` if a correction contradicts the record.
        """
        lines: list[Mapping[str, Any]] = []
        dated = [self._chronology.dated(event) for event in events]
        for event, following in zip_longest(dated, dated[1:]):
            for recorded in self._judge.observe(self.line + 1, event, following):
                lines += self._keep(*recorded)
        return tuple(lines)

    def pass_time(self, at_s: float) -> tuple[Mapping[str, Any], ...]:
        """Return a ``tick`` and the lines of rulings that have waited long enough by ``at_s``."""
        due_s = self._judge.due
        return () if due_s is None or at_s < due_s + REPORT_DELAY_S else self.judge(Tick(at=due_s))

    def finish(self) -> tuple[Mapping[str, Any], ...]:
        """
        End the match: return a ``tick`` and the lines that were still waiting. People may still correct it.
        """
        messages = self._judge.finish()
        if not messages:
            return ()
        end = self._chronology.dated(Tick(at=max(self._calls.times_s.values(), default=0.0)))
        return self._keep(end, (*messages, *self._judge.apply(self.line + 1, end)))

    def correct(self, correction: TableEvent | Answered) -> CorrectedMatch:
        """
        Apply a correction, the undo of one, or the answer to an open matter; return the lines and what it changed.

        ``RecordError`` if it can't be applied, ``ContradictsError`` if it contradicts what is known and is not stated
        ``anyway``, ``NotAskedError`` if the matter is not open or has no such answer; nothing has changed then.
        """
        if isinstance(correction, Answered):
            return self._answer(correction)
        if isinstance(correction, Corrected) and not correction.anyway:
            against = self._judge.contradiction(correction)
            if against is not None:
                raise ContradictsError({language: contradiction_sentence(against, language) for language in LANGUAGES})
        return self._apply(correction)

    def _apply(self, correction: TableEvent) -> CorrectedMatch:
        about = correction.line if isinstance(correction, Corrected) else None
        was = next((each.event for each in self.taken if each.line == about), None)
        before, line = (self.standing, self.state), self.line + 1
        unexplained = self._judge.unexplained
        lines = self.judge(correction)
        if isinstance(correction, Corrected) and correction.line is not None:
            # What the referee concludes first, an unseen event before the corrected line, is inserted.
            recorded = [each for each in lines if "event" in each]
            line += next((place for place, each in enumerate(recorded) if "to" in each), 0)
        outcomes = before, (self.standing, self.state)
        misfit_s = min((at for each, at in self._judge.unexplained.items() if each not in unexplained), default=None)
        sentence = partial(correction_sentence, correction, was, outcomes, misfit_s)
        doubts = [each["reason"] for each in lines if each.get("announce") == "doubt" and each["line"] == line]
        if doubts and isinstance(correction, Pressed):
            sentence = partial(say, f"doubt.{doubts[0]}")
        call = Call.worded(line, self._calls.times_s[line], {"announce": "corrected"}, sentence)
        self._calls.add(call)
        return CorrectedMatch(line, lines, call.texts, (correction,))

    def _answer(self, answered: Answered) -> CorrectedMatch:
        offered = past_questions(self._judge) if answered.is_past else self.matters
        answers = [answer for matter in offered if matter.line == answered.line for answer in matter.answers]
        chosen = next((answer for answer in answers if answer.shown == answered.answer), None)
        if chosen is None:
            raise NotAskedError(
                f"expected an answer to what is open on line {answered.line}, got {answered.answer!r:.80}"
            )
        lines: tuple[Mapping[str, Any], ...] = ()
        texts: Mapping[str, str] = {}
        line = self.line + 1
        for event in chosen.events:
            event = structs.replace(event, at=answered.at)
            if isinstance(event, Corrected):
                done = self._apply(event)
                lines, texts = (*lines, *done.lines), done.texts
            else:
                lines = (*lines, *self.judge(event))
        return CorrectedMatch(line, lines, texts, chosen.events)

    @property
    def calls(self) -> tuple[Call, ...]:
        """Return the newest calls."""
        return self._calls.calls

    @property
    def question(self) -> Call | None:
        """Return what the referee asks now."""
        return self._calls.question

    @property
    def result(self) -> Mapping[str, Any] | None:
        """Return the result of the deal, None while it goes on."""
        found: Mapping[str, Any] | None = self.state["result"]
        return found

    @property
    def matters(self) -> tuple[OpenMatter, ...]:
        """Return what people can decide: during the match what is open now, after its end every unanswered question."""
        return past_questions(self._judge) if self._has_ended else open_matters(self._judge)

    @property
    def corrections(self) -> tuple[StandingCorrection, ...]:
        """Return the corrections by people that hold; they change only with a correction or a press."""
        if self._corrections is None:
            self._corrections = self._judge.corrections
        return self._corrections

    def on_board(self) -> Mapping[str, Any]:
        """Return what pages show: fields of ``webapp.live.board.Snapshot``."""
        return {
            "rules": self.header.rules,
            "tone": self.header.tone,
            "seats": tuple(self.header.seats),
            "teams": self.teams,
            "state": self.state,
            "calls": self._with_takes(),
            "question": self.question,
            "matters": self.matters,
            "corrections": self.corrections,
            "taken": self.taken[-TAKEN_SHOWN:],
            "pack": self.pack,
            "steps": self._newest_steps(),
            "lines": self.lines,
            "results": self.results,
            "rulings": self.ruling_counts,
            "last_event": self.last_event,
        }

    def _newest_steps(self) -> tuple[TimelineStep, ...]:
        self._steps.update(self.taken, self.standing)
        return self._steps.newest

    def _with_takes(self) -> tuple[Call, ...]:
        """Return the calls without notes, and with one for each take that holds, as there is one for each play."""
        calls = [call for call in self.calls if not is_note(call.content)]
        for line in self.taken[-TAKEN_SHOWN:]:
            event = line.event
            if isinstance(event, Swept) and event.to in self.header.seats:
                sentence = partial(say, "page.told_taken", who=event.to)
                take = Call.worded(line.line, event.at, {"announce": "take", "seat": event.to}, sentence)
                place = next((i for i, call in enumerate(calls) if call.line >= line.line), len(calls))
                if place or len(calls) < CALLS_KEPT:
                    calls.insert(place, take)
        return tuple(calls[-CALLS_KEPT:])

    @property
    def results(self) -> tuple[Mapping[str, Any], ...]:
        """Return the results of the games that are over, one per deal: ``kind`` and ``seats``."""
        announced = (message.what for message in self.standing.announcements)
        results = (each for each in announced if isinstance(each, Announcement) and each.kind == "result")
        return tuple(plain(each.facts) for each in results)

    @property
    def teams(self) -> tuple[tuple[str, ...], ...]:
        """Return who plays together; empty if everybody plays alone."""
        header = self.header
        stated = () if header.start is None else header.start.teams
        return Seating.of(tuple(header.seats), rulebook(header.rules, header.options).teams, stated).teams

    @property
    def pack(self) -> int:
        """Return the cards in play."""
        return rulebook(self.header.rules, self.header.options).pack

    @property
    def standing(self) -> Standing:
        """Return the rulings and announcements that were not withdrawn."""
        return self._judge.standing

    @property
    def suspected(self) -> tuple[tuple[TableEvent, float], ...]:
        """Return events with any probability of a broken rule, with the highest such probability."""
        by_line = self._judge.probabilities
        return tuple((each.event, by_line[each.line]) for each in self._judge.lines if each.line in by_line)

    @property
    def opening_state(self) -> Mapping[str, Any]:
        """Return the position before the first event, as in docs/record.md, *The state*."""
        return MatchJudge(self.header).state.as_json()

    @property
    def taken(self) -> tuple[RecordLine, ...]:
        """Return the lines as the referee believes them now, each card under the name of the ruling on it."""
        return tuple(named_as_ruled(self._judge.lines, self.standing.rulings))

    @property
    def positions(self) -> tuple[GameState, ...]:
        """Return the most likely position after each of the lines (``taken``), as it was at that time."""
        return tuple(state for _, state in self._judge.positions)

    @property
    def events(self) -> tuple[TableEvent, ...]:
        """Return the events as the referee believes them now, corrections included."""
        return self._judge.events

    @property
    def state(self) -> Mapping[str, Any]:
        """Return the position, as in docs/record.md, *The state*, with the ranks of which a card may be added."""
        position = self._judge.state
        return position.as_json() | {"may_add": list(ranks_to_add(position))}

    @property
    def ruling_counts(self) -> Mapping[str, int]:
        """Return the number of rulings that hold now, by kind (all four)."""
        return counted_rulings(self._judge.standing)

    def summary(self, *, frames: int, seconds_of_clip: float, seconds_taken: float) -> Mapping[str, Any]:
        """Return the last line of a review."""
        return summary_of(
            self._judge.standing,
            self.result,
            frames=frames,
            seconds_of_clip=seconds_of_clip,
            seconds_taken=seconds_taken,
        )

    def _keep(self, event: TableEvent, messages: tuple[Message, ...]) -> tuple[Mapping[str, Any], ...]:
        """Store a judged event with its rulings and announcements."""
        self.line += 1
        self._calls.times_s[self.line] = event.at
        if isinstance(event, Corrected | Pressed | Reread):
            self._corrections = None
        line = event_to_json(event)
        if not isinstance(event, Tick):
            self.last_event = line
        return (line, *self._follow(line, messages))

    def _follow(self, line: Mapping[str, Any], messages: tuple[Message, ...]) -> tuple[Mapping[str, Any], ...]:
        calls = self._calls.of(messages)
        words = self._calls.as_lines(calls)
        self._keepers.write(line, words, self.result)  # nobody sees it before it is stored
        self._calls.follow(messages, calls, self._judge.question)
        self.lines += (line, *words)
        return words


def counted_rulings(standing: Standing) -> Mapping[str, int]:
    """Return the number of rulings that hold, by kind (all four)."""
    rulings = Counter(str(each.what.verdict) for each in standing.rulings if isinstance(each.what, Ruling))
    return {kind: rulings[kind] for kind in RULING_KINDS}


def summary_of(
    standing: Standing,
    result: Mapping[str, Any] | None,
    *,
    frames: int,
    seconds_of_clip: float,
    seconds_taken: float,
) -> Mapping[str, Any]:
    """Return the last line of a review. ``doubts``: rulings that people should check; notes are not among them."""
    rulings = [each.what for each in standing.rulings if isinstance(each.what, Ruling)]
    return {
        "summary": {
            "frames": frames,
            "seconds_of_clip": round(seconds_of_clip, 3),
            "seconds_taken": round(seconds_taken, 3),
            "rulings": counted_rulings(standing),
            "result": None if result is None else dict(result),
            "doubts": sum(each.verdict is Verdict.IMPOSSIBLE or each.question is not None for each in rulings),
        }
    }


def renamed_cards(before: tuple[RecordLine, ...], now: tuple[RecordLine, ...]) -> Iterator[tuple[Card, Card]]:
    """Yield each laid card that a correction renamed: its name before, its name now."""
    were = {each.line: each.event for each in before}
    for each in now:
        was, event = were.get(each.line), each.event
        if isinstance(event, Placed) and isinstance(was, Placed) and was.card != event.card:
            yield was.card, event.card
