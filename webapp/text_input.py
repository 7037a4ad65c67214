"""Read text that people name as input: all of it or line by line, never more than a record can have."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from webapp.errors import UnusableInputError
from webapp.json_limits import MOST_BYTES


def read_text_file(path: Path) -> bytes:
    """Return the bytes of a text file; ``UnusableInputError`` above the limit, ``OSError`` where it can't be read."""
    with path.open("rb") as file:
        return _limited(file.read(MOST_BYTES + 1), str(path), "text")


def read_standard_input() -> bytes:
    """Return what comes on standard input; ``UnusableInputError`` above the limit."""
    return _limited(sys.stdin.buffer.read(MOST_BYTES + 1), "-", "text")


def limited_lines(file: IO[bytes], name: str) -> Iterator[bytes]:
    """Yield the lines of a file that may go on for ever; ``UnusableInputError`` for one that is above the limit."""
    while line := file.readline(MOST_BYTES + 1):
        yield _limited(line, name, "a line")


def _limited(content: bytes, name: str, what: str) -> bytes:
    if len(content) > MOST_BYTES:
        raise UnusableInputError(
            f"{name}: expected {what} of at most {MOST_BYTES >> 20} MB, got more; name another file"
        )
    return content
