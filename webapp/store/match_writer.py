"""
Write the running match into the store: every line is committed before anybody sees it.

If the store fails the game goes on: lines wait in memory, and on this machine's own disk where it takes them, and
are written in order as soon as the store works again. ``trouble`` says what is wrong meanwhile, for whoever asks.

On the disk there is a file per match. Its first line names match and store; then comes a line for each entry, flushed
one by one. If the program ends before the store works again, the next one that opens the same store writes them.

A disk that is full is full for the store and for this file. So a running match holds ``ROOM_BYTES`` in a file of its
own, which is deleted when the first entries wait and find no room.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy.exc import DBAPIError

from webapp.errors import MatchDeletedError, MatchTakenError, OutputLostError, StoreError, StoreReplacedError
from webapp.store.matches import Matches, RecordEntry, Writing

logger = logging.getLogger(__name__)

FOLDER = "unsent"
"""In the program's data folder."""
SUFFIX = ".jsonl"
ROOM_SUFFIX = ".room"
ROOM_BYTES = 1 << 20
"""Bytes that a running match holds for waiting entries: 5,000 lines without pictures. Set by hand, 2026-11."""
ROOM_LASTS_S = 24 * 3600.0
"""Seconds after which the room of a match is deleted: every match is shorter."""


class Unsent:
    """The waiting entries of one match. On a full disk ``add`` returns False; the entries stay in memory."""

    def __init__(self, folder: Path, store: str, writing: Writing) -> None:
        self.path = folder / f"{writing.match}{SUFFIX}"
        self._room = self.path.with_suffix(ROOM_SUFFIX)
        self._head = {"store": store, **asdict(writing), "started": writing.started.isoformat()}

    def hold_room(self) -> None:
        """Take the room for waiting entries, as long as the disk has some."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self._room.open("wb") as file:
                file.write(os.urandom(ROOM_BYTES))  # zeros would take no room on some file systems
        except OSError:
            self.free_room()

    def free_room(self) -> None:
        with contextlib.suppress(OSError):
            self._room.unlink(missing_ok=True)

    def add(self, entries: Sequence[RecordEntry], *, ended: bool = False) -> bool:
        """Append entries, and whether the match has ended; return whether they are on the disk."""
        if not self._add(entries, ended=ended):
            self.free_room()
            return self._add([replace(entry, crop=None) for entry in entries], ended=ended)
        return True

    def _add(self, entries: Sequence[RecordEntry], *, ended: bool) -> bool:
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
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)


def hand_in(folder: Path, matches: Matches) -> Iterator[str]:
    """
    Write the entries that earlier programs left in ``folder`` into this store; yield a sentence for each file.

    Files of other stores, and those that cannot be read, stay. Room that a killed program held is freed after a day.
    """
    for path in folder.glob(f"*{ROOM_SUFFIX}"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > ROOM_LASTS_S:
                path.unlink()
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        try:
            written = path.read_text(encoding="utf-8").splitlines(keepends=True)
            lines = [json.loads(line) for line in written if line.endswith("\n")]  # a last one may be cut off
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


FIRST_WAIT_S, LONGEST_WAIT_S = 1.0, 30.0
"""Seconds after which a store that failed is tried again, doubled each time up to the longest: a try may hold up the
game for seconds (``webapp.store.database.WAIT_S``)."""

CROPS_KEPT = 64
"""Number of stored lines whose pictures stay in memory, 20 kB each: a store that was put back from a copy of the last
minutes gets them again. Lines themselves are kept all."""


class Filmed(Protocol):
    """The film of the match (``webapp.live.film_recorder``)."""

    def frame_at(self, at_s: float) -> tuple[int, float] | None:
        """Return number and time of the film's newest frame at a time."""

    def crop_of(self, line: Mapping[str, Any]) -> tuple[str, str] | None:
        """Return the card of a line as it was read, and its picture, a JPEG in base64."""


