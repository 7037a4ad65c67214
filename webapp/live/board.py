"""
Publish the newest snapshot of a table and let readers wait for the next one.

One thread publishes, any number read. Snapshots are frozen, so readers need no lock.

The events of the match are kept as the referee believes them now: in order of time, for the camera may report one only
after a press that came later; with cards named as the rulings on them do, so that a card has one name in every list;
and what changed since a page asked last is marked.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from msgspec import structs

from referee.apply_event import renamed
from referee.cards import Card
from referee.corrections import RecordLine, StandingCorrection
from referee.events import Placed, Pressed, Swept, TableEvent, Tick
from referee.fields import PlainValue
from referee.record import event_to_json
from referee.rulings import Message, Ruling, Standing, Verdict
from vision.view.pipeline_view import PipelineView
from webapp.live.open_matters import OpenMatter
from webapp.store.evenings import NEVER, FinishedGame, Scores
from webapp.text.catalogue import LANGUAGES
from webapp.text.present import say


class Condition(Enum):
    """
    The condition of the camera. Hidden and swaying: pictures arrive, but the table can't be refereed, since something
    hides it or the camera moves. Lost: no pictures arrive, but they may again; given up: the program no longer waits
    for them.
    """

    STARTING = "starting"
    WATCHING = "watching"
    HIDDEN = "hidden"
    SWAYING = "swaying"
    LOST = "lost"
    GIVEN_UP = "given_up"
    ENDED = "ended"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class CameraHealth:
    """
    The health of the camera.

    ``at_s``: time of the newest judged picture. ``trouble``: one sentence if something is wrong. ``frames``: number of
    judged frames; ``dropped``: number of frames that newer ones replaced before they were judged. ``moved_at_s``: when
    the camera was last moved or zoomed and the pipeline followed; None if never. ``cause``: a code for why no pictures
    arrive, for which pages have a sentence.
    """

    condition: Condition = Condition.STARTING
    trouble: str | None = None
    frames: int = 0
    dropped: int = 0
    frames_per_second: float = 0.0
    at_s: float | None = None
    moved_at_s: float | None = None
    cause: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the health as pages and ``/health`` show it."""
        return {
            "condition": self.condition.value,
            "trouble": self.trouble,
            "frames": self.frames,
            "dropped": self.dropped,
            "frames_per_second": round(self.frames_per_second, 1),
            "at": self.at_s,
            "moved_at": self.moved_at_s,
            "cause": self.cause,
        }


class TableWarning(PlainValue, frozen=True):
    """
    A problem that people should fix during the game.

    ``about``: ``record`` or ``store`` (not written for now), ``film`` (ended), ``disk`` (nearly full), ``hall`` (gets
    no reports), ``notify`` (another program takes no lines), or ``phone_battery`` (the camera's phone is nearly empty).
    ``text``: one sentence, with the next step.
    """

    about: str
    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """
    A ruling or an announcement of the referee.

    ``line``: the line of the record that caused it, the header being line 1. ``content``: with the keys of
    docs/record.md, *Rulings and announcements*. ``texts``: sentence by language; ``spoken``: as a voice reads it.
    """

    line: int
    at_s: float | None
    content: Mapping[str, Any]
    texts: Mapping[str, str]
    spoken: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def worded(
        cls, line: int, at_s: float | None, content: Mapping[str, Any], sentence: Callable[[str, bool], str]
    ) -> Call:
        """Return the call with its ``sentence`` by language, with cards as written or (True) spelled."""
        texts, spoken = ({each: sentence(each, is_spelled) for each in LANGUAGES} for is_spelled in (False, True))
        return cls(line, at_s, content, texts, spoken)

    @property
    def about(self) -> int:
        """Return the line that it is about, which may be earlier than the line that caused it."""
        return int(self.content.get("of", self.line)) if "ruling" in self.content else self.line

    def as_json(self, language: str = "en") -> dict[str, Any]:
        """Return the line of docs/record.md, *Rulings and announcements*."""
        at = {} if self.at_s is None else {"at": self.at_s}
        return {"line": self.line, **at, **self.content, "text": self.texts[language]}

    def on_page(self, language: str) -> dict[str, Any]:
        """Return the same with the sentence as a voice reads it."""
        return {**self.as_json(language), "spoken": self.spoken.get(language, self.texts[language])}


