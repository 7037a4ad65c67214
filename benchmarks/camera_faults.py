"""
Cause faults of a camera during a game: what people read meanwhile, what is lost, whether the game goes on.

    python -m benchmarks.camera_faults [--times 20]

A camera app on this machine sends pictures over HTTP, as a phone or an IP camera does, and fails on command; FFmpeg,
source, threads, referee, store and film are the real ones. A simulated game takes the place of what the networks read:
every third picture that arrives brings the next play. Prints a row for each fault; exits with 1 if a line or the film
was lost, no sentence was shown for a fault that lasts, or a game did not go on.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count, groupby
from typing import Any, TypeVar

import cv2
import numpy as np
from msgspec import structs

from benchmarks.simulation.simulated_games import Setting, game_of
from referee.events import Blocked, TableEvent
from referee.record import Header, event_from_json
from vision.capture.sources import Frame, SourceSettings, open_source
from vision.data_home import HOME_VARIABLE
from webapp.live.board import Condition, Snapshot, SnapshotHub
from webapp.live.match_files import MatchFiles, film_of, open_matches, stored_match
from webapp.live.match_options import KeepingOptions
from webapp.live.runtime import PlaybackMode, Runtime, Timeouts
from webapp.live.session import MatchSession
from webapp.match.log import MatchLog

FAULTS = {
    "unplugged": "the connection ends, and new connections are refused until the camera is plugged in again",
    "stream cut": "the connection ends; the next try is answered",
    "frozen": "one picture over and over",
    "silent": "connected, and nothing comes",
    "garbage": "random bytes in the place of pictures",
    "size changed": "the connection ends; the next try brings pictures of another size, as of a phone turned round",
}
MOMENTARY = frozenset({"stream cut", "size changed"})
"""Faults after which the next picture may come before the referee takes up the loss: then the page shows none."""
PICTURES_PER_S = 50
PICTURES_A_PLAY = 3
PLAYS_BETWEEN = 2
"""Plays between the end of a fault and the next one, which show that the game goes on."""
QUICK = SourceSettings(stall_s=0.3, retry_s=0.05, retries=10_000, answer_s=1.0)
SILENCE_S = 0.5
PATIENCE_S = 60.0
SIZES = ((96, 64), (64, 96))

Found = TypeVar("Found")


class CameraApp:
    """A camera that serves pictures over HTTP; ``fault`` is the current fault, None for none."""

    def __init__(self) -> None:
        self.fault: str | None = None
        self.is_stopping = False
        self.is_upright = False
        self._numbers = count()
        self.connections = 0

    def picture(self, *, number: int | None = None) -> bytes:
        """Return the next picture as JPEG: noise, since no two pictures of a sensor are equal."""
        noise = np.random.default_rng(next(self._numbers) if number is None else number)
        width, height = SIZES[self.is_upright]
        return bytes(cv2.imencode(".jpg", noise.integers(60, 200, (height, width, 3), np.uint8))[1])

    def parts(self) -> Iterator[bytes]:
        """Yield the parts of the stream until it ends, or another connection takes its place."""
        self.connections += 1
        connection = self.connections
        if self.fault == "unplugged":
            return
        while not self.is_stopping and connection == self.connections:  # a fault is that of one connection
            fault = self.fault
            if fault in ("unplugged", "stream cut", "size changed"):
                self.is_upright ^= fault == "size changed"
                self.fault = "unplugged" if fault == "unplugged" else None
                return
            if fault == "garbage":
                yield np.random.default_rng(0).bytes(20_000)
            elif fault != "silent":
                data = self.picture(number=0 if fault == "frozen" else None)
                head = f"--picture\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
                yield head.encode() + data + b"\r\n"
            time.sleep(1 / PICTURES_PER_S)

    @contextmanager
    def served(self) -> Iterator[str]:
        """Serve the pictures; yield their address."""
        app = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=picture")
                self.end_headers()
                for part in app.parts():
                    try:
                        self.wfile.write(part)
                    except OSError:
                        return

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
                """Discard the server's log lines."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/video"
        self.is_stopping = True
        server.shutdown()
        server.server_close()