class MatchWriter:
    """
    Writes one match into the store.

    ``so_far``: the lines of a match that is continued. ``unsent``: the folder for lines that the store cannot accept.
    ``clock``: seconds, monotonic. ``tell`` is called with sentences for people, besides ``trouble``. ``film``: set by
    whoever films the match; None: it is not filmed.
    """

    def __init__(
        self,
        matches: Matches,
        writing: Writing,
        unsent: Path,
        clock: Callable[[], float],
        tell: Callable[[str], None] = lambda sentence: None,
        so_far: Sequence[RecordEntry] = (),
    ) -> None:
        self._matches, self._writing, self._folder = matches, writing, unsent
        self._notify = tell
        self.film: Filmed | None = None
        self._unsent = Unsent(unsent, matches.name, writing)
        self._entries = list(so_far)
        self._stored = len(self._entries)
        self._clock = clock
        self._again_s: float | None = None  # when a store that failed is tried again
        self._wait_s = FIRST_WAIT_S
        self._set_aside = 0
        self._is_deleted = self._holds_room = False
        self._failure: str | None = None
        self._in_memory = 0

    @property
    def trouble(self) -> str | None:
        """Return what is wrong with the store, and how many lines are in memory alone; None if nothing is."""
        if self._failure is None or not self._in_memory:
            return self._failure
        return f"{self._failure}; {self._in_memory} lines are in memory alone: make room before the program ends"

    @property
    def match(self) -> str:
        return self._writing.match

    def write(
        self, line: Mapping[str, Any], said: tuple[Mapping[str, Any], ...] = (), result: Mapping[str, Any] | None = None
    ) -> None:
        """Keep a line with its rulings; it is stored when this returns, or ``trouble`` says why not."""
        at_s = line.get("at")
        moment = None if at_s is None or self.film is None else self.film.frame_at(at_s)
        crop = None if moment is None or self.film is None else self.film.crop_of(line)
        self._entries.append(RecordEntry(len(self._entries) + 1, line, said, result, moment, crop))
        if not self._holds_room:
            self._holds_room = True
            self._unsent.hold_room()
        if not self._hand_over():
            self._put_aside()

    def try_again(self) -> None:
        """Store the waiting lines if a retry is due."""
        if self._again_s is not None:
            self._hand_over()

    def end(self) -> None:
        """List the match as ended; people may still correct it. A store that fails now is asked again by ``close``."""
        if self._entries and self._hand_over() and not self._is_deleted:
            with suppress(StoreError):
                self._matches.end(self._writing)

    def close(self, *, ended: bool) -> None:
        """
        Store the waiting lines, and whether the match has ended. ``OutputLostError`` if lines could not be kept at all.
        """
        try:
            if self._is_deleted or not self._entries:
                return
            self._again_s, trouble = None, None
            if self._hand_over() and ended:
                try:
                    self._matches.end(self._writing)
                except (MatchDeletedError, MatchTakenError):
                    return  # it is for others now to say whether it has ended
                except StoreError as error:
                    trouble = str(error)
            trouble = self._failure or trouble
            if trouble is None or self._is_deleted:
                return
            waiting = len(self._entries) - self._stored
            if self._put_aside(ended=ended):
                self._notify(f"{trouble}; {waiting} lines wait in {self._unsent.path}: the next start hands it in")
            elif waiting:
                raise OutputLostError(f"{trouble}; the last {waiting} lines of match {self.match} are lost")
        finally:
            self._unsent.free_room()

    def _hand_over(self) -> bool:
        """Try to store all waiting lines; return whether none waits any more."""
        if self._is_deleted:
            return True
        if self._again_s is not None and self._clock() < self._again_s:
            return False
        try:
            self._append()
        except MatchTakenError as error:
            self._begin_other(error)
            return self._hand_over()
        except MatchDeletedError as error:
            self._is_deleted, self._failure = True, str(error)
            self._unsent.clear()
            return True
        except StoreReplacedError as error:
            self._stored = self._set_aside = 0  # the new file may lack all of it
            self._wait(error)
            return False
        except StoreError as error:
            self._wait(error)
            return False
        # The pictures of the lines that were just stored are dropped, except of the newest.
        for place in range(*(max(0, count - CROPS_KEPT) for count in (self._stored, len(self._entries)))):
            self._entries[place] = replace(self._entries[place], crop=None)
        self._stored = len(self._entries)
        if self.trouble is not None:
            self._unsent.clear()
            self._unsent.hold_room()
            self._set_aside, self._in_memory, self._failure = 0, 0, None
            self._again_s, self._wait_s = None, FIRST_WAIT_S
        return True

    def _append(self) -> None:
        waiting = self._entries[self._stored :]
        if not waiting:
            return
        try:
            self._matches.append(self._writing, waiting)
        except StoreError as error:
            if not (isinstance(error.__cause__, DBAPIError) and error.__cause__.connection_invalidated):
                raise
            self._matches.append(self._writing, waiting)  # the server was restarted: a new connection may work

    def _wait(self, error: StoreError) -> None:
        logger.info("match %s, %d lines wait: %s", self.match, len(self._entries) - self._stored, error)
        self._failure = f"{error}; the game goes on, and what the store lacks is written when it works again"
        self._again_s = self._clock() + self._wait_s
        self._wait_s = min(2 * self._wait_s, LONGEST_WAIT_S)

    def _put_aside(self, *, ended: bool = False) -> bool:
        """Write the waiting lines to this machine's disk; return whether all are there."""
        fresh = self._entries[max(self._stored, self._set_aside) :]
        if self._unsent.add(fresh, ended=ended):
            self._set_aside, self._in_memory = len(self._entries), 0
            return True
        self._in_memory = len(fresh)
        return False

    def _begin_other(self, error: MatchTakenError) -> None:
        """Continue as a new match with all lines so far, since another program continues the old one."""
        self._unsent.clear()
        self._unsent.free_room()
        old, self._stored, self._set_aside = self._writing, 0, 0
        self._writing = Writing.begin(old.table, old.started, old.versions, old.recording)
        self._unsent = Unsent(self._folder, self._matches.name, self._writing)
        self._unsent.hold_room()
        self._notify(f"{error}; this game goes on as match {self.match}")
