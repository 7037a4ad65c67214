"""
A real Chromium before a real server. Any error on its console, any request that fails and any that goes elsewhere makes
the test fail.

A busy machine must fail no test. So a test waits for what it needs (``expect``, ``wait_for_function``) before it reads
anything at once, and it waits long. ``KOZYR_SLOW_BROWSER=6`` makes each page six times slower, and each answer of
the server late: a test that reads too early fails then, every time.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from threading import RLock
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from msgspec import structs
from playwright.sync_api import Browser, Page, expect, sync_playwright

from referee.events import Corrected, Pressed
from referee.record import Header, event_from_json
from scripts.find_chromium import NONE_FOUND, find_chromium
from tests.patience import PATIENCE_S, Found, wait_until
from tests.webapp.conftest import HEADER
from tests.webapp.services import FakeTable
from vision.layout import TableLayout
from vision.view.pipeline_view import PipelineView
from webapp.commands.background_work import BackgroundWork
from webapp.live.board import CameraHealth, Condition, Picture, SnapshotHub
from webapp.live.phone_camera import PhoneCamera
from webapp.live.shared_setup import SharedSetup
from webapp.match.log import MatchLog, MatchUpdate
from webapp.store.matches import Matches
from webapp.web.app import create_app
from webapp.web.app_services import Addresses, AppConfig
from webapp.web.pairing import Pairing
from webapp.web.serving import Service

FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-quic", "--no-first-run")
PATIENCE_MS = 1000 * PATIENCE_S
"""Limit for every wait in a page; a passing test never reaches it."""
SLOWED = float(os.environ.get("KOZYR_SLOW_BROWSER", 1))
"""Factor by which a page is slowed down."""
LATE_MS = 400
"""Delay of each answer to a slowed page."""
LEFT = "net::ERR_ABORTED"
"""Chromium's error for a request that it cancelled because the page was left."""
LAID_OUT = """new Promise((done) => {
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
  setTimeout(done, 5000); // a page that draws no frame must not stop the test for ever
})"""
SIZES = {
    "tablet": (1024, 768),
    "upright": (768, 1024),
    "phone": (390, 844),
    "lying": (844, 390),
    "television": (1920, 1080),
}


@cache
def started(place: str) -> Browser:
    """Start the one Chromium of this process, for the fixtures of each folder with tests of pages."""
    playwright = sync_playwright().start()
    chromium = playwright.chromium.launch(executable_path=place, args=FLAGS)

    def stop() -> None:
        chromium.close()
        playwright.stop()

    atexit.register(stop)
    return chromium


@pytest.fixture(scope="session")
def browser() -> Browser:
    """Return the Chromium of all tests. Without one they are skipped, or fail if ``CI`` is set."""
    place = find_chromium()
    if place is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(NONE_FOUND)
    expect.set_options(timeout=PATIENCE_MS)
    return started(place)


@dataclass
class Table:
    """
    A table whose page is served: ``happens`` feeds the real referee, ``presses`` has what the page sent. ``served``:
    what the pages ask.
    """

    address: str
    board: SnapshotHub
    match: MatchLog
    presses: list[Any] = field(default_factory=list)
    phone: PhoneCamera | None = None
    served: FakeTable = field(default_factory=FakeTable)
    in_turn: RLock = field(default_factory=RLock)
    """A test plays events while a page's statement is being judged: else the older state could be published last."""

    def happens(self, *events: dict[str, Any]) -> None:
        """Play these events and publish them to all pages."""
        with self.in_turn:
            for event in events:
                self.match.judge(event_from_json(event))
            self.show()

    def correct(self, correction: Corrected | Pressed) -> MatchUpdate:
        """Correct something as a person does on a page."""
        with self.in_turn:
            last = self.match.view.last_event
            done = self.match.correct(structs.replace(correction, at=last["at"] if last else 0.0))
            self.show()
        return done

    def show(self) -> None:
        """Publish the current state of the match."""
        with self.in_turn:
            self.board.publish(
                moves=self.board.newest.moves + 1,
                camera=CameraHealth(Condition.WATCHING, at_s=1.0),
                view=self.match.view,
                lines=self.match.lines,
            )


