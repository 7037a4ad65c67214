"""
Keep the films of matches: files in one folder, named by the match's ID, deleted when they are old or too large.

A match has ``ID.mp4``; each time it is continued it gets another part, ``ID.2.mp4``, ``ID.3.mp4``, and so on. A match
is defined by its record: one whose film is deleted can still be replayed.

Films that people drop on the page are received in pieces, into a folder of their own until they are complete. One that
would not fit on the disk is refused before its first piece. A piece is accepted only where the one before ended, so the
page sends a lost one again. Uploads that are not continued are deleted.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import count, takewhile
from pathlib import Path

from vision.capture.film_file import Film, FilmFile
from vision.capture.video_writer import FilmError
from webapp.errors import OutputLostError, UnusableInputError

FOLDER = "films"
"""Beside the SQLite file, or in the program's data folder."""
ID = re.compile(r"[A-Za-z0-9-]{1,40}")
PART = re.compile(rf"(?P<match>{ID.pattern})(\.[0-9]{{1,4}})?\.mp4")
DAY_S = 24 * 3600


@dataclass(frozen=True, slots=True)
class RetentionSettings:
    """How long films are kept. Set by hand, 2026-11: an evening of four hours takes 2 to 6 GB."""

    days: float = 30.0
    """Days after which a film is deleted."""
    gigabytes: float = 20.0
    """Most gigabytes of all films together; beyond that the oldest are deleted first."""
    low_gigabytes: float = 0.6
    """Free gigabytes on the disk below which the page warns while a game is filmed: twenty minutes of film."""
    running_s: float = 120.0
    """Seconds since the last write for which a film counts as running and is not deleted."""


FILMS_READY = 4
"""Number of films whose index is kept in memory, a megabyte for two hours of film. Set by hand, 2026-11."""


class Films:
    """The films in a folder, which need not exist yet."""

    def __init__(
        self,
        folder: Path,
        settings: RetentionSettings = RetentionSettings(),
        now_s: Callable[[], float] = time.time,
        free_bytes: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free,
    ) -> None:
        self.folder, self.settings = folder, settings
        self._now_s, self._free_bytes = now_s, free_bytes
        self._read: dict[Path, FilmFile] = {}
        self._films: dict[str, tuple[tuple[int, int], Film]] = {}

    @property
    def promise(self) -> str:
        """Return the sentence that tells people where films are kept and for how long."""
        kept = self.settings
        return (
            f"films are kept in {self.folder} and deleted after {kept.days:g} days, the oldest first if they "
            f"take more than {kept.gigabytes:g} GB"
        )

    @property
    def is_room_scarce(self) -> bool:
        """Check whether the disk of the films is nearly full; False before their folder exists."""
        with suppress(OSError):
            return self._free_bytes(self.folder) < self.settings.low_gigabytes * 1e9
        return False

    def has(self, match: str) -> bool:
        return bool(self.parts(match))

    def parts(self, match: str) -> tuple[Path, ...]:
        """Return the files of a match, in order; none if its ID is invalid."""
        first = self.folder / f"{match}.mp4"
        if not ID.fullmatch(match) or not first.is_file():
            return ()
        later = (self.folder / f"{match}.{number}.mp4" for number in count(2))
        return (first, *takewhile(Path.is_file, later))

    def new_part(self, match: str) -> Path:
        """Return the path of the next part of a match's film; create the folder. ``FilmError`` if that fails."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FilmError(
                f"The operating system refused: {self.folder}: {error.strerror}; name another folder with --films"
            ) from None
        there = len(self.parts(match))
        return self.folder / (f"{match}.{there + 1}.mp4" if there else f"{match}.mp4")

    def film(self, match: str, fragments: int | None = None) -> Film | None:
        """Return the film of a match as it is now; None if there is none, or no complete fragment of it yet."""
        files = []
        for path in self.parts(match):
            with suppress(FilmError):
                file = self._read.get(path)
                if file is None:
                    file = self._read[path] = FilmFile(path)
                else:
                    file.refresh()  # only its new part is read
                files.append(file)
        there = sum(len(file.fragments) for file in files)
        taken = (len(files), there if fragments is None else min(there, fragments))
        if not files:
            return None
        known = self._films.pop(match, None)
        if known is None or known[0] != taken:  # players request it in parts: it is built again only if it has grown
            known = taken, Film(files, fragments)
        self._films[match] = known
        while len(self._films) > FILMS_READY:
            self._films.pop(next(iter(list(self._films))), None)
        return known[1] if known[1].fragments else None

    def delete(self, match: str) -> None:
        """Delete the film of a match. ``FilmError`` if a file can't be deleted."""
        for path in reversed(self.parts(match)):  # the first goes last: without it nobody looks for the others
            self._read.pop(path, None)
            self._films.pop(match, None)
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise FilmError(
                    f"The operating system refused: {path}: {error.strerror}; delete the film by hand"
                ) from None

    def tidy(self, running: str | None = None) -> Iterator[str]:
        """Delete films that are too old or too many, never that of match ``running``; yield a sentence for each."""
        found: dict[str, list[os.stat_result]] = defaultdict(list)
        with suppress(OSError):
            for entry in os.scandir(self.folder):
                if named := PART.fullmatch(entry.name):
                    with suppress(OSError):
                        found[named["match"]].append(entry.stat())
        deletable = []
        for match, files in found.items():
            written_s = max(file.st_mtime for file in files)
            if match != running and self._now_s() - written_s >= self.settings.running_s:
                deletable.append((written_s, sum(file.st_size for file in files), match))
        total = sum(size for _, size, _ in deletable)
        for written_s, size, match in sorted(deletable):
            too_old = self._now_s() - written_s > self.settings.days * DAY_S
            if not too_old and total <= self.settings.gigabytes * 1e9:
                continue
            try:
                self.delete(match)
            except FilmError as error:
                yield str(error)
                continue
            total -= size
            why = (
                f"it is older than {self.settings.days:g} days"
                if too_old
                else f"films take more than {self.settings.gigabytes:g} GB"
            )
            yield f"the film of match {match} was deleted, since {why}; its record stays"


