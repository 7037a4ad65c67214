"""
Count the taps and seconds from `kozyr` to the first refereed card, with a phone as the camera.

    python -m benchmarks.first_card [--picture FILE.png]

Starts the program in a process of its own on a machine that nobody has used yet. One Chromium is the table's page,
another is the phone, before whose camera the shipped recording is played. Every tap is a real click. The seconds are
those of the program and the browsers: what people take to read and to place the phone is not counted.

Prints one JSON object. ``--picture``: save a screenshot of *Ready?*.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Locator, Page, sync_playwright

from benchmarks.phone_path import phone_browser, write_film
from scripts.find_chromium import find_chromium
from vision.data_home import HOME_VARIABLE
from webapp.shipped_recording import DEMO_CLIP

STILL_S = 45.0
"""Seconds before the first play of the recording; the game must be set up within them."""
FILM_S = 8.0
"""Seconds of the recording: two cards."""
TALON = 6
"""Cards of the recording's talon; a camera can't count them."""
PATIENCE_MS = 180_000


@dataclass
class TapCount:
    """The taps so far, and when each step was reached."""

    began_s: float = field(default_factory=time.monotonic)
    taps: int = 0
    steps: list[tuple[str, int, float]] = field(default_factory=list)

    def tap(self, place: Locator) -> None:
        """Tap once."""
        place.click(timeout=PATIENCE_MS)
        self.taps += 1

    def reached(self, step: str) -> None:
        """Note that a step is done."""
        self.steps.append((step, self.taps, round(time.monotonic() - self.began_s, 1)))


@contextmanager
def program(home: Path) -> Iterator[str]:
    """Run `kozyr` in a process of its own; yield the address of its page."""
    place = home / "pairing.json"
    call = [sys.executable, "-m", "webapp.commands.cli", "--no-browser", "--port", "0", "--pairing", str(place)]
    process = subprocess.Popen(call, env=os.environ | {HOME_VARIABLE: str(home)}, stderr=subprocess.DEVNULL)
    try:
        while not place.exists():
            if process.poll() is not None:
                raise RuntimeError(f"expected kozyr to run, got exit status {process.returncode}")
            time.sleep(0.1)
        url = json.loads(place.read_text(encoding="utf-8"))["url"]
        yield f"http://127.0.0.1:{urlsplit(url).port}/"
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


def become_camera(way: TapCount, phone: Browser, url: str) -> None:
    """Scan the code with the phone, and let it be the camera."""
    page = phone.new_context(ignore_https_errors=True, viewport={"width": 390, "height": 844}, locale="en").new_page()
    page.goto(url)
    way.tap(page.get_by_role("button", name="Be the camera"))


def set_up(way: TapCount, page: Page, phone: Browser, picture: Path | None) -> None:
    """Set up the game on the page of the table."""
    with page.expect_response("**/api/camera/code", timeout=PATIENCE_MS) as code:
        way.tap(page.get_by_role("button", name="A phone", exact=True))
    become_camera(way, phone, code.value.json()["url"])
    page.get_by_text("The phone is the camera").wait_for(timeout=PATIENCE_MS)
    way.reached("the phone is the camera")
    way.tap(page.get_by_role("link", name="Players"))
    for _ in range(3):
        way.tap(page.get_by_role("button", name="+ Add a player"))
    way.reached("three players sit")
    way.tap(page.get_by_role("link", name="Deal"))
    way.tap(page.get_by_role("button", name="Begin with what the camera sees"))
    way.reached("trump and cards are taken from the picture")
    left = page.get_by_role("spinbutton", name="Draw pile")
    way.tap(left)
    left.fill(str(TALON))
    left.press("Enter")
    way.reached("the cards of the deck are counted")
    if picture is not None:
        page.get_by_role("link", name="Start").click()
        page.locator(".summary-line").first.wait_for()
        page.screenshot(path=picture)
    way.tap(page.get_by_role("button", name="Begin the game"))
    way.reached("the game is on")


def main() -> int:
    """Run the command line and return its exit status."""
    parser = argparse.ArgumentParser(description="Count taps and seconds to the first card.", allow_abbrev=False)
    parser.add_argument("--picture", type=Path, metavar="FILE.png", help="save a screenshot of Ready?")
    asked = parser.parse_args()
    with ExitStack() as parts:
        home = Path(parts.enter_context(tempfile.TemporaryDirectory()))
        write_film(DEMO_CLIP, home / "film.mjpeg", FILM_S, still_s=STILL_S)
        playwright = parts.enter_context(sync_playwright())
        phone = parts.enter_context(phone_browser(playwright, home / "film.mjpeg"))
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        parts.callback(browser.close)
        way = TapCount()
        page = browser.new_context(locale="en", viewport={"width": 1024, "height": 700}).new_page()
        page.goto(parts.enter_context(program(home)))
        way.reached("the page is open")
        set_up(way, page, phone, asked.picture)
        page.locator(".bout .card").first.wait_for(timeout=PATIENCE_MS)
        way.reached("the first card is refereed")
    steps = [{"step": step, "taps": taps, "seconds": seconds} for step, taps, seconds in way.steps]
    print(json.dumps({"taps": way.taps, "still_seconds": STILL_S, "steps": steps}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
