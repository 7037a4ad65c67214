"""Every control of a page is tapped twice, and the way back is found; `make nightly` does so at every size."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from playwright.sync_api import Browser

from referee.record import event_from_json
from scripts.page_scenes import SCENES, served
from tests.browser.conftest import PATIENCE_MS, SIZES
from tests.browser.crawler import Crawl
from tests.browser.stored_match import StoredMatch, stored_match
from tests.sample_size import is_nightly
from webapp.live.board import CameraHealth, Condition
from webapp.match.log import MatchUpdate

PAGES = ("", "matches", "matches/ID", "matches/ID/again", "evenings", "notation", "puzzles", "places", "nowhere")
STATES = ("hall", "player", "pair", "pair-token", "devices", "trust", "camera", "overlay", "show")
"""States of further pages (``scripts.page_scenes``)."""
TABLES = [state for state in SCENES if state.startswith("table-")] if is_nightly() else []
AT_NIGHT = dict(zip(TABLES, cycle(SIZES)))
"""States of the table, which `make nightly` alone crawls with all dialogs of them, each at one size."""
STEPS = ("camera", "players", "rules", "deck", "start", "finish")
OFTEN = {"": "tablet"}
"""The size at which `make test` crawls a page; all others at a phone's."""
MATTERS = (
    {"at": 10.0, "event": "placed", "card": "9d", "by": "C"},
    {"at": 11.0, "event": "placed", "card": "Kd", "by": "A"},
)


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[StoredMatch]:
    with stored_match(tmp_path) as made:
        made.played.judge(*map(event_from_json, MATTERS))
        health = CameraHealth(Condition.WATCHING, at_s=11.0)
        made.board.publish(moves=1, camera=health, film=True, view=made.played.view, lines=made.played.lines)
        made.table.on_press = made.table.on_film = made.table.arrange = lambda stated: True
        made.table.on_correct = lambda stated: corrected(made, stated)
        yield made


def corrected(made: StoredMatch, stated: Any) -> MatchUpdate:
    done = made.played.correct(structs.replace(stated, at=11.0))
    made.board.publish(moves=made.board.newest.moves + 1, view=made.played.view, lines=made.played.lines)
    return done


REFUSALS = re.compile(r"status of (404 .*/nowhere|403 .*/pair|40[09] .*/api/setup)")
"""
What a browser reports as an error of its own: a page that is missing, a code that is spent, counts that make no pack or
a position that the camera denies.
"""


def crawl(browser: Browser, address: str, size: str = "phone", *, is_whole: bool = is_nightly()) -> int:
    """
    Crawl a page at one size, or the whole of it at all sizes, under the headers of the real server; its forms are sent
    by their buttons. Return the number of taps. Any error on the console is a failure.
    """
    page = browser.new_page(locale="en")
    page.set_default_timeout(PATIENCE_MS)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda entry: errors.append(f"{entry.text} {entry.location}") if entry.type == "error" else None)
    crawled = Crawl(page, address, is_whole=is_whole).everywhere(tuple(SIZES) if is_whole else (size,))
    page.close()
    assert (crawled.faults, [error for error in errors if not REFUSALS.search(error)]) == ([], [])
    return crawled.taps


@pytest.mark.thorough
@pytest.mark.parametrize("path", PAGES)
def test_every_control_leads_to_a_state_with_a_way_back(browser: Browser, stored: StoredMatch, path: str) -> None:
    if path == "":
        stored.table.live_match = stored.match
    assert crawl(browser, stored.address + path.replace("ID", stored.match), OFTEN.get(path, "phone")) > 5


@pytest.mark.thorough
@pytest.mark.parametrize("state", [*STATES, *AT_NIGHT])
def test_every_state_of_other_pages_has_a_way_back(browser: Browser, state: str) -> None:
    with served(SCENES[state]) as address:
        taps = crawl(browser, address, AT_NIGHT.get(state, "phone"), is_whole=state in STATES and is_nightly())
    assert taps > 3 or state in ("overlay", "show")


def test_every_step_of_the_setup_has_a_next_step(browser: Browser) -> None:
    with served(SCENES["setup-players"]) as address:
        for step in STEPS if is_nightly() else ("start",):
            assert crawl(browser, f"{address.partition('#')[0]}#{step}") > 5
