"""
Measure forty devices at one table: speed of pages and live updates, and memory.

    python -m benchmarks.viewers [--viewers 40] [--minutes 10] [--out FILE.json]

The real referee and server handle two events a second. Viewers in a separate process hold a live stream each and
request a page twice a second among them. One Chromium shows the table and measures the time from event to painted
frame; another, slowed six times, measures how long its main thread is busy. All of this runs on the same machine at
once.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import count
from pathlib import Path
from statistics import median, quantiles
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, sync_playwright

from referee.record import Header, event_from_json
from scripts.find_chromium import NONE_FOUND, find_chromium
from scripts.results import write_result
from webapp.live.board import CameraHealth, Condition, SnapshotHub
from webapp.match.log import MatchLog
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig
from webapp.web.serving import Service

EVENT_S = 0.5
WARM_S = 15.0
"""Seconds of warming up before memory and times count."""
SLOWED = 6
LONG_TASK_MS = 50
SEATS = ["Anna", "Boris", "Vera", "Gleb"]
START = {"trump": "h", "turnup": "9h", "talon": 12, "hands": dict.fromkeys(SEATS, 6), "attacker": "Anna"}
HEADER = {"kozyr": 1, "rules": "podkidnoy-36", "seats": SEATS, "dealer": "Gleb", "start": START}
PLAYS = (
    {"event": "placed", "card": "7s", "by": "Anna"},
    {"event": "placed", "card": "8s", "by": "Boris", "on": "7s"},
    {"event": "placed", "card": "8d", "by": "Anna"},
    {"event": "placed", "card": "9d", "by": "Boris", "on": "8d"},
)
WATCH_PAINT = """
window.painted = [];
addEventListener("DOMContentLoaded", () => {
  const cards = () => document.querySelectorAll(".bout .card").length;
  let shown = 0;
  new MutationObserver(() => {
    const now = cards();
    if (now === shown) return;
    shown = now;
    requestAnimationFrame(() => setTimeout(() => window.painted.push([now, Date.now()])));
  }).observe(document.getElementById("bout"), { childList: true, subtree: true });
});
"""
WATCH_TASKS = """
window.tasks = [];
new PerformanceObserver((list) => list.getEntries().forEach((each) => window.tasks.push(each.duration)))
  .observe({ entryTypes: ["longtask"] });
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print a table, write JSON if asked for."""
    parser = argparse.ArgumentParser(description="Forty devices at one table.", allow_abbrev=False)
    parser.add_argument("--viewers", type=int, default=40)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--out", type=Path, metavar="FILE.json")
    parser.add_argument("--watch", metavar="ADDRESS", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.watch:
        print(json.dumps(watched(asked.watch, asked.viewers, asked.minutes * 60)))
        return 0
    place = find_chromium()
    if place is None:
        print(NONE_FOUND, file=sys.stderr)
        return 1
    figures = measured(place, asked.viewers, asked.minutes * 60)
    for name, value in figures.items():
        print(f"{name.replace('_', ' '):38} {value}")
    if asked.out is not None:
        write_result(asked.out, "benchmarks.viewers", "the table page", figures)
    return 0


def measured(chromium: Path, viewers: int, seconds: float) -> dict[str, Any]:
    """Return all figures."""
    board, service = SnapshotHub(), Service.take("127.0.0.1", 0)
    service.start(create_app(AppConfig(streams=viewers + 4), board))
    reported: list[tuple[int, float]] = []
    stop = threading.Event()
    table = threading.Thread(target=play, args=(board, reported, stop), daemon=True)
    table.start()
    command = [sys.executable, "-m", "benchmarks.viewers", "--watch", service.address, "--viewers", str(viewers)]
    crowd = subprocess.Popen([*command, "--minutes", str(seconds / 60)], stdout=subprocess.PIPE, text=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page, slow = opened(browser, service.address, WATCH_PAINT), opened(browser, service.address, WATCH_TASKS)
        slow.context.new_cdp_session(slow).send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
        page.wait_for_timeout(WARM_S * 1000)
        slow.evaluate("tasks.length = 0")
        page.evaluate("painted.length = 0")
        memory_mb, since = memory(), time.time()
        page.wait_for_timeout(max(seconds - WARM_S, 1.0) * 1000)
        after_mb = memory()
        painted: list[list[float]] = page.evaluate("painted")
        tasks: list[float] = slow.evaluate("tasks")
        browser.close()
    crowd_reported = json.loads(crowd.communicate()[0])
    stop.set()
    board.close()
    service.stop()
    delays_ms = sorted(paint_delays_ms([event for event in reported if event[1] >= since], painted))
    updates = sum(at >= since for _, at in reported)
    return {
        "viewers": viewers,
        "seconds": round(seconds),
        "load_of_the_machine": round(os.getloadavg()[0], 1),
        **crowd_reported,
        "event_to_paint_median_ms": round(median(delays_ms), 1),
        "event_to_paint_p95_ms": round(quantiles(delays_ms, n=20)[-1], 1),
        "paints": len(delays_ms),
        "memory_after_warming_mb": round(memory_mb, 1),
        "memory_in_the_end_mb": round(after_mb, 1),
        f"updates_at_{SLOWED}_times_slower": updates,
        f"tasks_over_{LONG_TASK_MS}_ms": len(tasks),
        "longest_task_ms": round(max(tasks, default=0.0)),
    }


def opened(browser: Browser, address: str, script: str) -> Page:
    """Open a table page watched by a script."""
    page = browser.new_context(viewport={"width": 1024, "height": 768}, locale="en").new_page()
    page.add_init_script(script)
    page.goto(address)
    return page


def play(board: SnapshotHub, reported: list[tuple[int, float]], stop: threading.Event) -> None:
    """Play game after game; yield the cards on the table and when they were published."""
    for game in count(1):
        match = MatchLog(Header.parse(HEADER))
        match.open()
        for number, play_ in enumerate(PLAYS, 1):
            if stop.wait(EVENT_S):
                return
            match.judge(event_from_json({"at": float(number), **play_}))
            camera = CameraHealth(Condition.WATCHING, frames=number, frames_per_second=20.0, at_s=float(number))
            reported.append((number, time.time()))
            board.publish(moves=board.newest.moves + 1, game=game, camera=camera, view=match.view, lines=match.lines)


def paint_delays_ms(reported: Sequence[tuple[int, float]], painted: Sequence[Sequence[float]]) -> Iterator[float]:
    """Return the milliseconds from each event to the first frame after it that shows as many cards."""
    frames = iter(painted)
    frame = next(frames, None)
    for cards, at_s in reported:
        while frame is not None and frame[1] < at_s * 1000 - 1:
            frame = next(frames, None)
        if frame is not None and frame[0] == cards:
            yield frame[1] - at_s * 1000


def memory() -> float:
    """Return this process's memory in MB."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024


