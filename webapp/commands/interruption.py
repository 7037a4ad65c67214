"""
Ending when asked: ctrl-C and a polite kill let go of camera, port and record, and do so only once.

People press ctrl-C twice when the first does not help at once. The second must not break off the tidying up that the
first began: a thread left inside the networks' library takes the whole process down with it. The third is obeyed.
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
THREADS = ("eye", "table")
"""Our own threads (``webapp.live.runtime``): one that hangs in its device or in a library is left behind."""


@contextmanager
def ending_when_asked() -> Iterator[None]:
    """``KeyboardInterrupt`` at the first ctrl-C or polite kill, nothing at the second, the end at the third."""
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
    """The status; where a thread of ours hangs, the process ends here and now, before Python trips over it."""
    if any(thread.name in THREADS for thread in threading.enumerate()):
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(status)
    return status
