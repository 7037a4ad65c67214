"""
Stored matches: read and judge them again, show and correct them.

Their logs are judged again from the store; pages get JSON that is made of their views. From a record every line stays
as it is, with the corrections of people; where a film is read again, of the record only what people pressed is kept.

A match that has ended is judged once for each version of the referee; what its page shows is kept in the store.

Judging a long match takes seconds. Where processes are at hand, that is never done in the thread of a request: what its
pages show is made by a background job (``NotJudgedError`` until then), and corrections are applied by one.
"""

from __future__ import annotations

import dataclasses
import json
import zlib
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import Lock, RLock
from typing import Any, ParamSpec, Protocol, TypeVar
from weakref import WeakValueDictionary

from msgspec import convert, to_builtins
from msgspec.structs import replace

from referee.cards import pack
from referee.events import HEAP, Corrected, Pressed, Swept, TableEvent
from referee.record import Header, check_seats, event_from_json
from webapp.errors import ContradictsError, MatchGoesOnError, NotAskedError, NotJudgedError, StoreError
from webapp.match.hindsight import hindsight
from webapp.match.log import MatchLog, MatchUpdate, judged, project
from webapp.match.open_matters import Answered
from webapp.match.view import Call, TablePosition, TimelineStep, View
from webapp.store.evenings import MatchFacts, read_facts
from webapp.store.matches import Matches, RecordEntry, event_times
from webapp.text.catalogue import LANGUAGES
from webapp.text.rule_paragraphs import paragraph

Line = Mapping[str, Any]

JUDGING = ("referee", "webapp/match", "webapp/text")
"""The key of what is kept of a match: all that it depends on."""
REPLAYS_IN_MEMORY = 8
"""Number of matches whose JSON is in memory, most recently used: judging a long match again takes seconds."""
MOST_AT_ONCE = 1000
"""
Lines of a record, and what they may have been instead, that are judged in the thread of a request: half a second of one
core. Lower: more matches are opened in two steps; higher: a page of the table may wait for as long.
"""
MOST_BEHIND = 60
"""Lines by which the replay of a long match that goes on may be older than the match: two minutes of a game."""
JUDGED_SHARE = 0.6
"""Share of a replay's time that judging takes; the rest is its JSON. Measured on 4,892 lines."""
ACCUSING = ("illegal", "impossible")
NOT_REPLAYED = ("take", "withdrawn")
"""Kinds of calls that a step of a replay shows by itself."""


Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")


class Process(Protocol):
    """Calls a function in a process of its own, as ``webapp.live.timed_process.call_apart`` does."""

    def __call__(self, work: Callable[Asked, Answer], *asked: Asked.args, **named: Asked.kwargs) -> Answer:
        """Return what ``work`` returns; ``TooLongError`` where that takes longer than it may."""
        ...


Correction = Corrected | Pressed | Answered
CorrectApart = Callable[[str, Correction], MatchUpdate]
"""Corrects the match of an ID in another process, with the result and the errors of ``StoredMatches.correct``."""


