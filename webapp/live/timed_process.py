"""Call a function in a process of its own, with a lower priority than the game, and with a limit of seconds."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import ParamSpec, TypeVar

from webapp.live.background_jobs import NICE

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")


def call_apart(seconds: float, work: Callable[Asked, Answer], *asked: Asked.args, **named: Asked.kwargs) -> Answer:
    """
    Return what ``work``, a function of a module, returns in another process; arguments and result travel there.

    The process is ended after ``seconds``, its start included: ``TimeoutError``. ``EOFError`` if it died.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(theirs, work, asked, named), name="kozyr call", daemon=True)
    process.start()
    theirs.close()
    try:
        if not ours.poll(seconds):
            raise TimeoutError
        answer: Answer = ours.recv()
        return answer
    finally:
        process.kill()
        process.join()
        ours.close()


def _answer(
    connection: Connection, work: Callable[..., object], asked: tuple[object, ...], named: dict[str, object]
) -> None:
    if hasattr(os, "nice"):
        os.nice(NICE)
    connection.send(work(*asked, **named))
