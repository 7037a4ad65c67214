"""A match that is too long to be judged while its page waits: the page says so, can stop it, and opens by itself."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import SIZES
from tests.browser.stored_match import StoredMatch, stored_match
from tests.patience import wait_until
from webapp.commands import background_work
from webapp.live.background_jobs import Report
from webapp.match import stored_matches

STATUS = ".before [role=status]"


def endless(report: Report, *match: object) -> None:
    """Report a third and go on until it is stopped."""
    report(0.33)
    time.sleep(600)


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StoredMatch]:
    """Store a match that counts as a long one."""
    monkeypatch.setattr(stored_matches, "MOST_AT_ONCE", 1)
    with stored_match(tmp_path) as made:
        yield made


@pytest.mark.parametrize("size", ["tablet", "phone"])
def test_long_match_opens_by_itself_once_it_is_judged(
    open_page: Callable[..., Page], stored: StoredMatch, monkeypatch: pytest.MonkeyPatch, size: str
) -> None:
    with monkeypatch.context() as slow:
        slow.setattr(background_work, "prepare_replay", endless)
        page = open_page(stored.page, size=size)
        status = page.locator(STATUS)
        expect(status).to_contain_text("This game is being judged and then opens by itself.")
        expect(status.locator("progress")).to_have_js_property("value", 0.33)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        if folder := os.environ.get("KOZYR_SHOTS"):
            page.screenshot(path=f"{folder}/judging-{size}.png")
        status.get_by_role("button", name="Stop").dblclick()
        expect(status).to_contain_text("Stopped.")
        if folder:
            page.screenshot(path=f"{folder}/judging-stopped-{size}.png")
    status.get_by_role("button", name="Judge it").dblclick()
    page.wait_for_selector("body[data-ready]")
    expect(status).to_be_hidden()
    expect(page.locator("#about")).to_contain_text("A, B")
    assert page.evaluate("fetch('/api/jobs').then((a) => a.json()).then(({ jobs }) => jobs.length)") == 2


@pytest.mark.parametrize("size", ["tablet", "phone"])
def test_correction_of_a_long_match_says_how_far_it_is_and_can_be_stopped(
    browser: Browser, stored: StoredMatch, monkeypatch: pytest.MonkeyPatch, size: str
) -> None:
    """Open the page without the fixture that takes its answer 409 for a failure."""
    width, height = SIZES[size]
    page = browser.new_page(locale="en", viewport={"width": width, "height": height})
    page.goto(stored.page)
    page.wait_for_selector("body[data-ready]")
    sheet, did_not = page.get_by_role("dialog"), "That did not happen"
    with monkeypatch.context() as slow:
        slow.setattr(background_work, "correct_match", endless)
        page.get_by_role("button", name="Put right", exact=True).first.click()
        sheet.get_by_role("button", name=did_not).click()
        status = sheet.get_by_role("status")
        expect(status).to_contain_text("The match is being judged with your correction.")
        expect(status.locator("progress")).to_have_js_property("value", 0.33)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        if folder := os.environ.get("KOZYR_SHOTS"):
            page.screenshot(path=f"{folder}/correcting-{size}.png")
        status.get_by_role("button", name="Stop").dblclick()
        expect(sheet.locator(".trouble").first).to_contain_text("Stopped. Nothing that was saved is lost.")
        expect(status).to_have_count(0)
        assert len(stored.matches.record(stored.match)) == 6
    sheet.get_by_role("button", name=did_not).click()
    expect(sheet).to_be_hidden()
    wait_until(lambda: len(stored.matches.record(stored.match)) == 7)
    page.close()


@pytest.mark.thorough
def test_failed_and_late_judging_say_what_to_do_and_the_summary_waits_too(
    open_page: Callable[..., Page], stored: StoredMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as late:
        late.setattr(background_work, "LONGEST_JUDGING_S", 0.1)
        page = open_page(stored.page)
        expect(page.locator(STATUS)).to_contain_text("could not be judged within 0.1 seconds. Try again")
    with monkeypatch.context() as broken:
        broken.setattr(background_work, "prepare_replay", os._exit)
        page.locator(STATUS).get_by_role("button", name="Judge it").click()
        expect(page.locator(STATUS)).to_contain_text("could not be judged. Try again; if that fails too, save it")
    page.goto(f"{stored.page}/summary")
    page.wait_for_selector("body[data-ready]")
    expect(page.locator(".players li").first).to_be_visible()


@pytest.mark.thorough
def test_second_tap_begins_no_second_analysis_and_a_stopped_one_can_begin_again(
    open_page: Callable[..., Page], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with stored_match(tmp_path) as stored:
        monkeypatch.setattr(background_work, "of_feature", endless)
        page = open_page(stored.page)
        page.wait_for_selector("body[data-ready]")
        page.get_by_role("tab", name="Analysis").click()
        page.locator("#analyse").dblclick()
        paper = page.locator("#analysis")
        expect(paper.locator("progress")).to_have_js_property("value", 0.33)
        paper.get_by_role("button", name="Stop").dblclick()
        expect(paper).to_contain_text("Stopped. Nothing that was saved is lost.")
        count = "fetch('/api/jobs').then((a) => a.json()).then(({ jobs }) => jobs.length)"
        assert page.evaluate(count) == 1
        page.locator("#analyse").click()
        expect(paper.locator("progress")).to_be_visible()
        assert page.evaluate(count) == 2


@pytest.mark.thorough
def test_viewer_sees_how_far_judging_is_and_cannot_stop_it(
    open_page: Callable[..., Page], stored: StoredMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background_work, "prepare_replay", endless)
    page = open_page(
        stored.page, before="document.addEventListener('DOMContentLoaded', () => document.body.dataset.role = 'viewer')"
    )
    expect(page.locator(STATUS)).to_contain_text("This game is being judged")
    expect(page.locator(STATUS).get_by_role("button")).to_have_count(0)
