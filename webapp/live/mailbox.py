"""
Where the source's thread leaves frames, and web threads leave presses, for the table thread.

The place for frames holds one. Live, a newer frame replaces one that nobody took yet, and that is counted: being late
is worse than skipping. From a file nothing is replaced: the source waits until the place is free, so that a slow
machine judges a recording late but never differently. Presses queue up in order and are never dropped.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, eq=False)
class Mail:
    """What was collected: at most one frame, all presses, and whether the source has ended."""

    frame: Any | None
    presses: tuple[Any, ...]
    ended: bool

    @property
    def is_empty(self) -> bool:
        """Whether the wait ended with nothing."""
        return self.frame is None and not self.presses and not self.ended


class Mailbox:
    """One place for the newest frame, a queue for presses."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._frame: Any | None = None
        self._presses: deque[Any] = deque()
        self._ended = False
        self._closed = False
        self.dropped = 0

    def leave(self, frame: Any, *, replace: bool) -> bool:
        """Leave a frame: over the old one (``replace``), or once the place is free. False: nobody collects any more."""
        with self._changed:
            if replace:
                self.dropped += self._frame is not None
            else:
                self._changed.wait_for(lambda: self._closed or self._frame is None)
            if self._closed:
                return False
            self._frame = frame
            self._changed.notify_all()
            return True

    def press(self, press: Any) -> bool:
        """Queue a press; False when nobody collects any more."""
        with self._changed:
            if self._closed:
                return False
            self._presses.append(press)
            self._changed.notify_all()
            return True

    def end(self) -> None:
        """The source has no more frames. The last one left is still collected before the end is."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def close(self) -> None:
        """Collect nothing any more; threads that wait here return."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    @property
    def closed(self) -> bool:
        """Whether nothing is collected any more."""
        return self._closed

    def collect(self, timeout_s: float | None) -> Mail:
        """Take all there is; wait up to ``timeout_s`` (None: for ever) for something. The end is reported once."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._closed or self._frame is not None or bool(self._presses) or self._ended, timeout_s
            )
            frame, self._frame = self._frame, None
            presses = tuple(self._presses)
            self._presses.clear()
            ended = self._ended and frame is None
            if ended:
                self._ended = False
            self._changed.notify_all()
            return Mail(frame, presses, ended)