@dataclass(slots=True)
class PlayingPipeline:
    """Reports the next play with every third picture that arrives; ``reported``: all events so far."""

    plays: deque[tuple[TableEvent, ...]]
    reported: list[TableEvent] = field(default_factory=list)
    sizes: set[tuple[int, int]] = field(default_factory=set)
    view: None = None
    _pictures: int = 0

    def feed(self, frame: Frame) -> tuple[TableEvent, ...]:
        """Return the play that became certain with this picture."""
        if frame.lost is not None:
            return ()
        self._pictures += 1
        self.sizes.add((frame.image_bgr.shape[1], frame.image_bgr.shape[0]))
        if self._pictures % PICTURES_A_PLAY or not self.plays:
            return ()
        play = tuple(structs.replace(event, at=frame.at) for event in self.plays.popleft())
        self.reported += play
        return play

    def finish(self) -> tuple[TableEvent, ...]:
        """Return nothing: all was reported."""
        return ()


class RememberingBoard(SnapshotHub):
    """Remembers every sentence about a lost camera: some hold for a few hundredths of a second."""

    def __init__(self) -> None:
        super().__init__()
        self.troubles: list[str] = []

    def publish(self, **changes: Any) -> Snapshot:
        """Publish the changes."""
        snapshot = super().publish(**changes)
        if snapshot.camera.condition is Condition.LOST and "camera" in changes:
            self.troubles.append(snapshot.camera.trouble or "")
        return snapshot


@dataclass(slots=True)
class FaultCount:
    """
    What was seen of one kind of fault. ``reported``: events from before it until the game went on; ``lost``: those of
    them that the store lacks.
    """

    caused: int = 0
    went_on: int = 0
    lost: int = 0
    reported: list[TableEvent] = field(default_factory=list)
    sentences: set[str] = field(default_factory=set)


@dataclass(slots=True)
class FaultReport:
    """All faults of a run. ``filmed``: pictures that the film plays; ``sizes``: of the pictures that arrived."""

    faults: dict[str, FaultCount]
    events: int
    filmed: int
    film_trouble: str | None
    sizes: set[tuple[int, int]]

    @property
    def lost(self) -> int:
        """Return how many reported events the store lacks."""
        return sum(seen.lost for seen in self.faults.values())

    def problems(self) -> list[str]:
        """Return a sentence for every unmet expectation."""
        found = [f"expected no line to be lost, got {self.lost}"] if self.lost else []
        if self.events < sum(PLAYS_BETWEEN * seen.caused for seen in self.faults.values()):
            found.append(f"expected plays between the faults, got {self.events} events in all")
        if self.film_trouble is not None or not self.filmed:
            found.append(f"expected a film, got {self.film_trouble or 'none'}")
        for name, seen in self.faults.items():
            if seen.went_on < seen.caused:
                found.append(f"{name}: expected {seen.caused} games to go on, got {seen.went_on}")
            if not seen.sentences and name not in MOMENTARY:
                found.append(f"{name}: expected a sentence on the page, got none")
        if "size changed" in self.faults and self.sizes != set(SIZES):
            found.append(f"expected pictures of two sizes, got {sorted(self.sizes)}")
        return found

    def table(self) -> str:
        """Return the table."""
        rows = [f"{'fault':14}{'caused':>7}{'went on':>9}{'lost':>6}  shown"]
        for name, seen in self.faults.items():
            shown = "; ".join(sorted(seen.sentences))
            rows.append(f"{name:14}{seen.caused:7}{seen.went_on:9}{seen.lost:6}  {shown}")
        return "\n".join(rows)


