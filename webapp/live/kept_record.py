"""
Judge a kept match again from its record, correct it, and find the presses to keep when its film is read again.

From the record every line stays as it is, with the corrections of people. From the film the pipeline reports all events
again; of the record only what people pressed is kept, at its times. With its analysis a record holds the
judgement of each play and, where it lost something, the best decision.

The rulings that a match got are compared with those it gets now: each is the same, gone, new or changed. If both come
from one record, rulings are matched by line. If the vision pipeline has reread the film, line numbers differ, and a
ruling is matched by its play: the same cards at about the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from threading import Lock
from typing import Any

from msgspec.structs import replace

from referee.cards import Card
from referee.corrections import RecordLine
from referee.events import Corrected, Lifted, Placed, Pressed, Reread, Swept, TableEvent, is_same_play
from referee.match_judge import MatchJudge
from referee.record import Header, check_seats, event_to_json, read_record
from referee.rulings import Message, in_order
from webapp.errors import MatchGoesOnError
from webapp.live.live_match import CorrectedMatch, LiveMatch, summary_of
from webapp.live.open_matters import Answered
from webapp.output import as_line
from webapp.store.matches import Matches, RecordEntry
from webapp.text.present import say

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


class JudgedMatches:
    """
    Judge kept matches again from their records, and correct them.

    The match that was judged last stays in memory: judging a long one takes seconds, and people correct several lines.
    """

    def __init__(self, matches: Matches) -> None:
        self._matches = matches
        self._newest: tuple[str, int, LiveMatch] | None = None
        self._lock = Lock()

    @contextmanager
    def judged(self, match: str) -> Iterator[LiveMatch]:
        """Judge a match and hold it, so that nobody corrects it meanwhile. ``UnusableInputError`` without the match."""
        with self._lock:
            yield self._judged(match, self._matches.record(match))

    def correct(self, match: str, correction: Corrected | Pressed | Answered) -> CorrectedMatch:
        """
        Append a correction, the undo of one, or an answer; return what it changed.

        Raises ``RefereeError`` if it can't be applied, ``ContradictsError`` if it contradicts what is known,
        ``NotAskedError`` if nobody asks that any more, ``MatchGoesOnError`` during the match, ``UnusableInputError`` if
        there is no such match, ``StoreError`` if the store fails; nothing has changed then.
        """
        about, _ = self._matches.about(match)
        if not about["ended"]:
            raise MatchGoesOnError(
                f"expected a match that has ended, got {match}, which goes on; correct it on the page of its table, "
                "or go on with it: kozyr watch SOURCE --resume"
            )
        with self._lock:
            record = self._matches.record(match)
            judged, added = self._judged(match, record), _Added(len(record))
            judged.keep_in(added)
            if not isinstance(correction, Answered):
                check_seats(correction, judged.header.seats)
            self._newest = None  # until the store has it
            done = judged.correct(replace(correction, at=float(about["seconds"])))
            self._matches.amend(match, added.entries)
            self._newest = match, len(record) + len(added.entries), judged
        return done

    def _judged(self, match: str, record: tuple[Mapping[str, Any], ...]) -> LiveMatch:
        if self._newest is None or self._newest[:2] != (match, len(record)):
            judged = LiveMatch(Header.parse(record[0]))
            judged.resume(record, has_ended=True)
            self._newest = match, len(record), judged
        return self._newest[2]


def read_kept(record: Sequence[Mapping[str, Any]], name: str) -> tuple[Header, tuple[TableEvent, ...]]:
    """Return header and events of a kept record; ``RecordError`` where it can't be used."""
    (_, header), *rest = read_record(map(as_line, record), name)
    assert isinstance(header, Header)
    return header, tuple(event for _, event in rest if not isinstance(event, Header))


