"""The record on disk: appended line by line, so that whatever happens later, what was written stays."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from vision.capture.output_file import OutputFile
from webapp.errors import OutputLostError
from webapp.output import as_line, note

logger = logging.getLogger(__name__)


class RecordFile:
    """
    A record being written to ``path``. A file that lies there already is kept (``vision.capture.output_file``).

    Where there is no room the file keeps its whole lines, the others wait here and ``trouble`` says so; with the next
    line, or ``try_again``, all that wait are written. Raises ``OutputLostError`` where the file can't be opened, and in
    ``close`` where lines still wait.
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
        """Append one line and hand it to the system at once, or as soon as there is room."""
        self._waiting.append(f"{as_line(line)}\n".encode())
        self.try_again()

    def try_again(self) -> None:
        """Write the lines that wait, in order, as far as there is room."""
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
        """Write what waits and let go of the file."""
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