def is_note(call: Mapping[str, Any]) -> bool:
    """
    Check whether a line is a ruling that is a note: unclear, and nobody is asked.

    Only the review page shows notes, and only where they are asked for.

    >>> is_note({"ruling": "unclear", "fault": "priority"}), is_note({"ruling": "legal"})
    (True, False)
    """
    return call.get("ruling") == "unclear" and "question" not in call


def correction_as_json(correction: StandingCorrection) -> dict[str, Any]:
    """Return a correction as pages show it: before and after as events, null where nothing happened."""
    was, now = correction.was, correction.now
    return {
        "line": correction.line,
        "at": correction.at,
        "about": correction.about,
        "was": None if was is None else event_to_json(was),
        "now": None if now is None else event_to_json(now),
    }


@dataclass(frozen=True, slots=True)
class Snapshot:
    """
    Everything that a page shows.

    ``version`` grows with every snapshot, ``moves`` only when the match went on, ``game`` with every game that this
    program referees. ``match``: the ID under which the game is kept, None if it is not. ``teams``: who plays together,
    empty without teams. ``state`` is that of docs/record.md, empty while a game is being set up. ``calls``: the newest
    ``CALLS_KEPT`` in order of time, without withdrawn ones and notes. ``question``: the open question, the same for all
    pages; ``matters``: what people can decide now, that question first. ``taken``: the newest events as the referee
    believes them, to be corrected; ``pack``: cards in play. ``corrections``: those by people that hold. ``steps``: all
    lines as the referee believes them now. ``lines``: all lines so far; lines are only appended.
    ``results``: those of the games of this match that are over; ``earlier``: the games of this evening before it, None
    where this one counts in nobody's score. ``rulings``: number so far by kind. ``tone``: how rulings
    are announced, as in the header. ``warnings``: current
    problems. ``film``: is the table filmed; None if it can't be turned on, as after the end.
    """

    version: int = 0
    moves: int = 0
    game: int = 0
    match: str | None = None
    rules: str = ""
    tone: str = "call"
    seats: tuple[str, ...] = ()
    teams: tuple[tuple[str, ...], ...] = ()
    state: Mapping[str, Any] = field(default_factory=dict)
    calls: tuple[Call, ...] = ()
    question: Call | None = None
    matters: tuple[OpenMatter, ...] = ()
    corrections: tuple[StandingCorrection, ...] = ()
    taken: tuple[RecordLine, ...] = ()
    pack: int = 36
    steps: tuple[TimelineStep, ...] = ()
    lines: Sequence[Mapping[str, Any]] = ()
    results: tuple[Mapping[str, Any], ...] = ()
    earlier: tuple[FinishedGame, ...] | None = ()
    rulings: Mapping[str, int] = field(default_factory=dict)
    last_event: Mapping[str, Any] | None = None
    camera: CameraHealth = CameraHealth()
    warnings: tuple[TableWarning, ...] = ()
    film: bool | None = None

    @property
    def own_games(self) -> tuple[FinishedGame, ...]:
        """Return the games of this match that are over; the store knows when they were played."""
        return tuple(FinishedGame("", "", NEVER, NEVER, self.seats, result) for result in self.results)

    @property
    def evening(self) -> Mapping[str, Any]:
        """Return how many ``games`` are over this evening, and how often each player has ``lost``, own seats first."""
        games = () if self.earlier is None else (*self.earlier, *self.own_games)
        scores = Scores.of(games).players
        names = (*(seat for seat in self.seats if seat in scores), *(name for name in scores if name not in self.seats))
        return {"games": len(games), "lost": {name: scores[name].lost for name in names}}

    def as_json(self, language: str = "en") -> dict[str, Any]:
        """Return the snapshot in one language, as ``/api/state`` and the live stream send it."""
        return {
            "version": self.version,
            "moves": self.moves,
            "game": self.game,
            "rules": self.rules,
            "tone": self.tone,
            "seats": list(self.seats),
            "teams": [list(team) for team in self.teams],
            "state": dict(self.state),
            "calls": [call.on_page(language) for call in self.calls],
            "question": None if self.question is None else self.question.as_json(language),
            "matters": [matter.as_json(say(matter.message.what, language)) for matter in self.matters],
            "corrections": [correction_as_json(each) for each in self.corrections],
            "presses": [
                {"line": line.line, "event": event_to_json(line.event)}
                for line in self.taken
                if isinstance(line.event, Pressed) and line.event.button not in NO_STATEMENTS
            ],
            "evening": dict(self.evening),
            "rulings": dict(self.rulings),
            "last_event": None if self.last_event is None else dict(self.last_event),
            "camera": self.camera.as_json(),
            "warnings": [warning.as_json() for warning in self.warnings],
            "film": self.film,
            "ended": self.camera.condition is Condition.ENDED,
        }


