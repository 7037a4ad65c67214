"""
Measure a phone as camera: Chromium plays a recording as its camera, and the page /camera sends it over https.

    python -m benchmarks.phone_path [--seconds S] [--slower N] [--sharp] [--loss SHARE [--delay-ms MS]]

Prints pictures a second, milliseconds from capture to judged (p50, p95), how many pictures were dropped where, the
memory of this process, and whether the same events came out as from the file. ``--slower N`` plays the recording N
times slower, and the phone's clock runs N times slower with it: a busy machine can then keep up with the game.
``--loss``: measure over a link that delays packets, first without loss and then with this share of packets lost each
way, and print the ratios (Linux, as root).
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

from benchmarks.lossy_link import HERE, Link, browser_behind, lossy_link
from referee.record import Header
from scripts.find_chromium import find_chromium
from vision.capture.phone import PhoneInbox, PhonePicture, PhoneSource, decoded
from vision.capture.sources import Frame, open_source
from webapp.commands.match_header import read_header
from webapp.live.board import SnapshotHub
from webapp.live.cameras import open_table_source
from webapp.live.match_options import MatchOptions
from webapp.live.phone_camera import PhoneCamera
from webapp.live.runtime import Listener, PlaybackMode, Runtime, Timeouts
from webapp.live.session import MatchSession
from webapp.live.vision_opening import pipeline_for
from webapp.match.log import MatchLog
from webapp.shipped_recording import DEMO_CLIP, DEMO_RECORD
from webapp.web.app import create_app
from webapp.web.app_services import Addresses, AppConfig
from webapp.web.pairing import Ask, Pairing
from webapp.web.serving import Service
from webapp.web.tls_certificate import OwnCertificate

FILE_FPS = 30
"""Chromium plays every MJPEG file at this rate."""
STILL_S = 2.0
"""Seconds for which the first and the last frame stand still: a camera takes a moment to open, and the file repeats."""
REST_S, SAME_LEVELS = 4.0, 1.0
"""Seconds and grey levels: the film is over if two pictures that far apart differ by less on average."""
LATEST = 1.4
"""Factor of the seconds that were asked for, after which no more pictures are collected."""
QUALITY = 85
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-quic", "--no-first-run"),
    *("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"),
)
COMPARED = ("event", "card", "by", "on", "to", "count")
"""Keys that two equal events share; times and probabilities differ from run to run."""


def write_film(clip: Path, target: Path, seconds: float, slower: float = 1.0, still_s: float = STILL_S) -> None:
    """
    Write the first seconds of a clip as the MJPEG file that Chromium takes for a camera.

    ``still_s``: seconds for which the first frame stands still.
    """
    with target.open("wb") as film:
        written, data = 0, b""
        for frame in open_source(str(clip)):
            data = jpeg(frame)
            due = round((still_s + frame.at * slower) * FILE_FPS)
            film.write(data * max(due - written, 0))
            written = max(due, written)
            if frame.at >= seconds:
                break
        film.write(data * round(5 * STILL_S * slower * FILE_FPS))


def jpeg(frame: Frame) -> bytes:
    """Encode a frame as a camera sends it."""
    return bytes(cv2.imencode(".jpg", frame.image_bgr, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1].tobytes())


@contextmanager
def phone_browser(playwright: Playwright, film: Path, *, behind_link: bool = False) -> Iterator[Browser]:
    """Start a Chromium whose camera plays a film. ``behind_link``: in the namespace of ``lossy_link``."""
    place = find_chromium()
    if behind_link and place is not None:
        place = browser_behind(place, film.parent)
    browser = playwright.chromium.launch(
        executable_path=place, args=[*FLAGS, f"--use-file-for-fake-video-capture={film}"]
    )
    yield browser
    browser.close()


@dataclass
class PhoneTable:
    """A table over https on this machine that waits for a phone."""

    phone: PhoneCamera
    pairing: Pairing = field(default_factory=lambda: Pairing(time.monotonic, Ask.ALWAYS))
    board: SnapshotHub = field(default_factory=SnapshotHub)
    address: str = ""

    @contextmanager
    def served(self, host: str = "127.0.0.1", **services: Any) -> Iterator[PhoneTable]:
        """Serve it; ``services``: more for the application."""
        with tempfile.TemporaryDirectory() as folder:
            certificate, service = OwnCertificate(Path(folder)), Service.take(host, 0)
            service.secure(certificate, (), datetime.now(UTC))
            self.address = service.address
            config = AppConfig(
                authority=certificate.authority,
                pairing=self.pairing,
                phone=self.phone,
                addresses=Addresses(camera=(self.address,)),
                **services,
            )
            service.start(create_app(config, self.board))
            yield self
            self.board.close()
            service.stop()

    def opened_by(self, browser: Browser) -> Page:
        """Open the camera's page on a phone that scanned the code."""
        context = browser.new_context(ignore_https_errors=True, viewport={"width": 390, "height": 844}, locale="en")
        context.add_init_script(
            "delete window.PressureObserver"
        )  # the load of this machine does not correspond to a phone's temperature
        page = context.new_page()
        page.goto(f"{self.address}pair?token={self.pairing.camera_token()}")
        page.get_by_role("button").click()
        return page


