"""The record on disk: appended line by line, so that whatever happens later, what was written stays."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from vision.capture.earlier_file import keep_earlier
from webapp.errors import OutputLostError
from webapp.output import as_line


class RecordFile:
    """
    A record being written to ``path``. A file that lies there already is kept (``vision.capture.earlier_file``).

    Raises ``OutputLostError`` where it cannot be opened or a line cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines = 0
        try:
            keep_earlier(path)
            self._file: IO[str] = path.open("w", encoding="utf-8", newline="\n")
        except OSError as error:
            raise OutputLostError(
                f"{path}: expected a place where the record can be written, got {error.strerror!r}; name another file"
            ) from None

    def write(self, line: Mapping[str, Any]) -> None:
        """Append one line and hand it to the system at once."""
        try:
            self._file.write(as_line(line) + "\n")
            self._file.flush()
        except OSError as error:
            raise OutputLostError(
                f"{self._path}: expected room for the record, got {error.strerror!r} after {self._lines} lines, which "
                "are kept; make room or name another file with --record"
            ) from None
        self._lines += 1

    def close(self) -> None:
        """Let go of the file; what was written is already there."""
        try:
            self._file.close()
        except OSError as error:
            raise OutputLostError(f"{self._path}: expected to finish the record, got {error.strerror!r}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.close()
            return
        try:  # the first error is the one to tell
            self.close()
        except OutputLostError:
            return
