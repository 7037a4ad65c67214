"""Open the files of a match (store, record, film, zones) and report which can't be written."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from vision.capture.output_file import OutputFile
from vision.capture.sources import Source
from webapp.errors import OutputLostError, WrongCallError
from webapp.live.board import TableWarning
from webapp.live.film_recorder import FilmRecorder
from webapp.live.interfaces import Line
from webapp.live.keeping import closing, film_of, kept_match, wanted_matches
from webapp.live.match_options import MatchOptions
from webapp.live.table_zones import ZonesFile
from webapp.output import as_line, note
from webapp.store.match_writer import MatchWriter
from webapp.store.matches import Matches

logger = logging.getLogger(__name__)


class RecordFile:
    """
    A record being written to ``path``. An existing file is kept (``vision.capture.output_file``).

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
                f"{path}: expected a place where the record can be written, got {error.strerror!r}; name another file"
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
                    f"{self._path}: expected room for the record, got {error.strerror!r} after {self.lines} lines, "
                    f"which are kept; {len(self._waiting)} more wait in memory: make room before the program ends"
                )
                return
            self._whole_bytes += len(self._waiting.popleft())
            self.lines += 1
        self.trouble = None

    def close(self) -> None:
        """Write the waiting lines and close the file."""
        self.try_again()
        try:
            self._file.close()
        except OSError as error:
            raise OutputLostError(f"{self._path}: expected to finish the record, got {error.strerror!r}") from None
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
        if error is None:
            self.close()
            return
        try:  # the first error, or ctrl-C, is what ends the program
            self.close()
        except OutputLostError as lost:
            note(str(lost))


@dataclass(slots=True, eq=False)
class MatchFiles:
    """
    The files of a match; None for those that are not written. ``so_far``: the lines of a match that is continued.

    ``is_over``: the match has ended; the store then lists it as ended.
    """

    zones: ZonesFile | None = None
    record: RecordFile | None = None
    matches: Matches | None = None
    kept: MatchWriter | None = None
    film: FilmRecorder | None = None
    so_far: Sequence[Line] = ()
    is_over: bool = False

    @classmethod
    def open(cls, parts: ExitStack, options: MatchOptions, source: Source, matches: Matches | None) -> Self:
        """Open what the options name; ``parts`` closes it. ``matches``: None opens the store of the options."""
        files = cls(zones_file(options), record_file(parts, options))
        if not source.stills:
            files.matches = matches or wanted_matches(parts, options.keeping)
        files.kept, files.so_far = kept_match(files.matches, options.keeping)
        if files.record is not None:
            for line in files.so_far:
                files.record.write(line)
        if files.kept is not None:
            parts.enter_context(closing(files.kept, lambda: files.is_over))
        if options.keeping.film:
            files.film = film_of(parts, files.matches, files.kept, live=source.live)
        return files

    @property
    def warnings(self) -> tuple[TableWarning, ...]:
        """Retry waiting lines, then return warnings about what can't be written now, or soon."""
        for writer in (self.record, self.kept):
            if writer is not None:
                writer.try_again()
        writers = {"record": self.record, "film": self.film, "store": self.kept}
        troubles = [(about, writer and writer.trouble) for about, writer in writers.items()]
        troubles.append(("disk", self.film and self.film.warning))
        return tuple(TableWarning(about, trouble) for about, trouble in troubles if trouble)


def record_file(parts: ExitStack, options: MatchOptions) -> RecordFile | None:
    """Open the record to write, None where none is wanted; ``WrongCallError`` where it is a file that is read."""
    path = options.files.record
    if path is None:
        return None
    check_not_read(path, "--record", options.source, options.files.start)
    return parts.enter_context(RecordFile(path))


def zones_file(options: MatchOptions) -> ZonesFile | None:
    """Return the file of zones, None where none is wanted; ``WrongCallError`` where it is a file that is read."""
    path = options.files.zones
    if path is None:
        return None
    check_not_read(path, "--zones", options.source, options.files.start, options.files.record)
    return ZonesFile(path)


def check_not_read(path: Path, option: str, *used: str | Path | None) -> None:
    """Raise ``WrongCallError`` where ``path`` is one of the files that are used already."""
    for other in used:
        if other is not None and (
            path == Path(other) or (path.exists() and Path(other).exists() and path.samefile(other))
        ):
            raise WrongCallError(f"expected {option} to name another file than the one being read, got {path}")