def judged_from_record(header: Header, events: Sequence[TableEvent], language: str) -> Iterator[Mapping[str, Any]]:
    """
    Yield the lines of ``kozyr review`` for a record under this header, its summary last.

    ``RefereeError`` where the record can't be judged so, as with a pack that lacks its cards.
    """
    judge = MatchJudge(header)
    times: dict[int, float] = {}

    def lines_of(messages: Iterable[Message]) -> Iterator[Mapping[str, Any]]:
        for each in messages:
            data = each.as_json()
            at = {"at": times[data["line"]]} if data["line"] in times else {}
            yield {"line": data.pop("line"), **at, **data, "text": say(each.what, language)}

    yield header.as_json()
    yield from lines_of(judge.opening)
    for line, (event, following) in enumerate(zip_longest(events, events[1:]), start=2):
        times[line] = event.at
        messages = judge.apply(line, event)
        if judge.is_withholding and (following is None or not is_same_play(event, following)):
            messages = in_order((*messages, *judge.end_play()))
        yield event_to_json(event)
        yield from lines_of(messages)
    yield from lines_of(judge.finish())
    yield summary_of(judge.standing, judge.state.as_json()["result"], frames=0, seconds_of_clip=0.0, seconds_taken=0.0)


def statements(header: Header, events: Sequence[TableEvent]) -> tuple[Pressed, ...]:
    """Return people's presses, without those they withdrew and those that only corrected the record."""
    judge = MatchJudge(header)
    for line, event in enumerate(events, start=2):
        judge.apply(line, event)
    return tuple(
        each.event for each in judge.lines if isinstance(each.event, Pressed) and each.event.button not in ABOUT_RECORD
    )


ABOUT_RECORD = frozenset({"undo", "assign", "dismiss"})
"""Buttons that name lines or events of the old record; the pipeline's new record has other lines."""


MUCH = 0.1
"""A loss from which on a play is marked ``?``; as far ahead of the next best, it is marked ``!``. Chosen by hand."""
VERY_MUCH = 0.25
"""A loss from which on a play is marked ``??``. Chosen by hand."""


def judgement(decision: Mapping[str, Any]) -> str | None:
    """
    Return the sign of a decision as the analysis rated it; None where it deserves none.

    >>> judgement({"loss": 0.31}), judgement({"loss": 0.12}), judgement({"loss": 0, "ahead": 0.2})
    ('??', '?', '!')
    """
    if decision["loss"] >= VERY_MUCH:
        return "??"
    if decision["loss"] >= MUCH:
        return "?"
    return "!" if (decision.get("ahead") or 0) >= MUCH else None


