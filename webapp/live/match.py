"""
A match: events in; record lines, rulings and announcements out.

It owns no thread and reads no clock. ``webapp.live.session`` hands it events, live and in a review.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Protocol

from referee.announcements import Announcement
from referee.cards import Card
from referee.corrections import RecordLine
from referee.events import Blocked, Corrected, Placed, Swept, TableEvent, Tick, is_same_play
from referee.match_judge import MatchJudge
from referee.record import Header, event_to_json, read_record
from referee.rulebook import rulebook
from referee.rulings import Ruling, Verdict, plain
from referee.said import Said, Withdrawal, in_order
from referee.seating import Seating
from referee.standing import Standing
from webapp.live.board import CALLS_KEPT, Call
from webapp.live.chronology import Chronology
from webapp.output import as_line
from webapp.text.catalogue import LANGUAGES
from webapp.text.page_labels import page_words
from webapp.text.present import say
from webapp.text.put_right import put_right

RULING_KINDS = ("legal", "illegal", "impossible", "unclear")
TAKEN_SHOWN = 60
"""More lines than anybody scrolls back to put one right at the table; the review page has them all."""

TELLING_S = 1.0
"""
What happened may be told so much later: a ``tick`` waits so long, lest it comes before it. Higher holds rulings back
longer where nothing happens; lower has later events dated after the tick. The eye tells an event at most 0.7 s after it
(p95, benchmarks/README.md).
"""
RESUMED = "the program was away for a while"
"""Reason of the ``blocked`` event with which a match goes on that was begun by another run of the program."""


class MatchKeeper(Protocol):
    """Where the record's lines are kept."""

    def write(self, line: Mapping[str, Any]) -> None:
        """Append one line."""


class Store(Protocol):
    """Where a match is kept, line by line, with the calls of each (``webapp.store.kept_match``)."""

    def write(
        self, line: Mapping[str, Any], said: tuple[Mapping[str, Any], ...], result: Mapping[str, Any] | None
    ) -> None:
        """Keep one line; it is safe when this returns."""


@dataclass(frozen=True, slots=True)
class CorrectedMatch:
    """The result of a correction: its ``line``, all its ``lines``, and in ``texts`` (by language) what changed."""

    line: int
    lines: tuple[Mapping[str, Any], ...]
    texts: Mapping[str, str]