def watched(address: str, viewers: int, seconds: float) -> dict[str, Any]:
    """Run the viewers for that long and return the figures."""
    place = (str(urlsplit(address).hostname), int(urlsplit(address).port or 80))
    end = time.monotonic() + seconds
    messages, lost = [0] * viewers, [0]

    def view(number: int) -> None:
        with closing(http.client.HTTPConnection(*place, timeout=20)) as connection:
            try:
                connection.request("GET", "/api/events?language=en")
                stream = connection.getresponse()
                while time.monotonic() < end:
                    messages[number] += stream.readline().startswith(b"event: match")
            except (OSError, http.client.HTTPException):
                lost[0] += 1

    threads = [threading.Thread(target=view, args=(number,), daemon=True) for number in range(viewers)]
    for thread in threads:
        thread.start()
    took_ms = []
    while time.monotonic() < end:
        began = time.monotonic()
        with closing(http.client.HTTPConnection(*place, timeout=20)) as connection:
            connection.request("GET", "/")
            connection.getresponse().read()
        took_ms.append((time.monotonic() - began) * 1000)
        time.sleep(0.5)
    for thread in threads:
        thread.join(5)
    return {
        "pages": len(took_ms),
        "page_median_ms": round(median(took_ms), 1),
        "page_p95_ms": round(quantiles(took_ms, n=20)[-1], 1),
        "updates_by_viewer": [min(messages), max(messages)],
        "viewers_lost": lost[0],
    }


if __name__ == "__main__":
    sys.exit(main())