def judged(record: Iterable[Mapping[str, Any]], decisions: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """
    Yield a record's lines, those that hold a decision with ``judgement``, ``best`` and ``best_line``. Of several
    decisions on one line, such as passes at a sweep, the one that cost most counts.
    """
    worst: dict[int, Mapping[str, Any]] = {}
    for each in decisions:
        known = worst.get(each["line"])
        if known is None or each["loss"] > known["loss"]:
            worst[each["line"]] = each
    for number, line in enumerate(record, start=1):
        sign = judgement(worst[number]) if number in worst else None
        if sign is None:
            yield dict(line)
        else:
            kept = () if sign == "!" else ("best", "best_line")
            yield {**line, "judgement": sign, **{key: worst[number][key] for key in kept if key in worst[number]}}


Line = Mapping[str, Any]
NEAR_S = 5.0
"""Seconds at most between two reports of one play. Longer mixes up a card that is laid again; shorter takes a play that
was reported late for two. Set by hand, 2026-11: a late play is reported within its bout."""
CALLED = ("ruling", "fault", "play", "cards", "by")
"""Keys by which two rulings are compared; probabilities and wording may differ."""


@dataclass(frozen=True, slots=True)
class RulingChange:
    """One ruling then and now; None if there was or is none."""

    was: Line | None
    now: Line | None

    @property
    def kind(self) -> str:
        """Return ``same``, ``gone``, ``new`` or ``changed``."""
        if self.was is None or self.now is None:
            return "new" if self.was is None else "gone"
        return "same" if called(self.was) == called(self.now) else "changed"

    @property
    def at_s(self) -> float:
        """Return the time of the ruling in seconds of the match."""
        either = self.was or self.now
        assert either is not None
        return _at_s(either)

    def as_json(self) -> dict[str, Any]:
        """Return the change as a line."""
        return {"change": self.kind, "at": self.at_s, "was": self.was, "now": self.now}


def called(ruling: Line) -> tuple[Any, ...]:
    """
    Return the content of a ruling that is compared.

    >>> called({"line": 4, "ruling": "legal", "play": "lead", "cards": ["7s"], "by": "A", "text": "..."})
    ('legal', None, 'lead', ('7s',), 'A')
    """
    values = (ruling.get(key) for key in CALLED)
    return tuple(tuple(value) if isinstance(value, list) else value for value in values)


def standing_rulings(lines: Sequence[Line]) -> list[Line]:
    """Return the rulings among printed lines that were not withdrawn, each with the line it is about."""
    held: list[Line] = []
    for line in lines:
        if "withdrawn" in line:
            held = [
                each
                for each in held
                if not (each["line"] == line["of"] and each.get("fault", "legal") == line["withdrawn"])
            ]
        elif "ruling" in line:
            about = line.get("of", line["line"])
            if "of" in line:
                held = [each for each in held if each["line"] != about or each["said"] == line["line"]]
            if not any(each["line"] == about and called(each) == called(line) for each in held):
                held.append({**line, "line": about, "said": line["line"]})
    times = event_times(lines)
    plain = ({key: value for key, value in each.items() if key not in ("said", "of")} for each in held)
    return sorted(({**each, **_at(each, times)} for each in plain), key=lambda each: (_at_s(each), each["line"]))


def event_times(lines: Sequence[Line]) -> Mapping[int, float]:
    """Return the time in seconds of each record line, by its number."""
    record = (line for line in lines if "kozyr" in line or "event" in line)
    return {number: float(line["at"]) for number, line in enumerate(record, start=1) if "at" in line}


def _at(ruling: Line, times: Mapping[int, float]) -> dict[str, float]:
    return {"at": times[ruling["line"]]} if ruling["line"] in times else {}


def compared(was: Sequence[Line], now: Sequence[Line], *, by_line: bool) -> list[RulingChange]:
    """Pair each ruling with its counterpart, in order of time. ``by_line``: both are about the same record."""
    fits: tuple[Callable[[Line, Line], bool], ...] = (
        (lambda one, other: one["line"] == other["line"] and called(one) == called(other), _is_same_line)
        if by_line
        else (
            lambda one, other: _is_near(one, other) and called(one) == called(other),
            lambda one, other: _is_near(one, other) and one.get("cards") == other.get("cards"),
            lambda one, other: _is_near(one, other) and _is_same_play(one, other),
        )
    )
    left, found = list(now), dict[int, Line]()
    for fit in fits:
        for place, ruling in enumerate(was):
            if place in found:
                continue
            candidates = [each for each in left if fit(ruling, each)]
            if candidates:
                found[place] = min(candidates, key=lambda each: _apart(ruling, each))
                left = [each for each in left if each is not found[place]]
    changes = [RulingChange(ruling, found.get(place)) for place, ruling in enumerate(was)]
    return sorted((*changes, *(RulingChange(None, each) for each in left)), key=lambda change: change.at_s)


def _is_same_play(one: Line, other: Line) -> bool:
    """Check whether one seat made the same kind of play: the card was read as another."""
    return bool(one.get("play") == other.get("play") and one.get("by") == other.get("by"))


def _is_same_line(one: Line, other: Line) -> bool:
    return bool(one["line"] == other["line"])


def _is_near(one: Line, other: Line) -> bool:
    return _apart(one, other) <= NEAR_S


def _apart(one: Line, other: Line) -> float:
    return abs(_at_s(one) - _at_s(other))


def _at_s(ruling: Line) -> float:
    return float(ruling.get("at") or 0.0)
