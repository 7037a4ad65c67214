"""From the last card to the page that sums the game up, and its costly decisions tried again."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from features.analysis import stored_analyses
from features.analysis.stored_analyses import StoredAnalyses
from tests.browser.accessibility import faults_of
from tests.browser.conftest import Table, sizes_in_turn
from tests.features.analysis.stored_demo import keep_demo
from webapp.match.log import judged
from webapp.store.database import Database
from webapp.store.matches import Matches
from webapp.text.catalogue import page_words

Lay = Callable[..., Table]
Open = Callable[..., Page]


@pytest.fixture
def matches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Matches:
    monkeypatch.setenv("KOZYR_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(stored_analyses, "PLAYOUTS", 60)
    return Matches(Database.open(f"sqlite:///{tmp_path / 'kept.sqlite'}"))


@pytest.fixture
def over(lay: Lay, matches: Matches) -> tuple[Table, str]:
    """Return a table at which a kept game has just been decided, and its ID; the game is analysed."""
    match = keep_demo(matches, ended=False)
    StoredAnalyses(matches).make(match, lambda share: None)
    table = lay(matches=matches)
    table.match = judged(matches.record(match))
    table.served.live_match = match
    table.show()
    return table, match


def test_end_of_a_game_leads_to_its_summary_and_to_its_mistakes(over: tuple[Table, str], open_page: Open) -> None:
    table, match = over
    page = open_page(table.address)
    page.get_by_role("link", name="How it went").click()
    expect(page).to_have_url(f"{table.address}matches/{match}/summary?table")
    expect(page.locator(".result")).to_have_text("Vera is the fool")
    expect(page.locator(".turning")).to_be_visible()
    expect(page.locator(".players li")).to_have_count(3)
    expect(page.locator(".accuracy").first).to_contain_text("%")
    page.get_by_role("link", name=re.compile("Try it again")).click()
    tries = page.locator(".tries button")
    expect(tries.first).to_be_visible()
    verdicts = set()
    for place in range(tries.count()):
        tries.nth(place).click()
        verdicts.add(page.locator(".verdict").get_attribute("data-kind"))
        expect(page.locator(".goes-on b")).to_have_count(1)
    assert {"best", "same"} <= verdicts | {"same"}
    page.get_by_role("button", name="Next event").click()
    expect(page.locator(".goes-on span + b, .goes-on b")).to_have_count(1)


def test_summary_opens_by_itself_and_gives_way_to_the_next_game(over: tuple[Table, str], open_page: Open) -> None:
    table, match = over
    page = open_page(table.address)
    page.clock.install()
    page.reload()
    expect(page.get_by_role("link", name="How it went")).to_be_visible()
    page.clock.fast_forward(31_000)
    expect(page).to_have_url(f"{table.address}matches/{match}/summary?table")
    expect(page.locator(".result")).to_be_visible()
    table.served.live_match = "2026-01-01-000000-next"
    page.clock.fast_forward(4_000)
    expect(page).to_have_url(table.address)


def test_summary_does_not_open_where_somebody_is_at_work(over: tuple[Table, str], open_page: Open) -> None:
    table, _ = over
    page = open_page(table.address)
    page.clock.install()
    page.reload()
    expect(page.get_by_role("link", name="How it went")).to_be_visible()
    page.locator("#calls .entry").first.click()
    page.clock.fast_forward(40_000)
    expect(page.get_by_role("dialog")).to_be_visible()
    expect(page).to_have_url(table.address)


@pytest.mark.parametrize("language", ["en", "ru", "he"])
@pytest.mark.parametrize("name", ["summary", "mistakes"])
@pytest.mark.ordinary(2)
def test_pages_fit_and_are_accessible_in_both_colours(
    over: tuple[Table, str], open_page: Open, language: str, name: str
) -> None:
    table, match = over
    page = open_page(f"{table.address}matches/{match}/{name}", language=language)
    page.wait_for_selector("body[data-ready]")
    if name == "mistakes":
        page.locator(".tries button").first.click()
    expect(page.locator("h1")).to_have_text(page_words(language)[f"{name}_title"])
    for size in sizes_in_turn(page, ("tablet", "phone", "television")):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), size
    assert faults_of(page) == []


def test_game_without_analysis_is_rated_while_people_look_on(lay: Lay, matches: Matches, open_page: Open) -> None:
    match = keep_demo(matches)
    table = lay(matches=matches)
    page = open_page(f"{table.address}matches/{match}/mistakes")
    expect(page.locator("#mistake")).to_contain_text(page_words("en")["analysis_none"])
    page.get_by_role("link", name=page_words("en")["analysis_begin"]).click()
    expect(page.locator(".result")).to_have_text("Vera is the fool")
    StoredAnalyses(matches).make(match, lambda share: None)
    page.reload()
    expect(page.locator(".accuracy")).to_have_count(3)
