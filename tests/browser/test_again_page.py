"""A kept match is judged again from its page, and what came out differently leads back to the moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.kept import Kept, kept_match


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    """A match recorded by people: its rulings under another rule are certain."""
    with kept_match(tmp_path) as made:
        yield made


@pytest.mark.parametrize("size", ["tablet", "phone"])
def test_other_rules_make_another_ruling(open_page: Callable[..., Page], kept: Kept, size: str) -> None:
    page = open_page(f"{kept.page}/again", size=size)
    expect(page.locator("#by-film")).to_be_enabled()
    page.select_option("#rules", "free")
    expect(page.locator("[data-option]")).to_have_count(0)
    page.click("#by-record")
    expect(page.locator(".changes li")).to_have_count(4)
    expect(page.locator(".changes")).not_to_contain_text("null")
    expect(page.locator(".counts")).to_have_text("the same: 0 · changed: 0 · gone: 4 · new: 0")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator(".changes a").last.click()
    page.wait_for_selector("body[data-ready]")
    page.wait_for_selector("body[data-line='6']")


def test_by_its_own_rules_all_is_the_same(open_page: Callable[..., Page], kept: Kept) -> None:
    page = open_page(kept.page)
    page.wait_for_selector("body[data-ready]")
    page.click(".more-ways a")
    page.click("#by-record")
    expect(page.locator(".counts")).to_have_text("Every ruling came out the same.")
    expect(page.locator(".changes li")).to_have_count(0)
    page.check("#same")
    expect(page.locator(".changes li")).to_have_count(4)