class TimedInbox(PhoneInbox):
    """Measures the delay of transmission and the waiting time of pictures, in ms of the wall clock."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.way_ms: list[float] = []
        self.waiting_ms: list[float] = []
        self.sent = 0
        super().__init__(clock)

    def deliver(self, jpeg: bytes, page: str, number: int, captured_ms: float | None = None) -> bool:
        """Deliver a picture."""
        self.sent = max(self.sent, number)
        return super().deliver(jpeg, page, number, captured_ms)

    def take(self, timeout_s: float) -> PhonePicture | None:
        """Return the newest picture not taken yet."""
        picture = super().take(timeout_s)
        if picture is not None and picture.captured_ms is not None:
            self.way_ms.append(picture.arrived_wall_ms - picture.captured_ms)
            self.waiting_ms.append(time.time() * 1000 - picture.arrived_wall_ms)
        return picture


class TimedPipeline:
    """Runs the pipeline, and measures how long after it was taken each picture was judged, and how long that took."""

    def __init__(self, pipeline: Any) -> None:
        self._pipeline = pipeline
        self.delays_ms: list[float] = []
        self.judging_ms: list[float] = []
        self.times_s: list[float] = []

    def feed(self, frame: Frame) -> tuple[Any, ...]:
        """Judge a frame."""
        began_s = time.time()
        events: tuple[Any, ...] = self._pipeline.feed(frame)
        now_s = time.time()
        self.times_s.append(now_s)
        if frame.captured_ms is not None:
            self.delays_ms.append(now_s * 1000 - frame.captured_ms)
            self.judging_ms.append((now_s - began_s) * 1000)
        return events

    def finish(self) -> tuple[Any, ...]:
        """Return the events that were not certain yet."""
        events: tuple[Any, ...] = self._pipeline.finish()
        return events

    @property
    def view(self) -> Any:
        """Return the pipeline's view of the newest frame."""
        return self._pipeline.view


def shipped_header() -> Header:
    """Return the header of the shipped game."""
    return Header.parse({**read_header(DEMO_RECORD), "witness": "camera"})


def fresh_pipeline(header: Header) -> Any:
    """Build the pipeline for this match."""
    return pipeline_for(MatchOptions("phone", header))


def events_of_file(seconds: float) -> list[dict[str, Any]]:
    """Return the events of the first seconds of the shipped recording, read from its file."""
    header = shipped_header()
    pipeline, match = fresh_pipeline(header), MatchLog(header)
    lines = list(match.open())
    last: Frame | None = None
    for frame in open_source(str(DEMO_CLIP)):
        if frame.at > seconds:
            break
        last = frame
        lines += judged(match, pipeline.feed(frame), frame.at)
    assert last is not None
    for number in range(round(STILL_S * 10)):  # the last frame stands still, as it does before the camera
        at = last.at + (number + 1) / 10
        lines += judged(match, pipeline.feed(Frame(last.image_bgr, last.number + number + 1, at)), at)
    return events_in(lines)


def judged(match: MatchLog, events: tuple[Any, ...], at_s: float) -> list[Any]:
    """Judge events and the time that passes; return the lines."""
    return [*(match.judge(*events) if events else ()), *match.pass_time(at_s)]


def events_in(lines: Iterable[Any]) -> list[dict[str, Any]]:
    """Return the events of the cards among the lines."""
    return [compared(line) for line in lines if line.get("event", "tick") not in ("tick", "blocked")]


def compared(line: Any) -> dict[str, Any]:
    """Return the keys of an event that are compared."""
    return {key: line[key] for key in COMPARED if key in line}


