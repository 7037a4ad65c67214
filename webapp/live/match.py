"""
A match as it goes on: events in, record lines and the referee's words out.

What an offline review and a live table have in common. It owns no thread and reads no clock; whoever feeds it does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import zip_longest
from typing import Any, Protocol

from referee.announcements import Announcement
from referee.events import Blocked, TableEvent, is_same_play
from referee.foresight import Foresight
from referee.judgement import Step
from referee.record import Header, event_to_json, read_record
from referee.referee import Referee
from referee.rulings import Ruling
from webapp.live.board import CALLS_KEPT, Call
from webapp.live.chronology import Chronology
from webapp.output import as_line
from webapp.text.present import LANGUAGES, say

RULING_KINDS = ("legal", "illegal", "impossible", "unclear")
DOUBTFUL = ("impossible", "unclear")
"""Rulings that ask people to look again."""
RESUMED = "the program was away for a while"
"""Reason of the ``blocked`` event with which a match goes on that was begun by another run of the program."""


class MatchKeeper(Protocol):
    """Where the record's lines are kept."""

    def write(self, line: Mapping[str, Any]) -> None:
        """Append one line."""


class Store(Protocol):
    """Where a match is kept, line by line, with what was said to each (``webapp.store.kept_match``)."""

    def write(
        self, line: Mapping[str, Any], said: tuple[Mapping[str, Any], ...], result: Mapping[str, Any] | None
    ) -> None:
        """Keep one line; it is safe when this returns."""


class Match:
    """
    One match: the referee, the number of the record's newest line, and what was said so far.

    ``open`` gives the lines of the header, ``judge`` those of an event: first the record's own line, then the rulings
    and announcements it brought (docs/record.md, *Review and watch*). With ``ledger`` the record is written there as it
    grows; with ``store`` the match is kept there, and a line is safe before any of it is given back. ``language``: of
    the lines' sentences; the calls kept for the page know them all.
    """

    def __init__(
        self,
        header: Header,
        ledger: MatchKeeper | None = None,
        language: str = LANGUAGES[0],
        store: Store | None = None,
    ) -> None:
        self.header = header
        self.referee = Referee(header)
        self.line = 0
        self.calls: tuple[Call, ...] = ()
        self.rulings: Counter[str] = Counter()
        self.result: Mapping[str, Any] | None = None
        self.last_event: Mapping[str, Any] | None = None
        self._chronology = Chronology()
        self._ledger, self._store = ledger, store
        self._language = language
        self._resumed_at_s: float | None = None

    def resume(self, record: Iterable[Mapping[str, Any]]) -> None:
        """
        Go on from a record, this match's header its first line: judge its events again. Nothing of them is kept anew.

        ``open`` then says that the table was out of sight meanwhile. ``RecordError`` where the record can't be used.
        """
        ledger, store, self._ledger, self._store = self._ledger, self._store, None, None
        lines = read_record(map(as_line, record), "kept match")
        events = [event for _, event in lines if not isinstance(event, Header)]
        self.open()
        self.judge(*events)
        self._resumed_at_s = events[-1].at if events else 0.0
        self._ledger, self._store = ledger, store

    def open(self) -> tuple[Mapping[str, Any], ...]:
        """The header's line and what the position calls for before anything happened."""
        if self._resumed_at_s is not None:
            return self.judge(Blocked(at=self._resumed_at_s, reason=RESUMED))
        header = self.header.as_json()
        return (header, *self._follow(header, self.referee.opening, None))

    def judge(self, *events: TableEvent) -> tuple[Mapping[str, Any], ...]:
        """
        The lines of events that became known together: each event's own, then what the referee says to it.

        Cards laid together are one play: its ruling waits for the last of them. Nothing of a play comes later than
        its other cards, since what lies at rest at one moment is seen at one moment. What became known after something
        later, as a press is, gets a time just after that.
        """
        lines: list[Mapping[str, Any]] = []
        dated = [self._chronology.dated(event) for event in events]
        for event, following in zip_longest(dated, dated[1:]):
            line = event_to_json(event)
            step = self.referee.feed(event)
            if self.referee.is_withholding and not is_same_play(event, following):
                settled = self.referee.settle()
                step = Step((*step.rulings, *settled.rulings), (*step.announcements, *settled.announcements))
            self.last_event = line
            lines += (line, *self._follow(line, step, event.at))
        return tuple(lines)

    def foresee(self, events: tuple[TableEvent, ...]) -> Foresight:
        """What the referee would say to these events; nothing is judged by asking."""
        return self.referee.foresee(events)

    def on_board(self) -> Mapping[str, Any]:
        """What the page shows: fields of ``webapp.live.board.Snapshot``."""
        return {
            "rules": self.header.rules,
            "tone": self.header.tone,
            "seats": tuple(self.header.seats),
            "state": self.state,
            "calls": self.calls,
            "rulings": self.ruling_counts,
            "last_event": self.last_event,
        }

    @property
    def state(self) -> Mapping[str, Any]:
        """The position as docs/record.md, *The state*, has it."""
        return self.referee.state.as_json()

    @property
    def doubts(self) -> int:
        """How many rulings asked for a second look."""
        return sum(self.rulings[kind] for kind in DOUBTFUL)

    @property
    def ruling_counts(self) -> Mapping[str, int]:
        """Kind -> how many so far, all four kinds."""
        return {kind: self.rulings[kind] for kind in RULING_KINDS}

    def summary(self, *, frames: int, seconds_of_clip: float, seconds_taken: float) -> Mapping[str, Any]:
        """The last line of a review."""
        return {
            "summary": {
                "frames": frames,
                "seconds_of_clip": round(seconds_of_clip, 3),
                "seconds_taken": round(seconds_taken, 3),
                "rulings": self.ruling_counts,
                "result": None if self.result is None else dict(self.result),
                "doubts": self.doubts,
            }
        }

    def _follow(self, line: Mapping[str, Any], step: Step, at_s: float | None) -> tuple[Mapping[str, Any], ...]:
        self.line += 1
        calls = []
        told: tuple[Ruling | Announcement, ...] = (*step.rulings, *step.announcements)
        for said in told:
            words = said.as_json()
            calls.append(Call(self.line, at_s, words, {language: say(said, language) for language in LANGUAGES}))
            if "ruling" in words:
                self.rulings[words["ruling"]] += 1
        self.result = self.state["result"]
        words_of_line = tuple(call.as_json(self._language) for call in calls)
        if self._store is not None:
            self._store.write(line, words_of_line, self.result)
        if self._ledger is not None:
            self._ledger.write(line)
        self.calls = (*self.calls, *calls)[-CALLS_KEPT:]
        return words_of_line
