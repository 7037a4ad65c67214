"""No dead ends: menus close, the end of a recording offers next steps, and missing pages have links."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Table, sizes_in_turn, soon
from tests.browser.stored_match import StoredMatch, stored_match
from webapp.live.board import CameraHealth, Condition
from webapp.live.game_setup import GameSetup
from webapp.live.shared_setup import SharedSetup
from webapp.text.catalogue import LANGUAGES

Lay = Callable[..., Table]
Open = Callable[..., Page]
PLACES = ("", "matches", "evenings", "notation", "places")
LEAD = {"at": 1.0, "event": "placed", "card": "7s", "by": "A"}
WRONG = {"at": 2.0, "event": "placed", "card": "6d", "by": "B", "on": "7s"}
UNWANTED = {"at": 2.5, "event": "placed", "card": "Kd", "by": "A"}


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[StoredMatch]:
    with stored_match(tmp_path) as made:
        yield made


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("path", PLACES)
def test_menu_closes_by_second_tap_tap_outside_and_escape(open_page: Open, stored: StoredMatch, path: str) -> None:
    page = open_page(f"{stored.address}{path}")
    menu, sign = page.locator(".gear"), page.locator(".gear summary")
    ways: tuple[Callable[[], None], ...] = (
        sign.click,
        lambda: page.mouse.click(30, 700),
        lambda: page.keyboard.press("Escape"),
    )
    for close in ways:
        sign.click()
        expect(menu).to_have_attribute("open", "")
        close()
        expect(menu).not_to_have_attribute("open", "")
    assert page.url.startswith(f"{stored.address}{path}"), "a tap outside has no other effect"


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("path", ["nowhere", "matches/2026-01-01-000000-aaaa", "matches/2026-01-01-000000-aaaa/again"])
def test_missing_page_has_links(browser: object, stored: StoredMatch, path: str) -> None:
    page: Page = browser.new_page(locale="en")  # type: ignore[attr-defined]  # its answer is 404, which is an error elsewhere
    page.goto(f"{stored.address}{path}")
    expect(page.get_by_role("heading", name="There is no such page")).to_be_visible()
    page.get_by_role("link", name="Back to the table").click()
    expect(page.locator("#call")).to_be_visible()
    page.close()


def recording(lay: Lay) -> tuple[Table, SharedSetup]:
    shared_setup = SharedSetup(GameSetup(source="games/evening.mp4", seats=("A", "B", "C")), begins=True)
    shared_setup.take_up()
    table = lay(shared_setup=shared_setup)
    table.happens(LEAD)
    return table, shared_setup


def test_end_of_a_recording_offers_next_steps(lay: Lay, open_page: Open) -> None:
    table, shared_setup = recording(lay)
    page = open_page(table.address)
    table.board.publish(camera=CameraHealth(Condition.ENDED, at_s=9.0), film=True)
    again = page.get_by_role("button", name="Watch again")
    expect(again).to_be_visible()
    expect(page.get_by_role("link", name="Set up your own table")).to_have_attribute("href", "/setup")
    expect(page.get_by_role("button", name="Next game")).to_have_count(0)
    expect(page.locator("#film")).to_be_hidden()
    again.click()
    soon(page, lambda: shared_setup.is_asked)
    assert shared_setup.take_up() == GameSetup(source="games/evening.mp4", seats=("A", "B", "C")), "as it was set up"


@pytest.mark.thorough
def test_correction_buttons_stay_visible_with_open_matters(lay: Lay, open_page: Open) -> None:
    table = lay()
    table.happens(LEAD, WRONG, UNWANTED)
    page = open_page(table.address)
    expect(page.locator("#open")).to_be_visible()
    for size in sizes_in_turn(page):
        expect(page.locator("#correct")).to_be_visible()
        box = page.locator("#correct").bounding_box()
        assert box is not None
        if size == "tablet":
            assert box["y"] + box["height"] <= 768, "without scrolling"
    for answer in ("Let it stand", "The referee is wrong"):
        expect(page.locator("#open").get_by_role("button", name=answer)).to_be_visible()
    expect(page.locator("#open").get_by_role("button", name="Leave it")).to_have_count(0)  # it would mean the same


@pytest.mark.thorough
def test_last_event_is_reached_by_its_line_number(open_page: Open, stored: StoredMatch) -> None:
    page = open_page(f"{stored.page}")
    page.wait_for_selector("body[data-ready]")
    for line in range(2, 7):
        page.wait_for_selector(f"body[data-line='{line}']")
        expect(page.locator("#actions").get_by_role("button", name="Put right")).to_have_count(1)
        page.click("#event-on")
    for line in range(5, 1, -1):
        page.click("#event-back")
        page.wait_for_selector(f"body[data-line='{line}']")


CUT_OFF = """buttons => buttons.filter((each) => {
  const [it, around] = [each.getBoundingClientRect(), each.closest(".earlier, .rail").getBoundingClientRect()];
  return it.bottom > Math.min(around.bottom, innerHeight) + 1 || it.left < around.left || it.right > around.right + 1;
}).map((each) => each.textContent)"""


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("language", LANGUAGES)
def test_all_side_buttons_of_a_tablet_are_visible_with_two_open_faults(
    lay: Lay, open_page: Open, language: str
) -> None:
    long = ["Александра-Виктория", "Wilhelmina Wolfhause", "Christophe-Alexandre"]
    start = {"trump": "h", "turnup": "9h", "talon": 18, "hands": dict.fromkeys(long, 6), "attacker": long[0]}
    table = lay(seats=long, dealer=long[2], start=start)
    for at, card, by, on in ((1, "7s", 0, None), (2, "6d", 1, "7s"), (3, "Kd", 2, None), (4, "Qc", 0, None)):
        laid = {"at": at, "event": "placed", "card": card, "by": long[by]}
        table.happens(laid | {"on": on} if on else laid)
    page = open_page(table.address, language=language)
    expect(page.locator("#open li")).to_have_count(2)  # the third is the headline
    for height in (768, 600):
        page.set_viewport_size({"width": 1024, "height": height})
        buttons = page.locator(":is(.ways, .buttons) button:not([hidden])")
        assert buttons.count() >= 4
        for place in (".ways", ".buttons"):
            page.wait_for_function(f"document.querySelector('{place}').getBoundingClientRect().bottom <= innerHeight")
        assert buttons.evaluate_all(CUT_OFF) == [], f"{language} {height}"


@pytest.mark.thorough
def test_names_and_the_fools_cap_are_not_clipped_on_a_tablet(lay: Lay, open_page: Open) -> None:
    start = {"trump": "h", "turnup": None, "talon": 0, "heap_count": 32, "bout": 9, "hands": {"Anya": 1, "Grygo": 3}}
    table = lay(seats=["Anya", "Grygo"], dealer="Grygo", start={**start, "attacker": "Anya", "beaten_off": 5})
    table.happens(LEAD | {"by": "Anya"}, {"at": 3.0, "event": "swept", "to": "Grygo"})
    page = open_page(table.address)
    expect(page.locator(".ending .emblem")).to_be_visible()
    room = "names => names.map((name) => name.clientHeight / parseFloat(getComputedStyle(name).fontSize))"
    assert all(height >= 1.17 for height in page.locator(".seat .name").evaluate_all(room)), "ems for a line"


@pytest.mark.thorough
def test_card_picker_has_one_row_for_each_suit(lay: Lay, open_page: Open) -> None:
    table = lay()
    table.happens(LEAD)
    page = open_page(table.address)
    page.locator(".bout .card").first.click()
    page.get_by_role("button", name="Another card").click()
    places = (
        "faces => faces.map((face) => face.getBoundingClientRect()).map(({x, y}) => [Math.round(x), Math.round(y)])"
    )
    for _ in sizes_in_turn(page):
        found = page.locator(".faces.all > button").evaluate_all(places)
        assert len(found) == 36
        assert [len({y for _, y in found[9 * suit : 9 * suit + 9]}) for suit in range(4)] == [1, 1, 1, 1]
        assert len({x for x, _ in found}) == 9


@pytest.mark.thorough
def test_teams_are_marked(lay: Lay, open_page: Open) -> None:
    seats = ["A", "B", "C", "D"]
    start = {"trump": "h", "turnup": "9h", "talon": 12, "hands": dict.fromkeys(seats, 6), "attacker": "A"}
    page = open_page(lay(rules="podkidnoy-teams-4", seats=seats, dealer="D", start=start).address)
    signs = page.locator(".seat .team")
    expect(signs).to_have_count(4)
    assert [sign.get_attribute("data-team") for sign in signs.all()] == ["0", "1", "0", "1"]


@pytest.mark.thorough
def test_takes_are_listed_among_the_calls(lay: Lay, open_page: Open) -> None:
    table = lay()
    table.happens(LEAD, {"at": 2.0, "event": "pressed", "button": "take", "by": "B"})
    table.happens({"at": 3.0, "event": "swept", "to": "B"}, {"at": 4.0, "event": "placed", "card": "8s", "by": "C"})
    page = open_page(table.address)
    expect(page.locator("#calls")).to_contain_text("B takes the cards")
    expect(page.locator("#calls li", has_text="B takes")).to_have_count(1)


@pytest.mark.thorough
def test_table_page_asks_no_etiquette_questions(lay: Lay, open_page: Open) -> None:
    table = lay()
    beat = {"at": 2.0, "event": "placed", "card": "Ts", "by": "B", "on": "7s"}
    table.happens(LEAD, beat, {"at": 3.0, "event": "swept", "to": "heap"})
    table.happens(
        {"at": 4.0, "event": "drawn", "by": "A", "count": 1}, {"at": 5.0, "event": "drawn", "by": "B", "count": 1}
    )
    assert any(call.content.get("fault") == "attack-not-closed" for call in table.match.view.calls), (
        "the referee noticed"
    )
    page = open_page(table.address)
    expect(page.locator("#calls .entry").first).to_be_visible()
    for words in ("had not said", "Please confirm"):
        expect(page.locator("main")).not_to_contain_text(words)
        expect(page.locator(f"main [aria-label*='{words}']")).to_have_count(0)
    expect(page.locator("#question")).to_be_hidden()


@pytest.mark.thorough
def test_failed_paste_clears_the_previous_game(browser: object, stored: StoredMatch) -> None:
    page: Page = browser.new_page(locale="en")  # type: ignore[attr-defined]  # a refusal is an error elsewhere
    page.goto(f"{stored.address}notation")
    page.get_by_role("button", name="Show an example").click()
    expect(page.locator("#calls .entry").first).to_be_visible()
    page.locator(".paste-box summary").click()
    page.fill("#text", "no game at all")
    page.get_by_role("button", name="Show the game").click()
    expect(page.locator(".paste .trouble")).to_be_visible()
    expect(page.locator("#calls")).to_be_hidden()
    page.close()


TWO = {"trump": "h", "turnup": "9h", "talon": 24, "hands": {"A": 6, "B": 6}}
TAKES = {"at": 2.0, "event": "pressed", "button": "take", "by": "B"}


def test_press_is_taken_back_at_once_and_for_the_whole_match(lay: Lay, open_page: Open) -> None:
    table = lay()
    table.happens(LEAD)
    page = open_page(table.address)
    page.get_by_role("button", name="B: I take").click()
    soon(page, lambda: table.presses)
    table.happens(TAKES)
    sentence = page.locator(".put-right")
    expect(sentence).to_contain_text("B: I take")
    sentence.get_by_role("button", name="Undo").click()
    soon(page, lambda: table.match.view.state["phase"] == "attack")
    table.happens({**TAKES, "at": 4.0}, {"at": 5.0, "event": "swept", "to": "B"})
    table.happens({"at": 6.0, "event": "placed", "card": "8s", "by": "C"})
    entry = page.locator("#calls li[data-tone=pressed]", has_text="B: I take")
    expect(entry).to_be_visible()
    entry.get_by_role("button", name="Undo").click()
    soon(page, lambda: len(table.match.view.corrections) == 2)
    expect(entry).to_have_count(0)


@pytest.mark.thorough
def test_giving_up_is_taken_back(lay: Lay, open_page: Open) -> None:
    table = lay(seats=["A", "B"], dealer="B", start={**TWO, "attacker": "A"})
    table.happens(LEAD)
    page = open_page(table.address)
    page.get_by_role("button", name="Give up").click()
    page.get_by_role("dialog").get_by_role("button", name="B", exact=True).click()
    soon(page, lambda: table.presses)
    table.happens({"at": 2.0, "event": "pressed", "button": "resign", "by": "B"})
    expect(page.locator(".ending")).to_be_visible()
    page.locator(".put-right").get_by_role("button", name="Undo").click()
    expect(page.locator(".ending")).to_be_hidden()
    assert table.match.view.state["result"] is None


@pytest.mark.thorough
def test_tap_on_the_sign_of_filming_is_taken_back(lay: Lay, open_page: Open) -> None:
    asked_to_film: list[bool] = []
    table = lay(on_film=lambda on: asked_to_film.append(on) is None)
    table.happens(LEAD)
    table.board.publish(film=True)
    page = open_page(table.address)
    page.locator("#film").click()
    page.locator(".put-right").get_by_role("button", name="Undo").click()
    soon(page, lambda: asked_to_film == [False, True])


def test_table_that_keeps_nothing_says_so_on_every_page_of_matches(lay: Lay, open_page: Open) -> None:
    address = lay().address
    for path in ("matches", "evenings", "puzzles", "players/A", "matches/x", "matches/x/again"):
        page = open_page(f"{address}{path}")
        expect(page.locator("main")).to_contain_text("Games are not kept at this table")
        expect(page.get_by_role("link", name="Back to the table")).to_be_visible()


def test_game_whose_camera_was_given_up_goes_on_from_the_table(lay: Lay, open_page: Open) -> None:
    shared_setup = SharedSetup(GameSetup(source="0", seats=("A", "B", "C")), begins=True)
    shared_setup.take_up()
    table = lay(shared_setup=shared_setup)
    table.happens(LEAD)
    page = open_page(table.address)
    table.board.publish(camera=CameraHealth(Condition.GIVEN_UP, "the camera was given up"))
    expect(page.locator("#notice")).to_contain_text("Plug it in, then go on below")
    expect(page.get_by_role("link", name="Another game")).to_have_attribute("href", "/setup")