NO_STATEMENTS = ("undo", "dismiss", "challenge")
"""Presses that state nothing about the game, so that there is nothing in it to take back."""
CALLS_KEPT = 60
"""Number of calls in a snapshot: more than people scroll through at the table; the record keeps them all."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """The newest frame: its number, the image ((h, w, 3) uint8, BGR) and the view of the pipeline."""

    number: int
    image_bgr: Any
    view: PipelineView | None


class Board:
    """Hold the newest snapshot and the newest picture; let readers wait for the next."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._newest = Snapshot()
        self._picture: Picture | None = None
        self._closed = False

    @property
    def newest(self) -> Snapshot:
        """Return the newest snapshot."""
        return self._newest

    @property
    def picture(self) -> Picture | None:
        """Return the newest picture, None before the first."""
        return self._picture

    @property
    def closed(self) -> bool:
        """Check whether the board is closed and publishes nothing more."""
        return self._closed

    def publish(self, **changes: Any) -> Snapshot:
        """Publish a new snapshot: the newest with ``changes`` and the next version."""
        with self._changed:
            self._newest = replace(self._newest, **changes, version=self._newest.version + 1)
            self._changed.notify_all()
            return self._newest

    def clear(self) -> None:
        """
        Publish an empty table without a picture, since another game begins or another camera is chosen. The score of
        the evening stays.
        """
        newest, self._picture = self._newest, None
        self.publish(
            moves=newest.moves + 1,
            game=newest.game + 1,
            match=None,
            rules="",
            seats=(),
            teams=(),
            state={},
            calls=(),
            question=None,
            matters=(),
            corrections=(),
            steps=(),
            taken=(),
            lines=(),
            results=(),
            rulings={},
            last_event=None,
            film=None,
            camera=CameraHealth(),
        )

    def show(self, picture: Picture) -> None:
        """Replace the picture. Pages poll for pictures, so no waiting reader is notified."""
        self._picture = picture

    def wait_beyond(self, version: int, timeout_s: float) -> Snapshot | None:
        """Wait for a snapshot newer than ``version`` and return it; None after ``timeout_s`` or when closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._newest.version > version, timeout_s)
            return self._newest if self._newest.version > version else None

    def close(self) -> None:
        """Publish nothing more; waiting readers return at once."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


STEP_S = 0.001
"""Seconds between two events that were reported too late; with the same time they would count as one play."""