class StoredMatches:
    """
    The matches of a store as their pages show them.

    The match that was judged last stays in memory: judging a long one takes seconds, and people correct several lines.

    ``apart``: calls in another process what needs the judging of a long match; ``correct_apart``: corrects a long match
    there. None: it is judged in the calling thread.
    """

    def __init__(
        self, matches: Matches, apart: Process | None = None, correct_apart: CorrectApart | None = None
    ) -> None:
        self._matches, self._apart, self._correct_apart = matches, apart, correct_apart
        self._made: OrderedDict[tuple[str, int], Mapping[str, Any]] = OrderedDict()
        self._newest: tuple[str, int, MatchLog] | None = None
        self._judging: WeakValueDictionary[str, RLock] = WeakValueDictionary()
        self._choosing = Lock()

    @contextmanager
    def held(self, match: str, report: Callable[[float], None] = lambda share: None) -> Iterator[MatchLog]:
        """
        Judge a match and hold it, so that nobody corrects it meanwhile. ``UnusableInputError`` without the match.
        ``report``: called with the share of its lines that are judged.
        """
        with self._lock_of(match):
            yield self._judged(match, self._matches.record(match), report)

    def _lock_of(self, match: str) -> RLock:
        with self._choosing:
            return self._judging.setdefault(match, RLock())

    def correct(self, match: str, correction: Correction) -> MatchUpdate:
        """
        Append a correction, the undo of one, or an answer; return what it changed.

        Raises ``RefereeError`` if it can't be applied, ``ContradictsError`` if it contradicts what is known,
        ``NotAskedError`` if nobody asks that any more, ``MatchGoesOnError`` during the match, ``UnusableInputError`` if
        there is no such match, ``StoppedError`` if somebody stopped it, ``StoreError`` if the store fails; nothing has
        changed then.
        """
        about, _ = self._matches.about(match)
        if not about["ended"]:
            raise MatchGoesOnError(
                f"expected a match that has ended, got {match}, which goes on; correct it on the page of its table, "
                "or go on with it: kozyr watch SOURCE --resume"
            )
        with self._lock_of(match):
            record = self._matches.record(match)
            if self._correct_apart is not None and is_long(record):
                return self._correct_apart(match, correction)
            log, entries = self._judged(match, record), list[RecordEntry]()
            if not isinstance(correction, Answered):
                check_seats(correction, log.header.seats)
            self._newest = None  # until the store has it
            try:
                done = log.correct(replace(correction, at=float(about["seconds"])))
            except (ContradictsError, NotAskedError):  # refused before anything was judged
                self._newest = match, len(record), log
                raise
            for line in done.lines:
                if "event" in line:
                    entries.append(RecordEntry(len(record) + len(entries) + 1, line, (), log.result))
                else:
                    entries[-1] = dataclasses.replace(entries[-1], said=(*entries[-1].said, line))
            self._matches.amend(match, entries)
            self._newest = match, len(record) + len(entries), log
        return done

    def _judged(
        self,
        match: str,
        record: tuple[Mapping[str, Any], ...],
        report: Callable[[float], None] = lambda share: None,
    ) -> MatchLog:
        newest = self._newest
        if newest is None or newest[:2] != (match, len(record)):
            self._newest = newest = match, len(record), judged(record, has_ended=True, report=report)
        return newest[2]

    def replay(self, match: str, language: str, live: View | None = None) -> Mapping[str, Any]:
        """
        Return the replay (:func:`replay`) in a language, with people's comments. ``UnusableInputError`` without it.
        ``live``: the match as it stands, if it goes on at this table.
        """
        about, made = self._made_of(match, live)
        comments = self._matches.comments(match)
        steps = [with_comment(step, comments.get(step["line"])) for step in made["shared"]["steps"]]
        return {**about, **made["shared"], "steps": steps, "calls": made["calls"][language]}

    def believed_lines(self, match: str, language: str) -> Mapping[str, Any]:
        _, made = self._made_of(match)
        calls = [call for call in made["calls"][language] if call.get("ruling", "legal") != "legal"]
        return {**made["taken"], "calls": [call for call in calls if "note" not in call]}

    def steps(self, match: str) -> list[TimelineStep]:
        """Return the lines of a match as they are believed now, each with the position after it."""
        _, made = self._made_of(match)
        return [
            TimelineStep(
                **{key: step[key] for key in ("line", "at", "event", "said", "bout")},
                position=convert(step["state"], TablePosition),
            )
            for step in made["shared"]["steps"]
        ]

    def calls(self, match: str, language: str) -> Sequence[Mapping[str, Any]]:
        """Return what holds of a match, by lines, as its page shows it (:func:`replayed_calls`)."""
        calls: Sequence[Mapping[str, Any]] = self._made_of(match)[1]["calls"][language]
        return calls

    def facts(self, match: str) -> MatchFacts:
        facts = read_facts(self._made_of(match)[1]["facts"])
        assert facts is not None
        return facts

    def view(self, match: str, language: str, at: int | None = None) -> Mapping[str, Any]:
        """Return the view of a match as JSON, as it is or as it was after ``at`` lines of its record."""
        record = self._matches.record(match)
        if self._apart is not None and is_long(record):
            return self._apart(projected, record, language, at)
        if at is not None:
            return projected(record, language, at)
        with self._lock_of(match):
            return self._judged(match, record).view.as_json(language, is_whole=True)

    def prepare(self, match: str, report: Callable[[float], None] = lambda share: None) -> None:
        """
        Make the replay and the facts of a match, which gets no more lines for now, before they are requested.
        ``report``: called with the share that is done.
        """
        about, _ = self._matches.about(match)
        events = int(about["events"])
        if self._kept(match, events) is None:
            with self.held(match, lambda share: report(JUDGED_SHARE * share)) as log:
                self._keep(match, events, made_of(log.view, log.header))

    def _made_of(self, match: str, live: View | None = None) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """
        Return the line of a match in the library, and what pages show of it in all languages (:func:`made_of`).
        ``NotJudgedError`` if that has to be made in the background first.
        """
        about, _ = self._matches.about(match)
        key = (match, int(about["events"]))
        with self._choosing:
            made = self._made.get(key)
        if made is None:
            made = self._kept(*key)
        if made is None and self._apart is not None and is_long(record := self._matches.record(match)):
            if live is not None:
                made = made_of(live, Header.parse(record[0]))
            elif about["ended"] or (made := self._kept(*key, behind=MOST_BEHIND)) is None:
                raise NotJudgedError(match)
        if made is None:
            with self._lock_of(match):  # made once, however many ask for it at the same time
                with self._choosing:
                    made = self._made.get(key)
                if made is None:
                    with self.held(match) as log:
                        made = made_of(log.view, log.header)
                    if about["ended"]:
                        self._keep(*key, made)
                self._remember(key, made)
        else:
            self._remember(key, made)
        return about, made

    def _remember(self, key: tuple[str, int], made: Mapping[str, Any]) -> None:
        with self._choosing:
            self._made[key] = made
            self._made.move_to_end(key)
            while len(self._made) > REPLAYS_IN_MEMORY:
                self._made.popitem(last=False)

    def _kept(self, match: str, events: int, behind: int = 0) -> Mapping[str, Any] | None:
        """Return what was made of a match when it had ``events`` events, or up to ``behind`` less; None if not kept."""
        stored = self._matches.replay(match, events, this_referee(), behind)
        if stored is not None:
            with suppress(zlib.error, ValueError):  # a damaged one is made again
                found: Mapping[str, Any] = json.loads(zlib.decompress(stored))
                return found
        return None

    def _keep(self, match: str, events: int, made: Mapping[str, Any]) -> None:
        facts = read_facts(made["facts"])
        assert facts is not None
        with suppress(StoreError):  # both can be made again
            self._matches.keep_replay(match, events, this_referee(), zlib.compress(json.dumps(made).encode()))
            self._matches.keep_facts({match: (events, facts)})


