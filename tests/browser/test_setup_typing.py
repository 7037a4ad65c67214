"""Every form of set-up at the speed of typing, while the program answers late: nothing that was typed gets lost."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Table
from tests.patience import wait_until
from webapp.live.game_setup import GameSetup
from webapp.live.position_proposal import SeenTable
from webapp.live.shared_setup import CameraView, SharedSetup

Lay = Callable[..., Table]
Open = Callable[..., Page]
LATE = """
const fetched = window.fetch;
window.fetch = async (address, request) => {
  const answer = await fetched(address, request);
  if (String(address).startsWith("/api/setup")) await new Promise((done) => setTimeout(done, 700));
  return answer;
};
"""
"""Script that delivers each answer about the set-up 700 ms late."""
TITLES = """
window.titles = new Set();
const step = document.getElementById("step");
new MutationObserver(() => titles.add(step.querySelector("h1").textContent)).observe(step, { childList: true });
"""
"""Script that collects the titles of all steps that are drawn from now on."""
FAMILY = ("Mama", "Papa", "Olya", "Grandmother Vera")
START = {"trump": "d", "turnup": "Ad", "talon": 24, "hands": {"Anna": 6, "Boris": 6}, "attacker": "Anna"}


@pytest.fixture
def shared_setup() -> SharedSetup:
    return SharedSetup(GameSetup(source="0"), begins=False)


def begun(page: Page, shared_setup: SharedSetup) -> GameSetup:
    page.get_by_role("button", name="Begin the game").click()
    expect(page).to_have_url(re.compile("//[^/]*/$"))
    chosen = wait_until(lambda: shared_setup.is_asked and shared_setup.take_up())
    assert isinstance(chosen, GameSetup)
    return chosen


def test_names_are_typed_one_after_the_other_by_enter(lay: Lay, open_page: Open, shared_setup: SharedSetup) -> None:
    page = open_page(f"{lay(shared_setup=shared_setup).address}setup#players", before=LATE)
    page.get_by_role("button", name="+ Add a player").click()
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    page.keyboard.type("\n".join(FAMILY) + "\n", delay=20)
    expect(page.locator(".chip .name")).to_have_text(list(FAMILY))
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    page.get_by_role("link", name="Start").click()  # the last field was left empty: nobody sits there
    expect(page.get_by_role("heading", name="Ready?")).to_be_visible()
    page.evaluate(TITLES)
    wait_until(lambda: shared_setup.setup.seats == FAMILY)
    expect(page.locator("body.waiting")).to_have_count(0)
    assert page.evaluate("[...titles]") in ([], ["Ready?"])
    assert begun(page, shared_setup).seats == FAMILY


@pytest.mark.thorough
def test_names_are_typed_one_after_the_other_by_taps(lay: Lay, open_page: Open, shared_setup: SharedSetup) -> None:
    page = open_page(f"{lay(shared_setup=shared_setup).address}setup#players", before=LATE)
    for name in FAMILY:
        page.get_by_role("button", name="+ Add a player").click()
        page.keyboard.type(name, delay=20)
    page.get_by_role("button", name="Next", exact=True).click()
    assert begun(page, shared_setup).seats == FAMILY


@pytest.mark.thorough
def test_player_is_renamed_and_another_removed_in_one_go(lay: Lay, open_page: Open, shared_setup: SharedSetup) -> None:
    table = lay(shared_setup=shared_setup)
    shared_setup.change({"seats": ["Anna", "Boris", "Vera"]}, table.board.newest, begin=False)
    page = open_page(f"{table.address}setup#players", before=LATE)
    page.get_by_role("button", name="Boris", exact=True).click()
    page.keyboard.type("Papa")
    page.get_by_role("button", name="Remove Vera").click()  # the tap that ends the typing is not lost
    expect(page.locator(".chip .name")).to_have_text(["Anna", "Papa"])
    assert begun(page, shared_setup).seats == ("Anna", "Papa")


@pytest.mark.thorough
def test_counts_of_a_game_under_way_are_typed_one_after_the_other(
    lay: Lay, open_page: Open, shared_setup: SharedSetup
) -> None:
    table = lay(shared_setup=shared_setup)
    shared_setup.change({"seats": ["Anna", "Boris"], "start": START}, table.board.newest, begin=False)
    page = open_page(f"{table.address}setup#start", before=LATE)
    page.get_by_role("spinbutton", name="Draw pile").click()
    for count in ("8", "5", "3"):
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.type(count)
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
    start = begun(page, shared_setup).start
    assert start is not None
    assert (start["talon"], start["hands"], start["heap_count"]) == (8, {"Anna": 5, "Boris": 3}, 20)


@pytest.mark.thorough
def test_name_of_a_deck_is_not_replaced_while_it_is_typed(lay: Lay, open_page: Open, shared_setup: SharedSetup) -> None:
    table = lay(shared_setup=shared_setup)
    page = open_page(f"{table.address}setup#deck", before=LATE)
    page.get_by_role("button", name="Any deck").click()
    page.get_by_role("button", name="Show it this deck").click()
    field = page.get_by_label("Name of the deck")
    field.fill("")
    field.press_sequentially("Grandfather", delay=30)
    shared_setup.view = CameraView(cards=(("7s", 0.9),), table=SeenTable("Ad", True))
    page.wait_for_timeout(1500)  # the view is asked for once a second
    field.press_sequentially(" blue", delay=30)
    page.get_by_role("button", name="Learn").click()
    assert wait_until(lambda: shared_setup.enrols)["name"] == "Grandfather blue"


@pytest.mark.thorough
def test_address_of_a_stream_is_not_replaced_while_it_is_typed(
    lay: Lay, open_page: Open, shared_setup: SharedSetup
) -> None:
    page = open_page(f"{lay(shared_setup=shared_setup).address}setup", before=LATE)
    page.get_by_role("button", name="A stream's address", exact=True).click()
    page.get_by_label("Address").press_sequentially("http://127.0.0.1:9/video", delay=60)
    page.keyboard.press("Enter")
    wait_until(lambda: shared_setup.setup.source == "http://127.0.0.1:9/video")
    expect(page.get_by_label("Address")).to_have_value("http://127.0.0.1:9/video")
