"""
The two threads of a table being watched, and the one clock.

*Eye* takes frames from the source and leaves them in the mailbox; frames of a file are let through at the clip's own
pace. *Table* collects the newest frame and any presses, runs the pipeline and the referee, and hangs up a snapshot; it
alone changes the match and what the pipeline knows. Web threads read snapshots and leave presses, and what is to be
done between two frames. One process: two would be two referees.

A camera that falls silent for longer than ``Patience.silence_s`` is lost: the table thread says ``blocked`` once, the
page says so, and play goes on with the next frame. A fault of our own stops the referee, keeps what was written, and
the page says that too.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, replace
from typing import Any, Protocol

from referee.cards import Card
from referee.corrections import RecordLine
from referee.errors import RefereeError
from referee.events import Blocked, Corrected, Placed, Pressed, Reread, TableEvent
from webapp.errors import one_line
from webapp.live.board import Board, CameraHealth, Condition, Picture, TableWarning
from webapp.live.film_recorder import FilmRecorder
from webapp.live.garbage_collection import freeze_kept, thaw
from webapp.live.mailbox import Mail, Mailbox
from webapp.live.match import CorrectedMatch, Match
from webapp.live.review_loop import Seen, TableEye, TableJudge

logger = logging.getLogger(__name__)

SEES = (Condition.WATCHING, Condition.HIDDEN, Condition.SWAYING)
"""While pictures come."""


class Clock(Protocol):
    """The one clock: what time it is, and waiting that can be cut short."""

    def now_s(self) -> float:
        """Seconds since some moment; never backwards."""

    def wait(self, stop: threading.Event, seconds: float) -> bool:
        """Let ``seconds`` pass, or less if ``stop`` is set meanwhile; is it set?"""


class WallClock:
    """The clock of the real world."""

    def now_s(self) -> float:
        """Seconds since some moment; never backwards."""
        return time.monotonic()

    def wait(self, stop: threading.Event, seconds: float) -> bool:
        """Let ``seconds`` pass, or less if ``stop`` is set meanwhile; is it set?"""
        return stop.wait(seconds)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for what. Set by hand, 2026-11."""

    silence_s: float = 2.0
    """Seconds without a frame after which a live camera is lost; a USB camera comes back from a hiccup in two. Longer
    tells people later; shorter alarms them for nothing."""
    health_s: float = 1.0
    """Seconds between two reports on the camera to the page. Longer is staler; shorter sends more."""
    answer_s: float = 10.0
    """Seconds that somebody who corrects waits for the table's thread, which a look holds up for one at most on a slow
    machine. Longer lets a page hang where the thread does; shorter refuses what is done after all."""


@dataclass(frozen=True, slots=True)
class Manner:
    """
    How a source is played.

    ``live``: newer frames replace older ones and silence means a lost camera. ``paced``: frames of a file wait for
    their time. Neither: as fast as the machine can.
    """

    live: bool
    paced: bool


