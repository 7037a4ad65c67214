"""The table on a television: board, headline, counts and the last fault's film, and nothing to press."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import monotonic

import pytest
from playwright.sync_api import Page, expect

from referee.record import event_from_json
from tests.browser.accessibility import faults_of
from tests.browser.conftest import Table, sizes_in_turn
from tests.browser.stored_match import stored_match
from webapp.live.board import CameraHealth, Condition
from webapp.text.catalogue import page_words
from webapp.web.pairing import Pairing

Lay = Callable[..., Table]
Open = Callable[..., Page]
LEAD = {"at": 1.0, "event": "placed", "card": "7s", "by": "A"}
WRONG = {"at": 2.0, "event": "placed", "card": "6d", "by": "B", "on": "7s"}
CONTROLS = "main :is(a, button, input, select, summary, [role=button], [tabindex])"


@pytest.mark.ordinary(2)
@pytest.mark.parametrize("language", ["en", "ru", "he"])
def test_screen_shows_the_table_and_has_nothing_to_press(lay: Lay, open_page: Open, language: str) -> None:
    table = lay()
    page = open_page(f"{table.address}show", language=language)
    table.happens(LEAD, WRONG)
    expect(page.locator("#call")).to_have_attribute("data-tone", "illegal")
    expect(page.locator(".bout .card")).to_have_count(2)
    expect(page.locator("#stock .talon b")).to_have_text("18")
    expect(page.locator(CONTROLS)).to_have_count(0)
    for size in sizes_in_turn(page, ("television", "tablet", "phone")):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), size
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight"), size
    assert faults_of(page) == []
    table.board.publish(camera=CameraHealth(Condition.HIDDEN))
    expect(page.locator("#notice")).to_have_text(page_words(language)["camera_hidden"])


def test_film_of_the_last_fault_is_shown_and_goes_with_the_next_game(open_page: Open, tmp_path: Path) -> None:
    with stored_match(tmp_path) as made:
        made.table.live_match = made.match
        made.played.judge(event_from_json({"at": 9.2, "event": "placed", "card": "Kd", "by": "A"}))
        health = CameraHealth(Condition.WATCHING, at_s=9.0)
        made.board.publish(moves=1, camera=health, film=True, view=made.played.view, lines=made.played.lines)
        page = open_page(f"{made.address}show", "television")
        expect(page.locator("#fault")).to_be_visible()
        expect(page.locator("#fault figcaption")).not_to_be_empty()
        assert page.locator("#fault video").evaluate("video => video.muted")
        made.board.clear()
        expect(page.locator("#fault")).to_be_hidden()
        expect(page.locator("#call .words")).to_have_text(page_words("en")["choosing"])


def test_devices_lead_to_the_second_screen(lay: Lay, open_page: Open) -> None:
    page = open_page(f"{lay(Pairing(monotonic)).address}pair")
    with page.expect_popup() as opened:
        page.get_by_role("region", name="Second screen").get_by_role("link").click()
    expect(opened.value.locator("body.show")).to_be_visible()
