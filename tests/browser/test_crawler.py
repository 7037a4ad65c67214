"""All that can be tapped on a page is tapped twice, and the way back is found; `make nightly` does so at every size."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from referee.record import event_from_json
from tests.browser.conftest import SIZES
from tests.browser.crawler import Crawl
from tests.browser.kept import Kept, kept_match
from tests.sample_size import is_nightly
from webapp.live.board import CameraHealth, Condition

PAGES = ("", "matches", "matches/ID", "matches/ID/again", "evenings", "notation", "puzzles", "places", "nowhere")
OFTEN = {"": "tablet"}
"""The size at which `make test` crawls a page; all others at a phone's."""
MATTERS = (
    {"at": 10.0, "event": "placed", "card": "9d", "by": "C"},
    {"at": 11.0, "event": "placed", "card": "Kd", "by": "A"},
)


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    with kept_match(tmp_path) as made:
        made.played.judge(*map(event_from_json, MATTERS))
        health = CameraHealth(Condition.WATCHING, at_s=11.0)
        made.board.publish(moves=1, camera=health, film=True, **made.played.on_board())
        yield made


@pytest.mark.parametrize("path", PAGES)
def test_nothing_that_can_be_tapped_is_a_dead_end(browser: Browser, kept: Kept, path: str) -> None:
    page = browser.new_page(locale="en")
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    crawl = Crawl(page, kept.address + path.replace("ID", kept.match)).everywhere(
        tuple(SIZES) if is_nightly() else (OFTEN.get(path, "phone"),)
    )
    page.close()
    assert (crawl.faults, errors) == ([], [])
    assert crawl.taps > 5
