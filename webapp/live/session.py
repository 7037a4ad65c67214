"""
Process a match from frame to page: every command, page and job that referees opens a match here.

    frame -> pipeline -> events  \\
    press, correction            -> match -> MatchUpdate(lines)

A session owns no thread, reads no clock and knows no HTTP: ``webapp.live.runtime`` calls it live, and
``webapp.live.review_loop`` for a recording. Its methods are called from one thread.
"""

from __future__ import annotations

import logging
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Self

from msgspec import structs

from referee.events import Blocked, Corrected, Placed, Pressed, Reread
from referee.record import Header
from vision.capture.sources import Frame, Source, open_source
from vision.pipeline import Pipeline
from vision.view.observer import PipelineObserver
from webapp.live.film_recorder import CardCrops
from webapp.live.match_files import MatchFiles
from webapp.live.match_options import MatchOptions
from webapp.live.picture_reader import PictureLog, TablePipeline
from webapp.live.vision_opening import pipeline_and_match
from webapp.match.log import Line, MatchLog, MatchUpdate, record_of
from webapp.match.open_matters import Answered
from webapp.store.matches import Matches

logger = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class MatchSession:
    """
    One match: its frames, the vision pipeline, the match and the files it is written to.

    ``statements``: presses of an earlier run, judged again at their times. ``began_at_s``: the second of the match at
    which the frames begin, after those of an earlier run. ``frame_s``: how long a frame lasts.
    """

    header: Header
    frames: Iterable[Any]
    pipeline: TablePipeline
    match: MatchLog | PictureLog
    files: MatchFiles = field(default_factory=MatchFiles)
    statements: Sequence[Pressed] = ()
    began_at_s: float = 0.0
    frame_s: float = 0.0
    _at_s: float = field(default=0.0, init=False)
    _is_blocked: bool = field(default=False, init=False)
    _unfilmed: CardCrops = field(default_factory=CardCrops, init=False)
    _parts: ExitStack = field(default_factory=ExitStack, init=False)

    @classmethod
    def open(
        cls,
        options: MatchOptions,
        *,
        source: Source | None = None,
        matches: Matches | None = None,
        record: Sequence[Line] = (),
        statements: Sequence[Pressed] = (),
        observer: PipelineObserver | None = None,
    ) -> Self:
        """
        Open a match; the session closes what it opened.

        ``source``: None opens ``options.source``. ``matches``: an open store, None opens that of the options.
        ``record``: lines of the match from before the source. Raises ``KozyrError``, ``SourceError``, ``WeightsError``,
        ``OwnDeckError`` or ``RefereeError`` with one sentence where something cannot be used.
        """
        with ExitStack() as parts:
            if source is None:
                source = parts.enter_context(open_source(options.source))
            files = MatchFiles.open(parts, options, source, matches)
            began_at_s = float(files.so_far[-1].get("at", 0.0)) if files.so_far else 0.0
            record = files.so_far or record
            if record:
                options = replace(options, header=Header.parse(record[0]))
            pipeline, match = pipeline_and_match(options, source, files, record, observer)
            frames: Iterable[Any] = source
            if began_at_s:  # the match continues after an earlier source
                frames = (replace(frame, at=frame.at + began_at_s) for frame in source)
            frame_s = 1 / source.fps
            session = cls(options.header, frames, pipeline, match, files, statements, began_at_s, frame_s)
            session._parts = parts.pop_all()
        return session

    def begin(self) -> MatchUpdate:
        """Return the header's line and the announcements of the position; called before the first frame."""
        return self._update(self.match.open())

    def on_frame(self, frame: Frame) -> MatchUpdate:
        """Process a frame, film it, and judge the events that became certain with it."""
        events = tuple(self._news(self.pipeline.feed(frame)))
        self._at_s = frame.at
        film = self.files.film
        if film is not None and frame.lost is None:
            film.look(frame, self.pipeline.view, events)
        if self.files.match_writer is not None and not (film is not None and film.is_on) and frame.lost is None:
            self._unfilmed.look(frame.image_bgr, self.pipeline.view, events)
        due = [statement for statement in self.statements if statement.at <= frame.at]
        self.statements = self.statements[len(due) :]
        lines = self.match.judge(*events, *due)
        return self._update((*lines, *self.match.pass_time(frame.at)))

    def on_press(self, press: Pressed | Reread) -> MatchUpdate:
        press = structs.replace(press, at=self._at_s)
        logger.info("pressed: %s", press)
        update, match_writer = self._update(self.match.judge(press)), self.files.match_writer
        line = self.match.line if isinstance(self.match, MatchLog) else None
        return replace(update, line=line, is_stored=match_writer is None or match_writer.trouble is None)

    def on_correction(self, correction: Corrected | Pressed | Answered) -> MatchUpdate:
        """
        Apply a correction, the undo of one, or an answer, at the time of the newest frame.

        ``RefereeError`` if it contradicts the record, ``NotAskedError`` if nobody asks; nothing has changed then.
        """
        assert isinstance(self.match, MatchLog), "pictures that are read one by one have nothing to correct"
        were = {believed_line.line: believed_line.event for believed_line in self.match.believed_lines}
        corrected = self.match.correct(structs.replace(correction, at=self._at_s))
        if (name := getattr(self.pipeline, "name", None)) is not None:  # it reads a still picture once
            for line, event, *_ in self.match.believed_lines:
                was = were.get(line)
                if isinstance(event, Placed) and isinstance(was, Placed) and was.card != event.card:
                    name(was.card, event.card)
        logger.info("corrected: %s", correction)
        self._update(())
        return corrected

    def crop_of(self, line: int) -> tuple[str, bytes] | None:
        """
        Return the card of a line as it was read, and its picture, a JPEG, where no film shows it; None: there is none.

        These pictures are in memory alone, the newest ones. Any thread may ask.
        """
        if not isinstance(self.match, MatchLog):
            return None
        record = record_of(tuple(self.match.lines))
        crop = self._unfilmed.of(record[line - 1]) if 0 < line <= len(record) else None
        return None if crop is None else (crop.card, b64decode(crop.jpeg))

    def on_blocked(self, reason: str) -> MatchUpdate:
        """Judge a ``blocked`` event at the time of the newest frame, since no pictures come any more."""
        return self._update(self.match.judge(*self._news((Blocked(at=self._at_s, reason=reason),))))

    def finish(self, *, has_ended: bool = True) -> MatchUpdate:
        """Judge the events left after the last frame. ``has_ended``: the recording was played to its end."""
        self.files.is_over |= has_ended
        lines = self.match.judge(*self.pipeline.finish(), *self.statements)
        update = self._update((*lines, *self.match.finish()))
        if has_ended and self.files.match_writer is not None:
            self.files.match_writer.end()
        return update

    def arrange(self, values: Mapping[str, Any]) -> MatchUpdate:
        """Take the places of seats, talon and discard pile from people, and keep them for the next game."""
        if isinstance(self.pipeline, Pipeline):
            zones = self.pipeline.zones.changed(values, self.header.seats)
            self.pipeline.arrange(zones)
            if self.files.zones is not None:
                self.files.zones.write(zones)
        return MatchUpdate()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._parts.__exit__(kind, error, trace)

    def _news(self, events: Iterable[Any]) -> Iterator[Any]:
        """
        Yield the events without a ``blocked`` that follows another, as of a stream that freezes again and again, or the
        end of the game.
        """
        for event in events:
            if isinstance(event, Blocked) and self.match.result is not None:
                continue
            was_blocked, self._is_blocked = self._is_blocked, isinstance(event, Blocked)
            if not (was_blocked and self._is_blocked):
                yield event

    def _update(self, lines: tuple[Line, ...]) -> MatchUpdate:
        self.files.is_over |= self.match.result is not None
        return MatchUpdate(lines)
