"""
Films that somebody drops on the page: they come in pieces, into a folder of their own, until they are whole.

Nothing of a film is taken that would not fit; a piece is only taken where the one before ended, so that one that got
lost on the way is sent again. What nobody goes on with is thrown away.
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
    """What is taken. Set by hand, 2026-11."""

    gigabytes: float = 8.0
    """Gigabytes of one film at most: four hours of a phone's 720p. More fills a disk; less refuses whole evenings."""
    spare_gigabytes: float = 2.0
    """Gigabytes that stay free on the disk, beside the film and half of its size for the film that is kept of it. More
    refuses films that would fit; less leaves no room for the game that goes on."""
    at_once: int = 4
    """Films that come at the same time. More fill the disk with halves; fewer let people wait for each other."""
    idle_s: float = 3600.0
    """Seconds without a piece after which a film is thrown away. Longer keeps halves that nobody goes on with; shorter
    loses a film whose tablet slept."""


@dataclass(slots=True)
class _Incoming:
    path: Path
    size: int
    touched_s: float
    received: int = 0


class IncomingFilms:
    """Films on their way into ``folder``, which need not exist yet; what an earlier program left there is removed."""

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
        Make ready for a film of ``size`` bytes, its name ending in ``suffix``; the key under which its pieces come.

        ``UnusableInputError`` for one that is too large, ``OutputLostError`` where there is no room.
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
                    f"expected at most {self.limits.at_once} films on their way, got one more; wait for one of them"
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
        The piece that begins at byte ``at``; how many bytes are there then. One that does not go on where the last
        ended changes nothing. ``UnusableInputError`` where no such film comes.
        """
        with self._lock:
            film = self._film(key)
            film.touched_s = self._now_s()
            if at != film.received:
                return film.received
            if at + len(piece) > film.size:
                raise UnusableInputError(f"expected a film of {film.size} bytes, got more; drop it anew")
            try:
                with film.path.open("ab") as file:
                    file.write(piece)
            except OSError as error:
                self.drop(key)
                raise self._lost(error) from None
            film.received += len(piece)
            return film.received

    def take(self, key: str) -> Path | None:
        """The file of a film that is whole, to be used and deleted by whoever takes it; None where it is not whole."""
        with self._lock:
            film = self._film(key)
            if film.received < film.size:
                return None
            del self._coming[key]
            return film.path

    def drop(self, key: str) -> None:
        """Throw a film away that is on its way."""
        with self._lock:
            film = self._film(key)
            del self._coming[key]
            with contextlib.suppress(OSError):
                film.path.unlink(missing_ok=True)

    def _film(self, key: str) -> _Incoming:
        film = self._coming.get(key)
        if film is None:
            raise UnusableInputError(f"expected a film that is on its way, got {key!r:.40}; drop it anew")
        return film

    def _lost(self, error: OSError) -> OutputLostError:
        return OutputLostError(
            f"{self.folder}: expected room for the film, got {error.strerror!r}; make room and drop it anew"
        )

    def _remove_old(self) -> None:
        for key, film in list(self._coming.items()):
            if self._now_s() - film.touched_s > self.limits.idle_s:
                self.drop(key)
        with contextlib.suppress(OSError):
            for path in self.folder.iterdir():
                if self._now_s() - path.stat().st_mtime > 24 * self.limits.idle_s:
                    path.unlink(missing_ok=True)
