"""Call a function in a process of its own, with a lower priority than the game, and with a limit of seconds."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from threading import Event
from typing import ParamSpec, TypeVar

from referee.errors import RefereeError
from webapp.errors import KozyrError, StoppedError, StoreError, TooLongError
from webapp.live.background_jobs import NICE

LONGEST_JUDGING_S = 120.0
"""
Seconds in which a stored match has to be judged, the start of the process included. 5,000 lines take 18 s of processor
time (``python -m benchmarks.long_records``).
"""

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")


def call_apart(seconds: float, work: Callable[Asked, Answer], *asked: Asked.args, **named: Asked.kwargs) -> Answer:
    """
    Return what ``work``, a function of a module, returns in another process; arguments and result travel there.

    An error of ours is raised here as it was there. The process is ended after ``seconds``, its start included:
    ``TimeoutError``. ``EOFError`` if it died.
    """
    return call_until(Event(), seconds, work, *asked, **named)


def call_until(
    stop: Event, seconds: float, work: Callable[Asked, Answer], *asked: Asked.args, **named: Asked.kwargs
) -> Answer:
    """Do what ``call_apart`` does; the process is ended, too, once ``stop`` is set: ``StoppedError``."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(theirs, work, asked, named), name="kozyr call", daemon=True)
    process.start()
    theirs.close()
    ends_s = time.monotonic() + seconds
    try:
        while not ours.poll(min(0.1, max(ends_s - time.monotonic(), 0.0))):
            if stop.is_set():
                raise StoppedError("expected work that goes on, got a stop; begin it again")
            if time.monotonic() >= ends_s:
                raise TimeoutError
        answer, error = ours.recv()
        if error is not None:
            raise error
        found: Answer = answer
        return found
    finally:
        process.kill()
        process.join()
        ours.close()


def _answer(
    connection: Connection, work: Callable[..., object], asked: tuple[object, ...], named: dict[str, object]
) -> None:
    if hasattr(os, "nice"):
        os.nice(NICE)
    try:
        connection.send((work(*asked, **named), None))
    except (KozyrError, RefereeError) as error:
        connection.send((None, error))


def judge_apart(work: Callable[Asked, Answer], *asked: Asked.args, **named: Asked.kwargs) -> Answer:
    """Call what judges a stored match, in a process of its own: ``TooLongError`` after ``LONGEST_JUDGING_S``."""
    try:
        return call_apart(LONGEST_JUDGING_S, work, *asked, **named)
    except TimeoutError:
        raise TooLongError(LONGEST_JUDGING_S) from None
    except EOFError:
        raise StoreError(
            "expected a match that can be judged, the process that judged it died; try again, and report this match"
        ) from None
