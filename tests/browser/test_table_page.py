"""Table page in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, Request, expect

from tests.browser.conftest import Table, sizes_in_turn, soon
from tests.patience import wait_until
from tests.webapp.conftest import HEADER
from tests.webapp.match.long_evening import long_evening
from webapp.live.board import CameraHealth, Condition, TableWarning
from webapp.match.log import judged
from webapp.text.catalogue import LANGUAGES

Lay = Callable[..., Table]
Open = Callable[..., Page]


@pytest.mark.ordinary(5)
@pytest.mark.parametrize("path", ["", "places"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_page_opens_without_errors(lay: Lay, open_page: Open, path: str, language: str) -> None:
    table = lay()
    page = open_page(f"{table.address}{path}", language=language)
    expect(page.locator("#camera")).to_have_attribute("data-condition", "watching")
    for size in sizes_in_turn(page):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"nothing sticks out: {size}"


def test_laid_card_appears(lay: Lay, open_page: Open) -> None:
    table = lay()
    page = open_page(table.address)
    table.happens({"at": 1.0, "event": "placed", "card": "7s", "by": "A"})
    expect(page.locator(".bout .card")).to_have_attribute("data-card", "7s")
    expect(page.locator("#call .words")).to_have_text(re.compile("7♠"))


def test_page_shown_again_after_sleep_asks_at_once(lay: Lay, open_page: Open) -> None:
    table = lay()
    page = open_page(table.address)
    expect(page.locator("#camera")).to_have_attribute("data-condition", "watching")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/api/events" in request.url else None)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    assert asked == []  # the newest message came just now
    page.evaluate(
        "() => { const now = Date.now; Date.now = () => now() + 7000; "
        "document.dispatchEvent(new Event('visibilitychange')); Date.now = now; }"
    )
    soon(page, lambda: len(asked) == 1)
    table.happens({"at": 1.0, "event": "placed", "card": "7s", "by": "A"})
    expect(page.locator(".bout .card")).to_have_attribute("data-card", "7s")


def test_camera_address_that_stalled_says_what_to_check(lay: Lay, open_page: Open) -> None:
    table = lay()
    page = open_page(table.address)
    expect(page.locator("#camera")).to_have_attribute("data-condition", "watching")
    table.board.publish(camera=CameraHealth(Condition.LOST, "it stalled", cause="stream_stalled"))
    expect(page.get_by_text("Is the camera or its app still sending")).to_be_visible()


def test_wrong_defence_lies_on_the_card_that_it_does_not_beat(lay: Lay, open_page: Open) -> None:
    table = lay()
    table.happens(LEAD, BEAT | {"card": "6d"})
    page = open_page(table.address)
    expect(page.locator(".bout .pair")).to_have_count(1)
    expect(page.locator(".bout .pair .defence.wrong")).to_have_attribute("data-card", "6d")
    expect(page.locator(".bout .pair .attack")).to_have_attribute("data-card", "7s")


def test_rail_names_the_ranks_that_may_be_added(lay: Lay, open_page: Open) -> None:
    table = lay()
    page = open_page(table.address)
    expect(page.locator(".room .ranks")).to_have_count(0)
    table.happens({"at": 1.0, "event": "placed", "card": "7s", "by": "A"})
    table.happens({"at": 2.0, "event": "placed", "card": "Ts", "by": "B", "on": "7s"})
    expect(page.locator(".room .ranks")).to_have_text("only 7, 10")
    expect(page.locator(".room dd")).to_have_text(re.compile("^\\d ?cards ?only 7, 10$"))
    table.happens({"at": 3.0, "event": "swept", "to": "heap"})
    expect(page.locator(".room .ranks")).to_have_count(0)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("width", "height", "seats", "pairs"),
    [
        (717.9, 334.3, [[12 + 233 * n, top, 240 + 233 * n, top + 104] for n in range(3) for top in (10, 220)], 6),
        (705, 236, [[12, 18, 124, 74], [580, 18, 692, 74], [296, 164, 408, 218]], 1),
    ],
    ids=["fractional", "low"],
)
def test_bout_is_centred_on_the_felt(
    lay: Lay, open_page: Open, width: float, height: float, seats: list[list[float]], pairs: int
) -> None:
    page = open_page(lay().address)
    boxes = f"{seats}.map(([left, top, right, bottom]) => ({{left, top, right, bottom}}))"
    room = f"({{roomForBout}}) => roomForBout({{width: {width}, height: {height}}}, {boxes}, {pairs}, 112)"
    found = page.evaluate(f"import('/static/board.js').then({room})")
    assert (found["left"] + found["right"]) / 2 == pytest.approx(width / 2, abs=3)
    assert found["card"] > 40


@pytest.mark.thorough
def test_nobody_may_add_where_there_is_no_room(lay: Lay, open_page: Open) -> None:
    table = lay(start=HEADER["start"] | {"hands": {"A": 6, "B": 1, "C": 6}, "talon": 0, "turnup": None})
    page = open_page(table.address)
    table.happens({"at": 1.0, "event": "placed", "card": "7s", "by": "A"})
    expect(page.locator(".room b")).to_have_text("0")
    expect(page.locator(".seat .role").filter(has_text="may add")).to_have_count(0)


def test_impossible_card_is_first_taken_for_misread(lay: Lay, open_page: Open) -> None:
    table = lay()
    table.happens(LEAD, {"at": 2.0, "event": "placed", "card": "7s", "by": "B"})
    page = open_page(table.address)
    expect(page.locator("#call .why")).to_have_text(
        "If it was read wrongly, tap “The referee is wrong” and put it right; else take it back."
    )
    page.locator("#call").get_by_role("button", name="The referee is wrong").click()
    page.get_by_role("dialog").get_by_role("button", name="Another card").click()
    page.get_by_role("dialog").get_by_role("button", name="seven of clubs").click()
    expect(page.locator("#call")).not_to_contain_text("already lies")


def test_seats_on_the_rim_of_the_picture_are_whole(lay: Lay, open_page: Open) -> None:
    page = open_page(lay().address + "places", "phone")
    expect(page.locator(".handle.seat-at")).to_have_count(3)
    stage = page.locator("#stage").bounding_box()
    assert stage is not None

    def outside() -> float:
        boxes = [handle.bounding_box() for handle in page.locator(".handle.seat-at").all()]
        return max(
            max(stage["y"] - box["y"], box["y"] + box["height"] - stage["y"] - stage["height"]) for box in boxes if box
        )

    wait_until(lambda: outside() < 1)


def test_hebrew_card_name_begins_with_its_rank_on_the_right(lay: Lay, open_page: Open) -> None:
    page = open_page(lay().address, language="he")
    page.evaluate("""import('/static/words.js').then(({cardName, named, word}) => {
        const made = document.createElement("p");
        made.id = "spelt";
        made.textContent = word("told_placed", {who: "Boris", card: named(cardName, "6d")});
        document.querySelector("main").append(made);
    })""")
    left = """(found => {
        const range = document.createRange(), text = document.querySelector("#spelt").firstChild;
        range.setStart(text, text.data.indexOf(found));
        range.setEnd(text, text.data.indexOf(found) + found.length);
        return range.getBoundingClientRect().left;
    })"""
    assert page.evaluate(left, "שש") > page.evaluate(left, "יהלום")


@pytest.mark.thorough
def test_long_name_is_hyphenated(lay: Lay, open_page: Open) -> None:
    page = open_page(lay().address)
    names = ["Константинопольскийс", "Wolfeschlegelsteinha", "Maximiliana", "Anna", "אליהו־מנחם"]
    broken = page.evaluate(
        "names => import('/static/words.js').then((words) => names.map((name) => words.breakable(name)))", names
    )
    shown = [word.replace("\u00ad", "|") for word in broken]
    assert shown == ["Кон|стан|ти|но|польскийс", "Wol|feschle|gel|stein|ha", "Maximiliana", "Anna", "אליהו־מנחם"]


@pytest.mark.thorough
def test_game_in_which_nobody_leads_yet_has_a_list_of_plays(lay: Lay, open_page: Open) -> None:
    start = {"trump": "h", "turnup": "9h", "talon": 18, "hands": {"A": 6, "B": 6, "C": 6}, "attacker": None}
    page = open_page(lay(start=start).address)
    expect(page.locator("#calls .none")).to_be_visible()


def button(page: Page, words: str) -> Locator:
    return page.locator("#question").get_by_role("button", name=words, exact=True)


LEAD = {"at": 1.0, "event": "placed", "card": "7s", "by": "A"}
BEAT = {"at": 2.0, "event": "placed", "card": "8s", "by": "B", "on": "7s"}
BEFORE_HIS_TURN = {"at": 3.0, "event": "placed", "card": "8d", "by": "C"}
SILENT_SWEEP = {"at": 3.0, "event": "swept", "to": "heap"}


@pytest.mark.ordinary(1)
@pytest.mark.parametrize(
    ("what", "answer", "statements"),
    [
        (BEFORE_HIS_TURN, "It was agreed", [{"button": "allow", "by": "A", "for": "C"}]),
        (SILENT_SWEEP, "It was not", [{"button": "wait", "by": "A"}, {"button": "wait", "by": "C"}]),
    ],
)
def test_agreement_and_disagreement_are_reported_to_the_referee(
    lay: Lay, open_page: Open, what: dict[str, Any], answer: str, statements: list[dict[str, Any]]
) -> None:
    table = lay(options={"etiquette": "strict"})
    table.happens(LEAD, BEAT, what)
    page = open_page(table.address)
    button(page, answer).click()
    expect(page.locator("#question")).to_be_hidden()
    pressed = [line for line in table.match.lines if line.get("event") == "pressed"]
    assert pressed == [{"at": 3.0, "event": "pressed", **statement} for statement in statements]
    assert [call.content for call in table.match.view.calls if call.line > 4] == [], "the referee accepts it"


def test_player_can_give_up(lay: Lay, open_page: Open) -> None:
    table = lay()
    page = open_page(table.address)
    table.happens(LEAD)
    page.get_by_role("button", name="Give up").click()
    page.get_by_role("dialog").get_by_role("button", name="B", exact=True).click()
    wait_until(lambda: table.presses)
    assert [(press.button, press.by) for press in table.presses] == [("resign", "B")]


@pytest.mark.ordinary(1)
@pytest.mark.parametrize(
    ("language", "folder"), [("en", "/static/cards/en/"), ("ru", "/static/cards/"), ("fr", "/static/cards/fr/")]
)
def test_cards_have_indices_of_the_pages_language(lay: Lay, open_page: Open, language: str, folder: str) -> None:
    table = lay()
    table.happens(LEAD | {"card": "Js"}, BEAT | {"card": "Qs", "on": "Js"}, BEFORE_HIS_TURN | {"card": "Jd", "by": "A"})
    page = open_page(table.address, language=language)
    faces = page.locator(".bout .card img")
    expect(faces).to_have_count(3)
    assert [face.get_attribute("src") for face in faces.all()] == [f"{folder}{card}.svg" for card in ("Js", "Qs", "Jd")]
    soon(page, lambda: faces.evaluate_all("faces => faces.every((face) => face.complete && face.naturalWidth > 0)"))


def test_full_disk_warning_is_shown_until_there_is_room(lay: Lay, open_page: Open) -> None:
    table = lay()
    page = open_page(table.address)
    expect(page.locator("#notice")).to_be_hidden()
    table.board.publish(warnings=(TableWarning("record", "make room"),))
    expect(page.locator("#notice")).to_contain_text("make room on the disk")
    table.board.publish(warnings=())
    expect(page.locator("#notice")).to_be_hidden()


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("size", ["tablet", "phone"])
def test_longest_names_fit_their_places(lay: Lay, open_page: Open, size: str) -> None:
    anna, boris = "Анна" * 8, "W" * 32
    start = HEADER["start"] | {"hands": {anna: 6, boris: 6}, "talon": 24, "attacker": anna}
    table = lay(seats=[anna, boris], dealer=boris, start=start)
    table.happens(LEAD | {"by": anna}, BEAT | {"by": boris})
    page = open_page(table.address, size)
    expect(page.locator("#calls li")).not_to_have_count(0)
    wide = "parts => parts.filter((part) => part.scrollWidth > part.clientWidth).map((part) => part.id)"
    assert page.locator("#turn, #buttons, #calls, #call").evaluate_all(wide) == []


@pytest.mark.thorough
def test_abandoned_camera_is_not_shown_as_retried(lay: Lay, open_page: Open) -> None:
    table = lay()
    page = open_page(table.address)
    table.board.publish(camera=CameraHealth(Condition.HIDDEN, "something hides the table"))
    expect(page.locator("#notice")).to_contain_text("in front of the camera")
    expect(page.locator("#camera")).to_have_attribute("data-condition", "hidden")
    table.board.publish(camera=CameraHealth(Condition.LOST, "unplugged"))
    expect(page.locator("#notice")).to_contain_text("The game goes on as soon as it sees again.")
    table.board.publish(camera=CameraHealth(Condition.GIVEN_UP, "the camera was given up"))
    expect(page.locator("#notice")).to_contain_text("is no longer looked for")
    expect(page.locator("#notice")).not_to_contain_text("as soon as it sees again")
    expect(page.locator("#camera")).to_have_attribute("data-condition", "given_up")


@pytest.mark.parametrize("path", ["", "show"])
def test_headline_before_the_first_card_follows_the_camera(lay: Lay, open_page: Open, path: str) -> None:
    table = lay()
    page = open_page(table.address + path)
    expect(page.locator("#call")).to_contain_text("The referee is watching.")
    table.board.publish(camera=CameraHealth(Condition.LOST, "unplugged"))
    expect(page.locator("#call")).to_contain_text("The referee can't see the table.")
    table.board.publish(camera=CameraHealth(Condition.WATCHING))
    expect(page.locator("#call")).to_contain_text("The referee is watching.")
    table.board.publish(camera=CameraHealth(Condition.LOST, "unplugged"))
    table.happens(LEAD)
    expect(page.locator("#call")).not_to_contain_text("can't see")


def test_card_can_be_corrected_by_keyboard(lay: Lay, open_page: Open) -> None:
    table = lay(witness="camera")
    table.happens(LEAD)
    page = open_page(table.address)
    expect(page.locator("#calls .entry")).to_have_count(1)

    def press_tab_until(label: str) -> None:
        focused = "(document.activeElement.ariaLabel ?? document.activeElement.textContent).trim()"
        for _ in range(60):
            page.keyboard.press("Tab")
            if label in page.evaluate(focused):
                return
        raise AssertionError(f"{label!r} is not reached by Tab")

    press_tab_until("Put something right")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    press_tab_until("A lays the seven of spades")
    page.keyboard.press("Enter")
    press_tab_until("Another card")
    page.keyboard.press("Enter")
    press_tab_until("eight of spades")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.locator(".bout .card")).to_have_attribute("data-card", "8s")


@pytest.mark.thorough
def test_card_hand_and_call_are_opened_by_keyboard(lay: Lay, open_page: Open) -> None:
    table = lay(witness="camera")
    table.happens(LEAD)
    page = open_page(table.address)
    for what in (".bout .card", ".seats .count", "#call .said"):
        page.locator(what).first.focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_be_hidden()
        assert page.evaluate("document.activeElement.matches('[role=button]')"), "the focus is back where it was"


def test_page_is_smaller_than_300_kilobytes(lay: Lay, browser: Browser) -> None:
    table = lay()
    table.happens(LEAD, BEAT, BEFORE_HIS_TURN)
    page = browser.new_page(locale="en")
    weights: dict[str, int] = {}

    def weigh(done: Request) -> None:
        sizes = done.sizes()
        weights[done.url] = sizes["responseBodySize"] + sizes["responseHeadersSize"]

    page.on("requestfinished", weigh)
    page.goto(table.address)
    expect(page.locator(".bout .card")).to_have_count(3)
    soon(page, lambda: page.evaluate("[...document.images].every((image) => image.complete)"))
    page.wait_for_timeout(500)
    page.close()
    assert len(weights) > 20, "scripts, styles and cards are among them"
    assert sum(weights.values()) < 300_000, sorted(weights.items(), key=lambda weighed: -weighed[1])[:5]


@pytest.mark.thorough
def test_the_rules_are_named_in_the_pages_language(lay: Lay, open_page: Open) -> None:
    page = open_page(lay().address, language="ru")
    expect(page.locator("#rules")).to_have_text("Подкидной")


MARK_OLD = """() => {
  for (const each of document.querySelectorAll(".bout li, .seats li, #stock > *")) each.isOld = true;
  window.measured = 0;
  const measure = Element.prototype.getBoundingClientRect;
  Element.prototype.getBoundingClientRect = function () {
    window.measured += 1;
    return measure.call(this);
  };
}"""
OLD = "(place) => [...document.querySelectorAll(`${place} > *`)].map((each) => each.isOld === true)"


@pytest.mark.thorough
def test_update_changes_only_affected_elements(lay: Lay, open_page: Open) -> None:
    """Check that an update does not lay out the whole page again, which is slow on a tablet."""
    table = lay()
    table.happens(LEAD, BEAT)
    page = open_page(table.address)
    expect(page.locator(".bout .card")).to_have_count(2)
    page.evaluate(MARK_OLD)
    table.happens({"at": 3.0, "event": "placed", "card": "8d", "by": "A"})
    expect(page.locator(".bout .card")).to_have_count(3)
    assert page.evaluate(OLD, ".bout") == [True, False]
    assert all(page.evaluate(OLD, ".seats"))
    assert page.evaluate(OLD, "#stock").count(False) <= 1, "how many may still be added"
    assert page.evaluate("window.measured") <= 2 + page.locator(".seats li > *").count(), "measured once at most"


def test_fault_and_correction_stay_on_the_page_for_400_calls_and_more(lay: Lay, open_page: Open) -> None:
    table = lay()
    table.match = judged(long_evening(3))
    table.show()
    assert len(table.match.view.calls) > 400
    page = open_page(table.address)
    fault = page.locator("#calls li[data-tone=illegal]")
    expect(fault).to_contain_text("can't add")
    expect(
        page.locator('#timeline .mark[data-kind="fault"], #timeline .mark[data-kind="correction"]').first
    ).to_be_visible()
    expect(page.locator("#calls .change")).to_have_count(1)
    fault.locator(".entry").click()
    expect(page.get_by_role("dialog")).to_contain_text("can't add")
