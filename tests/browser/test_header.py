"""The header: one row on every page, the same ways, the page one is on marked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Table, sizes_in_turn
from tests.browser.stored_match import StoredMatch, stored_match
from webapp.text.catalogue import LANGUAGES, page_words

Lay = Callable[..., Table]
Open = Callable[..., Page]
WAYS = {"/": "table_link", "/matches": "matches_link", "/setup": "setup_link", "/pair": "devices_link"}
PAGES = {
    "": "/",
    "matches": "/matches",
    "evenings": "/matches",
    "puzzles": "/matches",
    "notation": "/matches",
    "matches/ID": "/matches",
    "matches/ID/again": "/matches",
    "setup": "/setup",
    "places": "/setup",
    "pair": "/pair",
}
"""Paths of pages, and the way of the header that is marked there."""


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[StoredMatch]:
    with stored_match(tmp_path) as made:
        yield made


@pytest.mark.ordinary(2)
@pytest.mark.parametrize("path", PAGES)
def test_every_page_has_the_same_header_in_one_row(open_page: Open, stored: StoredMatch, path: str) -> None:
    page = open_page(f"{stored.address}{path.replace('ID', stored.match)}", "phone")
    ways = page.locator("header .bar-link")
    assert [way.get_attribute("href") for way in ways.all()] == list(WAYS)
    expect(page.locator("header [aria-current=page]")).to_have_attribute("href", PAGES[path])
    expect(page.locator("header .gear summary")).to_be_visible()
    for size in sizes_in_turn(page):
        assert page.locator("header.bar").evaluate("bar => bar.offsetHeight") < 64, size
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), size


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("language", LANGUAGES)
def test_header_of_a_filmed_table_has_one_row_in_every_language(lay: Lay, open_page: Open, language: str) -> None:
    table = lay()
    table.board.publish(film=True)
    page = open_page(table.address, "phone", language)
    expect(page.locator("#film")).to_be_visible()
    names = [page_words(language)[word] for word in WAYS.values()]
    assert page.locator("header .bar-link").all_inner_texts() == names
    for size in sizes_in_turn(page):
        assert page.locator("header.bar").evaluate("bar => bar.offsetHeight") < 64, size
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), size


def test_gear_holds_sound_colours_cards_and_language(lay: Lay, open_page: Open) -> None:
    page = open_page(lay().address)
    page.get_by_label("Sound, colours, cards, language").click()
    for title in ("Sound", "Colours", "Cards", "Languages"):
        expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()
    page.get_by_role("button", name="Light").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    page.get_by_role("link", name="Русский").click()
    expect(page.locator("html")).to_have_attribute("lang", "ru")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
