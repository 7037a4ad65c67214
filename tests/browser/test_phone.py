"""Phone as camera in a real browser over https: its pictures give the same game as the recording."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import Browser, BrowserType, Page, expect

from benchmarks.phone_path import (
    FLAGS,
    PhonePicture,
    PhoneTable,
    collect,
    events_of_file,
    events_of_phone,
    phone_playing,
)
from scripts.find_chromium import NONE_FOUND, find_chromium
from tests.browser.conftest import soon
from tests.sample_size import is_nightly
from vision.capture.phone import GARBLED, GONE, REASONS, TURNED
from webapp.live.board import CameraHealth, Condition
from webapp.live.game_setup import GameSetup
from webapp.live.phone_camera import PhoneCamera
from webapp.live.shared_setup import CameraView, SharedSetup

SECONDS = 11.5
"""Two cards, a cleared bout and two draws of the shipped recording."""


@pytest.mark.skipif(not is_nightly(), reason="plays in real time: a busy machine misses pictures; make nightly runs it")
def test_game_through_a_phone_equals_the_recording() -> None:
    if find_chromium() is None:
        pytest.skip(NONE_FOUND)

    def play() -> tuple[list[PhonePicture], object]:
        with phone_playing(SECONDS, slower=2.0) as (table, page):
            pictures = collect(table, page, SECONDS + 6.0)
            expect(page.locator("#say")).not_to_have_attribute("data-kind", "bad")
            return pictures, page.evaluate("[lens.videoWidth, lens.videoHeight]")

    with ThreadPoolExecutor(1) as thread:  # this thread may already run the Playwright of other tests
        pictures, size = thread.submit(play).result()
    assert size == [1280, 720]
    assert any(picture.captured_ms is not None for picture in pictures)
    events = events_of_phone(pictures)
    assert len(events) == 5
    assert events == events_of_file(SECONDS)


@pytest.fixture
def shared_setup() -> SharedSetup:
    return SharedSetup(GameSetup(source="phone"), begins=False)


@pytest.fixture
def table(shared_setup: SharedSetup) -> Iterator[PhoneTable]:
    """Serve a table over https that waits for a phone."""
    with PhoneTable(PhoneCamera()).served(shared_setup=shared_setup) as served:
        yield served


@pytest.fixture(scope="module")
def phones(browser: Browser) -> Iterator[Browser]:
    """Start a Chromium whose camera shows a test picture."""
    kind: BrowserType = browser.browser_type
    chromium = kind.launch(executable_path=find_chromium(), args=FLAGS)
    yield chromium
    chromium.close()


LENS = """
window.asked = [];
const lensTrack = MediaStreamTrack.prototype;
const modes = ["continuous", "manual"];
lensTrack.getCapabilities = () => ({ torch: true, focusMode: modes, exposureMode: modes });
lensTrack.getSettings = () => ({ focusDistance: 0.6, exposureTime: 120 });
lensTrack.applyConstraints = async ({ advanced: [wish] }) => {
  for (const [key, value] of Object.entries(wish)) asked.push(key.endsWith("Mode") ? `${key} ${value}` : key);
};
const lock = { addEventListener() {}, release: async () => {} };
Object.defineProperty(navigator, "wakeLock", { value: { request: async (kind) => (asked.push(kind), lock) } });
navigator.getBattery = async () => ({ level: 0.41, charging: false, addEventListener() {} });
"""
"""A phone whose camera has a torch and can be held in focus and exposure, which Chromium's has not."""


def opened(phones: Browser, table: PhoneTable, before: str = "") -> Page:
    """Open the camera's page on another phone that scanned a code; ``before``: prepares its browser."""
    context = phones.new_context(ignore_https_errors=True, viewport={"width": 390, "height": 844}, locale="en")
    # A busy machine that runs the tests is no hot phone.
    context.add_init_script("delete window.PressureObserver;" + before)
    page = context.new_page()
    page.goto(f"{table.address}pair?token={table.pairing.camera_token()}")
    page.get_by_role("button", name="Be the camera").click()
    return page


def test_the_page_describes_the_view_in_one_sentence(
    phones: Browser, table: PhoneTable, shared_setup: SharedSetup
) -> None:
    page = opened(phones, table, LENS)
    say = page.locator("#say")
    expect(say).to_contain_text("I am looking for the cards")
    expect(page.locator("#facts")).to_contain_text("Battery 41 %")
    assert page.evaluate("asked") == ["screen"], "the page requests a screen lock"
    page.get_by_role("button", name="Torch").click()
    soon(page, lambda: "torch" in page.evaluate("asked"))
    shared_setup.view = CameraView(problems=({"kind": "dark", "measured": 20.0, "box": None},))
    expect(say).to_contain_text("It is too dark")
    shared_setup.view = CameraView(cards=(("7s", 0.9),), outline=((0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9)))
    expect(say).to_contain_text("You can put me down")
    expect(say).to_have_attribute("data-kind", "good")
    soon(page, lambda: {"focusMode manual", "exposureMode manual"} <= set(page.evaluate("asked")))
    drawn = "outline.getContext('2d').getImageData(0, 0, outline.width, outline.height).data.some((value) => value > 0)"
    soon(page, lambda: page.evaluate(drawn))
    for cause, text in ((TURNED, "turned on its side"), (GARBLED, "What arrives is no picture")):
        table.phone.inbox.cause = cause
        expect(say).to_contain_text(text)
    table.phone.inbox.cause = None
    shared_setup.change({"source": "0"}, table.board.newest, begin=False)
    expect(say).to_contain_text("The table uses another camera")
    page.context.close()


