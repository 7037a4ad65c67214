"""
Run the two threads of a live match by one clock.

The source's thread reads frames and leaves them in the mailbox; frames of a file are delayed to the clip's own pace.
The table thread collects the newest frame and any presses, passes them to the match session, and publishes a snapshot;
it alone changes the session. Web threads read snapshots and leave presses. All runs in one process, so that there is
one referee.

A camera that sends nothing for longer than ``Timeouts.silence_s``, while the table thread waits for a frame, is lost:
the thread reports ``blocked`` once, the page shows it, and play continues with the next frame. A bug stops the referee;
written lines stay.

A match keeps the belief at each line, since people may correct any of them; these objects form no reference cycles. By
default Python's collector examines all of them now and then, which delays a ruling, more so the longer the game. So
everything kept is frozen (``gc.freeze``) with every line. A full collection runs when a deal is decided, since nobody
waits for a ruling then, and after ``MOST_FREEZES`` calls, since web requests that are answered meanwhile are frozen too
and a game that nobody ends is never decided. Free memory returns to the system now and then
(``webapp.live.process_memory``).
"""

from __future__ import annotations

import gc
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, replace
from typing import Any

from msgspec import structs

from referee.cards import Card
from referee.errors import RefereeError
from referee.events import Corrected, Pressed, Reread
from vision.capture.sources import WHAT_TO_CHECK, Frame
from vision.view.pipeline_view import PipelineView
from webapp.errors import ContradictsError, NotAskedError, one_line
from webapp.live.board import CameraHealth, Condition, Picture, SnapshotHub, TableWarning
from webapp.live.mailbox import Mail, Mailbox
from webapp.live.process_memory import return_free_memory
from webapp.live.session import MatchSession
from webapp.match.log import Line, MatchLog, MatchUpdate
from webapp.match.open_matters import Answered

YOUNG = 1
"""The garbage collector's generation of objects made since the last line."""
MOST_FREEZES = 200
"""Calls without a full collection, twice as many as a deal has lines. Chosen by hand."""
RELEASE_EVERY = 20
"""Calls between two returns of free memory to the system: two minutes of play. Chosen by hand."""

_freezes = 0


def freeze_lines(lines: Iterable[Mapping[str, Any]]) -> None:
    """Freeze all objects kept so far, after these lines; run a full collection if they decide a deal or one is due."""
    global _freezes  # the collector is one for the whole program
    _freezes += 1
    if _freezes >= MOST_FREEZES or any(line.get("announce") == "result" for line in lines):
        _freezes = 0
        gc.unfreeze()
        gc.collect()
    else:
        gc.collect(YOUNG)
    gc.freeze()
    if _freezes % RELEASE_EVERY == 0:
        return_free_memory()


def thaw() -> None:
    """Let the collector examine everything again, after the match."""
    gc.unfreeze()
    return_free_memory()


logger = logging.getLogger(__name__)

SEES = (Condition.WATCHING, Condition.HIDDEN, Condition.SWAYING)
"""While pictures come."""


