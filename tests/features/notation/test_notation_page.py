"""Games in notation on their page: stepping without a film, and errors at their place."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.accessibility import faults_of
from tests.browser.conftest import Table, sizes_in_turn

Lay = Callable[..., Table]
Open = Callable[..., Page]
GAME = """[Rules "podkidnoy-36"]
[Seats Anna Boris Vera]
[Dealer Vera]
{A Friday.}

dealt 9h  Anna: claim 7h high K  Boris: claim 6h high A
1. Boris: 7s {boldly}  Vera: 7s/9s  Boris: Kd
"""


@pytest.fixture
def browser_page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(locale="en")
    page.set_default_timeout(10_000)
    yield page
    page.close()


def opened(lay: Lay, open_page: Open, size: str = "tablet", language: str = "en") -> Page:
    page = open_page(f"{lay().address}notation", size, language)
    expect(page.locator(".screens")).to_be_hidden()
    return page


def show(page: Page, text: str) -> None:
    page.locator("#text").fill(text)
    page.locator("#paste [type=submit]").click()


def test_pasted_game_is_stepped_through_play_by_play(lay: Lay, open_page: Open) -> None:
    page = opened(lay, open_page)
    show(page, GAME)
    expect(page.locator("#remark")).to_have_text("A Friday.")
    expect(page.locator("#calls .entry")).to_have_count(6)
    expect(page.locator(".bout .pair")).to_have_count(0)
    page.locator("#calls .entry").nth(3).click()
    expect(page.locator(".bout .pair")).to_have_count(1)
    expect(page.locator("#calls [aria-current] i")).to_have_text("boldly")
    page.locator("#calls").press("ArrowRight")
    expect(page.locator(".bout .card")).to_have_count(2)
    page.locator("#calls").press("ArrowRight")
    expect(page.locator("#why summary")).to_contain_text("K♦")
    expect(page.locator("#why .section")).to_be_visible()


def test_board_and_plays_stand_beside_each_other(lay: Lay, open_page: Open) -> None:
    page = opened(lay, open_page)
    page.get_by_role("button", name="Show an example").click()
    expect(page.locator("#text")).to_be_hidden()
    for size in sizes_in_turn(page):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"nothing sticks out: {size}"
        board, plays = page.locator(".felt").bounding_box(), page.locator("#calls").bounding_box()
        assert board is not None
        assert plays is not None
        assert board["height"] >= 140, size
        is_beside = plays["x"] >= board["x"] + board["width"]
        assert is_beside == (size not in ("upright", "phone")), size
    expect(page.locator("#calls time").first).to_be_hidden()  # such a game names no times
    expect(page.locator("#clock")).to_contain_text(" / 25")


def test_play_without_a_time_is_shown_for_a_second(lay: Lay, open_page: Open) -> None:
    page = opened(lay, open_page)
    show(page, GAME)
    expect(page.locator("#remark")).to_be_visible()
    page.clock.install(time=0)
    page.clock.pause_at(1000)  # from here on the page's time goes on by what the test says, however busy the machine
    page.locator("#play").click()
    page.clock.run_for(4_200)  # the deal, two claims, and a fifth of the first card's second
    shown = []
    for _ in range(8):
        shown.append(page.locator(".bout .card").count())
        page.clock.run_for(250)
    assert shown == [1, 1, 1, 1, 2, 2, 2, 2]


def test_text_is_kept_when_the_language_changes(lay: Lay, open_page: Open) -> None:
    page = opened(lay, open_page)
    show(page, GAME)
    expect(page.locator("#remark")).to_be_visible()
    page.locator(".gear summary").click()
    page.get_by_role("link", name="Русский").click()
    expect(page.get_by_role("heading", name="Партия по записи")).to_be_visible()
    expect(page.locator("#remark")).to_have_text("A Friday.")


def test_file_with_two_games_offers_a_choice(lay: Lay, open_page: Open, tmp_path: Path) -> None:
    (tmp_path / "evening.durak").write_text(GAME + GAME.replace("Friday", "Saturday"), encoding="utf-8")
    page = opened(lay, open_page)
    page.locator("#file").set_input_files(tmp_path / "evening.durak")
    expect(page.locator("#remark")).to_have_text("A Friday.")
    page.locator("#game").select_option("2")
    expect(page.locator("#remark")).to_have_text("A Saturday.")


def test_notation_page_complies_with_wcag_2_2_aa(lay: Lay, open_page: Open) -> None:
    page = open_page(f"{lay().address}notation")
    page.get_by_role("button", name="Show an example").click()
    page.wait_for_selector("body[data-ready]")
    page.locator("#calls").press("ArrowRight")
    assert faults_of(page) == []


def test_error_is_shown_at_its_place(lay: Lay, browser_page: Page) -> None:
    """Open the page without the fixture that takes its answer 400 for a failure."""
    browser_page.goto(f"{lay().address}notation")
    show(browser_page, GAME.replace("Kd", "Kx"))
    expect(browser_page.locator("#told")).to_contain_text("Line 7: “Kx” can't be read here")
    expect(browser_page.locator("#told")).to_contain_text("expected a play")
    chosen = "text.value.slice(text.selectionStart, text.selectionEnd)"
    assert browser_page.evaluate(f"(text => {chosen})(document.getElementById('text'))") == "Kx"


@pytest.mark.thorough
def test_waiting_for_a_long_text_can_be_stopped(lay: Lay, open_page: Open) -> None:
    page = opened(lay, open_page, "phone")
    asked: list[tuple[str, str]] = []
    page.route(
        "**/api/notation*",
        lambda route: asked.append((route.request.method, parse_qs(urlsplit(route.request.url).query)["reading"][0])),
    )  # no answer
    show(page, GAME)
    judging = page.locator("#judging")
    expect(judging).to_contain_text("The game is being judged.")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    if folder := os.environ.get("KOZYR_SHOTS"):
        page.screenshot(path=f"{folder}/notation-judging.png")
    judging.get_by_role("button", name="Stop").dblclick()
    expect(judging).to_be_hidden()
    expect(page.locator(".paste .trouble")).to_contain_text("Stopped. Nothing that was saved is lost.")
    (sent, name), (stopped, stopped_name) = asked
    assert (sent, stopped, stopped_name) == ("POST", "DELETE", name), "the process is ended, too"
    page.unroute("**/api/notation*")
    show(page, GAME)
    expect(page.locator("#remark")).to_have_text("A Friday.")
