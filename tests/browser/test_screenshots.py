"""Screenshots command: pictures of every state, and faults of pages."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from scripts import screenshots
from scripts.page_scenes import SCENES


@pytest.fixture
def page_of(browser: Browser) -> Iterator[Page]:
    """Open an empty page in the size of a phone."""
    page = browser.new_page(viewport={"width": 390, "height": 844})
    yield page
    page.close()


@pytest.mark.thorough
@pytest.mark.usefixtures("browser")
def test_state_is_pictured_in_each_language_and_size(tmp_path: Path) -> None:
    call = [str(tmp_path), "--only", "pair", "table-fault", "--sizes", "phone", "--languages", "en,he"]
    with ThreadPoolExecutor(1) as own_thread:  # two Playwrights don't share one
        assert own_thread.submit(screenshots.main, call).result() == 0
    pictures = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.png"))
    assert pictures == [f"{name}/phone-{language}.png" for name in ("pair", "table-fault") for language in ("en", "he")]


def test_every_page_has_a_state() -> None:
    paths = {scene.path.partition("#")[0].partition("?")[0] for scene in SCENES.values()}
    of_table = {"", "places", "setup", "pair", "camera", "trust", "overlay", "show", "nowhere"}
    of_matches = {
        "matches",
        "matches/newest",
        "matches/newest/again",
        "matches/newest/summary",
        "matches/newest/mistakes",
        "evenings",
        "players/Anna",
        "puzzles",
        "notation",
    }
    assert paths == of_table | of_matches | {"hall"}


def test_faults_of_a_page_are_found(page_of: Page) -> None:
    page_of.set_content(
        "<div style='width: 900px; height: 9px'></div><p style='width: 20px; overflow: hidden'>Wolfhause</p>"
        "<div class='felt' style='position: relative; width: 99px; height: 99px'><b class='plate'>A</b>"
        "<b class='plate' style='position: absolute; left: 0'>B</b></div>"
        "<p style='width: 60px; overflow-wrap: anywhere'>a Wolfhause</p>"
    )
    found = page_of.evaluate(screenshots.FAULTS)
    assert [fault.partition(":")[0] for fault in found] == ["908 px wide", "cut off", "broken", "overlap"]
