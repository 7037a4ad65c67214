"""
Run long jobs during a game: one after the other, each in its own process with a lower priority than the game.

A job is a process because judging a film would delay the table's thread, and because a crash of a decoder then ends
only that process. The job reports its progress; a failure is reported as one sentence. Jobs end with the program.

Jobs with a limit of seconds have a queue of their own beside that of all others, so that a page that waits for one of
them does not wait for a film. They share a process as long as none of them is ended by force: what one has judged, the
next finds there.
"""

from __future__ import annotations

import logging
import math
import multiprocessing
import os
import re
import secrets
import signal
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from vision.capture.memory_limit import limit_memory
from webapp.errors import one_line
from webapp.live.match_options import DetectorOptions
from webapp.store.matches import Matches

if sys.platform == "win32":
    from multiprocessing.connection import PipeConnection as Connection  # what a pipe has there
else:
    from multiprocessing.connection import Connection

logger = logging.getLogger(__name__)

Work = Callable[..., Any]
"""``work(report, *arguments)``: a function of a module, whose arguments and result can be sent to another process."""
NICE = 10
"""Niceness of a job's process (0 to 19), so that it does not delay a game."""
JOBS_KEPT = 50
"""Number of ended jobs that are kept in the list."""
ENDED = ("done", "failed", "stopped")
SILENCE_S = 900.0
"""Seconds without a report after which a job counts as hung and is ended, so that those behind it get their turn. A job
reports at each frame or step; the longest known single step takes 10 s. A shared process without a job is ended after
as long. Chosen by hand."""
NO_MEMORY = re.compile("insufficient memory|allocate memory|bad.alloc", re.IGNORECASE)
"""What OpenCV, FFmpeg and the networks' runtime say where they get no memory; Python raises ``MemoryError``."""
REPORT_S = 1.0
"""Seconds after which a job reports again even if its progress is less than a hundredth."""


@dataclass(frozen=True, slots=True)
class BackgroundJob:
    """
    One job. ``kind``: the kind of work, ``about``: its subject; ``state`` is ``waiting``, ``running``, ``done``,
    ``failed`` or ``stopped``; ``share``: progress, 0 to 1; ``result``: the result so far; ``trouble``: the sentence
    for a failure. ``limit_s``: seconds after which it is ended, None without a limit; ``is_late``: that happened.
    ``is_private``: the result is for the program alone, and no page shows it. ``memory_bytes``: what its process may
    take beside what it has at its start; None without a limit.
    """

    job: str
    kind: str
    about: str
    state: str = "waiting"
    share: float = 0.0
    result: Any = None
    trouble: str | None = None
    limit_s: float | None = None
    is_late: bool = False
    is_private: bool = False
    memory_bytes: int | None = None

    @property
    def is_over(self) -> bool:
        return self.state in ENDED

    def as_json(self, *, whole: bool = True) -> dict[str, Any]:
        shown = {"job": self.job, "kind": self.kind, "about": self.about, "state": self.state}
        result = {"result": None if self.is_private else self.result} if whole else {}
        limit = {"limit_s": self.limit_s, "late": self.is_late}
        return {**shown, "share": round(self.share, 3), "error": self.trouble, **limit, **result}


@dataclass(frozen=True, slots=True)
class JobTools:
    """
    What the work of a feature gets in its process. ``report``: called with the share that is done; ``matches``: the
    open store; ``detector``: the networks that read films.
    """

    report: Report
    matches: Matches
    detector: DetectorOptions


@dataclass(slots=True)
class _Queue:
    """
    Jobs that wait for each other: those that wait, the running one, the thread that runs them, and their process with
    the connection to it. ``is_shared``: one process does one job after the other.
    """

    is_shared: bool
    waiting: list[tuple[str, Work, tuple[Any, ...], Callable[[BackgroundJob], None]]] = field(default_factory=list)
    running: str | None = None
    process: Any = None
    connection: Connection | None = None
    thread: threading.Thread | None = None


