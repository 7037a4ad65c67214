"""Call a function in a process of its own, with a lower priority than the game, and with a limit of seconds."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import ParamSpec, TypeVar

from referee.errors import RefereeError
from webapp.errors import KozyrError, StoreError, TooLongError
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
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(theirs, work, asked, named), name="kozyr call", daemon=True)
    process.start()
    theirs.close()
    try:
        if not ours.poll(seconds):
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
