"""
Play a family's evening: five games before one camera, set up and followed on the page, and judged by the real pipeline.

    python -m benchmarks.whole_evening [--films FOLDER] [--pictures FOLDER] [--slower N]

Starts the program in a process of its own on a machine that nobody has used yet; a stream that goes on is its camera
(``benchmarks.table_stream``), before which drawn people play (``benchmarks.evening_films``). A Chromium is the table's
page: set-up, a series to three losses, *Next game* after each game (once before the cards are gathered, once after), a
card that a person corrects and takes back, two games that are given up, the end of the series and of the evening.

``--slower``: the films are played N times slower, for a busy machine. ``--pictures``: save screenshots, for a tablet
and a phone. Prints one JSON object a game: who was the fool, how many cards were recorded as they were laid, and what
the referee called or asked, though nobody broke a rule. Exits with 1 where the page shows another fool, series or
evening than was played.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect, sync_playwright

from benchmarks.evening_films import EVENING, FPS, SEATS, PlannedGame, film_evening
from benchmarks.first_card import PATIENCE_MS, program
from benchmarks.table_stream import TableStream
from scripts.find_chromium import find_chromium

SIZES = {"tablet": (1024, 768), "phone": (390, 844)}
SERIES = 3
"""Losses that end the series."""
REST_S = 6
"""Seconds after the last picture of a film in which the end of the game is announced."""
CORRECTED = 1
"""The game, counted from 0, in which a card is corrected."""


class EveningPage:
    """The table's page during the evening."""

    def __init__(self, page: Page, stream: TableStream, pictures: Path | None) -> None:
        self.page, self._stream, self._pictures = page, stream, pictures

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def shoot(self, name: str) -> None:
        """Save the page in each size, if pictures are wanted."""
        if self._pictures is None:
            return
        for size, (width, height) in SIZES.items():
            self.page.set_viewport_size({"width": width, "height": height})
            self.page.wait_for_timeout(500)
            self.page.screenshot(path=self._pictures / f"{name}-{size}.png")
        width, height = SIZES["tablet"]
        self.page.set_viewport_size({"width": width, "height": height})

    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = self.page.evaluate("fetch('/api/state').then((answer) => answer.json())")
        return found

    def set_up(self, address: str) -> None:
        """Set the first game up by taps, every step in its turn."""
        page = self.page
        self.button("A stream's address").click()
        page.get_by_label("Address", exact=True).fill(address)
        self.button("Try it").click()
        page.get_by_text("Pictures come from there").wait_for()
        self.shoot("0-camera")
        self._onward("Who plays?")
        self.button("+ Add a player").click()
        for name in SEATS:
            page.keyboard.type(name)
            page.keyboard.press("Enter")
        page.keyboard.press("Escape")
        expect(page.locator(".chip")).to_have_count(len(SEATS))
        self._onward("Which Durak?")
        page.locator(".rule-card", has_text="Podkidnoy with 24 cards").click()
        self._onward("Which deck?")
        self._onward("Where does the game stand?")
        self.button(SEATS[-1]).first.click()
        self.button(f"First to {SERIES}").click()
        self.shoot("0-deal")
        self._onward("Ready?")
        self.shoot("0-ready")
        self.button("Begin the game").click()
        page.wait_for_url(lambda url: "setup" not in url)

    def _onward(self, heading: str) -> None:
        self.button("Next").click()
        self.page.get_by_role("heading", name=heading).wait_for()

    def play(self, number: int, plan: PlannedGame, film: Path) -> bool:
        """
        Play one game to its end. It is given up where that is planned or the referee does not see that it is over;
        return whether it saw the end.
        """
        page = self.page
        while self.state()["camera"]["condition"] != "watching":
            page.wait_for_timeout(500)
        self._stream.play(film)
        if number == CORRECTED:
            page.locator(".bout .card").first.wait_for()
            self._correct()
        while not self._stream.is_over.is_set():
            page.wait_for_timeout(500)
        page.wait_for_timeout(1000 * REST_S)
        is_seen = page.locator(".ending").is_visible()
        if not is_seen:
            self.shoot(f"{number + 1}-before-giving-up")
            self.button("Give up").click()
            page.get_by_role("dialog").get_by_role("button", name=plan.fool, exact=True).click()
        page.locator(".ending").wait_for()
        page.wait_for_timeout(2000)
        self.shoot(f"{number + 1}-end")
        return is_seen

    def _correct(self) -> None:
        """Correct the first card that lies on the table to another, and take that back."""
        page = self.page
        page.locator(".bout .card").first.click()
        sheet = page.get_by_role("dialog")
        sheet.get_by_role("button", name="Another card").click()
        sheet.get_by_role("button", name="king of clubs").click()
        page.locator(".put-right span").first.wait_for()
        self.shoot("2-corrected")
        page.locator(".put-right").get_by_role("button", name="Undo").click()

    def go_on(self, number: int, film: Path) -> None:
        """
        Order the next game: after odd games the cards are gathered before, after even ones only once it was ordered,
        or once the referee has asked for that.
        """
        ending = self.page.locator(".ending")
        if number % 2:
            self._gather(film)
            self.button("Next game").click()
        else:
            self.button("Next game").click()
            self.page.wait_for_timeout(1000 * REST_S)
            if ending.is_visible():
                self.shoot(f"{number + 1}-asks-to-gather")
            self._gather(film)
            while ending.is_visible():
                self.button("Next game").click()
                self.page.wait_for_timeout(1000 * REST_S)
        ending.wait_for(state="hidden")
        self.shoot(f"{number + 1}-next")

    def _gather(self, film: Path) -> None:
        """Let the whole pack lie on the table, ready to be dealt."""
        self._stream.wait_at_start(film)
        self.page.wait_for_timeout(1000 * REST_S)