class BackgroundJobs:
    """
    Two queues of jobs, those with a limit of seconds and all others, each run in the order of their submission.
    ``stop`` ends all; ``end`` ends one by its name.
    """

    def __init__(self, silence_s: float = SILENCE_S) -> None:
        self._silence_s = silence_s
        self._jobs: OrderedDict[str, BackgroundJob] = OrderedDict()
        self._long, self._limited = _Queue(is_shared=False), _Queue(is_shared=True)
        self._changed = threading.Condition()
        self._has_stopped = False

    def submit(
        self,
        kind: str,
        about: str,
        work: Work,
        *arguments: Any,
        after: Callable[[BackgroundJob], None] = lambda job: None,
        limit_s: float | None = None,
        is_next: bool = False,
        is_private: bool = False,
        memory_bytes: int | None = None,
    ) -> BackgroundJob:
        """
        Add a job. ``after``: called when it is over; ``limit_s``: seconds after which its process is ended;
        ``is_next``: it goes before all that wait; ``is_private``: no page shows its result; ``memory_bytes``: what its
        process may take beside what it has at its start, for a job without a limit of seconds.
        """
        job = BackgroundJob(
            *(secrets.token_hex(8), kind, about),
            limit_s=limit_s,
            is_private=is_private,
            memory_bytes=memory_bytes,
        )
        queue = self._long if limit_s is None else self._limited
        with self._changed:
            self._jobs[job.job] = job
            queue.waiting.insert(0 if is_next else len(queue.waiting), (job.job, work, arguments, after))
            for name in [name for name, job in self._jobs.items() if job.is_over][: -JOBS_KEPT or None]:
                del self._jobs[name]
            if queue.thread is None:
                queue.thread = threading.Thread(target=self._work, args=(queue,), name="jobs", daemon=True)
                queue.thread.start()
            self._changed.notify_all()
        return job

    def job(self, name: str) -> BackgroundJob | None:
        return self._jobs.get(name)

    def wait(self, name: str) -> BackgroundJob:
        """Return a job of this name once it is over. ``KeyError`` if there is none."""
        with self._changed:
            self._changed.wait_for(lambda: name not in self._jobs or self._jobs[name].is_over)
            return self._jobs[name]

    @property
    def all(self) -> tuple[BackgroundJob, ...]:
        with self._changed:
            return tuple(self._jobs.values())

    def end(self, name: str) -> bool:
        """End a job that waits or runs; return False if it is over already."""
        with self._changed:
            job = self._jobs.get(name)
            if job is None or job.is_over:
                return False
            self._notify(name, state="stopped")
            for queue in (self._long, self._limited):
                if name == queue.running and queue.process is not None:
                    queue.process.terminate()
            return True

    def stop(self) -> None:
        with self._changed:
            self._has_stopped = True
            self._changed.notify_all()
            names = list(self._jobs)
        for name in names:
            self.end(name)
        for queue in (self._long, self._limited):
            if queue.thread is not None:
                queue.thread.join(5.0)

    def _work(self, queue: _Queue) -> None:
        while True:
            with self._changed:
                while not self._changed.wait_for(lambda: queue.waiting or self._has_stopped, self._silence_s):
                    self._end_process(queue)
                if self._has_stopped:
                    leave = [(name, after) for name, *_, after in queue.waiting]
                    self._end_process(queue)
                    break
                name, work, arguments, after = queue.waiting.pop(0)
                queue.running = name
            try:
                self._run(queue, name, work, arguments)
            except Exception as error:  # whatever it is, the jobs behind this one must still run
                told = one_line(error) or type(error).__name__
                logger.warning("job %s of %s: no process could do it: %s", name, self._jobs[name].about, told)
                with self._changed:
                    self._end_process(queue)
                    self._notify(name, state="failed", trouble=f"expected a process for it, got {told:.200}; try again")
            self._hear_end(name, after)
        for name, after in leave:
            self._hear_end(name, after)

    def _hear_end(self, name: str, after: Callable[[BackgroundJob], None]) -> None:
        """Call ``after`` with the ended job; log an exception that it raises."""
        try:
            after(self._jobs[name])
        except Exception:
            logger.exception("job %s of %s: clearing up after it failed", name, self._jobs[name].about)

    def _run(self, queue: _Queue, name: str, work: Work, arguments: tuple[Any, ...]) -> None:
        with self._changed:
            if self._jobs[name].state != "waiting":
                return
            if queue.process is None or not queue.process.is_alive():
                self._end_process(queue)
                self._start_process(queue)
            self._notify(name, state="running")
        connection = queue.connection
        assert connection is not None
        limit_s, died, is_late = self._jobs[name].limit_s, "a process that died", False
        ends_s = math.inf if limit_s is None else time.monotonic() + limit_s
        try:
            connection.send((work, arguments, self._jobs[name].memory_bytes))
        except (OSError, EOFError):
            logger.info("job %s: its process died before it began", name)
        with suppress(EOFError, OSError):
            while True:
                left_s = ends_s - time.monotonic()
                if left_s <= 0 or not connection.poll(min(self._silence_s, left_s)):
                    is_late = left_s <= self._silence_s
                    died = f"more than {limit_s} s" if is_late else f"no progress for {self._silence_s:.0f} s"
                    break
                what, value = connection.recv()
                told: Mapping[str, Any] = {
                    "share": {"share": value},
                    "found": {"result": value},
                    "done": {"state": "done", "share": 1.0, "result": value},
                    "failed": {"state": "failed", "trouble": value},
                }[what]
                is_over = what in ("done", "failed")
                with self._changed:
                    queue.running = None if is_over else name
                    self._notify(name, **told)
                if is_over and not queue.is_shared:
                    connection.close()
                    queue.process.join()  # it comes to its end by itself, and clears up
                if is_over:
                    return
        with self._changed:
            queue.running = None
            self._end_process(queue)
            trouble = f"expected it to come to its end, got {died}; try again"
            memory_bytes = self._jobs[name].memory_bytes
            if memory_bytes is not None and died == "a process that died":  # some libraries end it without memory
                trouble = (
                    f"expected it to come to its end with {memory_bytes / 2**30:.3g} GB of memory, got {died}; try "
                    "again with something smaller, or undamaged"
                )
            self._notify(name, state="failed", trouble=trouble, is_late=is_late)

    def _start_process(self, queue: _Queue) -> None:
        context = multiprocessing.get_context("spawn")
        queue.connection, theirs = context.Pipe()
        process = context.Process(target=_in_process, args=(theirs,), name="kozyr job", daemon=True)
        process.start()
        queue.process = process
        theirs.close()

    def _end_process(self, queue: _Queue) -> None:
        if queue.connection is not None:
            queue.connection.close()
        if queue.process is not None:
            queue.process.kill()
            queue.process.join()
        queue.process = queue.connection = None

    def _notify(self, name: str, **changes: Any) -> None:
        if not self._jobs[name].is_over:
            self._jobs[name] = replace(self._jobs[name], **changes)
            self._changed.notify_all()