class Chronology:
    """
    Put events in order of time: an event that is reported after a later one is dated just after that one.

    Consecutive events with the same ``at`` keep a common ``at``, since they may be a single play.

    >>> from referee.events import Tick
    >>> order = Chronology()
    >>> [order.dated(Tick(at=at)).at for at in (5.0, 4.2, 4.2, 4.6, 5.0, 6.0)]
    [5.0, 5.001, 5.001, 5.002, 5.003, 6.0]
    """

    def __init__(self) -> None:
        self._was_s: float | None = None
        self._reported_s = 0.0

    def dated(self, event: TableEvent) -> TableEvent:
        """Return the event with the time at which it may be written now."""
        is_same_moment = event.at == self._was_s
        is_late = self._was_s is not None and (
            event.at < self._reported_s or (event.at == self._reported_s != self._was_s)
        )
        if not is_same_moment:
            self._was_s, self._reported_s = event.at, round(self._reported_s + STEP_S, 6) if is_late else event.at
        return event if event.at == self._reported_s else structs.replace(event, at=self._reported_s)


def named_as_ruled(lines: Iterable[RecordLine], rulings: Iterable[Message]) -> Iterator[RecordLine]:
    """
    Yield the lines, each card that was laid alone under the name that the ruling on it gives it.

    A correction may prove that a card was misread on a later line, too, as when the same card is laid once more. The
    record keeps what the camera reported.
    """
    ruled = {each.line: each.what for each in rulings if isinstance(each.what, Ruling)}
    names: dict[Card, Card] = {}
    for each in lines:
        event = each.event
        for was, card in names.items():
            event = renamed(event, was, card)
        if isinstance(event, Swept):
            names = {was: card for was, card in names.items() if card in event.left}
        elif isinstance(event, Placed):
            names.pop(event.card, None)
            ruling = ruled.get(each.line)
            if not each.is_stated and ruling is not None and len(ruling.cards) == 1 and ruling.cards[0] != event.card:
                names[event.card] = ruling.cards[0]
                event = structs.replace(event, card=ruling.cards[0])
        yield each if event is each.event else each._replace(event=event)


@dataclass(frozen=True, slots=True)
class TimelineStep:
    """
    One line of the record as it is believed now.

    ``event``: None if the line is gone, or nothing happened and no person stated it. ``ruling``: the ruling on it,
    unless it is legal or a note. ``revision``: when the step last changed.
    """

    line: int
    event: TableEvent | None
    is_stated: bool
    ruling: Ruling | None
    revision: int

    def as_json(self) -> dict[str, Any]:
        """Return the step as the timeline shows it."""
        call = None
        if self.ruling is not None:
            call = {"ruling": str(self.ruling.verdict), "question": self.ruling.question is not None}
        event = None if self.event is None else event_to_json(self.event)
        return {"line": self.line, "event": event, "said": self.is_stated, "call": call}


class Timeline:
    """The steps of one match; ``newest`` has all of them, those of lines that are gone too."""

    def __init__(self) -> None:
        self._by_line: dict[int, TimelineStep] = {}
        self._revision = 0

    @property
    def newest(self) -> tuple[TimelineStep, ...]:
        """Return all steps."""
        return tuple(self._by_line.values())

    def update(self, lines: Iterable[RecordLine], standing: Standing) -> None:
        """Take the lines and rulings that hold now; each step that changed gets a new revision."""
        rulings = {
            each.line: each.what
            for each in standing.rulings
            if isinstance(each.what, Ruling) and (each.what.verdict is not Verdict.UNCLEAR or each.what.question)
            if each.what.verdict is not Verdict.LEGAL
        }
        self._revision += 1
        gone = set(self._by_line)
        for line, event, is_stated, _ in lines:
            gone.discard(line)
            self._set(line, event if is_stated or not isinstance(event, Tick) else None, is_stated, rulings.get(line))
        for line in gone:
            self._set(line, None, False, None)

    def _set(self, line: int, event: TableEvent | None, is_stated: bool, ruling: Ruling | None) -> None:
        was = self._by_line.get(line)
        if was is None or (was.event, was.is_stated, was.ruling) != (event, is_stated, ruling):
            self._by_line[line] = TimelineStep(line, event, is_stated, ruling, self._revision)
