"""
A film is dropped on the library: sent in pieces, refereed beside the game, opened as a stored match with its film.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import soon
from tests.browser.stored_match import StoredMatch, stored_match
from tests.film_part import cut_film
from webapp.commands.match_header import DEMO_CLIP


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StoredMatch]:
    monkeypatch.setenv("KOZYR_HOME", str(tmp_path / "home"))
    with stored_match(tmp_path) as made:
        yield made


@pytest.fixture
def film(tmp_path: Path) -> Path:
    """Write two seconds of an empty table, more than one piece."""
    path = tmp_path / "Küche <b>2.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, (640, 360))
    noise = np.random.default_rng(1)
    for _ in range(20):
        writer.write(noise.integers(60, 120, (360, 640, 3), np.uint8))
    writer.release()
    return path


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("size", ["tablet", "phone"])
def test_dropped_film_opens_as_a_stored_match(
    open_page: Callable[..., Page], stored: StoredMatch, film: Path, size: str
) -> None:
    page = open_page(f"{stored.address}matches", size=size)
    page.click("#film-drop summary")
    expect(page.locator("#film-go")).to_be_disabled()
    page.set_input_files("#film-file", film)
    page.fill("#film-seats", "Anna, Boris, Vera")
    page.select_option("#film-rules", "perevodnoy")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.click("#film-go")
    begins = page.locator(".film-begins")
    expect(begins).to_be_disabled()
    expect(page.locator("#film-works [aria-pressed=true]")).to_have_count(0)
    page.locator("#film-works").get_by_role("button", name="not dealt yet").click()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    begins.click()
    page.locator("#film-works a").click()
    page.wait_for_selector("body[data-ready]")
    expect(page.locator("#about")).to_contain_text("Anna, Boris, and Vera")
    expect(page.locator("#film")).to_be_visible()
    newest = stored.matches.list()[0]
    assert [newest[key] for key in ("table", "rules", "ended", "film")] == ["Küche <b>2", "perevodnoy", True, True]
    assert stored.matches.films is not None
    incoming = stored.matches.films.folder / "incoming"
    soon(page, lambda: not any(incoming.iterdir()))  # it is deleted when its process has ended


@pytest.mark.thorough
def test_position_on_a_film_is_proposed(open_page: Callable[..., Page], stored: StoredMatch, tmp_path: Path) -> None:
    path = tmp_path / "evening.mp4"
    cut_film(DEMO_CLIP, path, 1.4)
    page = open_page(f"{stored.address}matches")
    page.click("#film-drop summary")
    page.set_input_files("#film-file", path)
    page.fill("#film-seats", "Anya, Boris, Vera")
    page.click("#film-go")
    asked = page.locator(".film-start")
    expect(asked.locator("[data-suit=d]")).to_have_attribute("aria-pressed", "true")
    deck = asked.get_by_role("group", name="Draw pile")
    expect(asked.locator(".seen-table")).to_contain_text("A♦")
    deck.get_by_role("spinbutton").fill("12")
    deck.get_by_role("spinbutton").blur()
    asked.locator(".film-begins").click()
    soon(page, lambda: len(stored.matches.list()) > 1)
    newest = stored.matches.list()[0]
    start = stored.matches.record(newest["match"])[0]["start"]
    assert [start[key] for key in ("turnup", "talon", "heap_count")] == ["Ad", 12, 6]


@pytest.mark.thorough
def test_file_that_is_no_film_is_refused_with_one_sentence(
    browser: Browser, stored: StoredMatch, tmp_path: Path
) -> None:
    page = browser.new_page(locale="en")  # a refusal is an error elsewhere
    page.goto(f"{stored.address}matches")
    (tmp_path / "broken.mp4").write_bytes(b"this is no film" * 100)
    page.click("#film-drop summary")
    page.set_input_files("#film-file", tmp_path / "broken.mp4")
    page.click("#film-go")
    line = page.locator("#film-works li")
    expect(line).to_contain_text("broken.mp4 can't be refereed: No film could be read there.")
    assert len(stored.matches.list()) == 1
    page.close()


def test_storing_pictures_is_off_until_ticked(open_page: Callable[..., Page], stored: StoredMatch) -> None:
    page = open_page(f"{stored.address}matches", size="phone")
    box = page.locator("#labelled-box")
    expect(box).not_to_be_checked()
    box.check()
    page.reload()
    expect(page.locator("#labelled-box")).to_be_checked()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.thorough
def test_film_whose_beginning_is_asked_for_can_be_stopped_and_is_dropped(
    open_page: Callable[..., Page], stored: StoredMatch, film: Path, tmp_path: Path
) -> None:
    page = open_page(f"{stored.address}matches", size="phone")
    page.click("#film-drop summary")
    page.set_input_files("#film-file", film)
    page.fill("#film-seats", "Anna, Boris, Vera")
    page.click("#film-go")
    works = page.locator("#film-works")
    expect(works.get_by_role("button", name="not dealt yet")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    if folder := os.environ.get("KOZYR_SHOTS"):
        works.scroll_into_view_if_needed()
        page.screenshot(path=f"{folder}/film-asked.png", full_page=True)
    assert list((tmp_path / "films" / "incoming").iterdir()) != []
    works.get_by_role("button", name="Stop").dblclick()
    expect(works).to_have_text("Stopped. Nothing that was saved is lost.")
    assert list((tmp_path / "films" / "incoming").iterdir()) == []