INCOMING_FOLDER = "incoming"
"""In the folder of films."""


@dataclass(frozen=True, slots=True)
class IncomingLimits:
    """Limits on films that are received. Set by hand, 2026-11."""

    gigabytes: float = 8.0
    """Most gigabytes of one film: four hours of a phone's 720p."""
    spare_gigabytes: float = 2.0
    """Gigabytes that stay free on the disk for the running game, besides the film and half its size for the film that
    is kept of it."""
    at_once: int = 4
    """Most films received at the same time."""
    idle_s: float = 3600.0
    """Seconds without a piece after which a film is deleted; a tablet that sleeps continues later."""
    silent_s: float = 60.0
    """Seconds without a piece after which a film makes way for another one, if as many as may be are being sent."""


@dataclass(slots=True)
class _Incoming:
    path: Path
    size: int
    touched_s: float
    received: int = 0


class IncomingFilms:
    """Films being received into ``folder``, which need not exist yet; leftovers of an earlier run are deleted."""

    def __init__(
        self,
        folder: Path,
        limits: IncomingLimits = IncomingLimits(),
        *,
        now_s: Callable[[], float] = time.monotonic,
        wall_s: Callable[[], float] = time.time,
        free_bytes: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free,
    ) -> None:
        self.folder, self.limits = folder, limits
        self._now_s, self._wall_s, self._free_bytes = now_s, wall_s, free_bytes
        self._coming: dict[str, _Incoming] = {}
        self._lock = threading.RLock()
        self._remove_old()

    def begin(self, suffix: str, size: int) -> str:
        """
        Begin to receive a film of ``size`` bytes whose name ends in ``suffix``; return the key for its pieces.

        ``UnusableInputError`` if it is too large, ``OutputLostError`` if there is no room.
        """
        with self._lock:
            self._remove_old()
            if not 0 < size <= self.limits.gigabytes * 1e9:
                raise UnusableInputError(
                    f"expected a film of at most {self.limits.gigabytes:g} GB, got {size / 1e9:.1f} GB; "
                    "review it by the command: kozyr review FILM --keep"
                )
            if len(self._coming) >= self.limits.at_once:
                longest = min(self._coming, key=lambda key: self._coming[key].touched_s)
                if self._now_s() - self._coming[longest].touched_s > self.limits.silent_s:
                    self.drop(longest)
            if len(self._coming) >= self.limits.at_once:
                raise OutputLostError(
                    f"expected at most {self.limits.at_once} films sent at once, got one more; wait for one of them"
                )
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                free = self._free_bytes(self.folder)
                coming = sum(film.size - film.received for film in self._coming.values())
                needed = 1.5 * size + coming + self.limits.spare_gigabytes * 1e9
                if free < needed:
                    raise OutputLostError(
                        f"{self.folder}: expected {needed / 1e9:.1f} GB of room for the film, got {free / 1e9:.1f} GB; "
                        "make room, or keep films elsewhere with --films"
                    )
                key = secrets.token_hex(8)
                path = self.folder / f"{key}{suffix}"
                path.touch(exist_ok=False)
            except OSError as error:
                raise self._lost(error) from None
            self._coming[key] = _Incoming(path, size, self._now_s())
            return key

    def add(self, key: str, at: int, piece: bytes) -> int:
        """
        Append the piece that begins at byte ``at``; return the number of bytes received so far.

        A piece that does not begin where the last one ended changes nothing. ``UnusableInputError`` for an unknown key.
        """
        with self._lock:
            film = self._film(key)
            film.touched_s = self._now_s()
            if at != film.received:
                return film.received
            if at + len(piece) > film.size:
                raise UnusableInputError(f"expected a film of {film.size} bytes, got more; drop it on the page again")
            try:
                with film.path.open("ab") as file:
                    file.write(piece)
            except OSError as error:
                self.drop(key)
                raise self._lost(error) from None
            film.received += len(piece)
            return film.received

    def file(self, key: str) -> Path:
        """Return the file of a complete film; ``UnusableInputError`` if it is not complete."""
        with self._lock:
            film = self._film(key)
            film.touched_s = self._now_s()
            if film.received < film.size:
                raise UnusableInputError(
                    f"expected the whole film of {film.size} bytes first, got {film.received}; send the rest"
                )
            return film.path

    def take(self, key: str) -> Path:
        """Return the file of a complete film, which the caller deletes after use."""
        with self._lock:
            path = self.file(key)
            del self._coming[key]
            return path

    def drop(self, key: str) -> None:
        with self._lock:
            film = self._film(key)
            del self._coming[key]
            with suppress(OSError):
                film.path.unlink(missing_ok=True)

    def _film(self, key: str) -> _Incoming:
        film = self._coming.get(key)
        if film is None:
            raise UnusableInputError(
                f"expected the key of a film that is being sent, got {key!r:.40}; drop it on the page again"
            )
        return film

    def _lost(self, error: OSError) -> OutputLostError:
        return OutputLostError(
            f"The operating system refused: {self.folder}: {error.strerror}; make room and drop the film again"
        )

    def _remove_old(self) -> None:
        for key, film in list(self._coming.items()):
            if self._now_s() - film.touched_s > self.limits.idle_s:
                self.drop(key)
        with suppress(OSError):
            for path in self.folder.iterdir():
                if self._wall_s() - path.stat().st_mtime > 24 * self.limits.idle_s:
                    path.unlink(missing_ok=True)