def laid(lines: Sequence[dict[str, Any]]) -> Counter[tuple[str, str]]:
    """Return the cards that were laid, with who laid them."""
    return Counter((line["card"], line.get("by", "")) for line in lines if line.get("event") == "placed")


def compared(state: dict[str, Any], page: Page, film: Path) -> dict[str, Any]:
    """Compare what was recorded of a game with what was played in its film."""
    truth = [json.loads(line) for line in film.with_suffix(".jsonl").read_text("utf-8").splitlines()]
    believed = page.evaluate("fetch('/api/taken').then((answer) => answer.json())")
    events = [line["event"] for line in believed["lines"] if line.get("event")]
    wanted, got = laid(truth), laid(events)
    calls = [call for call in state["calls"] if call.get("ruling") in ("illegal", "impossible", "unclear")]
    return {
        "cards": wanted.total(),
        "right": (wanted & got).total(),
        "more": sorted(f"{card} {by}" for card, by in got - wanted),
        "missing": sorted(f"{card} {by}" for card, by in wanted - got),
        "called": [call["text"] for call in calls if not call.get("note")],
    }


def main() -> int:
    """Run the command line and return its exit status."""
    parser = argparse.ArgumentParser(description="Play a family's evening of five games.", allow_abbrev=False)
    parser.add_argument("--films", type=Path, metavar="FOLDER", help="where the films are, or are drawn to")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="save screenshots")
    parser.add_argument("--slower", type=float, default=1.0, metavar="N", help="play the films N times slower")
    asked = parser.parse_args()
    wrong: list[str] = []
    with ExitStack() as parts:
        folder = Path(parts.enter_context(tempfile.TemporaryDirectory()))
        films = film_evening(asked.films or folder)
        if asked.pictures is not None:
            asked.pictures.mkdir(parents=True, exist_ok=True)
        stream = TableStream(FPS / asked.slower)
        address = parts.enter_context(stream.served())
        stream.wait_at_start(films[0])
        playwright = parts.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        parts.callback(browser.close)
        width, height = SIZES["tablet"]
        page = browser.new_context(locale="en", viewport={"width": width, "height": height}).new_page()
        page.set_default_timeout(PATIENCE_MS)
        expect.set_options(timeout=PATIENCE_MS)
        page.goto(parts.enter_context(program(folder)))
        evening = EveningPage(page, stream, asked.pictures)
        evening.set_up(address)
        lost = dict.fromkeys(SEATS, 0)
        for number, (plan, film) in enumerate(zip(EVENING, films, strict=True)):
            if number:
                evening.go_on(number, film)
            is_seen = evening.play(number, plan, film)
            lost[plan.fool] += 1
            state = evening.state()
            ended = {"result": state["state"]["result"], "seen": is_seen, "given_up": plan.bouts is not None}
            print(json.dumps({"game": number + 1, **ended, **compared(state, page, film)}))
            if plan.bouts is None and not is_seen:
                wrong.append(f"game {number + 1}: expected its end to be seen, got a game that goes on")
            if state["evening"]["lost"] != lost:
                wrong.append(f"game {number + 1}: expected {lost} lost, got {state['evening']['lost']}")
            if state["series"] is None or state["series"]["lost"] != lost:
                wrong.append(f"game {number + 1}: expected a series with {lost}, got {state['series']}")
        expect(page.locator(".ending .score")).to_contain_text(f"The fool of the series: {EVENING[-1].fool}")
        evening.button("End the evening").click()
        heading = page.get_by_role("dialog").get_by_role("heading")
        expect(heading).to_have_text(f"The fool of the evening: {EVENING[-1].fool}")
        evening.shoot("6-evening")
    print(json.dumps({"wrong": wrong}))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