def is_long(record: Sequence[Line]) -> bool:
    """Check whether judging a record takes longer than a page may wait: by its lines and their alternatives."""
    weight = len(record)
    for line in record:
        otherwise = line.get("otherwise")
        weight += len(otherwise) if isinstance(otherwise, list) else 0
    return weight > MOST_AT_ONCE


def projected(record: Sequence[Line], language: str, at: int | None) -> dict[str, Any]:
    """Return the view of a record as JSON, as it was after ``at`` of its lines; None: of one that has ended."""
    return project(record, at, has_ended=at is None).as_json(language, is_whole=True)


def made_of(view: View, header: Header) -> dict[str, Any]:
    """Return what pages show of a match, as JSON in all languages."""
    return {
        "shared": replay(view, header),
        "taken": believed_lines(view),
        "calls": {language: replayed_calls(view, language) for language in LANGUAGES},
        "facts": match_facts(view).as_json(),
    }


@cache
def this_referee() -> str:
    """Return an identifier of this referee; it changes with the version of the rules and of the sentences."""
    root = Path(__file__).parents[2]
    files = sorted(path for folder in JUDGING for path in (root / folder).rglob("*") if path.suffix in (".py", ".po"))
    digest = sha256()
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def with_comment(step: Mapping[str, Any], comment: str | None) -> Mapping[str, Any]:
    """Return a step with people's ``comment`` on its line, if there is one."""
    return {**step, "comment": comment} if comment else step


def replay(view: View, header: Header) -> dict[str, Any]:
    """
    Return the replay of a match: ``header``, ``teams``, the position at the ``start``, ``corrections``, and ``steps``:
    ``line``, ``at``, ``event`` as the referee believes it, whether it is a person's report (``said``), its ``bout``,
    the ``state`` after it, and what later lines prove of the hands (:mod:`webapp.match.hindsight`).
    """
    head = header.as_json()
    proven = hindsight(view, tuple(map(str, pack(view.pack))), head.get("start", {}).get("heap", ()))
    steps = [
        {
            "line": step.line,
            "at": step.at,
            "event": step.event,
            "said": step.said,
            "bout": step.bout,
            "state": to_builtins(step.position),
            **to_builtins(proof),
        }
        for step, proof in zip(view.timeline, proven, strict=True)
    ]
    return {
        "header": head,
        "teams": [list(team) for team in view.teams],
        "start": to_builtins(view.start),
        "steps": steps,
        "corrections": to_builtins(list(view.corrections)),
    }


def replayed_calls(view: View, language: str) -> list[Mapping[str, Any]]:
    """
    Return the calls of a view by their lines, each with the paragraph of its fault (``rule``). A note has ``note``, an
    open question ``answers``.
    """
    answers = {matter.line: matter.answers for matter in view.matters if matter.question}
    calls: list[Mapping[str, Any]] = []
    for call in sorted(view.calls, key=lambda call: call.line):
        if call.kind in NOT_REPLAYED:
            continue
        shown = call_on_page(call, language)
        if "question" in call.content and call.line in answers:
            shown["answers"] = answers[call.line]
        calls.append({**shown, "note": True} if call.note else shown)
    return calls


def call_on_page(call: Call, language: str) -> dict[str, Any]:
    """Return a call for the sheet of a line, with the paragraph of the rule that it names, if any (``rule``)."""
    rule = paragraph(str(call.content["fault"]), language) if "fault" in call.content else None
    return call.on_its_line(language) | ({} if rule is None else {"rule": rule})