class Runtime:
    """
    A table being watched: ``start`` the two threads, ``press`` from anywhere, ``stop`` to end.

    ``on_lines`` gets the lines of docs/record.md as they come, on the table thread. ``warnings`` is asked there every
    ``Patience.health_s`` for what can't be kept; ``on_named`` hears there that a card is another than it was read as,
    so that the eye does not fight what people say. ``done`` is set when the source has ended or the referee had to
    stop; ``failure`` then holds what went wrong, if anything did. ``film``: gets every frame that was judged.
    """

    def __init__(
        self,
        frames: Iterable[Seen],
        eye: TableEye,
        match: TableJudge,
        board: Board,
        manner: Manner,
        *,
        on_lines: Callable[[tuple[Mapping[str, Any], ...]], None] = lambda lines: None,
        warnings: Callable[[], tuple[TableWarning, ...]] = lambda: (),
        on_named: Callable[[Card, Card], None] = lambda was, card: None,
        clock: Clock | None = None,
        patience: Patience | None = None,
        film: FilmRecorder | None = None,
    ) -> None:
        self._frames = frames
        self._eye = eye
        self._match = match
        self._board = board
        self._manner = manner
        self._on_lines = on_lines
        self._warnings = warnings
        self._on_named = on_named
        self._clock: Clock = clock or WallClock()
        self._patience = patience or Patience()
        self._film = film
        self._mailbox = Mailbox()
        self._answers: set[Future[CorrectedMatch]] = set()
        self._stop = threading.Event()
        self._camera = CameraHealth()
        self._moves = board.newest.moves  # a board may have shown another game before
        self._judged_s: deque[float] = deque(maxlen=30)
        self._last_frame_s = 0.0
        self._last_health_s = 0.0
        self._source_trouble: Exception | None = None
        self._threads = (
            threading.Thread(target=self._watch, name="eye", daemon=True),
            threading.Thread(target=self._judge, name="table", daemon=True),
        )
        self.done = threading.Event()
        self.failure: Exception | None = None

    def start(self) -> None:
        """Begin; returns at once."""
        for thread in self._threads:
            thread.start()

    def press(self, press: Pressed | Reread) -> bool:
        """Hand a statement to the referee; its ``at`` becomes that of the picture it meets. False: nobody listens."""
        return self._mailbox.press(press)

    def correct(self, correction: Corrected | Pressed) -> CorrectedMatch | None:
        """
        Have something put right, at the time of the newest picture; what changed by it. None: nobody listens.

        ``RefereeError`` where it can't be meant so.
        """
        match = self._match
        if not isinstance(match, Match):
            return None  # pictures that stand alone tell of no game
        answer: Future[CorrectedMatch] = Future()
        self._answers.add(answer)

        def work() -> None:
            before = match.taken
            try:
                done = match.correct(replace(correction, at=self._camera.at_s or 0.0))
            except RefereeError as error:
                answer.set_exception(error)
                return
            logger.info("corrected: %s", correction)
            for was, card in renamed_cards(before, match.taken):
                self._on_named(was, card)
            self._tell(done.lines)
            answer.set_result(done)

        try:
            return answer.result(self._patience.answer_s) if self._mailbox.press(work) else None
        except CancelledError:  # the table's thread stopped before it came to this
            return None
        finally:
            self._answers.discard(answer)

    def between_frames(self, work: Callable[[], None]) -> bool:
        """Have something done on the table's thread, where no frame is being looked at. False: nobody is there."""
        return self._mailbox.press(work)

    def turn_film(self, on: bool) -> bool:
        """Film from now on, or no longer; the page says so. False where nothing is ever filmed."""
        if self._film is None:
            return False
        self._film.turn(on)
        self._board.publish(film=self._film.is_on)
        return True

    def stop(self, patience_s: float = 5.0, *, closes_board: bool = True) -> None:
        """End both threads and close the board. A source that hangs in its device is left after ``patience_s``."""
        self._stop.set()
        self._mailbox.close()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join(patience_s)
        if closes_board:
            self._board.close()

    @property
    def camera(self) -> CameraHealth:
        """The health as last published."""
        return self._camera

    # --- the eye's thread ---

    def _watch(self) -> None:
        try:
            began_s: float | None = None
            for frame in self._frames:
                if began_s is None:
                    began_s = self._clock.now_s() - frame.at
                if self._manner.paced and self._clock.wait(self._stop, began_s + frame.at - self._clock.now_s()):
                    break
                if not self._mailbox.leave(frame, replace=self._manner.live):
                    break
        except Exception as error:  # whatever a device or decoder throws: the table thread tells it
            self._source_trouble = error
        finally:
            self._mailbox.end()

    # --- the table's thread ---

    def _judge(self) -> None:
        try:
            self._last_frame_s = self._clock.now_s()
            self._board.publish(film=None if self._film is None else self._film.is_on)
            self._tell(self._match.open())
            while not self._mailbox.closed:
                self._handle(self._mailbox.collect(self._patience.health_s))
        except Exception as error:  # an exception means that we are wrong: stop judging, keep the record, say so
            self.failure = error
            self._health(Condition.STOPPED, one_line(error) or type(error).__name__)
        finally:
            thaw()
            self._mailbox.close()
            for answer in tuple(self._answers):  # whoever waits for a correction is released at once
                answer.cancel()
            self.done.set()

    def _handle(self, mail: Mail) -> None:
        now_s = self._clock.now_s()
        if mail.frame is not None:
            self._look(mail.frame, now_s)
        for press in mail.presses:
            if isinstance(press, Pressed | Reread):
                press = replace(press, at=self._camera.at_s or 0.0)
                logger.info("pressed: %s", press)
                self._tell(self._match.judge(press))
            else:
                press()
                self._show_anew()
        if mail.ended:
            self._end()
        elif mail.frame is None and self._is_silent(now_s):
            self._lose(
                f"no picture from the camera for {now_s - self._last_frame_s:.0f} s; check its cable and its lamp"
            )
        if now_s - self._last_health_s >= self._patience.health_s:
            self._last_health_s = now_s
            self._warn()
            self._health(self._camera.condition, self._camera.trouble)

    def _warn(self) -> None:
        warnings = self._warnings()
        if warnings != self._board.newest.warnings:
            self._board.publish(warnings=warnings)
        is_filmed = None if self._film is None else self._film.is_on
        if is_filmed != self._board.newest.film:
            self._board.publish(film=is_filmed)

    def _look(self, frame: Seen, now_s: float) -> None:
        self._last_frame_s = now_s
        self._judged_s.append(now_s)
        events = self._eye.feed(frame)
        view, was = self._eye.view, self._camera
        now, trouble = how_it_sees(frame, view)
        moved_at_s = getattr(view, "moved_at", None)  # an eye for single pictures follows no camera
        self._camera = replace(
            was,
            condition=now,
            trouble=trouble,
            frames=was.frames + 1,
            at_s=frame.at,
            moved_at_s=moved_at_s,
            cause=getattr(frame, "cause", None),
        )
        self._board.show(Picture(frame.number, frame.image_bgr, view))
        if self._film is not None and frame.lost is None:
            self._film.look(frame, view, events)
        if was.condition is not now:
            logger.info("the camera: %s%s", now.value, f", {trouble}" if trouble else "")
        if was.condition is not now or was.moved_at_s != moved_at_s or was.cause != self._camera.cause:
            self._health(now, trouble)
        self._judge_events(events)
        self._tell_if_any(self._match.pass_time(frame.at))

    def _show_anew(self) -> None:
        """The newest picture with what is thought of it now."""
        if self._board.picture is not None:
            self._board.show(replace(self._board.picture, view=self._eye.view))

    def _judge_events(self, events: tuple[TableEvent, ...]) -> None:
        if events:
            self._tell(self._match.judge(*events))

    def _tell_if_any(self, lines: tuple[Mapping[str, Any], ...]) -> None:
        if lines:
            self._tell(lines)

    def _is_silent(self, now_s: float) -> bool:
        return (
            self._manner.live
            and self._camera.condition in (Condition.STARTING, *SEES)
            and now_s - self._last_frame_s > self._patience.silence_s
        )

    def _lose(self, trouble: str) -> None:
        """The table cannot be seen any more, from the last picture on: that is the time of the event."""
        self._health(Condition.LOST, trouble)
        self._tell(self._match.judge(Blocked(at=self._camera.at_s or 0.0, reason=trouble)))

    def _end(self) -> None:
        self._judge_events(self._eye.finish())
        self._tell_if_any(self._match.finish())
        if self._source_trouble is not None:
            self.failure = self._source_trouble
            self._lose(one_line(self._source_trouble))
        elif self._manner.live:  # a camera has no end of its own: it was tried until patience ended
            self._health(Condition.GIVEN_UP, "the camera was given up; plug it in and start again")
        else:
            self._health(Condition.ENDED, None)
        self.done.set()

    # --- telling ---

    def _tell(self, lines: tuple[Mapping[str, Any], ...]) -> None:
        self._on_lines(lines)
        self._moves += 1
        self._board.publish(moves=self._moves, camera=self._counted(), **self._match.on_board())
        freeze_kept(lines)

    def _health(self, condition: Condition, trouble: str | None) -> None:
        if condition is not self._camera.condition:
            logger.info("the camera: %s%s", condition.value, f", {trouble}" if trouble else "")
        self._camera = replace(self._camera, condition=condition, trouble=trouble)
        self._board.publish(camera=self._counted())

    def _counted(self) -> CameraHealth:
        """The camera's health with the figures of this moment."""
        times = self._judged_s
        span_s = times[-1] - times[0] if len(times) > 1 else 0.0
        rate = (len(times) - 1) / span_s if span_s > 0 and self._camera.condition in SEES else 0.0
        self._camera = replace(self._camera, dropped=self._mailbox.dropped, frames_per_second=rate)
        return self._camera


def how_it_sees(frame: Seen, view: Any) -> tuple[Condition, str | None]:
    """How the eye is doing with this frame, and in one sentence what is wrong."""
    if frame.lost:
        return Condition.LOST, frame.lost
    trouble: str | None = getattr(view, "blocked_by", None)  # an eye for single pictures has seen whatever it is shown
    if trouble is None:
        return Condition.WATCHING, None
    return (Condition.SWAYING if view.sways else Condition.HIDDEN), trouble


def renamed_cards(before: tuple[RecordLine, ...], now: tuple[RecordLine, ...]) -> Iterator[tuple[Card, Card]]:
    """Cards laid that are taken for others since a correction: as they were read, and as they are."""
    were = {each.line: each.event for each in before}
    for each in now:
        was, event = were.get(each.line), each.event
        if isinstance(event, Placed) and isinstance(was, Placed) and was.card != event.card:
            yield was.card, event.card
