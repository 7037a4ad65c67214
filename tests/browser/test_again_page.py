"""Refereeing a stored match again from its page, with links to the differing moments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, repeat
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.stored_match import StoredMatch, stored_match


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[StoredMatch]:
    """Store a match recorded by people, whose rulings under another rule are certain."""
    with stored_match(tmp_path) as made:
        yield made


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("size", ["tablet", "phone"])
def test_other_rules_give_another_ruling(open_page: Callable[..., Page], stored: StoredMatch, size: str) -> None:
    page = open_page(f"{stored.page}/again", size=size)
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


@pytest.mark.thorough
def test_same_rules_give_no_difference(open_page: Callable[..., Page], stored: StoredMatch) -> None:
    page = open_page(stored.page)
    page.wait_for_selector("body[data-ready]")
    page.get_by_role("tab", name="Share").click()
    page.get_by_role("link", name="Judge again").click()
    page.click("#by-record")
    expect(page.locator(".counts")).to_have_text("Every ruling came out the same.")
    expect(page.locator(".changes li")).to_have_count(0)
    page.check("#same")
    expect(page.locator(".changes li")).to_have_count(4)


TIMES_FASTER = """
const began = performance.now();
const passed = performance.now.bind(performance);
performance.now = () => began + (passed() - began) * 600; // a tenth of a second is a minute
"""


@pytest.mark.thorough
def test_remaining_time_is_estimated_from_the_speed_so_far(open_page: Callable[..., Page], stored: StoredMatch) -> None:
    page = open_page(f"{stored.page}/again", before=TIMES_FASTER)
    shares = chain([0.01], repeat(0.5))
    expect(page.locator("#by-record")).to_be_visible()
    page.route("**/again?*", lambda route: route.fulfill(status=202, json={"job": "x"}))
    page.route("**/api/jobs/x", lambda route: route.fulfill(json={"state": "running", "share": next(shares)}))
    began = page.evaluate("performance.now()")
    page.click("#by-record")
    left = page.locator(".time-left")
    expect(left).to_be_visible()
    minutes = int(left.inner_text().split()[1])
    took = (page.evaluate("performance.now()") - began) / 60_000
    assert 7 <= minutes <= took + 1  # as long as the first half took, which was requested after 0.7 seconds
    calls = [[0.25, 600_000], [0.5, 600_000], [0.9, 10_000], [0.04, 600_000], [1, 600_000]]
    found = page.evaluate(
        "calls => import('/static/jobs.js').then((m) => calls.map((each) => m.minutesLeft(...each)))", calls
    )
    assert found == [30, 10, 1, None, None]
    page.route("**/api/jobs/x", lambda route: route.fulfill(json={"state": "stopped"}))
    expect(page.locator("#work")).to_have_text("Stopped. Nothing that was saved is lost.")
