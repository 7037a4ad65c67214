"""A whole game as one address, which another program opens."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.stored_match import stored_match
from webapp.text.catalogue import page_words

Open = Callable[..., Page]
KEEPS_COPIES = """Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => {
  window.copied = text;
} } });"""


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("language", ["en", "he"])
def test_address_of_a_game_opens_in_another_program(open_page: Open, tmp_path: Path, language: str) -> None:
    words = page_words(language)
    with stored_match(tmp_path) as made:
        made.matches.comment(made.match, 2, "well led, ♥")
        page = open_page(made.page, language=language, before=KEEPS_COPIES)
        page.wait_for_selector("body[data-ready]")
        page.locator("#tab-share").click()
        page.get_by_role("button", name=words["game_address"]).click()
        expect(page.locator(".put-right")).to_contain_text(words["game_address_copied"])
        address = page.evaluate("window.copied")
        assert address.startswith("http://localhost:8036/notation#game=")
        assert len(address) < 2000
        other = open_page(f"{made.address}notation{address[address.index('#') :]}", language=language)
        expect(other.locator("#calls .entry").first).to_be_visible()
        expect(other.locator("#text")).to_have_value(made_text := other.locator("#text").input_value())
        assert "{well led, ♥}" in made_text
        expect(other.locator("#calls")).to_contain_text("well led, ♥")
        expect(other).to_have_url(f"{made.address}notation")


def test_address_is_pasted_where_kozyr_has_another_port(open_page: Open, tmp_path: Path) -> None:
    with stored_match(tmp_path) as made:
        page = open_page(made.page, before=KEEPS_COPIES)
        page.wait_for_selector("body[data-ready]")
        page.locator("#tab-share").click()
        page.get_by_role("button", name=page_words("en")["game_address"]).click()
        expect(page.locator(".put-right")).to_contain_text("paste it under Games")
        other = open_page(f"{made.address}notation")
        other.locator("#text").fill(page.evaluate("window.copied"))
        other.get_by_role("button", name=page_words("en")["notation_open"]).click()
        expect(other.locator("#calls .entry").first).to_be_visible()
        assert "#game=" not in other.locator("#text").input_value()


def test_address_that_was_cut_is_answered_in_a_sentence(open_page: Open, tmp_path: Path) -> None:
    with stored_match(tmp_path) as made:
        page = open_page(f"{made.address}notation#game=AAAAxxxx")
        expect(page.locator("#told")).to_contain_text(page_words("en")["refused_notation"])
