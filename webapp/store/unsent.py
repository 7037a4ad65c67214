"""
Keep lines that the store cannot accept in files on this machine's disk, one per match, and store them later.

The first line of a file names match and store; then comes a line for each entry, flushed to the disk one by one. If the
program ends before the store works again, the next one that opens the same store writes them.
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
    """The waiting entries of one match. A full disk is not reported separately: the entries are in memory, too."""

    def __init__(self, folder: Path, store: str, writing: Writing) -> None:
        self.path = folder / f"{writing.match}{SUFFIX}"
        self._head = {"store": store, **asdict(writing), "started": writing.started.isoformat()}

    def add(self, entries: Sequence[RecordEntry], *, ended: bool = False) -> bool:
        """Append entries, and whether the match has ended; return whether they are on the disk."""
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
        """Delete the file: no entry waits any more."""
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)


def hand_in(folder: Path, matches: Matches) -> Iterator[str]:
    """
    Write the entries that earlier programs left in ``folder`` into this store; yield a sentence for each file.

    Files of other stores, and those that cannot be read, stay.
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
    """Yield the lines of a file, without a last one that was cut off."""
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
        if line.endswith("\n"):
            yield json.loads(line)
