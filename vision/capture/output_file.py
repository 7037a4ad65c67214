"""Files that a match leaves behind: never over an earlier one, and never cut off in the middle of something."""

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
    Where the file at ``path`` is kept from now on: ``NAME.1``, ``NAME.2``, ..., the highest number being the newest.

    None where there is no file, or an empty one. ``OSError`` where it can't be moved.
    """
    if not path.is_file() or not path.stat().st_size:
        return None
    kept = next(place for n in count(1) if not os.path.lexists(place := path.with_name(f"{path.name}.{n}")))
    path.rename(kept)
    return kept


class OutputFile(io.FileIO):
    """
    A file being written from its beginning; what lay there before is kept beside it. ``new``: nothing may lie there.

    Everything raises ``OSError`` where the disk doesn't do its part; ``cut_back`` then leaves what is whole.
    """

    def __init__(self, path: Path, *, new: bool = False) -> None:
        if not new:
            keep_earlier(path)
        super().__init__(str(path), "x" if new else "w")

    def write(self, data: Buffer, /) -> int:
        """All of ``data``, at once. The system itself may write a part and say nothing."""
        left = memoryview(data)
        while left:
            left = left[super().write(left) or 0 :]
        return memoryview(data).nbytes

    def cut_back(self, size: int) -> None:
        """As it was with its first ``size`` bytes; what goes on writes there. A pipe stays as it is."""
        with suppress(OSError):
            self.seek(size)
            self.truncate(size)