def run(times: int, faults: Sequence[str] = tuple(FAULTS)) -> FaultReport:
    """Cause each fault ``times`` times in one game."""
    header, *lines = game_of(0, Setting(seed=38, rules="podkidnoy-36", deals=1 + times)).record()
    events = [event_from_json(line) for line in lines]
    plays = deque(tuple(play) for _, play in groupby(events, key=lambda event: event.at))
    with ExitStack() as parts:
        folder = parts.enter_context(tempfile.TemporaryDirectory())
        matches = open_matches(parts, f"sqlite:///{folder}/kozyr.db")
        match_writer, _ = stored_match(matches, KeepingOptions(keep=True))
        film = film_of(parts, matches, match_writer, live=True)
        assert match_writer is not None
        assert film is not None
        app, board, pipeline = CameraApp(), RememberingBoard(), PlayingPipeline(plays)
        source = parts.enter_context(open_source(parts.enter_context(app.served()), settings=QUICK))
        match = MatchLog(Header.parse(header), store=match_writer)
        session = MatchSession(
            match.header, source, pipeline, match, MatchFiles(matches=matches, match_writer=match_writer, film=film)
        )
        patience = Timeouts(silence_s=SILENCE_S, health_s=0.1)
        runtime = Runtime(session, board, PlaybackMode(live=True, paced=False), patience=patience)
        parts.callback(runtime.stop)
        runtime.start()
        found = {name: FaultCount() for name in faults}
        for name in list(faults) * times:
            _cause(name, found[name], app, board, pipeline)
        source.close()
        runtime.stop()
        film.close()
        if runtime.failure is not None:
            raise runtime.failure
        stored = [event_from_json(line) for line in matches.record(match_writer.match)[1:]]
        stored = [event for event in stored if not isinstance(event, Blocked)]
        stored_film = matches.films.film(match_writer.match) if matches.films is not None else None
        filmed = 0 if stored_film is None else len(stored_film.frames_s)
        there = Counter(map(_what, stored))
        for seen in found.values():
            seen.lost = sum((Counter(map(_what, seen.reported)) - there).values())
        return FaultReport(found, len(pipeline.reported), filmed, film.trouble, pipeline.sizes)


def _what(event: TableEvent) -> tuple[str, float]:
    """Return what identifies an event however its reading was revised: its kind and time."""
    return type(event).__name__, round(event.at, 3)


def _cause(name: str, seen: FaultCount, app: CameraApp, board: RememberingBoard, pipeline: PlayingPipeline) -> None:
    """Cause one fault after the next play, record the board's sentence, end the fault, and wait for the next event."""
    plays, reported = len(pipeline.plays), len(pipeline.reported)
    _wait(lambda: len(pipeline.plays) <= plays - 1)
    seen.caused += 1
    del board.troubles[:]
    connections, app.fault = app.connections, name
    _wait(lambda: board.troubles or (name in MOMENTARY and app.connections > connections))
    seen.sentences |= set(map(_without_figures, board.troubles[:1])) - {""}
    app.fault = None
    plays = len(pipeline.plays)
    _wait(lambda: board.newest.camera.condition is Condition.WATCHING and len(pipeline.plays) <= plays - PLAYS_BETWEEN)
    seen.went_on += 1
    seen.reported += pipeline.reported[reported:]


def _without_figures(sentence: str) -> str:
    return "".join("N" if letter.isdigit() else letter for letter in sentence)


def _wait(found: Callable[[], Found | None]) -> Found:
    """Return what ``found`` returns as soon as it is true."""
    end_s = time.monotonic() + PATIENCE_S
    while not (result := found()):
        if time.monotonic() > end_s:
            raise AssertionError("expected the camera's state to change, nothing changed for a minute")
        time.sleep(0.005)
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    """Cause the faults, print the table; return 1 if something was lost or did not go on."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.camera_faults", description=(__doc__ or "").split("\n")[1]
    )
    parser.add_argument("--times", type=int, default=20, help="of each fault")
    asked = parser.parse_args(arguments)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        os.environ[HOME_VARIABLE] = folder
        result = run(asked.times)
    print(result.table())
    caused = sum(seen.caused for seen in result.faults.values())
    print(
        f"{caused} faults, {result.events} events reported, {result.lost} lost; {result.filmed} pictures of the film "
        f"play; {time.monotonic() - began:.0f} s"
    )
    for sentence in result.problems():
        print(sentence, file=sys.stderr)
    return int(bool(result.problems()))


if __name__ == "__main__":
    sys.exit(main())