class Match:
    """
    One match: its judge, the number of the record's newest line, and what was said so far. ``lines``: all of the record
    and all that was said of it, in order; it only ever grows.

    ``open`` gives the lines of the header, ``judge`` those of an event: first the record's own line, then the rulings
    and announcements it brought (docs/record.md, *Review and watch*); ``pass_time`` and ``finish`` those that were
    waiting. Whatever is said comes with a line of the record, so that judging the record again says the same. With
    ``ledger`` the record is written there as it grows; with ``store`` the match is kept there, and a line is safe
    before any of it is given back. ``language``: of the lines' sentences; the calls kept for the page know them all.
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
        self.calls: tuple[Call, ...] = ()
        self.question: Call | None = None
        self.lines: list[Mapping[str, Any]] = []
        self.result: Mapping[str, Any] | None = None
        self.last_event: Mapping[str, Any] | None = None
        self._judge = MatchJudge(header)
        self._times_s: dict[int, float] = {}
        self._chronology = Chronology()
        self._ledger, self._store = ledger, store
        self._language = language
        self._resumed_at_s: float | None = None

    def resume(self, record: Iterable[Mapping[str, Any]], *, has_ended: bool = False) -> None:
        """
        Go on from a record, this match's header its first line: judge its events again. Nothing of them is kept anew.

        ``has_ended``: nothing more came, and all was decided; people may still correct it. ``open`` then says that the
        table was out of sight meanwhile. ``RecordError`` where the record can't be used.
        """
        ledger, store, self._ledger, self._store = self._ledger, self._store, None, None
        lines = read_record(map(as_line, record), "kept match")
        events = [event for _, event in lines if not isinstance(event, Header)]
        self.open()
        self.judge(*events)
        if has_ended:
            self._judge.finish()
        self._resumed_at_s = events[-1].at if events else 0.0
        self._ledger, self._store = ledger, store

    def open(self) -> tuple[Mapping[str, Any], ...]:
        """Return the header's line and the announcements of the position before the first event."""
        if self._resumed_at_s is not None:
            return self.judge(Blocked(at=self._resumed_at_s, reason=RESUMED))
        self.line += 1
        header = self.header.as_json()
        return (header, *self._follow(header, self._judge.opening))

    def judge(self, *events: TableEvent) -> tuple[Mapping[str, Any], ...]:
        """
        The lines of events that became known together: each event's own, then what the referee says to it.

        An event told by a camera is told as it most likely was, all that is known of the game taken together; what
        surely never happened is not told. An earlier line that surely was otherwise is corrected.

        Cards laid together are one play: its ruling waits for the last of them. Nothing of a play comes later than
        its other cards, since what lies at rest at one moment is seen at one moment. What became known after something
        later, as a press is, gets a time just after that. ``RecordError`` where a correction can't be meant so.
        """
        lines: list[Mapping[str, Any]] = []
        dated = [self._chronology.dated(event) for event in events]
        for event, following in zip_longest(dated, dated[1:]):
            best = self._judge.as_believed(event)
            lines += () if best is None else self._feed(best, following)
            for thought in self._judge.second_thoughts(event.at):
                lines += self._feed(thought, None)
        return tuple(lines)

    def _feed(self, event: TableEvent, following: TableEvent | None) -> tuple[Mapping[str, Any], ...]:
        said = self._judge.feed(self.line + 1, event)
        if self._judge.is_withholding and (following is None or not is_same_play(event, following)):
            said = in_order((*said, *self._judge.settle()))
        return self._keep(event, said)

    def pass_time(self, at_s: float) -> tuple[Mapping[str, Any], ...]:
        """Return the lines of rulings that have waited long enough by ``at_s``, with a ``tick``."""
        due_s = self._judge.due
        return () if due_s is None or at_s < due_s + TELLING_S else self.judge(Tick(at=due_s))

    def finish(self) -> tuple[Mapping[str, Any], ...]:
        """
        Nothing more comes: the lines of what was still waiting, with a ``tick``. People may correct it all the same.
        """
        said = self._judge.finish()
        if not said:
            return ()
        end = self._chronology.dated(Tick(at=max(self._times_s.values(), default=0.0)))
        return self._keep(end, (*said, *self._judge.feed(self.line + 1, end)))

    def correct(self, correction: TableEvent) -> CorrectedMatch:
        """
        Have something put right, or the last correction taken back: the lines, and what changed by it.

        ``RecordError`` where it can't be meant so; nothing has changed then.
        """
        about = correction.line if isinstance(correction, Corrected) else None
        was = next((each.event for each in self.taken if each.line == about), None)
        before = self._judge.standing
        lines = self.judge(correction)
        at_s = self._times_s[self.line]
        told = (correction, was, before, self._judge.standing)
        texts = {language: put_right(*told, language=language) for language in LANGUAGES}
        self.calls = (*self.calls, Call(self.line, at_s, {"announce": "corrected"}, texts))[-CALLS_KEPT:]
        return CorrectedMatch(self.line, lines, texts)

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
            "taken": self.taken[-TAKEN_SHOWN:],
            "pack": self.pack,
            "lines": self.lines,
            "results": self.results,
            "rulings": self.ruling_counts,
            "last_event": self.last_event,
        }

    def _with_takes(self) -> tuple[Call, ...]:
        """Return the calls with one for each take that holds, as there is one for each play."""
        calls = list(self.calls)
        for line in self.taken[-TAKEN_SHOWN:]:
            event = line.event
            if isinstance(event, Swept) and event.to in self.header.seats:
                texts = {each: page_words(each)["told_taken"].format(who=event.to) for each in LANGUAGES}
                take = Call(line.line, event.at, {"announce": "take", "seat": event.to}, texts)
                place = next((i for i, call in enumerate(calls) if call.line >= line.line), len(calls))
                if place or len(calls) < CALLS_KEPT:
                    calls.insert(place, take)
        return tuple(calls[-CALLS_KEPT:])

    @property
    def results(self) -> tuple[Mapping[str, Any], ...]:
        """Those of the games that are over, one a deal: ``kind`` and ``seats``."""
        told = (said.what for said in self.standing.announcements)
        return tuple(plain(each.facts) for each in told if isinstance(each, Announcement) and each.kind == "result")

    @property
    def teams(self) -> tuple[tuple[str, ...], ...]:
        """Who plays together; empty where everybody plays alone."""
        header = self.header
        stated = () if header.start is None else header.start.teams
        return Seating.of(tuple(header.seats), rulebook(header.rules, header.options).teams, stated).teams

    @property
    def pack(self) -> int:
        """Cards in play."""
        return rulebook(self.header.rules, self.header.options).pack

    @property
    def standing(self) -> Standing:
        """The rulings and announcements that hold."""
        return self._judge.standing

    @property
    def suspected(self) -> tuple[tuple[TableEvent, float], ...]:
        """Events at which it was at all likely that a rule was broken, with the highest probability of that."""
        by_line = self._judge.probabilities
        return tuple((each.event, by_line[each.line]) for each in self._judge.lines if each.line in by_line)

    @property
    def opening_state(self) -> Mapping[str, Any]:
        """The position before anything happened, as docs/record.md, *The state*, has it."""
        return MatchJudge(self.header).state.as_json()

    @property
    def taken(self) -> tuple[RecordLine, ...]:
        """The lines as they are believed now."""
        return self._judge.lines

    @property
    def events(self) -> tuple[TableEvent, ...]:
        """The events as they are believed now, corrections included."""
        return self._judge.events

    @property
    def state(self) -> Mapping[str, Any]:
        """The position as docs/record.md, *The state*, has it."""
        return self._judge.state.as_json()

    @property
    def ruling_counts(self) -> Mapping[str, int]:
        """Kind -> how many hold by now, all four kinds."""
        return counted_rulings(self._judge.standing)

    def summary(self, *, frames: int, seconds_of_clip: float, seconds_taken: float) -> Mapping[str, Any]:
        """The last line of a review."""
        return summary_of(
            self._judge.standing,
            self.result,
            frames=frames,
            seconds_of_clip=seconds_of_clip,
            seconds_taken=seconds_taken,
        )

    def _keep(self, event: TableEvent, said: tuple[Said, ...]) -> tuple[Mapping[str, Any], ...]:
        """An event that was judged, with what was said to it."""
        self.line += 1
        self._times_s[self.line] = event.at
        line = event_to_json(event)
        if not isinstance(event, Tick):
            self.last_event = line
        return (line, *self._follow(line, said))

    def _follow(self, line: Mapping[str, Any], said: tuple[Said, ...]) -> tuple[Mapping[str, Any], ...]:
        calls = tuple(map(self._call, said))
        self.result = self.state["result"]
        words = tuple(call.as_json(self._language) for call in calls)
        if self._store is not None:
            self._store.write(line, words, self.result)
        if self._ledger is not None:
            self._ledger.write(line)
        self.lines += (line, *words)
        # What is said anew takes the place of what was called before.
        gone = {each.line for each in said if each.anew is not None and isinstance(each.what, Ruling | Withdrawal)}
        kept = (call for call in self.calls if "ruling" not in call.said or call.about not in gone)
        self.calls = (*kept, *calls)[-CALLS_KEPT:]
        question = self._judge.question
        self.question = None if question is None else self._call(question)
        return words

    def _call(self, said: Said) -> Call:
        words = said.as_json()
        line = words.pop("line")
        texts = {language: say(said.what, language) for language in LANGUAGES}
        return Call(line, self._times_s.get(line), words, texts)


def counted_rulings(standing: Standing) -> Mapping[str, int]:
    """Kind -> how many rulings hold, all four kinds."""
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
    """The last line of a review. ``doubts``: rulings that ask for a second look; a note asks nobody."""
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
