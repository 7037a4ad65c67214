"""
Play for ten hours with twenty viewers: memory, threads, handles and the delay of pages must stay flat.

    python -m benchmarks.endurance [--hours 10] [--viewers 20] [--deals 12] [--recording [--stride N]]

Random games of the independent engine, reported with the errors of a camera, take the place of the picture. The rest is
real: belief, referee, store, film, threads, server and pages. Time is that of the source, six seconds an event, and
runs as fast as the machine can. Every viewer, in a separate process, holds a live stream, which it opens again now and
then; one more client requests the table page, ``/api/state`` and the picture. ``--deals``: number of deals that make
one kept match, as players begin a new one after a pause. ``--recording``: the shipped recording is played over and over
through the networks instead, as one match, which costs minutes of processor time for each hour; ``--stride``: each Nth
frame of it. Ten times the recording are ``--hours 0.262``, a row each.

Prints a row for each tenth of the time, then what is not flat by the limits below; exits with 1 if anything is not. A
row has the memory in use, without what the kernel shares, after free pages were returned to the system as the program
does every 20 lines; the free pages; threads; open handles; and p95 of 20 requests of ``/api/state``, for which the game
pauses. Needs Linux (/proc).
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field, replace
from itertools import count, groupby, islice
from pathlib import Path
from statistics import mean, quantiles
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import numpy as np

from benchmarks.simulation.simulated_games import Setting, game_of
from referee.events import TableEvent
from referee.record import Header, event_from_json
from vision.capture.sources import Frame, open_source
from vision.data_home import HOME_VARIABLE
from vision.detection.card_detector import load_card_detector
from vision.pipeline import Pipeline
from vision.table.observation import InitialState
from webapp.live.board import SnapshotHub
from webapp.live.match_files import MatchFiles, film_of, open_matches, stored_match
from webapp.live.match_options import KeepingOptions
from webapp.live.process_memory import limit_heaps, return_free_memory
from webapp.live.runtime import Clock, PlaybackMode, Runtime
from webapp.live.session import MatchSession
from webapp.match.log import MatchLog
from webapp.store.matches import Matches
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig
from webapp.web.serving import Service

HOUR_S = 3600.0
PACE = 2.5
"""The simulated players take 2.4 s an event, people six."""
FRAMES_PER_S = 2
IMAGE = np.zeros((36, 64, 3), np.uint8)
ROWS = 10
WARM = 0.3
"""Share of the time after which memory counts: caches are full and all code is loaded."""
MOST_MB_AN_HOUR = 3.0
"""Limit: MB of memory gained per hour between the first and the last third of the rows after warming up."""
LEAST_SHARE = 0.02
"""A gain below this share of the memory is none, however short the run."""
MOST_FREE_MB = 150.0
"""Limit: MB that the C library holds between two returns. An inference and the pictures around it need some 110."""
MORE_HANDLES = 4
"""Limit: handles in the end beyond the most before, for requests that happen to be open."""
SLOWER = 2.0
"""Limit: p95 in the end, times that of before; or ``QUICK_MS``, whichever is more."""
QUICK_MS = 250.0
MESSAGES_EACH = 400
"""Messages after which a viewer opens its stream again, as a tablet does that was locked."""
STARTING_S = 120.0
REQUESTS = 20
"""Requests of /api/state that make a row's p95."""
RECORDING = Path(__file__).parents[1] / "webapp" / "recordings" / "demo.mp4"


@dataclass(frozen=True, slots=True)
class Row:
    """The state of the program at a time of the source."""

    hours: float
    events: int
    memory_mb: float
    free_mb: float
    threads: int
    handles: int
    p95_ms: float

    def line(self) -> str:
        """Return the row of the table."""
        return (
            f"{self.hours:6.2f}{self.events:9}{self.memory_mb:10.1f}{self.free_mb:9.1f}{self.threads:9}{self.handles:9}"
            f"{self.p95_ms:9.0f}"
        )


HEAD = " hours   events memory MB  free MB  threads  handles   p95 ms"


