"""
End a command at Ctrl-C or SIGTERM: release camera, port and record, once.

People press Ctrl-C again if the first does not act at once. The second is ignored, so that the clean-up is completed: a
thread left inside the networks' library would crash the process. The third ends the process.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

STOPPED = 130
THREADS = ("source", "table")
"""Names of the threads of ``webapp.live.runtime``; one that hangs in a device or a library is abandoned."""


@contextmanager
def ending_when_asked() -> Iterator[None]:
    """Raise ``KeyboardInterrupt`` at the first Ctrl-C or SIGTERM, ignore the second, exit at the third."""
    asked = 0

    def ask(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        asked += 1
        if asked == 1:
            raise KeyboardInterrupt
        if asked > 2:
            os._exit(STOPPED)

    try:
        before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    except ValueError:  # not the main thread: whoever runs us there ends us otherwise
        yield
        return
    try:
        yield
    finally:
        if not asked:  # else the process is about to end, and a late second ctrl-C must not spoil that either
            for number, handler in before.items():
                signal.signal(number, handler)


def leave_behind_what_hangs(status: int) -> int:
    """Return the exit status; if a thread hangs, end the process at once, before the interpreter waits for it."""
    if any(thread.name in THREADS for thread in threading.enumerate()):
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(status)
    return status
