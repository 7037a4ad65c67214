"""What another site's page can do here in a real browser: lead people to a page, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from scripts.find_chromium import find_chromium
from tests.browser.conftest import FLAGS, Table
from webapp.live.game_setup import GameSetup
from webapp.live.shared_setup import SharedSetup

Lay = Callable[..., Table]
ELSEWHERE = "http://elsewhere.example/"


@pytest.fixture
def older(browser: Browser) -> Iterator[Page]:
    """Return a page of a browser that, as older ones, lets sites request addresses of this machine."""
    flags = [*FLAGS, "--disable-features=LocalNetworkAccessChecks"]
    other = browser.browser_type.launch(executable_path=find_chromium(), args=flags)
    yield other.new_page(locale="en")
    other.close()


def test_page_of_another_site_embeds_nothing(lay: Lay, older: Page) -> None:
    address = lay(shared_setup=SharedSetup(GameSetup(source="0"), begins=False)).address
    embedded = "".join(
        f'<iframe src="{place}"></iframe><object data="{place}"></object><embed src="{place}"><img src="{place}">'
        for place in (address, f"{address}api/state", f"{address}api/setup/thumbnail?source=0")
    )
    older.route(
        f"{ELSEWHERE}**", lambda route: route.fulfill(body=f"<!doctype html>{embedded}", content_type="text/html")
    )
    statuses: list[int] = []
    older.on("response", lambda answer: statuses.append(answer.status) if answer.url.startswith(address) else None)
    older.goto(ELSEWHERE)
    assert set(statuses) == {403}


@pytest.mark.thorough
def test_link_of_another_site_leads_to_the_page_and_changes_no_language(lay: Lay, older: Page) -> None:
    address = lay().address
    link = f'<!doctype html><a href="{address}?language=ru">table</a>'
    older.route(f"{ELSEWHERE}**", lambda route: route.fulfill(body=link, content_type="text/html"))
    older.goto(ELSEWHERE)
    older.get_by_text("table").click()
    expect(older.locator("html")).to_have_attribute("lang", "ru")
    older.goto(address)
    expect(older.locator("html")).to_have_attribute("lang", "en")


@pytest.mark.thorough
def test_picture_of_a_camera_is_taken_by_a_post_and_then_shown(lay: Lay, open_page: Callable[..., Page]) -> None:
    address = lay(shared_setup=SharedSetup(GameSetup(source="0"), begins=False)).address
    page = open_page(address)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.method) if "thumbnail" in request.url else None)
    page.goto(f"{address}setup")
    picture = page.locator(".camera-choice img").first
    expect(picture).to_have_attribute("src", "/api/setup/thumbnail?source=0")
    assert asked[0] == "POST"
    assert picture.evaluate("each => each.decode().then(() => each.naturalWidth)") == 320
