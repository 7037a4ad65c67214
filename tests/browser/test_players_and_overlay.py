"""The page of a player, the filters of the library, the page for streaming programs, and sharing a position."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Table, sizes_in_turn
from tests.browser.stored_match import StoredMatch, stored_match
from tests.webapp.conftest import HEADER
from webapp.live.board import CameraHealth, Condition
from webapp.store.matches import RecordEntry, Writing
from webapp.text.catalogue import page_words

Open = Callable[..., Page]
RESULT = {"kind": "fool", "seats": ["B"]}


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[StoredMatch]:
    """Store a match with a fault and no result, and an older one that B lost."""
    with stored_match(tmp_path) as made:
        writing = Writing.begin("veranda", datetime(2026, 3, 5, 20, tzinfo=UTC), {})
        announced = {"line": 1, "announce": "result", **RESULT, "text": ""}
        made.matches.append(writing, [RecordEntry(1, HEADER, (announced,), RESULT)])
        made.matches.end(writing)
        yield made


def test_library_is_narrowed_down(open_page: Open, stored: StoredMatch) -> None:
    page = open_page(f"{stored.address}matches")
    entries = page.locator(".matches a")
    expect(entries).to_have_count(2)
    page.locator("#narrow summary").click()
    for field, value, count in (
        ("#by-result", "lost", 1),
        ("#by-player", "B", 1),
        ("#by-player", "A", 0),
        ("#by-result", "spared", 1),
        ("#by-result", "", 2),
        ("#by-fault", "some", 1),
        ("#by-fault", "fault rank-not-on-table", 1),
        ("#by-fault", "none", 1),
    ):
        page.select_option(field, value)
        expect(entries).to_have_count(count)
    page.get_by_role("button", name="Show all").click()
    expect(entries).to_have_count(2)
    page.fill("#to", "2026-03-31")
    expect(entries).to_have_count(1)
    expect(entries).to_contain_text("veranda")
    page.fill("#from", "2026-03-06")
    expect(entries).to_have_count(0)
    for size in sizes_in_turn(page):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"nothing sticks out: {size}"


LUMINANCE = """(e, name) => {
  const [r, g, b] = getComputedStyle(e)[name].match(/[\\d.]+/g).map((each) => {
    const part = each / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}"""


def contrast(one: float, other: float) -> float:
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_plots_have_the_colours_of_the_theme(open_page: Open, stored: StoredMatch, theme: str) -> None:
    page = open_page(f"{stored.address}players/B", before=f"localStorage.setItem('theme', '{theme}')")
    plot = page.locator(".plot").first
    expect(plot).to_be_visible()
    page.evaluate(
        """async () => {
      const { linePlot } = await import("/static/plots.js");
      const series = Array.from({ length: 7 }, (_, n) => ({ name: `P${n}`, points: [[0, n], [9, n]] }));
      document.querySelector(".plots-list").append(linePlot("all", series, { xMost: 9, yMost: 9 }));
    }"""
    )
    ground = plot.evaluate("e => getComputedStyle(e).backgroundColor")
    assert ground == page.locator(".tiles > div").first.evaluate("e => getComputedStyle(e).backgroundColor")
    light = plot.evaluate(LUMINANCE, "backgroundColor")
    assert (light > 0.5) == (theme == "light")
    assert contrast(plot.evaluate(LUMINANCE, "color"), light) >= 7
    series = page.locator(".plot .series").all()
    assert len(series) >= 7
    assert min(contrast(curve.evaluate(LUMINANCE, "stroke"), light) for curve in series) >= 3


def test_player_has_a_page_with_plots(open_page: Open, stored: StoredMatch) -> None:
    page = open_page(f"{stored.address}evenings")
    page.get_by_role("link", name="B", exact=True).first.click()
    expect(page.locator("h1")).to_have_text("B")
    expect(page.locator(".tiles")).to_contain_text("1 (100%)")
    expect(page.locator(".plot")).to_have_count(3)
    for size in sizes_in_turn(page):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"nothing sticks out: {size}"
    page.locator(".evening ol a").first.click()
    page.wait_for_selector("main.review")


def test_overlay_shows_table_and_call_on_nothing(lay: Callable[..., Table], open_page: Open) -> None:
    table = lay()
    table.happens({"at": 1.0, "event": "placed", "card": "7s", "by": "A"})
    page = open_page(f"{table.address}overlay")
    expect(page.locator("#call .words")).to_contain_text("7♠")
    expect(page.locator(".bout .card")).to_have_count(1)
    for part in ("html", "body", ".felt"):
        assert page.locator(part).evaluate("e => getComputedStyle(e).backgroundColor") == "rgba(0, 0, 0, 0)"
    expect(page.locator("button")).to_have_count(0)


@pytest.mark.parametrize("path", ["", "show", "overlay"])
def test_headline_before_the_first_card_follows_the_camera(
    lay: Callable[..., Table], open_page: Open, path: str
) -> None:
    table = lay()
    page = open_page(f"{table.address}{path}")
    words, headline = page_words("en"), page.locator("#call .words")
    for condition, waits_for in (
        (Condition.WATCHING, "waiting"),
        (Condition.LOST, "waiting_unseen"),
        (Condition.SWAYING, "waiting_swaying"),
        (Condition.WATCHING, "waiting"),
    ):
        table.board.publish(camera=CameraHealth(condition))
        expect(headline).to_have_text(words[waits_for])


def test_share_says_what_each_way_gives_before_it_is_chosen(open_page: Open, stored: StoredMatch) -> None:
    page = open_page(f"{stored.page}#line=4")
    page.wait_for_selector("body[data-line='4']")
    page.get_by_role("tab", name="Share").click()
    share = page.locator("#share")
    expect(share.locator("h2")).to_have_text(["This play", "The whole game", "For programmers"])
    expect(share.locator(".explained :is(a, button)").first).to_be_visible()
    assert share.locator("a, button").count() - 1 == share.locator(".explained").count(), "all but Delete"
    assert all(text.strip().endswith(".") for text in share.locator(".explained span").all_text_contents())
    for size in sizes_in_turn(page):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), size


def test_position_has_a_link_a_comment_and_a_picture(open_page: Open, stored: StoredMatch) -> None:
    page = open_page(f"{stored.page}#line=4")
    page.wait_for_selector("body[data-line='4']")
    page.get_by_role("tab", name="Share").click()
    link = page.get_by_role("button", name="Copy a link")
    assert link.get_attribute("title") == f"{stored.page}#line=4"
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    link.click()
    expect(page.locator(".put-right")).to_contain_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == f"{stored.page}#line=4"
    page.get_by_role("tab", name="This play").click()
    page.get_by_role("button", name="Write a comment").click()
    page.get_by_label("Comment on this moment").fill("that was mine")
    page.get_by_role("button", name="Keep it").click()
    expect(page.locator("#calls i")).to_have_text("that was mine")
    page.wait_for_selector("body[data-line='4']")
    assert stored.matches.record(stored.match)[3]["comment"] == "that was mine"
    with page.expect_download() as download:
        page.get_by_role("tab", name="Share").click()
        page.get_by_role("link", name="Picture for print (SVG)").click()
    assert download.value.path().read_text(encoding="utf-8").startswith("<svg")
    page.get_by_role("tab", name="This play").click()
    page.click("#play")
    page.get_by_role("button", name=re.compile("comment")).click()
    assert page.locator("#film").evaluate("film => film.paused")  # the next event would take the place of the text


def test_match_is_deleted_after_a_warning(open_page: Open, stored: StoredMatch) -> None:
    page = open_page(stored.page)
    page.wait_for_selector("body[data-ready]")
    page.get_by_role("tab", name="Share").click()
    page.get_by_role("button", name="Delete this game").click()
    expect(page.get_by_role("dialog")).to_contain_text("gone for good")
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.get_by_role("button", name="Delete this game").click()
    page.get_by_role("button", name="Delete for good").click()
    page.wait_for_url("**/matches")
    expect(page.locator(".matches a")).to_have_count(1)
