"""Write the record to disk line by line, so that written lines survive any later failure."""

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
