"""
Measure time and memory for opening a stored match of two hours in a browser.

    python -m tests.browser.long_match [--hours 2] [--seeks 40]

The record is a random session of the independent engine, spread over the time; the film has five small frames a second.
The page is opened as it is after a game: its replay was made when the match ended. Then it is sought at random and
played at eight times its speed, and the page's memory is compared before and after.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from playwright.sync_api import Page, sync_playwright

from referee.record import Header, event_from_json
from scripts.find_chromium import find_chromium
from tests.browser.conftest import FLAGS
from tests.referee.random_play import RandomSession
from vision.capture.video_writer import FilmWriter
from webapp.live.board import SnapshotHub
from webapp.match.log import MatchLog
from webapp.match.stored_matches import StoredMatches
from webapp.store.database import Database
from webapp.store.films import Films
from webapp.store.matches import Matches, RecordEntry, Writing
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig
from webapp.web.serving import Service

FRAMES_PER_S = 5
DEALS_PER_HOUR = 6
"""Some 1,800 events: a card, a draw or a sweep every two seconds, as in the shipped recording."""
SEEK = """async (to) => {
  const video = document.getElementById("film");
  const began = performance.now();
  const sought = new Promise((done) => video.addEventListener("seeked", done, { once: true }));
  video.currentTime = to;
  await sought;
  return performance.now() - began;
}"""

OPENED = """
const looking = new MutationObserver(() => {
  if (!document.body?.dataset.ready) return;
  looking.disconnect();
  requestAnimationFrame(() => setTimeout(() => { window.openedMs = performance.now(); }));
});
looking.observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-ready"] });
"""
"""Measures, by the page's own clock, the time from the tap to the frame that shows board and list."""


def long_record(hours: float) -> list[dict[str, Any]]:
    """Return a session of several deals, spread evenly over ``hours`` hours."""
    session = RandomSession("podkidnoy-36", 5, 2)
    session.play(max(1, round(hours * DEALS_PER_HOUR)))
    header, *events = session.record
    stretch = hours * 3600 / events[-1]["at"]
    return [header, *({**event, "at": round(event["at"] * stretch, 3)} for event in events)]


def keep(matches: Matches, record: list[dict[str, Any]], hours: float) -> str:
    """Store the match and its film; return its ID."""
    writing = Writing.begin("kitchen", datetime.now(UTC), {})
    entries: list[RecordEntry] = []

    class Store:
        def write(self, line: Any, rulings: Any, result: Any) -> None:
            entries.append(RecordEntry(len(entries) + 1, line, rulings, result))

    match = MatchLog(Header.parse(record[0]), store=Store())
    match.open()
    for event in record[1:]:
        match.judge(event_from_json(event))
    matches.append(writing, entries)
    matches.end(writing)
    assert matches.films is not None
    with FilmWriter(matches.films.new_part(writing.match), (160, 90), 0.0) as film:
        for number in range(int(hours * 3600 * FRAMES_PER_S)):
            shade = 40 + number % 160
            film.add(np.full((90, 160, 3), shade, np.uint8), number / FRAMES_PER_S, wait=True)
    return writing.match


def heap_mb(page: Page) -> float:
    """Return the page's memory after garbage collection."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    return float(session.send("Runtime.getHeapUsage")["usedSize"]) / 1e6


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, default=2.0)
    parser.add_argument("--seeks", type=int, default=40)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        matches = Matches(Database.open(f"sqlite:///{folder}/kozyr.db"), Films(Path(folder) / "films"))
        record = long_record(asked.hours)
        match = keep(matches, record, asked.hours)
        began = time.monotonic()
        StoredMatches(matches).prepare(match)
        prepared_s = time.monotonic() - began
        board, service = SnapshotHub(), Service.take("127.0.0.1", 0)
        service.start(create_app(AppConfig(matches=matches), board))
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
            page = browser.new_page(viewport={"width": 1024, "height": 768})
            page.add_init_script(OPENED)
            page.goto(f"{service.address}matches")  # the browser has the words and the style already
            page.goto(f"{service.address}matches/{match}")
            page.wait_for_selector("body[data-ready]")
            page.wait_for_timeout(500)
            opened_s = page.evaluate("window.openedMs") / 1000
            before_mb = heap_mb(page)
            chance = np.random.default_rng(1)
            seeks = [page.evaluate(SEEK, float(at)) for at in chance.uniform(0, asked.hours * 3600 - 2, asked.seeks)]
            page.select_option("#speed", "8")
            page.click("#play")
            page.wait_for_timeout(8000)
            after_mb = heap_mb(page)
            browser.close()
        board.close()
        service.stop()
    print(
        f"{asked.hours:g} h, {len(record)} lines: made ready in {prepared_s:.1f} s when the match ended, opened in "
        f"{opened_s:.2f} s; {asked.seeks} seeks, median {median(seeks):.0f} ms; the page's memory {before_mb:.1f} MB, "
        f"{after_mb:.1f} MB after that and a minute at eight times the speed"
    )
    return int(opened_s > 1.0 or after_mb > 1.5 * before_mb)


if __name__ == "__main__":
    sys.exit(main())
