"""
What the store could not take, on this machine's own disk until it can: a file a match, handed in later.

The first line says of which match and store; then a line an entry, on the disk before the next one is. Who ends before
the store is back leaves the file, and the next program that opens the same store hands it in.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from webapp.errors import MatchDeletedError, MatchTakenError
from webapp.store.matches import Matches, RecordEntry, Writing

FOLDER = "unsent"
"""In the program's data folder."""
SUFFIX = ".jsonl"


class Unsent:
    """The entries of one match that wait. A disk that takes none of them is no trouble of its own: memory has them."""

    def __init__(self, folder: Path, store: str, writing: Writing) -> None:
        self.path = folder / f"{writing.match}{SUFFIX}"
        self._head = {"store": store, **asdict(writing), "started": writing.started.isoformat()}

    def add(self, entries: Sequence[RecordEntry], *, ended: bool = False) -> bool:
        """Append entries, and whether the match has ended; are they on the disk now?"""
        before = 0
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            before = self.path.stat().st_size if self.path.exists() else 0
            lines = [*([] if before else [self._head]), *map(asdict, entries), *([{"ended": True}] if ended else [])]
            with self.path.open("a", encoding="utf-8") as file:
                file.write("".join(json.dumps(line) + "\n" for line in lines))
                file.flush()
                os.fsync(file.fileno())
        except OSError:
            # No half of a line stays, or the next one would be joined to it.
            with contextlib.suppress(OSError):
                if before:
                    os.truncate(self.path, before)
                else:
                    self.path.unlink(missing_ok=True)
            return False
        return True

    def clear(self) -> None:
        """Nothing waits any more."""
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)


def hand_in(folder: Path, matches: Matches) -> Iterator[str]:
    """
    Hand in what programs that have ended left in ``folder`` for this store; a sentence about each file.

    What belongs to another store stays where it is, and so does what can't be used.
    """
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        try:
            lines = list(_whole_lines(path))
            head = lines[0]
            if head.pop("store") != matches.name:
                continue
            writing = Writing(**{**head, "started": datetime.fromisoformat(head["started"])})
            entries = [
                RecordEntry(**{**line, "said": tuple(line["said"])}) for line in lines[1:] if "ended" not in line
            ]
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            yield f"{path}: expected lines of a match that wait for the store, got something else; look at it by hand"
            continue
        try:
            if entries:
                matches.append(writing, entries)
            if {"ended": True} in lines:
                matches.end(writing)
        except (MatchDeletedError, MatchTakenError) as error:
            yield f"{path}: {error}; the lines in that file are not in the store"
            continue
        with contextlib.suppress(OSError):
            path.unlink()
        yield f"match {writing.match}: {len(entries)} lines that had waited are in the store now"


def _whole_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a file but for a last one that was cut off."""
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
        if line.endswith("\n"):
            yield json.loads(line)