@pytest.fixture
def lay() -> Iterator[Callable[..., Table]]:
    """Serve the page of a new match with this header."""
    tables: list[tuple[SnapshotHub, Service]] = []
    works: list[BackgroundWork] = []

    def make(
        pairing: Pairing | None = None,
        shared_setup: SharedSetup | None = None,
        matches: Matches | None = None,
        phone: bool = False,
        on_film: Callable[[bool], bool] = lambda on: False,
        **header: Any,
    ) -> Table:
        board, service = SnapshotHub(), Service.take("127.0.0.1", 0)
        tables.append((board, service))
        table = Table(service.address, board, MatchLog(Header.parse(HEADER | header)))
        table.phone = PhoneCamera() if phone else None
        long_work = BackgroundWork(matches, None, None)
        works.append(long_work)
        table.served = FakeTable(
            on_press=lambda press: table.presses.append(press) is None,
            on_correct=table.correct,
            on_film=on_film,
        )
        services = AppConfig(
            table.served,
            pairing=pairing,
            addresses=Addresses(elsewhere=(service.address,), camera=("https://192.168.1.5:8036/",)),
            shared_setup=shared_setup,
            phone=table.phone,
            matches=matches,
            long_work=long_work,
        )
        service.start(create_app(services, board))
        table.match.open()
        layout = TableLayout.guessed((320, 180), (HEADER | header)["seats"])
        board.show(Picture(0, np.full((180, 320, 3), 90, np.uint8), PipelineView(0, 0.0, (), (), layout)))
        table.show()
        return table

    yield make
    for long_work in works:
        long_work.jobs.stop()
    for board, service in tables:
        board.close()
        service.stop()


def is_own(url: str, address: str) -> bool:
    """Check whether a request stays at the server under test, or is for bytes that the page itself made."""
    return urlsplit(url).netloc == urlsplit(address).netloc or url.startswith(("data:", "blob:"))


def is_contradiction(url: str, text: str) -> bool:
    """Check whether a correction was refused since it contradicts what is known, which the page then says."""
    return url.endswith("/correct") and "409" in text


def slow_down(page: Page) -> None:
    """Slow the page down, as on a slow device behind a slow network."""
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
    session.send("Network.enable")
    anything = {"offline": False, "downloadThroughput": -1, "uploadThroughput": -1}
    session.send("Network.emulateNetworkConditions", {**anything, "latency": LATE_MS})


def watched_page(
    browser: Browser, address: str, troubles: list[str], size: str = "tablet", language: str = "en", before: str = ""
) -> Page:
    """Open a page on a new device; its errors, and requests that leave the machine, are added to ``troubles``."""
    width, height = SIZES[size]
    context = browser.new_context(viewport={"width": width, "height": height}, locale=language)
    if before:
        context.add_init_script(before)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    if SLOWED > 1:
        slow_down(page)
    page.on(
        "console",
        lambda message: (
            troubles.append(f"{message.text} {message.location}")
            if message.type in ("error", "warning") and not is_contradiction(message.location["url"], message.text)
            else None
        ),
    )
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on(
        "requestfailed",
        lambda failed: troubles.append(f"{failed.url}: {failed.failure}") if failed.failure != LEFT else None,
    )
    page.on("request", lambda asked: None if is_own(asked.url, address) else troubles.append(f"left: {asked.url}"))
    page.on(
        "response",
        lambda got: (
            troubles.append(f"{got.url}: {got.status}")
            if got.status >= 400 and not is_contradiction(got.url, str(got.status))
            else None
        ),
    )
    return page


def soon(page: Page, found: Callable[[], Found]) -> Found:
    """
    Return what ``found`` gives as soon as it is true, while the browser goes on: pages let no test wait within them.
    """
    return wait_until(found, lambda pause_s: page.wait_for_timeout(1000 * pause_s))


def sizes_in_turn(page: Page, sizes: Iterable[str] = SIZES) -> Iterator[str]:
    """Yield one page in one size after the other."""
    for size in sizes:
        width, height = SIZES[size]
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(LAID_OUT)
        yield size


@pytest.fixture
def open_page(browser: Browser, lay: object) -> Iterator[Callable[..., Page]]:
    """Return a function that opens an address; errors in the browser fail the test at its end."""
    troubles: list[str] = []
    pages: list[Page] = []

    def opened(address: str, size: str = "tablet", language: str = "en", before: str = "") -> Page:
        page = watched_page(browser, address, troubles, size, language, before)
        pages.append(page)
        page.goto(address)
        return page

    yield opened
    found = list(troubles)  # closing interrupts the live stream, which is no error
    for page in pages:
        page.context.close()
    assert found == []