def match_facts(view: View) -> MatchFacts:
    """Return how often each seat took the cards and broke a rule."""
    swept = (step.event["to"] for step in view.timeline if step.event["event"] == "swept")
    faults: dict[str, Counter[str]] = {}
    for call in view.calls:
        if call.kind in ACCUSING and call.content.get("by"):
            faults.setdefault(call.content["by"], Counter())[call.content["fault"]] += 1
    return MatchFacts(Counter(seat for seat in swept if seat in view.seats), faults)


def believed_lines(view: View) -> dict[str, Any]:
    """
    Return what can be corrected: the table, the lines as they are believed now, and people's corrections. Each line has
    its number, its event, ``said`` (a person stated it), and the cards that lay unbeaten before and after it:
    ``open_before``, ``open_after``.
    """
    start = view.start.unbeaten if view.start else []
    befores = [start, *(step.position.unbeaten for step in view.timeline)]
    found = [
        {
            "line": step.line,
            "event": step.event,
            "said": step.said,
            "open_before": before,
            "open_after": step.position.unbeaten,
        }
        for step, before in zip(view.timeline, befores, strict=False)
    ]
    return {
        "seats": list(view.seats),
        "pack": view.pack,
        "state": view.state,
        "lines": found,
        "corrections": to_builtins(list(view.corrections)),
    }


def statements(match: MatchLog) -> tuple[Pressed, ...]:
    """Return people's presses, without those they withdrew and those that only corrected the record."""
    return tuple(event for event in match.events if isinstance(event, Pressed) and event.button not in ABOUT_RECORD)


ABOUT_RECORD = frozenset({"undo", "assign", "dismiss"})
"""Buttons that name lines or events of the old record; the pipeline's new record has other lines."""


COMPARED_KEYS = ("ruling", "fault", "play", "cards", "by")
"""Keys by which two rulings are compared; probabilities and wording may differ."""


def compared_content(ruling: Line) -> tuple[Any, ...]:
    """
    Return the content of a ruling that is compared.

    >>> compared_content({"line": 4, "ruling": "legal", "play": "lead", "cards": ["7s"], "by": "A", "text": "..."})
    ('legal', None, 'lead', ('7s',), 'A')
    """
    values = (ruling.get(key) for key in COMPARED_KEYS)
    return tuple(tuple(value) if isinstance(value, list) else value for value in values)


def rulings_then(lines: Sequence[Line]) -> list[Line]:
    """
    Return the rulings that the referee of that time gave and did not withdraw, from the lines that were kept: as
    ``View.ruled`` returns those of today's referee.
    """
    held: list[Line] = []
    times = event_times(lines)
    for line in lines:
        if "withdrawn" in line:
            gone = (line["of"], line["withdrawn"])
            held = [ruling for ruling in held if (ruling["line"], ruling.get("fault", "legal")) != gone]
        elif "ruling" in line:
            about = line.get("of", line["line"])
            if "of" in line:
                held = [ruling for ruling in held if ruling["line"] != about or ruling["said"] == line["line"]]
            if not any(
                ruling["line"] == about and compared_content(ruling) == compared_content(line) for ruling in held
            ):
                held.append({**line, "line": about, "at": times.get(about), "said": line["line"]})
    plain = ({key: value for key, value in ruling.items() if key not in ("said", "of")} for ruling in held)
    return sorted(plain, key=lambda ruling: (at_s(ruling), ruling["line"]))


def facts_then(lines: Sequence[Line]) -> MatchFacts:
    """
    Return the facts of a match from the lines that were kept, without judging it: takes as corrected, and the faults
    that the referee of that time called. ``RefereeError`` if a line can't be read.
    """
    record = [line for line in lines if "kozyr" in line or "event" in line]
    held = dict[int, TableEvent | None]()  # None: an event that makes no difference to the facts
    for number, line in enumerate(record[1:], start=2):
        event = event_from_json(line) if line.get("event") in ("swept", "corrected", "pressed") else None
        if isinstance(event, Pressed) and event.button == "undo":
            held.pop(event.of or max(held, default=0), None)
        else:
            held[number] = event
    events = dict[int, TableEvent | None]()
    for number, event in held.items():
        if not isinstance(event, Corrected):
            events[number] = event
        elif event.line is not None:
            events[event.line] = event.to
        else:
            events[number] = event.insert
    takes = Counter(event.to for event in events.values() if isinstance(event, Swept) and event.to != HEAP)
    faults: dict[str, Counter[str]] = {}
    for ruling in rulings_then(lines):
        if ruling["ruling"] in ACCUSING and ruling.get("by"):
            faults.setdefault(ruling["by"], Counter())[ruling["fault"]] += 1
    return MatchFacts(takes, faults)


def at_s(ruling: Line) -> float:
    return float(ruling.get("at") or 0.0)
