"""
Open the files of a match (store, record, film, zones) and report which can't be written.

Also opens the store of stored matches, begins, continues and closes a stored match, and records its film.
"""

from __future__ import annotations

import logging
import socket
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from vision.capture.sources import Source
from vision.capture.video_writer import OutputFile
from vision.data_home import data_home
from webapp.errors import OutputLostError, StoreError, UnusableInputError, WrongCallError
from webapp.live.board import TableWarning
from webapp.live.film_recorder import FilmRecorder
from webapp.live.match_options import KeepingOptions, MatchOptions
from webapp.live.table_zones import ZonesFile
from webapp.match.log import Line
from webapp.output import as_line, note
from webapp.shipped_recording import key_of
from webapp.store.database import Database
from webapp.store.films import FOLDER as FILMS
from webapp.store.films import Films
from webapp.store.match_writer import FOLDER, MatchWriter, hand_in
from webapp.store.matches import Matches, RecordEntry, Writing
from webapp.versions import versions


def open_matches(parts: ExitStack, store: str | None, films: Path | None = None) -> Matches:
    """
    Open the store at a URL, None for the default one, with its folder of films; ``parts`` closes it.

    Lines that an earlier run could not write are written first.
    """
    database = Database.open(store)
    parts.callback(database.close)
    matches = Matches(database, Films(films or (database.folder or data_home()) / FILMS))
    logger.info("matches are kept in %s", matches.name)
    for sentence in hand_in(data_home() / FOLDER, matches):
        note(sentence)
    return matches


def wanted_matches(parts: ExitStack, options: KeepingOptions) -> Matches | None:
    """
    Open the store that the options name; None where no match is kept.

    ``StoreError`` where it cannot be used and ``options.must_keep``, or where its URL was given.
    """
    if not options.keep:
        return None
    try:
        return open_matches(parts, options.store, options.films)
    except StoreError as error:
        if options.must_keep or options.store is not None:
            raise StoreError(f"{error} (--no-keep plays without keeping the match)") from None
        note(f"{error}; this match is not kept")
        return None


def table_of(options: KeepingOptions) -> str:
    return options.table or socket.gethostname() or "table"


def stored_match(
    matches: Matches | None, options: KeepingOptions, recording: str | None = None, deck: str | None = None
) -> tuple[MatchWriter | None, tuple[Mapping[str, Any], ...]]:
    """
    Begin a match in the store, or continue the one that ``options.resume`` names; return it with its record so far.

    ``recording``: the key of the film that is refereed; None: a camera. ``deck``: the players' own, None for any.
    (None, ()) without a store; ``WrongCallError`` where there is none to continue in.
    """
    if matches is None:
        if options.resume is not None:
            raise WrongCallError("expected moving pictures to go on with a match, got stills; name a video or a camera")
        return None, ()
    table, so_far = table_of(options), tuple[RecordEntry, ...]()
    if options.resume is None:  # the store lists it from its first line on
        made_with = versions() if deck is None else {**versions(), "deck": deck}
        writing = Writing.begin(table, datetime.now().astimezone(), made_with, recording)
    else:
        match = options.resume or matches.newest_open(table)
        if match is None:
            raise UnusableInputError(
                f"expected a match of table {table!r} that has not ended, found none; 'kozyr matches' lists all with "
                "IDs"
            )
        writing, so_far = matches.take_over(match)
    match_writer = MatchWriter(matches, writing, data_home() / FOLDER, time.monotonic, note, so_far)
    return match_writer, tuple(entry.data for entry in so_far)


def film_of(
    parts: ExitStack, matches: Matches | None, match_writer: MatchWriter | None, *, live: bool
) -> FilmRecorder | None:
    """Begin to film a stored match, None if it is not kept; delete films that are too old."""
    if match_writer is None or matches is None or matches.films is None:
        return None
    for sentence in matches.films.tidy(match_writer.match):
        note(sentence)
    film = FilmRecorder(matches.films, lambda: match_writer.match, waits=not live, is_whole=not live, tell=note)
    parts.callback(film.close)
    match_writer.film = film
    return film


def finish(close: Callable[[], None], error: BaseException | None) -> None:
    """Close a file at the end of a block; the first error, such as ctrl-C within it, is what ends the program."""
    try:
        close()
    except OutputLostError as lost:
        if error is None:
            raise
        note(str(lost))


logger = logging.getLogger(__name__)


