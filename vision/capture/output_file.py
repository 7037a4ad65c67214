"""Write the files of a match: never over an earlier one, and never truncated in the middle of a record."""

from __future__ import annotations

import io
import os
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Buffer


def keep_earlier(path: Path) -> Path | None:
    """
    Move the file at ``path`` aside to ``NAME.1``, ``NAME.2``, ..., the highest number being the newest; return its
    path.

    None if there is no file, or an empty one. Raises ``OSError`` if it cannot be moved.
    """
    if not path.is_file() or not path.stat().st_size:
        return None
    kept = next(place for n in count(1) if not os.path.lexists(place := path.with_name(f"{path.name}.{n}")))
    path.rename(kept)
    return kept


class OutputFile(io.FileIO):
    """
    A file written from its beginning; an earlier file at its path is kept beside it. ``new``: none may exist.

    All methods raise ``OSError`` on a write error; ``cut_back`` then keeps the complete part.
    """

    def __init__(self, path: Path, *, new: bool = False) -> None:
        if not new:
            keep_earlier(path)
        super().__init__(str(path), "x" if new else "w")

    def write(self, data: Buffer, /) -> int:
        """Write all of ``data``; the system may write only a part without an error."""
        left = memoryview(data)
        while left:
            left = left[super().write(left) or 0 :]
        return memoryview(data).nbytes

    def cut_back(self, size: int) -> None:
        """Truncate to the first ``size`` bytes; writing continues there. A pipe is left as it is."""
        with suppress(OSError):
            self.seek(size)
            self.truncate(size)
