"""
Publish the newest snapshot of a table and let readers wait for the next one.

One thread publishes, any number read. Snapshots are frozen, so readers need no lock.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import to_builtins

from referee.fields import PlainValue
from vision.view.pipeline_view import PipelineView
from webapp.live.series import Series
from webapp.match.view import NO_STATEMENTS, Call, View, calls_shown
from webapp.store.evenings import NEVER, FinishedGame, Scores
from webapp.text.catalogue import LANGUAGES


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


FEWEST_A_SECOND = 8.0
"""Pictures a second that follow hands well; below it page, phone and `kozyr doctor` warn. Chosen by hand."""


class CameraHealth(PlainValue, frozen=True):
    """
    The health of the camera.

    ``at_s``: time of the newest judged picture. ``trouble``: one sentence if something is wrong. ``frames``: number of
    judged frames; ``dropped``: number of frames that newer ones replaced before they were judged. ``moved_at_s``: when
    the camera was last moved or zoomed and the pipeline followed; None if never. ``cause``: a code for why no pictures
    arrive, for which pages have a sentence. ``arriving``: pictures a second that the source delivers, taken or not;
    None where that is not known.
    """

    condition: Condition = Condition.STARTING
    trouble: str | None = None
    frames: int = 0
    dropped: int = 0
    frames_per_second: float = 0.0
    at_s: float | None = msgspec.field(default=None, name="at")
    moved_at_s: float | None = msgspec.field(default=None, name="moved_at")
    cause: str | None = None
    arriving: float | None = None

    @property
    def pace(self) -> str | None:
        """
        Return what keeps the referee from following hands: ``few`` pictures arrive, or the program is ``slow``; None
        where enough pictures are judged.

        >>> [CameraHealth(frames_per_second=rate, arriving=arriving).pace for rate, arriving in ((5, 20), (5, 5))]
        ['slow', 'few']
        """
        if not 0 < self.frames_per_second < FEWEST_A_SECOND:
            return None
        return "slow" if self.arriving is None or self.arriving >= FEWEST_A_SECOND else "few"

    def as_json(self) -> dict[str, Any]:
        arriving = None if self.arriving is None else round(self.arriving, 1)
        rates = {"frames_per_second": round(self.frames_per_second, 1), "arriving": arriving}
        return super().as_json() | rates | {"pace": self.pace}


class TableWarning(PlainValue, frozen=True):
    """
    A problem that people should fix during the game.

    ``about``: ``record`` or ``store`` (not written for now), ``film`` (ended), ``disk`` (nearly full), ``hall`` (gets
    no reports), ``notify`` (another program takes no lines), or ``phone_battery`` (the camera's phone is nearly empty).
    ``text``: one sentence, with the next step.
    """

    about: str
    text: str


EMPTY = View()
"""While a game is being set up."""


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """
    Everything that a page of the table shows.

    ``version`` grows with every snapshot, ``moves`` only when the match went on, ``game`` with every game that this
    program referees. ``match``: the ID under which the game is kept, None if it is not. ``view``: the match.
    ``lines``: all lines so far; lines are only appended. ``changed``: by line of the record, the version in which its
    step changed last. ``earlier``: the games of this evening before the match, None
    where this one counts in nobody's score. ``series``: the one that is played, if any. ``warnings``: current problems.
    ``film``: is the table filmed; None if it can't be turned on, as after the end.
    """

    version: int = 0
    moves: int = 0
    game: int = 0
    match: str | None = None
    view: View = EMPTY
    lines: Sequence[Mapping[str, Any]] = ()
    changed: Mapping[int, int] = field(default_factory=dict)
    earlier: tuple[FinishedGame, ...] | None = ()
    series: Series | None = None
    camera: CameraHealth = field(default_factory=CameraHealth)
    warnings: tuple[TableWarning, ...] = ()
    film: bool | None = None

    @property
    def own_games(self) -> tuple[FinishedGame, ...]:
        """Return the games of this match that are over; the store knows when they were played."""
        return tuple(FinishedGame("", "", NEVER, NEVER, self.view.seats, result) for result in self.view.results)

    @property
    def games(self) -> tuple[FinishedGame, ...]:
        """Return the games of this evening that are over and count."""
        return () if self.earlier is None else (*self.earlier, *self.own_games)

    @property
    def evening(self) -> Mapping[str, Any]:
        """Return how many ``games`` are over this evening, and how often each player has ``lost``, own seats first."""
        games, seats = self.games, self.view.seats
        scores = Scores.of(games).players
        names = (*(seat for seat in seats if seat in scores), *(name for name in scores if name not in seats))
        return {"games": len(games), "lost": {name: scores[name].lost for name in names}}

    @property
    def calls(self) -> tuple[Call, ...]:
        return calls_shown(call for call in self.view.calls if not call.note)

    def as_json(self, language: str = "en") -> dict[str, Any]:
        return {
            **_of_match(self, language),
            "camera": self.camera.as_json(),
            "warnings": [warning.as_json() for warning in self.warnings],
            "film": self.film,
            "ended": self.camera.condition is Condition.ENDED,
        }

    def steps_since(self, version: int) -> dict[str, Any]:
        """Return the steps that changed after a version; ``event`` is null where a line is gone."""
        known = {step.line: step for step in self.view.timeline}
        gone = {"bout": 0, "event": None, "said": False, "call": None}
        newer = [line for line, changed in self.changed.items() if changed > version]
        steps = [known[line].as_json() if line in known else {"line": line, **gone} for line in newer]
        return {"game": self.game, "steps": steps, "next": max(self.changed.values(), default=0)}


@lru_cache(maxsize=2 * len(LANGUAGES))
def _of_match(snapshot: Snapshot, language: str) -> dict[str, Any]:
    """Return what a snapshot shows of its match; many pages ask for the same one."""
    view = snapshot.view
    calls = [
        {
            **call.as_line(language, {} if call.at is None else {call.said: call.at}),
            "spoken": call.text.in_language(language, is_spelled=True),
            "aloud": call.aloud,
        }
        for call in snapshot.calls
    ]
    question = view.question
    asked = (call for call in calls if question and call["line"] == question.line and "question" in call)
    pressed = (step for step in view.timeline if step.event["event"] == "pressed")
    presses = [step for step in pressed if step.event["button"] not in NO_STATEMENTS]
    return {
        "version": snapshot.version,
        "moves": snapshot.moves,
        "game": snapshot.game,
        "rules": view.rules,
        "tone": view.tone,
        "seats": list(view.seats),
        "teams": [list(team) for team in view.teams],
        "state": view.state,
        "calls": calls,
        "question": next(asked, None),
        "matters": to_builtins(list(view.matters), enc_hook=lambda text: text.in_language(language)),
        "corrections": to_builtins(list(view.corrections)),
        "presses": [{"line": press.line, "event": press.event} for press in presses],
        "evening": dict(snapshot.evening),
        "series": None if snapshot.series is None else dict(snapshot.series.standing(snapshot.games, view.seats)),
        "rulings": dict(view.rulings),
        "last_event": view.last_event,
        "view": view.as_json(language),
    }


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """The newest frame: its number, the image ((h, w, 3) uint8, BGR) and the view of the pipeline."""

    number: int
    image_bgr: Any
    view: PipelineView | None


class SnapshotHub:
    """
    Hold the newest snapshot and the newest picture (None before the first); let readers wait for the next. ``closed``:
    nothing more is published.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self.newest = Snapshot()
        self.picture: Picture | None = None
        self.closed = False

    def publish(self, **changes: Any) -> Snapshot:
        with self._changed:
            was, version = self.newest, self.newest.version + 1
            if "view" in changes:
                view, changed = changes["view"], dict(was.changed)
                if view.line < was.view.line:  # another game
                    changed = dict.fromkeys((step.line for step in view.timeline), version)
                else:  # a step that is as before is the same object
                    before = {step.line: step for step in was.view.timeline}
                    new = (step.line for step in view.timeline if before.pop(step.line, None) is not step)
                    changed |= dict.fromkeys([*new, *before], version)
                changes["changed"] = changed
            self.newest = replace(was, **changes, version=version)
            self._changed.notify_all()
            return self.newest

    def clear(self) -> None:
        """
        Publish an empty table without a picture, since another game begins or another camera is chosen. The score of
        the evening stays.
        """
        newest, self.picture = self.newest, None
        begun = {"moves": newest.moves + 1, "game": newest.game + 1}
        self.publish(**begun, match=None, view=EMPTY, lines=(), film=None, camera=CameraHealth())

    def show(self, picture: Picture) -> None:
        """Replace the picture. Pages poll for pictures, so no waiting reader is notified."""
        self.picture = picture

    def wait_beyond(self, version: int, timeout_s: float) -> Snapshot | None:
        """Wait for a snapshot newer than ``version`` and return it; None after ``timeout_s`` or when closed."""
        with self._changed:
            self._changed.wait_for(lambda: self.closed or self.newest.version > version, timeout_s)
            return self.newest if self.newest.version > version else None

    def close(self) -> None:
        """Publish nothing more; waiting readers return at once."""
        with self._changed:
            self.closed = True
            self._changed.notify_all()


class BoardFollower(threading.Thread):
    """
    A thread that passes on what happens on the board. ``stop`` waits at most ``ending_s`` seconds for its end.

    ``trouble``: the sentence of the warning while passing on fails, else None. ``about``: the subject of that warning,
    and the thread's name.
    """

    def __init__(self, board: SnapshotHub, about: str, ending_s: float) -> None:
        super().__init__(name=about, daemon=True)
        self.trouble: str | None = None
        self._board, self._ending_s = board, ending_s
        self._is_over = threading.Event()

    @property
    def warnings(self) -> tuple[TableWarning, ...]:
        return () if self.trouble is None else (TableWarning(self.name, self.trouble),)

    def stop(self) -> None:
        """Pass on what is left, and end."""
        self._is_over.set()
        self.join(self._ending_s)