class RecordFile:
    """
    A record being written to ``path``. An existing file is kept (``vision.capture.video_writer``).

    If the disk is full, the file keeps its whole lines, the others wait in memory and ``trouble`` reports it; the next
    line, or ``try_again``, writes all waiting lines. Raises ``OutputLostError`` if the file can't be opened, and in
    ``close`` if lines still wait.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._whole_bytes = 0
        self._waiting: deque[bytes] = deque()
        self.lines = 0
        self.trouble: str | None = None
        try:
            self._file = OutputFile(path)
        except OSError as error:
            raise OutputLostError(
                f"The operating system refused: {path}: {error.strerror}; name another file for the record"
            ) from None
        logger.info("the record is written to %s", path)

    def write(self, line: Mapping[str, Any]) -> None:
        """Append one line and flush it at once, or as soon as there is space."""
        self._waiting.append(f"{as_line(line)}\n".encode())
        self.try_again()

    def try_again(self) -> None:
        """Write the waiting lines in order, as far as there is space."""
        while self._waiting:
            try:
                self._file.write(self._waiting[0])
            except OSError as error:
                self._file.cut_back(self._whole_bytes)
                self.trouble = (
                    f"The operating system refused: {self._path}: {error.strerror}; {self.lines} lines of the record "
                    f"are kept, {len(self._waiting)} more wait in memory: make room before the program ends"
                )
                return
            self._whole_bytes += len(self._waiting.popleft())
            self.lines += 1
        self.trouble = None

    def close(self) -> None:
        self.try_again()
        try:
            self._file.close()
        except OSError as error:
            raise OutputLostError(
                f"The operating system refused: {self._path}: {error.strerror}; the record may lack its end"
            ) from None
        if self._waiting:
            raise OutputLostError(
                f"{self._path}: expected room for the record, got none: {self.lines} lines are kept, "
                f"{len(self._waiting)} are lost; make room or name another file with --record"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        finish(self.close, error)


@dataclass(slots=True, eq=False)
class MatchFiles:
    """
    The files of a match; None for those that are not written. ``so_far``: the lines of a match that is continued.

    ``recording``: the key of the film that is refereed, None for a camera. ``is_over``: the match has ended; the store
    then lists it as ended.
    """

    zones: ZonesFile | None = None
    record: RecordFile | None = None
    matches: Matches | None = None
    match_writer: MatchWriter | None = None
    film: FilmRecorder | None = None
    so_far: Sequence[Line] = ()
    recording: str | None = None
    is_over: bool = False

    @classmethod
    def open(cls, parts: ExitStack, options: MatchOptions, source: Source, matches: Matches | None) -> Self:
        """Open what the options name; ``parts`` closes it. ``matches``: None opens the store of the options."""
        files, used = cls(), [options.source, options.files.start]
        for option, path in (("--record", options.files.record), ("--zones", options.files.zones)):
            if path is not None and any(_is_same(path, Path(other)) for other in used if other is not None):
                raise WrongCallError(f"expected {option} to name another file than the one being read, got {path}")
            used.append(path)
        files.zones = None if options.files.zones is None else ZonesFile(options.files.zones)
        if options.files.record is not None:
            files.record = parts.enter_context(RecordFile(options.files.record))
        if not source.stills:
            files.matches = matches or wanted_matches(parts, options.keeping)
        files.recording = None if source.live else key_of(Path(options.source))
        files.match_writer, files.so_far = stored_match(
            files.matches, options.keeping, files.recording, options.detector.kept_deck
        )
        if files.record is not None:
            for line in files.so_far:
                files.record.write(line)
        if (match_writer := files.match_writer) is not None:
            parts.push(lambda kind, error, trace: finish(lambda: match_writer.close(ended=files.is_over), error))
        if options.keeping.film:
            files.film = film_of(parts, files.matches, files.match_writer, live=source.live)
        return files

    @property
    def warnings(self) -> tuple[TableWarning, ...]:
        """Retry waiting lines, then return warnings about what can't be written now, or soon."""
        for writer in (self.record, self.match_writer):
            if writer is not None:
                writer.try_again()
        writers = {"record": self.record, "film": self.film, "store": self.match_writer}
        troubles = [(about, writer and writer.trouble) for about, writer in writers.items()]
        troubles.append(("disk", self.film and self.film.warning))
        return tuple(TableWarning(about, trouble) for about, trouble in troubles if trouble)


def _is_same(path: Path, other: Path) -> bool:
    return path == other or (path.exists() and other.exists() and path.samefile(other))