def test_camera_page_shows_the_state_of_the_referee_during_a_game(
    phones: Browser, table: PhoneTable, shared_setup: SharedSetup
) -> None:
    shared_setup.change({"seats": ["Anna", "Boris"]}, table.board.newest)
    shared_setup.take_up()
    table.board.publish(camera=CameraHealth(Condition.WATCHING))
    page = opened(phones, table)
    expect(page.locator("#say")).to_contain_text("The referee is watching")
    for condition, text in ((Condition.HIDDEN, "I can't see the table"), (Condition.SWAYING, "I am swaying")):
        table.board.publish(camera=CameraHealth(condition))
        expect(page.locator("#say")).to_contain_text(text)
    page.context.close()
    referee = phones.new_context(ignore_https_errors=True, locale="en").new_page()
    referee.goto(f"{table.address}pair?token={table.pairing.codes.token}")
    referee.get_by_role("button").first.click()
    badge = referee.locator("#camera .text")
    table.board.publish(camera=CameraHealth(Condition.LOST, REASONS[GONE], cause=GONE))
    expect(referee.locator("#notice")).to_contain_text("The phone that looks at the table is gone")
    expect(badge).to_have_text("The table can't be seen")  # the sentence stands on the page once
    slow = {"frames": 9, "frames_per_second": 4.0}
    table.board.publish(camera=CameraHealth(Condition.WATCHING, **slow, arriving=18.0))
    expect(badge).to_contain_text("This computer follows only 4 pictures a second.")
    expect(referee.locator("#notice")).to_be_hidden()
    table.board.publish(camera=CameraHealth(Condition.WATCHING, **slow, arriving=4.0))
    expect(badge).to_contain_text("Only 4 pictures a second arrive.")
    table.board.publish(camera=CameraHealth(Condition.WATCHING))
    expect(badge).to_contain_text("The phone is back")
    referee.context.close()


def test_second_page_replaces_the_first_which_reports_it(phones: Browser, table: PhoneTable) -> None:
    page = opened(phones, table)
    soon(page, lambda: table.phone.is_sending)
    second = page.context.new_page()
    second.goto(f"{table.address}camera")
    expect(page.locator("#say")).to_contain_text("Another phone or page is the camera now")
    expect(second.locator("#say")).to_contain_text("I am looking for the cards")
    page.context.close()


def test_removed_phone_is_asked_for_a_code(phones: Browser, table: PhoneTable) -> None:
    page = opened(phones, table)
    soon(page, lambda: table.phone.is_sending)
    table.pairing.take_back(table.pairing.devices()[0].key)
    expect(page).to_have_url(re.compile("/pair$"))
    page.context.close()


@pytest.mark.ordinary(1)
@pytest.mark.parametrize(
    ("error", "text"),
    [
        ("NotAllowedError", "The camera was not allowed"),
        ("NotFoundError", "no camera that can be used"),
        ("NotReadableError", "Another app or a call uses the camera"),
        ("OddError", "no camera that can be used"),
    ],
)
def test_camera_problems_are_shown_on_the_phone_and_reported(
    phones: Browser, table: PhoneTable, error: str, text: str
) -> None:
    script = f"navigator.mediaDevices.getUserMedia = async () => {{ throw new DOMException('', '{error}'); }};"
    page = opened(phones, table, script)
    expect(page.locator("#say")).to_contain_text(text)
    expect(page.get_by_role("button", name="Try again")).to_be_visible()
    soon(page, lambda: table.phone.report.trouble)
    page.context.close()


@pytest.mark.thorough
def test_old_browser_gets_advice(phones: Browser, table: PhoneTable) -> None:
    page = opened(
        phones, table, "Object.defineProperty(Navigator.prototype, 'mediaDevices', { get: () => undefined });"
    )
    expect(page.locator("#say")).to_contain_text("This browser can't use the camera")
    expect(page.get_by_role("button", name="Try again")).to_be_hidden()
    page.context.close()


@pytest.mark.thorough
def test_unreachable_table_is_retried(phones: Browser, table: PhoneTable) -> None:
    page = opened(phones, table)
    expect(page.locator("#say")).to_contain_text("I am looking for the cards")
    page.context.set_offline(True)  # a laptop that sleeps, a network that is lost
    expect(page.locator("#say")).to_contain_text("The table doesn't answer")
    page.context.set_offline(False)
    expect(page.locator("#say")).to_contain_text("I am looking for the cards")
    page.context.close()


@pytest.mark.thorough
def test_browser_without_offscreen_canvas_sends_from_its_page(phones: Browser, table: PhoneTable) -> None:
    page = opened(
        phones, table, "delete window.OffscreenCanvas; delete HTMLVideoElement.prototype.requestVideoFrameCallback;"
    )
    expect(page.locator("#say")).to_contain_text("I am looking for the cards")
    page.context.close()