class Clock:
    """The clock of a live match: the time, and waiting that can be interrupted."""

    def now_s(self) -> float:
        """Return the seconds since some moment; never backwards."""
        return time.monotonic()

    def wait(self, stop: threading.Event, seconds: float) -> bool:
        """Let ``seconds`` pass, or less if ``stop`` is set meanwhile; is it set?"""
        return stop.wait(seconds)


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Time limits of a live match. Set by hand, 2026-11."""

    silence_s: float = 2.0
    """Seconds of waiting for a frame in vain after which a live camera is lost; a USB camera recovers from a fault in
    two. Longer warns people later; shorter gives false alarms."""
    health_s: float = 1.0
    """Seconds between two reports on the camera to the page. Longer shows older figures; shorter sends more."""
    answer_s: float = 10.0
    """Seconds that a correction waits for the table's thread, which inference delays by at most one second on a slow
    machine. Longer blocks a page while the thread hangs; shorter rejects corrections that are applied after all."""


@dataclass(frozen=True, slots=True)
class PlaybackMode:
    """
    How a source is played.

    ``live``: newer frames replace older ones, and silence means a lost camera. ``paced``: frames of a file wait for
    their time. With neither, frames are played as fast as the machine can. ``on_demand``: the source itself keeps its
    newest picture, so the next one is read when the table thread waits for it: none is decoded in vain. ``arrivals``
    then gives the pictures a second that reach the source. ``stall_cause``: of lost frames where pictures stop coming.
    """

    live: bool
    paced: bool
    on_demand: bool = False
    arrivals: Callable[[], float] | None = None
    stall_cause: str | None = None


class Listener:
    """Callbacks of a runtime, called on the table thread; these do nothing."""

    def on_lines(self, lines: tuple[Line, ...]) -> None:
        """Receive the lines of docs/record.md as they come."""

    def on_warnings(self, warnings: tuple[TableWarning, ...]) -> None:
        """Receive the current warnings whenever they change."""

    def more_warnings(self) -> tuple[TableWarning, ...]:
        return ()

    def on_end(self) -> None:
        """Handle the end of the source, or a stop of the referee."""


class RecentRate:
    """How often something happened a second, over its last ``OVER`` times. One thread adds; any may read."""

    OVER = 30

    def __init__(self) -> None:
        self._times_s: deque[float] = deque(maxlen=self.OVER)

    def add(self, now_s: float) -> None:
        self._times_s.append(now_s)

    @property
    def a_second(self) -> float:
        times = tuple(self._times_s)
        span_s = times[-1] - times[0] if len(times) > 1 else 0.0
        return (len(times) - 1) / span_s if span_s > 0 else 0.0


class SourceThread(threading.Thread):
    """
    Reads the frames of a session's source into the mailbox, at their own pace. ``trouble``: what ended them.
    ``arrivals``: when the last pictures came.
    """

    def __init__(self, session: MatchSession, manner: PlaybackMode, mailbox: Mailbox, clock: Clock) -> None:
        super().__init__(name="source", daemon=True)
        self.manner, self.stop = manner, threading.Event()
        self.trouble: Exception | None = None
        self.arrivals = RecentRate()
        self._session, self._mailbox, self._clock = session, mailbox, clock

    def run(self) -> None:
        try:
            began_s: float | None = None
            for frame in self._session.frames:
                if began_s is None:
                    began_s = self._clock.now_s() - frame.at
                if self.manner.paced and self._clock.wait(self.stop, began_s + frame.at - self._clock.now_s()):
                    break
                if frame.lost is None:
                    self.arrivals.add(self._clock.now_s())
                if not self._mailbox.leave(frame, replace=self.manner.live):
                    break
                if self.manner.on_demand:
                    self._mailbox.wait_until_wanted()
        except Exception as error:  # whatever a device or decoder throws; the table thread reports it
            self.trouble = error
        finally:
            self._mailbox.end()


class WatchedCamera:
    """The health of the camera, and when its last frame and the last report on it came, in seconds."""

    def __init__(self) -> None:
        self.health = CameraHealth()
        self.last_frame_s = self.last_health_s = 0.0
        self._judged = RecentRate()

    def add(self, frame: Frame, view: PipelineView | None, now_s: float) -> bool:
        """Take in a judged frame; return whether the page should hear of it at once."""
        self._judged.add(now_s)
        was = self.health
        condition, trouble = Condition.WATCHING, None if view is None else view.blocked_by
        if frame.lost:
            condition, trouble = Condition.LOST, frame.lost
        elif view is not None and trouble is not None:
            condition = Condition.SWAYING if view.sways else Condition.HIDDEN
        self.change(condition, trouble)
        self.health = structs.replace(
            self.health,
            frames=was.frames + 1,
            at_s=frame.at,
            moved_at_s=None if view is None else view.moved_at,
            cause=frame.cause,
        )
        now = self.health
        return (was.condition, was.moved_at_s, was.cause) != (now.condition, now.moved_at_s, now.cause)

    def change(self, condition: Condition, trouble: str | None) -> None:
        if condition is not self.health.condition:
            logger.info("the camera: %s%s", condition.value, f", {trouble}" if trouble else "")
        self.health = structs.replace(self.health, condition=condition, trouble=trouble)

    def counted(self, dropped: int, arriving: float | None) -> CameraHealth:
        rate = self._judged.a_second if self.health.condition in SEES else 0.0
        self.health = structs.replace(self.health, dropped=dropped, frames_per_second=rate, arriving=arriving)
        return self.health


class Runtime:
    """
    A match session run live: ``start`` the two threads, leave from anywhere what people state (``press``, ``correct``,
    ``arrange``), ``stop`` to end.

    ``done`` is set when the source has ended or the referee had to stop; ``failure`` then holds the error, if there was
    one. Every ``Timeouts.health_s`` the session's warnings are asked for.
    """

    def __init__(
        self,
        session: MatchSession,
        board: SnapshotHub,
        manner: PlaybackMode,
        listener: Listener | None = None,
        *,
        clock: Clock | None = None,
        patience: Timeouts | None = None,
    ) -> None:
        self.session, self._board = session, board
        self._listener = listener or Listener()
        self._clock = clock or Clock()
        self._patience = patience or Timeouts()
        self.mailbox = Mailbox()
        self.watched = WatchedCamera()
        self._source = SourceThread(session, manner, self.mailbox, self._clock)
        self._thread = threading.Thread(target=self._judge, name="table", daemon=True)
        self.done = threading.Event()
        self.failure: Exception | None = None

    def start(self) -> None:
        self._source.start()
        self._thread.start()

    def press(self, statement: Pressed | Reread) -> Future[MatchUpdate] | None:
        """Leave what a person states to the table's thread; return its coming answer, None if the game is over."""
        return self.mailbox.press(self.session.on_press, statement)

    def arrange(self, zones: Mapping[str, Any]) -> bool:
        """Leave changed zones to the table's thread; False if the game is over."""
        return self.mailbox.press(self.session.arrange, zones) is not None

    def correct(self, correction: Corrected | Pressed | Answered) -> MatchUpdate | None:
        """
        Apply a correction or an answer at the time of the newest frame; return what changed, None without a match.

        ``RefereeError`` if it can't be applied, ``ContradictsError`` if it contradicts what is known, ``NotAskedError``
        if nobody asks that any more.
        """
        if not isinstance(self.session.match, MatchLog):
            return None
        answer = self.mailbox.press(self.session.on_correction, correction)
        try:
            return None if answer is None else answer.result(self._patience.answer_s)
        except CancelledError:  # the table's thread stopped before it applied this
            return None

    def crop_of(self, line: int) -> tuple[str, bytes] | None:
        """Return the card of a line as it was read, and its picture, a JPEG, where the match is not filmed."""
        return self.session.crop_of(line)

    def turn_film(self, on: bool) -> bool:
        """Turn filming on or off; False if this match can't be filmed."""
        film = self.session.files.film
        if film is None or self.done.is_set():
            return False
        film.turn(on)
        self._board.publish(film=film.is_on)
        return True

    def stop(self, patience_s: float = 5.0, *, closes_board: bool = True) -> None:
        """End both threads and close the board. A source that hangs in its device is abandoned after ``patience_s``."""
        self._source.stop.set()
        self.mailbox.close()
        for thread in (self._source, self._thread):
            if thread.ident is not None:
                thread.join(patience_s)
        if closes_board:
            self._board.close()

    # --- the table's thread ---

    def _judge(self) -> None:
        film = self.session.files.film
        try:
            self.watched.last_frame_s = self._clock.now_s()
            self._board.publish(film=None if film is None else film.is_on)
            self._notify(self.session.begin())
            while not self.mailbox.closed:
                self._handle(self.mailbox.collect(self._patience.health_s))
        except Exception as error:  # a bug: stop judging, keep the record, show the error
            self.failure = error
            self._health(Condition.STOPPED, one_line(error) or type(error).__name__)
        finally:
            thaw()
            self.mailbox.close()
            self.done.set()
            self._listener.on_end()

    def _handle(self, mail: Mail) -> None:
        now_s = self._clock.now_s()
        if mail.frame is not None:
            self._process(mail.frame, now_s)
        for act, values, answer in mail.presses:
            try:
                update = act(*values)
            except (RefereeError, NotAskedError, ContradictsError) as error:
                answer.set_exception(error)
                continue
            except Exception:
                for *_, pending in mail.presses:
                    pending.cancel()
                raise
            self._notify(update)
            answer.set_result(update)
            if self._board.picture is not None:  # with what is seen and believed now
                self._board.show(replace(self._board.picture, view=self._as_named()))
        if mail.ended:
            self._end()
        elif mail.frame is None and self._source.manner.live:
            silent_s = now_s - self.watched.last_frame_s
            is_seen = self.watched.health.condition in (Condition.STARTING, *SEES)
            if is_seen and silent_s > self._patience.silence_s:
                cause = self._source.manner.stall_cause
                self.watched.health = structs.replace(self.watched.health, cause=cause)
                self._lose(f"no picture from the camera for {silent_s:.0f} s; {WHAT_TO_CHECK[cause]}")
        if now_s - self.watched.last_health_s >= self._patience.health_s:
            self.watched.last_health_s = now_s
            self._warn()
            self._health(self.watched.health.condition, self.watched.health.trouble)

    def _warn(self) -> None:
        film = self.session.files.film
        warnings = (*self.session.files.warnings, *self._listener.more_warnings())
        if warnings != self._board.newest.warnings:
            self._board.publish(warnings=warnings)
            self._listener.on_warnings(warnings)
        is_filmed = None if film is None or self.done.is_set() else film.is_on
        if is_filmed != self._board.newest.film:
            self._board.publish(film=is_filmed)

    def _process(self, frame: Frame, now_s: float) -> None:
        update = self.session.on_frame(frame)
        self.watched.last_frame_s = self._clock.now_s()  # what a frame takes is no silence of the camera
        view = self.session.pipeline.view
        is_news = self.watched.add(frame, view, now_s)
        self._board.show(Picture(frame.number, frame.image_bgr, self._as_named()))
        if is_news:
            self._board.publish(camera=self._counted())
        self._notify(update)

    def _as_named(self) -> PipelineView | None:
        """Return what the pipeline sees, each card under the name that all pages give it."""
        view, names = self.session.pipeline.view, self.session.match.view.misread
        if view is None or not names:
            return view
        seen = {str(card.card) for card in view.cards}
        names = {was: card for was, card in names.items() if card not in seen}  # else it has its name already
        cards = tuple(
            replace(card, card=Card.parse(names[str(card.card)])) if str(card.card) in names else card
            for card in view.cards
        )
        return replace(view, cards=cards)

    def _lose(self, trouble: str) -> None:
        """Report that the table has been out of sight since the last picture."""
        self._health(Condition.LOST, trouble)
        self._notify(self.session.on_blocked(trouble))

    def _end(self) -> None:
        is_whole = self._source.trouble is None and not self._source.manner.live
        self._notify(self.session.finish(has_ended=is_whole))
        if self._source.trouble is not None:
            self.failure = self._source.trouble
            self._lose(one_line(self._source.trouble))
        elif self._source.manner.live:  # a camera has no regular end: it was retried until the time limit
            self._health(Condition.GIVEN_UP, "the camera was given up; plug it in and go on on the page")
        else:
            self._health(Condition.ENDED, None)
        self.done.set()
        self._listener.on_end()
        self._board.publish(film=None)  # nothing is filmed any more

    # --- publishing ---

    def _notify(self, update: MatchUpdate) -> None:
        if not update.lines:
            return
        self._listener.on_lines(update.lines)
        camera, match = self._counted(), self.session.match
        self._board.publish(moves=self._board.newest.moves + 1, camera=camera, view=match.view, lines=match.lines)
        freeze_lines(update.lines)

    def _health(self, condition: Condition, trouble: str | None) -> None:
        self.watched.change(condition, trouble)
        self._board.publish(camera=self._counted())

    def _counted(self) -> CameraHealth:
        manner = self._source.manner
        measured = manner.arrivals or (lambda: self._source.arrivals.a_second)
        return self.watched.counted(self.mailbox.dropped, measured() if manner.live else None)