class ReplayedInbox(PhoneInbox):
    """Replays a phone's pictures with their arrival times, as fast as they are refereed."""

    def __init__(self, pictures: Sequence[PhonePicture]) -> None:
        self._left, self._now_s = iter(pictures), pictures[0].arrived_s
        self.is_empty = False
        super().__init__(lambda: self._now_s)

    def take(self, timeout_s: float) -> PhonePicture | None:
        """Return the next picture."""
        picture = next(self._left, None)
        self.is_empty = picture is None
        self._now_s = self._now_s + timeout_s if picture is None else picture.arrived_s
        return picture


def collect(table: PhoneTable, page: Page, seconds: float) -> list[PhonePicture]:
    """
    Return the pictures that arrive from the phone during ``seconds`` of its clock, and until the film rests: a
    busy machine plays it late.
    """
    pictures, is_over = list[PhonePicture](), threading.Event()

    def follow() -> None:
        while not is_over.is_set():
            picture = table.phone.inbox.take(0.1)
            if picture is not None:
                pictures.append(picture)

    follower = threading.Thread(target=follow)
    follower.start()
    took_s = 0.0
    while took_s < seconds or (took_s < LATEST * seconds and not rests(pictures)):
        page.wait_for_timeout(100)
        took_s = table.phone.inbox.now_s() - pictures[0].arrived_s if pictures else 0.0
    is_over.set()
    follower.join()
    return pictures


def rests(pictures: Sequence[PhonePicture]) -> bool:
    """Check whether the pictures of the last ``REST_S`` seconds show the same."""
    newest = pictures[-1]
    before = next((picture for picture in reversed(pictures) if newest.arrived_s - picture.arrived_s >= REST_S), None)
    if before is None:
        return False
    then, now = (
        np.asarray(cv2.imdecode(np.frombuffer(picture.jpeg, np.uint8), cv2.IMREAD_REDUCED_GRAYSCALE_8), np.uint8)
        for picture in (before, newest)
    )
    return float(cv2.absdiff(then, now).mean()) < SAME_LEVELS


def slow_clock(slower: float) -> Callable[[], float]:
    """Return a clock that runs ``slower`` times slower than real time."""
    began_s = time.monotonic()
    return lambda: (time.monotonic() - began_s) / slower


def events_of_phone(pictures: Sequence[PhonePicture]) -> list[dict[str, Any]]:
    """Return the events of pictures that came from a phone."""
    header = shipped_header()
    pipeline, match = fresh_pipeline(header), MatchLog(header)
    lines = list(match.open())
    inbox = ReplayedInbox(pictures)
    first = decoded(pictures[0].jpeg)
    assert first is not None
    source = PhoneSource(inbox, first)
    for frame in source:
        if inbox.is_empty:
            break
        lines += judged(match, pipeline.feed(frame), frame.at)
    return events_in(lines)


class LineCollector(Listener):
    """Collects the lines of a game."""

    def __init__(self, lines: list[Any]) -> None:
        self._lines = lines

    def on_lines(self, lines: tuple[Any, ...]) -> None:
        """Keep the lines."""
        self._lines += lines


@dataclass
class PlayedByPhone:
    """A game refereed through a phone."""

    lines: list[Any]
    pipeline: TimedPipeline
    phone: PhoneCamera
    board: SnapshotHub

    @property
    def events(self) -> list[dict[str, Any]]:
        """Return the events in order."""
        return events_in(self.lines)


@contextmanager
def phone_playing(seconds: float, slower: float = 1.0, link: Link | None = None) -> Iterator[tuple[PhoneTable, Page]]:
    """Serve a table, and open the page of a phone before which the shipped recording is played."""
    table = PhoneTable(PhoneCamera(TimedInbox(slow_clock(slower))))
    with ExitStack() as parts:
        film = Path(parts.enter_context(tempfile.TemporaryDirectory())) / "film.mjpeg"
        write_film(DEMO_CLIP, film, seconds, slower)
        if link is not None:
            parts.enter_context(lossy_link(link))
        parts.enter_context(table.served() if link is None else table.served(HERE))
        playwright = parts.enter_context(sync_playwright())
        browser = parts.enter_context(phone_browser(playwright, film, behind_link=link is not None))
        yield table, table.opened_by(browser)


