"""Accessibility: contrast, names and roles by axe-core; spoken calls; colours per device."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import faults_of
from tests.browser.conftest import SIZES, Table, sizes_in_turn, soon
from tests.webapp.conftest import HEADER
from webapp.live.game_setup import GameSetup
from webapp.live.shared_setup import SharedSetup
from webapp.web.pairing import Ask, Pairing

Lay = Callable[..., Table]
Open = Callable[..., Page]
STEPS = ("camera", "players", "rules", "deck", "start", "finish")
LEAD = {"at": 1.0, "event": "placed", "card": "9s", "by": "A"}
FAULT = {"at": 2.0, "event": "placed", "card": "7s", "by": "B", "on": "9s"}
MENDED = {"at": 3.0, "event": "lifted", "card": "7s", "by": "B"}

SIZES_OF = {"setup#players": "phone", "setup#start": "phone"}
DRAWN = {"": ".bout .card", "places": "#zones li", "pair": ".pin", "setup": "#step h1"}
"""Selectors of elements that exist once a page is drawn."""

SPEECH = """
window.spoken = [];
window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
Object.defineProperty(window, "speechSynthesis", { value: {
  pending: false, cancel() { window.spoken.push("-"); }, addEventListener() {},
  speak(utterance) { window.spoken.push(utterance.text); },
  getVoices: () => [{ lang: "en-GB" }],
} });
"""


def wait_for_speech(page: Page, count: int) -> None:
    """Wait until ``count`` texts were spoken."""
    soon(page, lambda: page.evaluate("spoken.length") >= count)


@pytest.mark.ordinary(3)
@pytest.mark.parametrize(
    "path",
    ["", "places", "pair", "setup#camera", "setup#players", "setup#rules", "setup#deck", "setup#start", "setup#finish"],
)
def test_page_complies_with_wcag_2_2_aa(lay: Lay, open_page: Open, path: str) -> None:
    shared_setup = SharedSetup(GameSetup(source="0", seats=("Anna", "Boris")), begins=True)
    if not path.startswith("setup"):
        shared_setup.take_up()
    table = lay(Pairing(time.monotonic, Ask.ELSEWHERE), shared_setup=shared_setup)
    table.happens(LEAD, FAULT)
    page = open_page(f"{table.address}{path}", SIZES_OF.get(path, "tablet"))
    expect(page.locator(DRAWN[path.partition("#")[0]]).first).to_be_visible()
    assert faults_of(page) == []


@pytest.mark.thorough
def test_fault_among_earlier_calls_has_sufficient_contrast(lay: Lay, open_page: Open) -> None:
    table = lay()
    table.happens(LEAD, FAULT, MENDED, {"at": 4.0, "event": "placed", "card": "Ts", "by": "B", "on": "9s"})
    page = open_page(table.address)
    expect(page.locator('.calls li[data-tone="illegal"]')).to_be_visible()
    assert faults_of(page) == []


def test_banner_of_a_corrected_fault_disappears(lay: Lay, open_page: Open) -> None:
    table = lay()
    table.happens(LEAD, FAULT)
    page = open_page(table.address)
    expect(page.locator("#call")).to_have_attribute("data-tone", "illegal")
    table.happens(MENDED)
    expect(page.locator("#call")).to_have_attribute("data-tone", "quiet")
    expect(page.locator("#call .words")).not_to_contain_text("does not beat")


def test_fault_is_spoken_once_with_the_card_in_words(lay: Lay, open_page: Open) -> None:
    table = lay()
    table.happens(LEAD)
    page = open_page(table.address, before=SPEECH)
    expect(page.locator("#call .words")).to_contain_text("9♠")
    table.happens(FAULT)
    wait_for_speech(page, 2)
    table.show()
    page.wait_for_timeout(300)
    assert page.evaluate("spoken") == ["-", "The seven of spades does not beat the nine of spades."]


def test_withdrawal_of_a_spoken_fault_is_spoken(lay: Lay, open_page: Open) -> None:
    table = lay()
    table.happens(LEAD)
    page = open_page(table.address, before=SPEECH)
    expect(page.locator("#call .words")).to_contain_text("9♠")
    table.happens(FAULT)
    wait_for_speech(page, 2)
    table.happens({"at": 7.0, "event": "corrected", "line": 3, "to": {**FAULT, "card": "Ts"}})
    wait_for_speech(page, 5)
    assert page.evaluate("spoken.slice(2)") == ["-", "-", "Taken back: no rule was broken there after all."]
    page.evaluate("import('/static/voice.js').then((voice) => voice.missed())")
    table.happens(
        {"at": 8.0, "event": "placed", "card": "7d", "by": "A"}, {"at": 8.5, "event": "lifted", "card": "7d", "by": "A"}
    )
    expect(page.locator("#call")).to_contain_text("seven of diamonds")
    assert page.evaluate("spoken.length") == 5


@pytest.mark.parametrize("mode", ["faults", "all"])
def test_fault_that_a_correction_makes_is_spoken(lay: Lay, open_page: Open, mode: str) -> None:
    table = lay()
    table.happens(LEAD, {**FAULT, "card": "Ts"})
    page = open_page(table.address, before=f"{SPEECH}; localStorage.setItem('voice', '{mode}');")
    expect(page.locator("#call")).to_have_attribute("data-tone", "legal")
    table.happens({"at": 7.0, "event": "corrected", "line": 3, "to": FAULT})
    wait_for_speech(page, 1)
    (utterance,) = [text for text in page.evaluate("spoken") if text != "-"]
    assert utterance.endswith("The seven of spades does not beat the nine of spades.")
    assert utterance.startswith("The seven") == (mode == "faults"), (
        "the voice says the correction only where it says everything"
    )


@pytest.mark.thorough
def test_all_calls_are_spoken_if_chosen(lay: Lay, open_page: Open) -> None:
    table = lay()
    table.happens(LEAD)
    page = open_page(table.address, before=SPEECH)
    page.locator(".gear summary").click()
    page.get_by_role("button", name="Speak calls").click()
    table.happens(
        {"at": 2.0, "event": "placed", "card": "Ts", "by": "B", "on": "9s"}, {"at": 3.0, "event": "swept", "to": "heap"}
    )
    expect(page.locator("#call .words")).to_have_text("Beaten off: the cards go to the pile.")
    wait_for_speech(page, 1)
    assert "To draw" in page.evaluate("spoken[0]")


LONG_NAMES = [
    "Александра-Виктория",
    "Wilhelmina Wolfhause",
    "Christophe-Alexandre",
    "María de los Ángeles",
    "Maximiliana Constanz",
]
PAGE_FAULTS = (Path(__file__).parents[2] / "scripts" / "page_faults.js").read_text(encoding="utf-8")


def six_or_fewer(lay: Lay, count: int) -> Table:
    """Return a table with names of twenty letters, and a bout of several pairs."""
    names = [*LONG_NAMES, "אליהו־מנחם בן־ציון"][:count]
    hands = dict.fromkeys(names, 6)
    start = HEADER["start"] | {"hands": hands, "attacker": names[0], "talon": 36 - 6 * count}
    if count == 6:
        start |= {"turnup": None}
    table = lay(seats=names, dealer=names[-1], start=start)
    for number, (card, on) in enumerate((("7s", None), ("8s", "7s"), ("7d", None), ("7c", None))):
        more = {"on": on} if on else {}
        table.happens({"at": 1.0 + number, "event": "placed", "card": card, "by": names[1 if on else 0], **more})
    return table


IN_WIDE_LETTERS = """addEventListener("DOMContentLoaded", () => {
  document.documentElement.style.fontFamily = "Verdana, 'DejaVu Sans'";
});"""


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("before", ["", IN_WIDE_LETTERS], ids=["its own letters", "wide letters"])
@pytest.mark.parametrize("count", [3, 5, 6])
def test_names_are_six_millimetres_on_a_ten_inch_tablet(lay: Lay, open_page: Open, count: int, before: str) -> None:
    """Check the size of names, also with the wide letters of another device."""
    page = open_page(six_or_fewer(lay, count).address, before=before)
    expect(page.locator(".bout .pair")).to_have_count(3)
    sizes = page.locator(".seat .name").evaluate_all("all => all.map((e) => parseFloat(getComputedStyle(e).fontSize))")
    assert min(sizes) * 203 / 1024 >= 6.0


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("count", [2, 3, 4, 5, 6])
def test_names_are_not_cut_off_and_seats_do_not_overlap(lay: Lay, open_page: Open, count: int) -> None:
    page = open_page(six_or_fewer(lay, count).address)
    expect(page.locator(".bout .pair")).to_have_count(3)
    widths = "all => all.map((card) => card.getBoundingClientRect().width)"
    for size in sizes_in_turn(page):
        assert page.evaluate(PAGE_FAULTS) == [], size
        assert min(page.locator(".bout .card").evaluate_all(widths)) >= 30, f"the bout has room: {size}"


ONE_WORD = [
    "Wolfeschlegelsteinha",
    "Константинопольскийс",
    "Przybyszewskiegowski",
    "Hubertusmaximilianus",
    "Featherstonehaughson",
]


@pytest.mark.thorough
def test_long_name_is_hyphenated_everywhere(lay: Lay, open_page: Open) -> None:
    hands = dict.fromkeys(ONE_WORD, 6)
    start = HEADER["start"] | {"hands": hands, "attacker": ONE_WORD[0], "talon": 6}
    table = lay(seats=ONE_WORD, dealer=ONE_WORD[-1], start=start)
    table.happens(LEAD | {"by": ONE_WORD[0]}, FAULT | {"by": ONE_WORD[1]}, LEAD | {"card": "9d", "by": ONE_WORD[2]})
    page = open_page(table.address)
    expect(page.locator("#calls li")).not_to_have_count(0)
    for size in sizes_in_turn(page):
        assert page.evaluate(PAGE_FAULTS) == [], size


@pytest.mark.thorough
def test_menu_is_within_the_screen(lay: Lay, open_page: Open) -> None:
    page = open_page(lay().address)
    page.locator(".gear summary").click()
    for size in sizes_in_turn(page):
        box = page.locator(".menu").bounding_box()
        assert box is not None
        width, height = SIZES[size]
        assert box["x"] >= 0, size
        assert box["x"] + box["width"] <= width, size
        assert box["y"] + box["height"] <= height, size


def test_take_is_shown_as_a_call(lay: Lay, open_page: Open) -> None:
    table = lay()
    table.happens(LEAD, {"at": 2.0, "event": "pressed", "button": "take", "by": "B"})
    page = open_page(table.address)
    expect(page.locator("#call .words")).to_have_text("B: I take")


@pytest.mark.thorough
def test_insufficient_contrast_is_detected(lay: Lay, open_page: Open) -> None:
    page = open_page(lay().address)
    assert faults_of(page) == []
    page.evaluate("document.querySelector('#turn').style.color = 'var(--line)'")
    assert faults_of(page) == [f"{theme} color-contrast: ['#turn']" for theme in ("dark", "light")]


def test_four_coloured_suits_are_a_setting_of_each_device(lay: Lay, open_page: Open) -> None:
    table = lay()
    table.happens(LEAD | {"card": "Jd"})
    page = open_page(table.address)
    face = page.locator(".bout .card img")
    expect(face).to_have_attribute("src", "/static/cards/en/Jd.svg")
    page.locator(".gear summary").click()
    page.get_by_role("button", name="Four colours").click()
    expect(face).to_have_attribute("src", "/cards/four/en/Jd.svg")
    page.reload()
    expect(face).to_have_attribute("src", "/cards/four/en/Jd.svg")
    assert face.evaluate("face => face.decode().then(() => face.naturalWidth)") > 0
    table.happens({"at": 2.0, "event": "placed", "card": "Qd", "by": "B", "on": "Jd"})
    expect(page.locator(".bout .card img").last).to_have_attribute("src", "/cards/four/en/Qd.svg")
