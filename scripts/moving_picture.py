"""
Record the moving picture of the README: the table page while the shipped recording is refereed.

    python -m scripts.moving_picture [docs/table.webp] [--every S] [--faster N] [--width PX]

Runs ``kozyr demo`` in a process of its own, opens its page in Chromium at the size of a tablet, and takes a screenshot
for each ``--every`` seconds of film. Writes an animated WebP that plays ``--faster`` times as fast as the film. Needs
the extra ``test`` and a Chromium (``scripts/find_chromium.py``).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import cv2
import numpy as np
from playwright.sync_api import Page, ViewportSize, sync_playwright

from scripts.find_chromium import NONE_FOUND, find_chromium

VIEWPORT: ViewportSize = {"width": 1024, "height": 768}
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-quic", "--no-first-run")
MOST_BYTES = 2_000_000
"""A README opens quickly with a picture of this size."""
HOLD_LAST_MS = 4000
"""Milliseconds for which the result stays before the animation starts again."""
STARTS_WITHIN_S = 60
POLL_S = 0.05
WARNED = "#camera:not([data-condition=watching])"
"""The lamp of the table page while the page warns of anything."""
QUALITIES = (80, 65, 50, 35, 20)
"""WebP qualities, tried in this order until the file is small enough."""


def main(arguments: list[str] | None = None) -> int:
    """Record, encode and write. Return 1 if there is no Chromium or the file cannot be made small enough."""
    parser = argparse.ArgumentParser(description="An animated picture of the table page.", allow_abbrev=False)
    parser.add_argument("out", type=Path, nargs="?", default=Path("docs/table.webp"))
    parser.add_argument("--every", type=float, default=1.0, metavar="S", help="seconds of film between two pictures")
    parser.add_argument("--faster", type=float, default=3.0, metavar="N", help="times the film's own speed")
    parser.add_argument("--width", type=int, default=720, metavar="PX")
    asked = parser.parse_args(arguments)
    chromium = find_chromium()
    if chromium is None:
        print(NONE_FOUND, file=sys.stderr)
        return 1
    with demo_page(chromium) as (page, address, demo):
        shots = list(screenshots(page, address, demo, asked.every))
    pictures = [shrunk(shot, asked.width) for shot in shots]
    durations = [round(1000 * asked.every / asked.faster)] * (len(pictures) - 1) + [HOLD_LAST_MS]
    for quality in QUALITIES:
        if write_animation(asked.out, pictures, durations, quality) <= MOST_BYTES:
            size = asked.out.stat().st_size
            print(f"{asked.out}: {len(pictures)} pictures, {size / 1e6:.2f} MB, quality {quality}", file=sys.stderr)
            return 0
    print(f"expected at most {MOST_BYTES} bytes, got {asked.out.stat().st_size}: raise --every", file=sys.stderr)
    return 1


@contextmanager
def demo_page(chromium: Path) -> Iterator[tuple[Page, str, subprocess.Popen[bytes]]]:
    """
    Serve the recording and open its page.

    Yields the page, its address and the demo's process. Raises ``RuntimeError`` if the demo does not start.
    """
    with tempfile.TemporaryDirectory() as home:
        codes = Path(home) / "pairing.json"
        command = [sys.executable, "-m", "webapp.commands.cli", "demo", "--exit", "--no-browser", "--no-keep"]
        demo = subprocess.Popen(
            [*command, "--port", "0", "--pairing", str(codes)],
            env={**os.environ, "KOZYR_HOME": home},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            address = address_of(codes, demo)
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
                page = browser.new_page(viewport=VIEWPORT, locale="en", color_scheme="dark")
                page.goto(address)
                yield page, address, demo
                browser.close()
        finally:
            demo.terminate()
            demo.wait()


def address_of(codes: Path, demo: subprocess.Popen[bytes]) -> str:
    """Return the page's address, which the demo writes beside its pairing codes once it serves."""
    end = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < end and demo.poll() is None:
        try:
            return str(json.loads(codes.read_text("utf-8"))["url"])
        except (OSError, ValueError):
            time.sleep(POLL_S)
    raise RuntimeError("kozyr demo did not start; run it by hand to see why")


def screenshots(page: Page, address: str, demo: subprocess.Popen[bytes], every_s: float) -> Iterator[np.ndarray]:
    """
    Yield BGR screenshots, one for each ``every_s`` seconds of film, until the demo ends.

    Leaves out what a loaded machine or the demo's end brings to the page: its warnings, and the lost connection.
    """
    due_s = 0.0
    while demo.poll() is None:
        film_s = film_time_s(address)
        if film_s is None or film_s < due_s or page.locator(WARNED).count():
            time.sleep(POLL_S)
            continue
        picture = np.frombuffer(page.screenshot(type="png"), np.uint8)
        if film_time_s(address) is not None and not page.locator(WARNED).count():
            due_s = film_s + every_s
            yield np.asarray(cv2.imdecode(picture, cv2.IMREAD_COLOR), np.uint8)


def film_time_s(address: str) -> float | None:
    """Return the second of film that was refereed last; None before the first frame and once the demo has ended."""
    try:
        with urlopen(f"{address.rstrip('/')}/api/state", timeout=5) as answer:
            at = json.load(answer)["camera"]["at"]
    except OSError:
        return None
    return None if at is None else float(at)


def shrunk(picture: np.ndarray, width: int) -> np.ndarray:
    """Scale a picture to ``width`` pixels."""
    height = round(picture.shape[0] * width / picture.shape[1])
    return cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA)


def write_animation(path: Path, pictures: list[np.ndarray], durations_ms: list[int], quality: int) -> int:
    """Write an animated WebP that repeats for ever and return its size in bytes."""
    animation = cv2.Animation(0)
    animation.frames = pictures
    animation.durations = durations_ms
    cv2.imwriteanimation(str(path), animation, [cv2.IMWRITE_WEBP_QUALITY, quality])
    return path.stat().st_size


if __name__ == "__main__":
    sys.exit(main())