def play(seconds: float, slower: float = 1.0, *, sharp: bool = False, link: Link | None = None) -> PlayedByPhone:
    """Referee the first seconds of the shipped recording through a phone's page while they arrive."""
    header, lines = shipped_header(), list[Any]()
    fresh_pipeline(header).feed(next(iter(open_source(str(DEMO_CLIP)))))  # networks are loaded before the game begins
    pipeline = TimedPipeline(fresh_pipeline(header))
    with phone_playing(seconds, slower, link) as (table, page):
        if sharp:
            page.locator("#sharp").click()
        source = open_table_source("phone", table.phone, table.board, lambda: False)
        assert source is not None
        runtime = Runtime(
            MatchSession(header, source, pipeline, MatchLog(header)),
            table.board,
            PlaybackMode(live=True, paced=False, on_demand=True),
            LineCollector(lines),
            patience=Timeouts(silence_s=60.0),
        )
        runtime.start()
        page.wait_for_timeout(1000 * slower * (seconds + 3 * STILL_S))
        source.close()
        runtime.stop()
        assert runtime.failure is None, runtime.failure
    return PlayedByPhone(lines, pipeline, table.phone, table.board)


def figures_of(played: PlayedByPhone) -> dict[str, Any]:
    """Return rates, delays and processor times of a game that was judged as it arrived."""
    times, inbox = played.pipeline.times_s, played.phone.inbox
    assert isinstance(inbox, TimedInbox)
    return {
        "sent": inbox.sent,
        "not_arrived": inbox.sent - inbox.received,
        "judged": len(times),
        "judged_per_second": round((len(times) - 1) / (times[-1] - times[0]), 1),
        "dropped_before_judging": inbox.dropped + played.board.newest.camera.dropped,
        "capture_to_judged_ms": shares(played.pipeline.delays_ms),
        "of_that_until_arrival_ms": shares(inbox.way_ms),
        "of_that_waiting_ms": shares(inbox.waiting_ms),
        "of_that_judging_ms": shares(played.pipeline.judging_ms),
    }


def shares(values: Sequence[float]) -> dict[str, int]:
    """Return the median and two high percentiles, rounded; empty without values."""
    return {f"p{share}": round(float(np.percentile(values, share))) for share in (50, 95, 99)} if values else {}


def with_loss(seconds: float, slower: float, delay_s: float, loss: float) -> list[dict[str, Any]]:
    """Play over a link without loss, then with it; return the figures of each."""
    rows = []
    for share in (0.0, loss):
        played = play(seconds, slower, link=Link(share, delay_s))
        rows.append({"loss": share, **figures_of(played), "events": len(played.events)})
        print(json.dumps(rows[-1]), flush=True)
    return rows


def main() -> int:
    """Measure and print one JSON object; with ``--loss`` one for each link, and the ratios."""
    parser = argparse.ArgumentParser(description="Measure the phone's way.", allow_abbrev=False)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--slower", type=float, default=1.0)
    parser.add_argument("--sharp", action="store_true", help="1080p instead of 720p")
    parser.add_argument("--kept", action="store_true", help="keep what arrives and judge it afterwards")
    parser.add_argument("--loss", type=float, metavar="SHARE", help="of the packets, each way, on a link of its own")
    parser.add_argument("--delay-ms", type=float, default=5.0, help="of that link, each way")
    asked = parser.parse_args()
    if asked.loss is not None:
        before, after = with_loss(asked.seconds, asked.slower, asked.delay_ms / 1000, asked.loss)
        ratios = {key: round(after[key] / before[key], 2) for key in ("sent", "judged")}
        p95s = [row["capture_to_judged_ms"]["p95"] for row in (before, after)]
        print(json.dumps({"ratios": {**ratios, "p95": round(p95s[1] / p95s[0], 2)}}))
        return 0
    began_s = time.monotonic()
    figures: dict[str, Any] = {"seconds": asked.seconds, "slower": asked.slower}
    if asked.kept:
        with phone_playing(asked.seconds, asked.slower) as (table, page):
            pictures = collect(table, page, asked.seconds + 3 * STILL_S)
        arrived_s = pictures[-1].arrived_s - pictures[0].arrived_s
        delays = [
            picture.arrived_wall_ms - picture.captured_ms for picture in pictures if picture.captured_ms is not None
        ]
        figures["arrived_per_second"] = round((len(pictures) - 1) / arrived_s / asked.slower, 1)
        figures["capture_to_arrival_ms"] = shares(delays)
        events = events_of_phone(pictures)
    else:
        played = play(asked.seconds, asked.slower, sharp=asked.sharp)
        figures |= figures_of(played)
        events = played.events
    expected = events_of_file(asked.seconds)
    figures |= {
        "most_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "took_s": round(time.monotonic() - began_s),
        "events": len(events),
        "same_as_file": events == expected,
    }
    print(json.dumps(figures))
    if events != expected:
        print(f"from the file: {expected}\nfrom the phone: {events}", file=sys.stderr)
    return 0 if events == expected else 1


if __name__ == "__main__":
    sys.exit(main())
