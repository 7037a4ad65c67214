"""
Pass frames from the source's thread, and presses from web threads, to the table thread.

The slot for frames holds one. Live, a newer frame replaces one that was not collected yet, and the mailbox counts it:
a dropped frame is better than a late one. From a file nothing is replaced: the source waits until the slot is free, so
that a slow machine judges a recording late but never differently. Presses are queued in order and never dropped.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from webapp.match.log import MatchUpdate

Press = tuple[Callable[..., MatchUpdate], tuple[Any, ...], Future[MatchUpdate]]
"""What the table thread does for somebody, with which values, and where its result is awaited."""


@dataclass(frozen=True, slots=True, eq=False)
class Mail:
    """The result of ``collect``: at most one frame, all presses, and whether the source has ended."""

    frame: Any | None
    presses: tuple[Press, ...]
    ended: bool


class Mailbox:
    """A slot for the newest frame and a queue for presses."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._frame: Any | None = None
        self._presses: deque[Press] = deque()
        self._ended = False
        self.closed = False
        self._collects = False
        self.dropped = 0

    def leave(self, frame: Any, *, replace: bool) -> bool:
        """Leave a frame: replace the old one (``replace``) or wait for a free slot. False if the mailbox is closed."""
        with self._changed:
            if replace:
                self.dropped += self._frame is not None
            else:
                self._changed.wait_for(lambda: self.closed or self._frame is None)
            if self.closed:
                return False
            self._frame = frame
            self._changed.notify_all()
            return True

    def wait_until_wanted(self) -> None:
        """Wait until the table thread waits for mail and there is no frame for it, or until the mailbox is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self.closed or (self._collects and self._frame is None))

    def press(self, act: Callable[..., MatchUpdate], *values: Any) -> Future[MatchUpdate] | None:
        """
        Queue what the table thread shall do, ``act(*values)``; return None if the mailbox is closed.

        The result is there as soon as that is done; it is cancelled if the mailbox is closed before.
        """
        with self._changed:
            if self.closed:
                return None
            answer: Future[MatchUpdate] = Future()
            self._presses.append((act, values, answer))
            self._changed.notify_all()
            return answer

    def end(self) -> None:
        """Mark the end of the source. The last frame is still collected before the end."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def close(self) -> None:
        """Close the mailbox; threads that wait here, or for a press, return."""
        with self._changed:
            self.closed = True
            for *_, answer in self._presses:
                answer.cancel()
            self._presses.clear()
            self._changed.notify_all()

    def collect(self, timeout_s: float | None) -> Mail:
        """Collect all mail; wait up to ``timeout_s`` (None: without limit) for some. The end is reported once."""
        with self._changed:
            self._collects = True
            self._changed.notify_all()
            self._changed.wait_for(
                lambda: self.closed or self._frame is not None or bool(self._presses) or self._ended, timeout_s
            )
            frame, self._frame, self._collects = self._frame, None, False
            presses = tuple(self._presses)
            self._presses.clear()
            ended = self._ended and frame is None
            if ended:
                self._ended = False
            self._changed.notify_all()
            return Mail(frame, presses, ended)
