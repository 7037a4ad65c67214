"""The table page as people use it, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Table

Lay = Callable[..., Table]
Open = Callable[..., Page]


@pytest.mark.parametrize("size", ["tablet", "phone"])
@pytest.mark.parametrize("path", ["", "setup"])
@pytest.mark.parametrize("language", ["en", "ru"])
def test_a_page_opens_without_a_fault(lay: Lay, open_page: Open, path: str, size: str, language: str) -> None:
    table = lay()
    page = open_page(f"{table.address}{path}", size, language)
    expect(page.locator("#camera")).to_have_attribute("data-condition", "watching")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing sticks out at the side"


def test_a_card_that_is_laid_appears(lay: Lay, open_page: Open) -> None:
    table = lay()
    page = open_page(table.address)
    table.happens({"at": 1.0, "event": "placed", "card": "7s", "by": "A"})
    expect(page.locator("#bout .card")).to_have_attribute("data-card", "7s")
    expect(page.locator("#call .words")).to_have_text(re.compile("7♠"))
