"""
Receive films that people drop on the page, in pieces, into a folder of their own until they are complete.

A film that would not fit on the disk is refused before its first piece. A piece is accepted only where the one before
ended, so the page sends a lost one again. Films that nobody continues are deleted.
"""

from __future__ import annotations

import contextlib
import secrets
import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from webapp.errors import OutputLostError, UnusableInputError

FOLDER = "incoming"
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
        now_s: Callable[[], float] = time.time,
        free_bytes: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free,
    ) -> None:
        self.folder, self.limits = folder, limits
        self._now_s, self._free_bytes = now_s, free_bytes
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
                raise OutputLostError(
                    f"expected at most {self.limits.at_once} films sent at once, got one more; wait for one of them"
                )
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                free = self._free_bytes(self.folder)
                coming = sum(each.size - each.received for each in self._coming.values())
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

    def take(self, key: str) -> Path | None:
        """Return the file of a complete film, which the caller deletes after use; None if it is not complete."""
        with self._lock:
            film = self._film(key)
            if film.received < film.size:
                return None
            del self._coming[key]
            return film.path

    def drop(self, key: str) -> None:
        """Delete a film that is being received."""
        with self._lock:
            film = self._film(key)
            del self._coming[key]
            with contextlib.suppress(OSError):
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
            f"{self.folder}: expected room for the film, got {error.strerror!r}; make room, drop it again"
        )

    def _remove_old(self) -> None:
        for key, film in list(self._coming.items()):
            if self._now_s() - film.touched_s > self.limits.idle_s:
                self.drop(key)
        with contextlib.suppress(OSError):
            for path in self.folder.iterdir():
                if self._now_s() - path.stat().st_mtime > 24 * self.limits.idle_s:
                    path.unlink(missing_ok=True)