def _in_process(connection: Connection) -> None:
    """Do one job after the other in their process. Its standard output is discarded: that carries the game's lines."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the program handles ctrl-C and ends its jobs
    if hasattr(os, "nice"):
        os.nice(NICE)
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115  # for as long as the process lives
    while True:
        try:
            work, arguments, memory_bytes = connection.recv()
        except (EOFError, OSError):
            return
        if memory_bytes is not None:
            limit_memory(memory_bytes)
        try:
            connection.send(("done", work(Report(connection), *arguments)))
        except Exception as error:
            trouble = one_line(error) or type(error).__name__
            if memory_bytes is not None and (isinstance(error, MemoryError) or NO_MEMORY.search(trouble)):
                trouble = too_large(memory_bytes)
            connection.send(("failed", trouble))


def too_large(memory_bytes: int) -> str:
    """
    Return the sentence for a job that needs more memory than it may take.

    >>> too_large(3 << 30)
    'expected work that needs at most 3 GB of memory, got some that needs more; try again with something smaller'
    """
    return (
        f"expected work that needs at most {memory_bytes / 2**30:.3g} GB of memory, got some that needs more; "
        "try again with something smaller"
    )


class Report:
    """
    Reports from a job to the parent process: the share that is done (0..1), at each hundredth, otherwise at most once a
    second; and the result so far.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection, self._reported, self._reported_s = connection, 0.0, time.monotonic()

    def __call__(self, share: float) -> None:
        now_s = time.monotonic()
        if share >= self._reported + 0.01 or now_s >= self._reported_s + REPORT_S:
            self._reported, self._reported_s = share, now_s
            self._connection.send(("share", share))

    def found(self, result: Any) -> None:
        self._connection.send(("found", result))