def not_flat(rows: Sequence[Row]) -> list[str]:
    """Return a sentence for every figure that grows beyond its limit after warming up."""
    warm = rows[round(WARM * len(rows)) :]
    third = max(1, len(warm) // 3)
    early, late = warm[:third], warm[-third:]
    hours = mean(row.hours for row in late) - mean(row.hours for row in early)
    grown = growth_mb_an_hour(rows)
    found = []
    if hours <= 0 or grown > max(MOST_MB_AN_HOUR, LEAST_SHARE * early[0].memory_mb / hours):
        found.append(f"expected at most {MOST_MB_AN_HOUR:g} MB more an hour, got {grown:.1f}")
    free_mb = max(row.free_mb for row in warm)
    if free_mb > MOST_FREE_MB:
        found.append(f"expected at most {MOST_FREE_MB:g} MB of free pages, got {free_mb:.0f}")
    threads, handles = (max(row.threads for row in part) for part in (early, late)), max(row.handles for row in late)
    before, after = threads
    if after > before:
        found.append(f"expected at most {before} threads as before, got {after}")
    if handles > max(row.handles for row in early) + MORE_HANDLES:
        found.append(f"expected at most {max(row.handles for row in early)} handles as before, got {handles}")
    usual_ms, late_ms = (mean(row.p95_ms for row in part) for part in (early, late))
    if late_ms > max(SLOWER * usual_ms, QUICK_MS):
        found.append(f"expected /api/state within {max(SLOWER * usual_ms, QUICK_MS):.0f} ms at p95, got {late_ms:.0f}")
    return found


def growth_mb_an_hour(rows: Sequence[Row]) -> float:
    """Return the MB gained an hour from the first to the last third of the rows after warming up."""
    warm = rows[round(WARM * len(rows)) :]
    third = max(1, len(warm) // 3)
    early, late = warm[:third], warm[-third:]
    hours = mean(row.hours for row in late) - mean(row.hours for row in early)
    gained = mean(row.memory_mb for row in late) - mean(row.memory_mb for row in early)
    return gained / hours if hours > 0 else 0.0


# --- games ---


class Play(NamedTuple):
    """A match: its header, its frames (times from 0) and the pipeline that reports their events."""

    header: Header
    frames: Iterator[Frame]
    pipeline: Any


class SimulatedPipeline:
    """Reports each event with the frame of its time."""

    def __init__(self, events: Sequence[TableEvent]) -> None:
        self._plays = {at: tuple(play) for at, play in groupby(events, key=lambda event: event.at)}
        self.view = None

    def feed(self, frame: Frame) -> tuple[TableEvent, ...]:
        """Return the events of the frame's time."""
        return self._plays.get(frame.at, ())

    def finish(self) -> tuple[TableEvent, ...]:
        """Return nothing: all was reported."""
        return ()

    def frames(self) -> Iterator[Frame]:
        """Yield a frame for each event, and those of the time between."""
        times, number = sorted(self._plays), count()
        for before, at in zip([0.0, *times], times, strict=False):
            between = int((at - before) * FRAMES_PER_S)
            for place in range(1, between + 1):
                if before + place / FRAMES_PER_S < at:
                    yield Frame(IMAGE, next(number), before + place / FRAMES_PER_S)
            yield Frame(IMAGE, next(number), at)


def simulated(number: int, deals: int) -> Play:
    """Return the simulated match of this number."""
    header, *reported = game_of(number, Setting(seed=38, rules="podkidnoy-36", breakers=0.01, deals=deals)).record()
    pipeline = SimulatedPipeline([event_from_json({**event, "at": event["at"] * PACE}) for event in reported])
    return Play(Header.parse(header), pipeline.frames(), pipeline)


def recorded(repeats: int, stride: int = 1) -> Play:
    """Return the shipped recording, each ``stride``th frame, played over and over through the networks."""
    header = Header.parse(
        {**json.loads(RECORDING.with_suffix(".jsonl").read_text("utf-8").splitlines()[0]), "witness": "camera"}
    )
    start = None if header.start is None else header.start.as_json()
    pipeline = Pipeline(load_card_detector(), header.seats, InitialState.of(start, pack=36))

    def frames() -> Iterator[Frame]:
        number, began_s, at_s = count(), 0.0, 0.0
        for _ in range(repeats):
            with open_source(str(RECORDING)) as source:
                for frame in islice(source, 0, None, stride):
                    at_s = began_s + frame.at
                    yield replace(frame, number=next(number), at=at_s)
            began_s = at_s + 1 / 25

    return Play(header, frames(), pipeline)


# --- the program ---


@dataclass(slots=True)
class SourceClock(Clock):
    """A clock that shows the source's time."""

    at_s: float = 0.0

    def now_s(self) -> float:
        """Return the time of the newest frame."""
        return self.at_s

    def wait(self, stop: threading.Event, seconds: float) -> bool:
        """Do not wait."""
        return stop.is_set()


@dataclass(slots=True)
class Endurance:
    """One run: the rows so far, and the counts that they are made from."""

    hours: float
    rows: list[Row] = field(default_factory=list)
    events: int = 0
    matches_played: int = 0
    clock: SourceClock = field(default_factory=SourceClock)
    has_viewers: threading.Event = field(default_factory=threading.Event)
    _took_ms: list[float] = field(default_factory=list)
    _match: MatchLog | None = None

    def timed(self, frames: Iterator[Frame], began_s: float) -> Iterator[Frame]:
        """Yield the frames until the hours are over; move the clock, and take a row when one is due."""
        for frame in frames:
            self.clock.at_s = began_s + frame.at
            if self.clock.at_s >= (len(self.rows) + 1) * self.hours * HOUR_S / ROWS:
                self._take_row()
                if len(self.rows) == ROWS:
                    return
            yield frame

    def play(self, play: Play, matches: Matches, board: SnapshotHub) -> None:
        """Referee one match to its end, kept with its film."""
        began_s = self.clock.at_s
        with ExitStack() as parts:
            match_writer, _ = stored_match(matches, KeepingOptions(keep=True))
            film = film_of(parts, matches, match_writer, live=False)
            self._match = match = MatchLog(play.header, store=match_writer)
            files = MatchFiles(matches=matches, match_writer=match_writer, film=film)
            session = MatchSession(play.header, self.timed(play.frames, began_s), play.pipeline, match, files)
            runtime = Runtime(session, board, PlaybackMode(live=False, paced=False), clock=self.clock)
            parts.callback(runtime.stop, closes_board=False)
            runtime.start()
            runtime.done.wait()
            if runtime.failure is not None:
                raise runtime.failure
        if match_writer is not None:
            match_writer.close(ended=True)
            stored = len([line for line in matches.record(match_writer.match) if "event" in line])
            if stored != match.line - 1:
                raise AssertionError(f"expected {match.line - 1} lines in the store, got {stored}")
        self.events, self._match = self.events + match.line - 1, None
        self.matches_played += 1

    def collect_delays(self, crowd: subprocess.Popen[str]) -> None:
        """Collect the delays that the crowd prints; runs on a thread."""
        assert crowd.stdout is not None
        for line in crowd.stdout:
            self._took_ms.append(float(line))
            self.has_viewers.set()

    def _take_row(self) -> None:
        """Add a row; the game pauses for its requests, since it runs many times faster than people play."""
        self._took_ms.clear()
        end_s = time.monotonic() + STARTING_S
        while len(self._took_ms) < REQUESTS and time.monotonic() < end_s:
            time.sleep(0.05)
        p95_ms = quantiles(self._took_ms, n=20)[-1]
        handles = len(os.listdir("/proc/self/fd"))
        events = self.events + (0 if self._match is None else self._match.line - 1)
        held_mb, used_mb = memory_mb(), used_memory_mb()
        threads = threading.active_count()
        row = Row(self.clock.at_s / HOUR_S, events, used_mb, held_mb - used_mb, threads, handles, p95_ms)
        self.rows.append(row)
        print(row.line(), flush=True)


def memory_mb() -> float:
    """Return the memory of this process that no other shares, in MB."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text("utf-8").splitlines())
    return int(status["RssAnon"].split()[0]) / 1024


def used_memory_mb() -> float:
    """Return free pages to the system, then the memory of this process that no other shares, in MB."""
    return_free_memory()
    return memory_mb()


def run(hours: float, viewers: int, deals: int, *, stride: int | None = None) -> Endurance:
    """Play for ``hours`` hours and return the rows. ``stride``: of the recording, None for simulated games."""
    endurance = Endurance(hours)
    with ExitStack() as parts:
        folder = parts.enter_context(tempfile.TemporaryDirectory())
        os.environ[HOME_VARIABLE] = folder
        matches, board = open_matches(parts, f"sqlite:///{folder}/kozyr.db"), SnapshotHub()
        service = Service.take("127.0.0.1", 0)
        parts.callback(service.stop)
        parts.callback(board.close)
        service.start(create_app(AppConfig(matches=matches, streams=viewers), board))
        crowd = open_viewers(parts, service.address, viewers)
        listener = threading.Thread(target=endurance.collect_delays, args=(crowd,), daemon=True)
        listener.start()
        if not endurance.has_viewers.wait(STARTING_S):
            raise AssertionError(f"expected viewers within {STARTING_S:g} s, got none")
        print(HEAD)
        for number in count():
            play = simulated(number, deals) if stride is None else recorded(int(hours * 40) + 1, stride)
            endurance.play(play, matches, board)
            if len(endurance.rows) == ROWS:
                return endurance
    raise AssertionError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print the table and what is not flat; return 1 if anything is not."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.endurance", description=(__doc__ or "").split("\n")[1])
    parser.add_argument("--hours", type=float, default=10.0)
    parser.add_argument("--viewers", type=int, default=20)
    parser.add_argument("--deals", type=int, default=12)
    parser.add_argument("--recording", action="store_true")
    parser.add_argument("--stride", type=int, default=1)
    parser.add_argument("--crowd", metavar="ADDRESS", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.crowd:
        run_viewers(asked.crowd, asked.viewers)
        return 0
    limit_heaps()
    began = time.monotonic()
    endurance = run(asked.hours, asked.viewers, asked.deals, stride=asked.stride if asked.recording else None)
    found = not_flat(endurance.rows)
    print(
        f"{endurance.events} events of {asked.hours:g} hours in {endurance.matches_played} matches, {asked.viewers} "
        f"viewers, {time.monotonic() - began:.0f} s; {growth_mb_an_hour(endurance.rows):.2f} MB an hour"
    )
    for sentence in found:
        print(sentence, file=sys.stderr)
    return int(bool(found))


# --- the viewers, in a process of their own ---


def open_viewers(parts: ExitStack, address: str, viewers: int) -> subprocess.Popen[str]:
    """Start the viewers; ``parts`` ends them."""
    command = [sys.executable, "-m", "benchmarks.endurance", "--crowd", address, "--viewers", str(viewers)]
    crowd = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def end() -> None:
        crowd.kill()
        crowd.communicate()

    parts.callback(end)
    return crowd


def run_viewers(address: str, viewers: int) -> None:
    """Hold a live stream for each viewer, request pages, print how long ``/api/state`` takes; until input ends."""
    place = (str(urlsplit(address).hostname), int(urlsplit(address).port or 80))

    def view() -> None:
        while True:
            with (
                suppress(OSError, http.client.HTTPException),
                closing(http.client.HTTPConnection(*place, timeout=60)) as page,
            ):
                page.request("GET", "/api/events?language=en")
                stream, messages = page.getresponse(), 0
                while messages < MESSAGES_EACH and (line := stream.readline()):
                    messages += line.startswith(b"event: ")
            time.sleep(0.1)

    def browse() -> None:
        while True:
            for path in ("/api/state", "/", "/api/picture.jpg"):
                began = time.monotonic()
                with closing(http.client.HTTPConnection(*place, timeout=60)) as page:
                    page.request("GET", path)
                    page.getresponse().read()
                if path == "/api/state":
                    print((time.monotonic() - began) * 1000, flush=True)
                time.sleep(0.02)

    for target in (*[view] * viewers, browse):
        threading.Thread(target=target, daemon=True).start()
    sys.stdin.read()


if __name__ == "__main__":
    sys.exit(main())
