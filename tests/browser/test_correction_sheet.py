"""Corrections on the page, in a real browser."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from referee.record import event_from_json
from tests.browser.conftest import SIZES, Table, sizes_in_turn
from tests.webapp.match.long_evening import long_evening
from webapp.match.log import judged
from webapp.text.catalogue import page_words
from webapp.web.pairing import Ask, Pairing

Lay = Callable[..., Table]
Open = Callable[..., Page]

LEAD = {"at": 1.0, "event": "placed", "card": "7s", "by": "A"}
WRONG = {"at": 2.0, "event": "placed", "card": "6d", "by": "B", "on": "7s"}
DOUBTED = WRONG | {"confidence": 0.999, "alternatives": [["8s", 0.001]]}
PAUSE = {"at": 30.0, "event": "tick"}
BACK = {"at": 3.0, "event": "lifted", "card": "6d", "by": "B"}
PUT_BACK = {"event": "lifted", "card": "Ts", "by": "A"}
LAID_AGAIN = {"event": "placed", "card": "Ts", "by": "A"}
SWEPT = {"at": 4.0, "event": "swept", "to": "heap"}
SLOW_ANSWERS = """() => {
  const real = window.fetch;
  window.fetch = async (...request) => {
    const answer = await real(...request);
    await new Promise((done) => setTimeout(done, 1000));
    return answer;
  };
}"""
"""Script that delays every answer to the page by a second."""


def camera(lay: Lay, *events: dict[str, Any], **header: Any) -> Table:
    table = lay(witness="camera", **header)
    table.happens(*events)
    return table


def faults(table: Table) -> int:
    return table.match.view.rulings["illegal"]


def test_question_answered_on_one_device_disappears_on_all(lay: Lay, open_page: Open) -> None:
    table = camera(lay, LEAD, DOUBTED, PAUSE)
    tablet, phone = open_page(table.address), open_page(table.address, "phone")
    for page in (tablet, phone):
        expect(page.locator("#question")).to_contain_text("Is that what happened?")
    phone.locator("#question").get_by_role("button", name="It was as seen").click()
    for page in (tablet, phone):
        expect(page.locator("#question")).to_be_hidden()
        expect(page.locator("#call")).to_have_attribute("data-tone", "illegal")
        expect(page.locator("#call .words")).to_have_text("6♦ does not beat 7♠.")
    assert faults(table) == 1


def test_accepted_fault_stays_on_every_device_until_undone(lay: Lay, open_page: Open) -> None:
    table = camera(lay, LEAD, DOUBTED, PAUSE)
    tablet, phone = open_page(table.address), open_page(table.address, "phone")
    expect(tablet.locator("#question").get_by_role("button", name="The referee is wrong")).to_be_visible()
    phone.locator("#question").get_by_role("button", name="It was as seen").click()
    for page in (tablet, phone):
        expect(page.locator("#question")).to_be_hidden()
    tablet.reload()
    expect(tablet.locator("#calls .entry")).not_to_have_count(0)
    expect(tablet.locator("#question")).to_be_hidden()
    table.happens({"at": 31.0, "event": "pressed", "button": "undo"})
    expect(tablet.locator("#question")).to_be_visible()


def test_challenged_play_stays_until_it_is_settled(lay: Lay, open_page: Open) -> None:
    table = camera(lay, LEAD, WRONG, tone="hint")
    page = open_page(table.address)
    expect(page.locator("#call .words")).to_be_visible()
    expect(page.locator("#open")).to_be_hidden()
    table.happens({"at": 4.0, "event": "pressed", "button": "challenge"})
    answers = page.locator(":is(#call, #open) .answers button")
    expect(answers).to_have_text(["Let it stand", "The referee is wrong"])
    table.happens({"at": 5.0, "event": "placed", "card": "7d", "by": "A"}, {"at": 60.0, "event": "tick"})
    expect(page.locator(".bout .card")).to_have_count(3)
    expect(answers).to_have_text(["Let it stand", "The referee is wrong"])
    expect(page.locator("#call .tone")).to_have_text("Not allowed")
    expect(page.locator("#question")).to_be_hidden()


@pytest.mark.thorough
def test_confirming_button_is_in_sight(lay: Lay, open_page: Open) -> None:
    page = open_page(camera(lay, LEAD, WRONG).address)
    page.locator("#correct").click()
    page.locator("dialog .entry").first.click()
    page.get_by_role("button", name="Something was missed").click()
    put_in = page.get_by_role("button", name="It happened like this")
    for size in sizes_in_turn(page):
        box = put_in.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= SIZES[size][1], size
    expect(put_in).to_be_disabled()


@pytest.mark.thorough
def test_question_disappears_when_later_events_answer_it(lay: Lay, open_page: Open) -> None:
    table = camera(lay, LEAD, DOUBTED, PAUSE)
    page = open_page(table.address)
    expect(page.locator("#question")).to_be_visible()
    table.happens(BACK | {"at": 31.0})
    expect(page.locator("#question")).to_be_hidden()
    expect(page.locator("#call")).to_have_attribute("data-tone", "illegal")


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("size", ["tablet", "phone"])
def test_renaming_a_tapped_card_withdraws_the_fault(lay: Lay, open_page: Open, size: str) -> None:
    table = camera(lay, LEAD, WRONG | {"card": "6h"}, {"at": 3.0, "event": "placed", "card": "7d", "by": "A"})
    page = open_page(table.address, size)
    page.locator('.bout .card[data-card="6h"]').click()
    sheet = page.get_by_role("dialog")
    expect(sheet.locator("h2")).to_have_text("B lays the six of hearts on the seven of spades")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert sheet.evaluate("sheet => sheet.scrollWidth <= sheet.clientWidth")
    sheet.get_by_role("button", name="Another card").click()
    expect(sheet.locator(".faces.all button")).to_have_count(36)
    sheet.locator(".faces.all").get_by_role("button", name="eight of spades").click()
    expect(sheet).to_be_hidden()
    expect(page.locator(".put-right")).to_contain_text("6♥ was 8♠.")
    expect(page.locator('.bout .card[data-card="8s"]')).to_be_visible()
    expect(page.locator("#call .more")).to_contain_text("six of hearts")
    expect(page.locator("#timeline .mark")).to_have_attribute("aria-label", re.compile("B lays the eight of spades"))
    page.locator(".put-right").get_by_role("button", name="Undo").click()
    expect(page.locator(".put-right")).to_contain_text("The correction is undone.")
    expect(page.locator('.bout .card[data-card="6h"]')).to_be_visible()


def test_sheet_says_what_speaks_against_a_statement_before_it_is_applied(lay: Lay, open_page: Open) -> None:
    table = camera(lay, LEAD, WRONG | {"card": "6h"}, {"at": 3.0, "event": "placed", "card": "7d", "by": "A"})
    page = open_page(table.address)
    page.locator('.bout .card[data-card="6h"]').click()
    sheet = page.get_by_role("dialog")
    sheet.get_by_role("button", name="Another card").click()
    sheet.locator(".faces.all").get_by_role("button", name="seven of diamonds").click()
    expect(sheet.locator(".trouble")).to_contain_text("That can hardly be: 7♦ is seen again at 0:03.")
    expect(page.locator('.bout .card[data-card="6h"]')).to_be_visible()
    sheet.get_by_role("button", name="It is so all the same").click()
    expect(sheet).to_be_hidden()
    expect(page.locator(".put-right")).to_contain_text("6♥ was 7♦.")


def test_event_of_a_tapped_call_is_removed(lay: Lay, open_page: Open) -> None:
    table = camera(lay, LEAD, WRONG, BACK, {"at": 5.0, "event": "placed", "card": "8s", "by": "B", "on": "7s"})
    assert faults(table) == 1
    page = open_page(table.address)
    page.locator('.calls li[data-line="3"] .entry').click()
    page.get_by_role("dialog").get_by_role("button", name="That did not happen").click()
    expect(page.locator(".put-right span")).to_have_text("That did not happen.")
    assert faults(table) == 0
    follows = page.locator('.calls li[data-line="3"] .follows')
    expect(follows.locator("li").first).to_be_hidden()
    follows.locator("summary").click()
    expect(follows).to_contain_text("1 call is taken back.")


@pytest.mark.parametrize("language", ["en", "ru", "he"])
def test_correction_fills_one_line_and_the_list_follows_the_game_again(
    lay: Lay, open_page: Open, language: str
) -> None:
    table = lay()
    table.match = judged(long_evening(1))
    table.show()
    page = open_page(table.address, language=language)
    words = page_words(language)
    page.locator("#calls li[data-line] .entry").nth(60).wait_for()
    expect(page.locator("#call .words")).not_to_be_empty()
    height = page.locator("k-board").bounding_box()
    page.locator("#calls li[data-line] .entry").nth(60).click()
    page.get_by_role("dialog").get_by_role("button", name=words["sheet_nothing"], exact=True).click()
    expect(page.locator(".put-right")).to_be_visible()
    page.wait_for_function("document.querySelector('#calls .calls').scrollTop === 0")
    assert page.locator(".put-right").bounding_box()["height"] < 90  # type: ignore[index]
    lines = "each => each.getBoundingClientRect().height / parseFloat(getComputedStyle(each).lineHeight)"
    assert page.locator("#call .words").evaluate(lines) < 2.5
    after = page.locator("k-board").bounding_box()
    assert height is not None
    assert after is not None
    assert after["height"] > 0.8 * height["height"], "the board keeps its size"


def test_missed_event_is_inserted_at_its_place(lay: Lay, open_page: Open) -> None:
    table = camera(lay, LEAD, SWEPT | {"at": 9.0})
    page = open_page(table.address)
    page.get_by_role("button", name="Put something right").click()
    sheet = page.get_by_role("dialog")
    sheet.locator(".entry", has_text="A lays the seven of spades").click()
    sheet.get_by_role("button", name="Something was missed after this").click()
    sheet.get_by_role("button", name="B", exact=True).click()
    sheet.get_by_role("button", name="on the seven of spades").click()
    sheet.get_by_role("button", name="nine of spades").click()
    page.evaluate("""new MutationObserver(() => (window.wasBusy ||= document.body.matches(".busy")))
        .observe(document.body, { attributes: true })""")
    sheet.get_by_role("button", name="It happened like this").dblclick()
    expect(page.locator(".put-right")).to_contain_text("Something had been missed.")
    expect(page.locator("body.busy")).to_have_count(0)
    assert page.evaluate("window.wasBusy")
    assert page.evaluate("document.body.dataset.working") == page_words("en")["sheet_working"], "shown after a second"
    taken = [believed_line.event for believed_line in table.match.believed_lines if believed_line.is_stated]
    assert [(str(event.card), str(event.on), event.by) for event in taken] == [("9s", "7s", "B")]  # type: ignore[attr-defined]
    assert table.match.view.state["hands"]["B"] == 5


def test_table_state_can_be_corrected(lay: Lay, open_page: Open) -> None:
    table = camera(lay, LEAD)
    page = open_page(table.address)
    page.locator(".seats .count").first.click()
    sheet = page.get_by_role("dialog")
    expect(sheet.locator("h2")).to_have_text("Does this match the table?")
    sheet.get_by_role("button", name="B: one less").click()
    sheet.get_by_role("button", name="Yes, that is right").click()
    expect(page.locator(".put-right")).to_contain_text("The cards are counted again.")
    assert table.match.view.state["hands"] == {"A": 5, "B": 5, "C": 6}


def test_correction_stays_in_the_log_with_undo_on_every_device(lay: Lay, open_page: Open) -> None:
    beaten = {"at": 2.0, "event": "placed", "card": "Th", "by": "B", "on": "7s"}
    table = camera(lay, LEAD, beaten, {"at": 3.0, "event": "placed", "card": "Ts", "by": "A"})
    tablet, phone = open_page(table.address), open_page(table.address, "phone")
    phone.locator('.bout .card[data-card="7s"]').click(
        position={"x": 8, "y": 8}
    )  # the part that the ten does not cover
    phone.get_by_role("dialog").get_by_role("button", name="Another card").click()
    phone.locator(".faces.all").get_by_role("button", name="eight of spades").click()
    expect(phone.locator('#calls li[data-tone="corrected"]')).to_have_count(1)  # before anything else happens
    for number in range(30):  # the list is longer than what a page shows at once
        table.match.judge(*map(event_from_json, (PUT_BACK | {"at": 4.0 + number}, LAID_AGAIN | {"at": 4.5 + number})))
    table.show()
    for page in (tablet, phone):
        entry = page.locator('#calls li[data-tone="corrected"]')
        expect(entry).to_contain_text("A lays the seven of spades → A lays the eight of spades")
        expect(page.locator("#calls .entry")).to_have_count(63)
        expect(page.locator("#calls")).to_contain_text("B lays the ten of hearts on the eight of spades")
        expect(page.locator("#calls .entry", has_text="seven of spades")).to_have_count(1)
        expect(page.locator('#timeline .mark[data-kind="correction"]')).to_have_count(1)
    tablet.locator('#calls li[data-tone="corrected"]').get_by_role("button", name="Undo").click()
    for page in (tablet, phone):
        expect(page.locator('#calls li[data-tone="corrected"]')).to_have_count(0)
        expect(page.locator('.bout .card[data-card="7s"]')).to_be_visible()


def test_plays_and_timeline_follow_the_game_and_open_a_tapped_play(lay: Lay, open_page: Open) -> None:
    table = camera(lay, LEAD, WRONG, BACK, {"at": 5.0, "event": "placed", "card": "8s", "by": "B", "on": "7s"})
    table.happens(SWEPT | {"at": 6.0}, {"at": 7.0, "event": "drawn", "by": "A", "count": 1})
    page = open_page(table.address)
    entries = page.locator("#calls .entry")
    expect(entries).to_have_count(6)
    listed = "items => items.map((item) => item.dataset.line ?? item.innerText)"
    assert page.locator("#calls li").evaluate_all(listed) == ["Bout 1", "7", "6", "5", "4", "3", "2"]
    page.evaluate(SLOW_ANSWERS)  # so that the second snapshot comes before the answer about the first
    with page.expect_request("**/api/steps*"):
        table.happens({"at": 8.0, "event": "drawn", "by": "B", "count": 1})
    table.happens(LEAD | {"at": 9.0, "card": "Qs", "by": "B"})
    expect(entries).to_have_count(8)
    expect(page.locator("#calls .bout-head")).to_have_text(["Bout 2", "Bout 1"])
    expect(page.locator("#timeline .block")).to_have_count(2)
    fault = page.locator('#timeline .mark[data-kind="fault"]')
    expect(fault).to_have_attribute("title", "Not allowed: B lays the six of diamonds on the seven of spades")
    fault.click()
    page.get_by_role("dialog").get_by_role("button", name="That did not happen").click()
    expect(fault).to_have_count(0)
    expect(page.locator('#timeline .mark[data-kind="correction"]')).to_have_count(1)


@pytest.mark.thorough
def test_sheet_can_send_again_after_an_answer_that_broke_off(lay: Lay, open_page: Open) -> None:
    table = lay()
    table.happens(LEAD, WRONG)
    page = open_page(table.address)
    page.locator("#calls .entry").first.click()
    nothing = page.get_by_role("dialog").get_by_role("button", name="That did not happen")
    page.route("**/api/correct", lambda route: route.fulfill(body='{"accepted": tr'))
    nothing.click()
    expect(page.locator(".sheet .trouble")).to_be_visible()
    page.unroute("**/api/correct")
    nothing.click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert faults(table) == 0


@pytest.mark.thorough
def test_timeline_keeps_the_focus_while_the_game_goes_on(lay: Lay, open_page: Open) -> None:
    table = lay()
    table.happens(LEAD, WRONG)
    page = open_page(table.address)
    page.locator('#timeline .mark[data-kind="fault"]').focus()
    table.happens({"at": 3.0, "event": "placed", "card": "7d", "by": "A"})
    expect(page.locator("#calls .entry")).to_have_count(3)
    expect(page.locator('#timeline .mark[data-kind="fault"]')).to_be_focused()
    stored = page.locator("#timeline .mark").first.evaluate_handle("mark => mark")
    table.happens({"at": 4.0, "event": "tick"})
    table.show()
    page.wait_for_timeout(300)
    assert stored.evaluate("mark => mark.isConnected")


@pytest.mark.thorough
def test_plays_are_listed_in_the_readers_language(lay: Lay, open_page: Open) -> None:
    table = camera(lay, LEAD, WRONG, BACK, {"at": 4.0, "event": "pressed", "button": "take", "by": "B"})
    table.happens({"at": 5.0, "event": "pressed", "button": "pass", "by": "A"})
    table.happens({"at": 6.0, "event": "pressed", "button": "forgive"})
    page = open_page(table.address, language="ru")
    entries = page.locator("#calls .entry")
    expect(entries.locator("> span:not(.sign)")).to_have_text([
        "Нажато на устройстве: Пусть лежит",
        "A: пас",
        "B: беру",
        "B забирает шестёрку бубён",
        "B кладёт шестёрку бубён на семёрку пик",
        "A кладёт семёрку пик",
    ])  # fmt: skip
    entries.first.click()  # every statement can be undone at any later time
    page.get_by_role("dialog").get_by_role("button", name="Этого не было").click()
    expect(page.locator('#calls li[data-tone="corrected"]')).to_contain_text("Пусть лежит → Этого не было")


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("language", ["en", "ru"])
def test_every_text_of_the_sheet_exists(lay: Lay, open_page: Open, language: str) -> None:
    table = camera(lay, LEAD, WRONG, BACK, LEAD | {"at": 5.0, "card": "8s", "by": "B", "on": "7s"}, SWEPT | {"at": 6.0})
    table.happens({"at": 7.0, "event": "drawn", "by": "A", "count": 1})
    page = open_page(table.address, language=language)
    opened = "line => (window.sheet ??= new window.Sheet('/api', () => false)).line(line)"
    page.evaluate("import('/static/sheet.js').then(({ Sheet }) => { window.Sheet = Sheet; })")
    for line in range(2, 8):
        page.evaluate(opened, line)
        sheet = page.locator("dialog[open]")
        expect(sheet.locator("h2")).not_to_contain_text("undefined")
        assert "undefined" not in sheet.inner_text()


def test_sheet_shows_reason_and_rule_in_the_readers_language(lay: Lay, open_page: Open) -> None:
    table = lay()
    table.happens(LEAD, WRONG)
    page = open_page(table.address, language="ru")
    expect(page.locator("#call")).to_have_attribute("data-line", "3")
    page.locator("#call .said").click()
    judged = page.get_by_role("dialog").locator(".judged")
    judged.locator("summary").click()
    expect(judged).to_contain_text("6♦ не бьёт 7♠")
    expect(judged.locator(".section")).to_have_text("Почему? Правило 4. Защита")
    expect(judged).to_contain_text("Карту бьёт старшая той же масти или козырь")
    expect(judged.locator(".rule-source")).to_have_text("Так говорят все источники.")


def test_viewer_gets_the_reason_why_corrections_are_disabled(lay: Lay, open_page: Open) -> None:
    pairing = Pairing(time.monotonic, Ask.ALWAYS)
    table = lay(pairing)
    table.happens(LEAD, WRONG)
    page = open_page(f"{table.address}pair")
    page.get_by_label("six digits").fill(pairing.codes.pin)
    page.get_by_role("button", name="Watch").click()
    page.locator('.bout .card[data-card="6d"]').click()
    sheet = page.get_by_role("dialog")
    expect(sheet.locator(".judged .section")).to_be_visible()
    assert sheet.get_by_role("button").all_inner_texts() == ["✕"]
