"""Review of a stored match: board and film at the same frame, controls by touch and keys, and the library."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest
from msgspec import structs
from playwright.sync_api import Page, expect

from features.moments.moment_zip import read_moment
from tests.browser.conftest import SIZES, sizes_in_turn, soon
from tests.browser.stored_match import EVENTS, FPS, StoredMatch, stored_match
from tests.webapp.conftest import HEADER
from webapp.store.matches import RecordEntry, Writing


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[StoredMatch]:
    """Store a match of ten seconds whose film gets a little brighter with each frame."""
    with stored_match(tmp_path) as made:
        yield made


def opened(open_page: Callable[..., Page], stored: StoredMatch, **more: str) -> Page:
    page = open_page(stored.page, **more)
    page.wait_for_selector("body[data-ready]")
    return page


def at(page: Page) -> float:
    return float(page.evaluate("Number(document.body.dataset.at)"))


BOXES = "all => all.map((each) => each.getBoundingClientRect()).map(({ top, bottom }) => [top, bottom])"
SEEK = """async (to) => {
  const video = document.getElementById("film");
  const shown = new Promise((done) => { // "seeked" may come before the picture does
    const look = (_, { mediaTime }) => {
      if (Math.abs(mediaTime - to) < 0.15) done();
      else video.requestVideoFrameCallback(look);
    };
    video.requestVideoFrameCallback(look);
    setTimeout(done, 30000);
  });
  video.currentTime = to;
  await shown;
  const until = Date.now() + 30000; // the board follows a frame or two later, on a busy machine many
  while (Math.abs(Number(document.body.dataset.at) - to) > 0.1 && Date.now() < until)
    await new Promise((done) => setTimeout(done, 20));
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [16, 9];
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(video, 0, 0, 16, 9);
  const [grey] = context.getImageData(8, 4, 1, 1).data;
  return [(grey - 20) / 2, Number(document.body.dataset.at), document.body.dataset.line];
}"""


def test_board_and_film_show_the_same_frame_after_a_seek(open_page: Callable[..., Page], stored: StoredMatch) -> None:
    page = opened(open_page, stored)
    times = {index + 2: float(event["at"]) for index, event in enumerate(EVENTS)}  # type: ignore[arg-type]
    for to in np.random.default_rng(5).uniform(0.0, 9.85, 25).round(3).tolist():
        frame, board_at, line = page.evaluate(SEEK, to)
        assert abs(frame - board_at * FPS) <= 1.0, (to, frame, board_at)
        expected = max((number for number, when in times.items() if when <= board_at + 0.001), default="")
        assert line == str(expected), (to, board_at)


PLAY = """async (speed) => {
  const video = document.getElementById("film");
  const seen = [];
  const select = document.getElementById("speed");
  select.value = String(speed);
  select.dispatchEvent(new Event("change"));
  const look = (_, { mediaTime }) => {
    seen.push([mediaTime, Number(document.body.dataset.at)]);
    video.requestVideoFrameCallback(look);
  };
  video.requestVideoFrameCallback(look);
  document.getElementById("play").click();
  const began = Date.now(), until = began + 30000;
  while ((Date.now() < began + 900 || seen.length < 3) && Date.now() < until) {
    if (video.ended) document.getElementById("play").click(); // so few frames were shown that it is played once more
    await new Promise((done) => setTimeout(done, 20));
  }
  if (!video.paused) document.getElementById("play").click();
  return seen;
}"""


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("speed", [0.25, 1, 8])
def test_board_is_at_most_one_frame_behind_the_playing_film(
    open_page: Callable[..., Page], stored: StoredMatch, speed: float
) -> None:
    page = opened(open_page, stored)
    seen = page.evaluate(PLAY, speed)
    assert len(seen) >= 2
    assert max(abs(media - board) for media, board in seen) <= 1 / FPS + 0.002


def test_keys_step_by_event_and_by_frame(open_page: Callable[..., Page], stored: StoredMatch) -> None:
    page = opened(open_page, stored)
    page.wait_for_selector("body[data-line='2']")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("body[data-line='3']")
    assert at(page) == pytest.approx(3.0, abs=0.001)
    page.keyboard.press(".")
    page.wait_for_selector("body[data-at='3.100']")
    page.keyboard.press(",")
    page.keyboard.press(",")
    page.wait_for_selector("body[data-at='2.900']")
    page.wait_for_selector("body[data-line='2']")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("l")
    expect(page.locator("#speed")).to_have_value("2")
    page.keyboard.press("k")
    expect(page.locator("#play")).to_have_text("Play")


def test_fault_is_marked_with_its_rule(open_page: Callable[..., Page], stored: StoredMatch) -> None:
    page = opened(open_page, stored)
    expect(page.locator("k-timeline .block")).to_have_count(1)
    page.locator("k-timeline .mark[data-kind='fault']").click()
    page.wait_for_selector("body[data-line='4']")
    expect(page.locator("#why")).to_contain_text("has a rank that already lies on the table")
    expect(page.locator(".bout .disputed")).to_have_count(1)


@pytest.mark.thorough
def test_each_kind_of_mark_has_a_shape_of_its_own(open_page: Callable[..., Page], stored: StoredMatch) -> None:
    page = opened(open_page, stored)
    shapes = page.evaluate("""() => {
      const timeline = document.querySelector("k-timeline");
      const kinds = ["fault", "question", "correction", "loss"];
      const losses = kinds.map((kind, n) => ({ kind, line: n, at: 20 * n, label: kind }));
      timeline.show({ steps: [], losses, beganS: 0, endS: 60 });
      return [...timeline.querySelectorAll(".mark")].map((mark) => {
        const { borderRadius, rotate, transform, clipPath } = getComputedStyle(mark, "::before");
        return [borderRadius, rotate, transform, clipPath].join();
      });
    }""")
    assert len(set(shapes)) == 4


@pytest.mark.thorough
def test_each_mark_of_the_timeline_can_be_tapped(open_page: Callable[..., Page], stored: StoredMatch) -> None:
    page = opened(open_page, stored)
    drawn = """() => {
      const steps = Array.from({ length: 60 }, (_, n) => ({ line: n + 2, bout: 1, event: { event: "tick", at: n } }));
      window.went = [];
      const timeline = document.querySelector("k-timeline");
      timeline.onMark = (line) => went.push(line - 2);
      timeline.show({ steps, calls: steps.map(({ line }) => ({ line, ruling: "illegal" })), beganS: 0, endS: 60 });
    }"""
    boxes = "marks => marks.map(m => m.getBoundingClientRect()).map(b => [b.left, b.right, b.width, b.height])"
    for size in sizes_in_turn(page):
        page.evaluate(drawn)
        marks = page.locator("k-timeline .mark")
        found = marks.evaluate_all(boxes)
        assert all(min(width, height) >= 44 for *_, width, height in found), size
        assert all(one[1] <= next_one[0] + 0.5 for one, next_one in pairwise(found)), size
        for mark in marks.all():
            for _ in range(int(mark.locator("b").inner_text() if mark.locator("b").count() else 1)):
                mark.click()
        assert page.evaluate("went") == list(range(60)), f"every one is reached: {size}"


@pytest.mark.thorough
def test_each_bout_of_the_timeline_can_be_tapped(open_page: Callable[..., Page], stored: StoredMatch) -> None:
    page = opened(open_page, stored)
    for size in sizes_in_turn(page):
        blocks = page.locator("k-timeline .block")
        sides = "blocks => blocks.flatMap(b => [b.getBoundingClientRect().width, b.getBoundingClientRect().height])"
        assert min(blocks.evaluate_all(sides)) >= 24, size


@pytest.mark.thorough
def test_short_bouts_lie_beside_each_other(open_page: Callable[..., Page], stored: StoredMatch) -> None:
    page = opened(open_page, stored)
    drawn = """() => {
      const at = (n) => (n < 3 ? 9 * n : 50 + n / 2);
      const placed = (n) => ({ event: "placed", card: "7s", by: "A", at: at(n) });
      const steps = Array.from({ length: 18 }, (_, n) => ({ line: n + 2, bout: n, event: placed(n) }));
      document.querySelector("k-timeline").show({ steps, beganS: 0, endS: 59 });
    }"""
    for size in sizes_in_turn(page):
        page.evaluate(drawn)
        boxes = page.locator("k-timeline .block").evaluate_all(
            "all => all.map((each) => [each.offsetLeft, each.offsetLeft + each.offsetWidth])"
        )
        assert len(boxes) == 18
        assert all(one[1] <= other[0] + 1 for one, other in pairwise(boxes)), size
        assert boxes[0][0] >= 0, size
        assert boxes[-1][1] <= page.locator("k-timeline").evaluate("each => each.clientWidth") + 1, size


@pytest.mark.thorough
def test_costly_play_is_marked_and_says_what_was_better(open_page: Callable[..., Page], stored: StoredMatch) -> None:
    page = opened(open_page, stored)
    decision = {"line": 3, "by": "B", "played": "Ts over 7s", "best": "take", "loss": 0.25, "chances": {}, "why": None}
    page.route("**/analysis", lambda route: route.fulfill(json={"decisions": [decision], "players": []}))
    page.reload()
    sign = page.locator("#calls .sign[data-kind='cost']")
    expect(sign).to_have_text("?")
    expect(sign).to_have_attribute("aria-label", "B lost 25% here")
    page.locator("#calls [data-line='3'] .entry").click()
    expect(page.locator("#why .cost")).to_have_text("Better: takes (−25%)")
    expect(page.locator(".better")).to_be_visible()


@pytest.mark.thorough
def test_tabs_of_a_long_match_are_within_reach_on_a_phone(open_page: Callable[..., Page], stored: StoredMatch) -> None:
    page = opened(open_page, stored, size="phone")
    page.evaluate("""() => {
      const drawn = (at) => ({ event: "drawn", by: "A", count: 1, at });
      const steps = Array.from({ length: 150 }, (_, n) => ({ line: n + 2, bout: 1, event: drawn(n) }));
      document.querySelector("k-plays").show({ steps });
    }""")
    expect(page.locator("#calls .entry")).to_have_count(150)
    assert page.locator("#tabs").evaluate("tabs => tabs.getBoundingClientRect().top") < 2 * SIZES["phone"][1]


def test_list_is_filtered_by_kind_name_and_card(open_page: Callable[..., Page], stored: StoredMatch) -> None:
    page = opened(open_page, stored)
    entries = page.locator("#calls .entry")
    expect(entries).to_have_count(5)
    for asked, count in (("faults", 1), ("K♦", 2), ("10♠", 1), ("corrections", 0), ("", 5)):
        page.fill("#calls [type=search]", asked)
        expect(entries).to_have_count(count)
    entries.nth(2).click()
    page.wait_for_selector("body[data-line='4']")


def test_match_without_a_film_is_replayed_from_its_record(open_page: Callable[..., Page], stored: StoredMatch) -> None:
    assert stored.matches.films is not None
    stored.matches.films.delete(stored.match)
    page = opened(open_page, stored)
    expect(page.locator("#no-film")).to_be_visible()
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("body[data-line='2']")
    page.click("#play")
    page.wait_for_selector("body[data-line='3']")


TAKE = (
    {"at": 1.0, "event": "placed", "card": "7s", "by": "A"},
    {"at": 2.0, "event": "swept", "to": "B"},
    {"at": 3.0, "event": "placed", "card": "8s", "by": "C"},
    {"at": 4.0, "event": "placed", "card": "Ts", "by": "B"},
)
LAST_CARDS = {"trump": "h", "turnup": None, "talon": 0, "heap_count": 27, "bout": 9, "beaten_off": 5, "attacker": "A"}


@pytest.mark.thorough
def test_deduced_hands_and_rated_takes_are_shown(open_page: Callable[..., Page], stored: StoredMatch) -> None:
    header = {**HEADER, "start": {**LAST_CARDS, "hands": {"A": 3, "B": 3, "C": 3}}}
    writing = Writing.begin("kitchen", datetime.now(UTC), {})
    stored.matches.append(writing, [RecordEntry(line, data) for line, data in enumerate((header, *TAKE), 1)])
    page = opened(open_page, replace(stored, match=writing.match))
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("body[data-line='2']")
    expect(page.locator(".review_later")).to_have_count(2)
    assert "as later plays prove" in page.locator(".review_later").first.inner_text()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".take-proof")).to_have_text("B takes, though the hand held: 10♠ for 7♠")
    expect(page.locator(".review_known")).to_have_count(1)
    for size in sizes_in_turn(page):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"nothing sticks out: {size}"
        parts = page.locator(".now > *:visible").evaluate_all(BOXES)
        assert all(above[1] <= below[0] + 1 for above, below in pairwise(sorted(parts))), f"cards cover text: {size}"


@pytest.mark.thorough
def test_etiquette_notes_are_shown_only_with_their_filter(open_page: Callable[..., Page], stored: StoredMatch) -> None:
    page = opened(open_page, stored)
    expect(page.locator("k-timeline .mark[data-kind='question']")).to_have_count(0)
    expect(page.locator("main")).not_to_contain_text("had not said that the attack is over")
    page.locator("#calls .kinds").get_by_role("button", name="Notes").click()
    expect(page.locator("#calls .entry")).to_have_count(1)
    expect(page.locator("#calls")).to_contain_text("had not said that the attack is over")
    expect(page.locator("main")).not_to_contain_text("Please confirm")


@pytest.mark.thorough
def test_sheet_shows_the_crop_of_the_card(open_page: Callable[..., Page], stored: StoredMatch) -> None:
    page = opened(open_page, stored)
    page.wait_for_selector("body[data-line='2']")
    page.click("#actions button")
    expect(page.locator("dialog.sheet .crop")).to_be_visible()
    page.click("dialog.sheet header button")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("body[data-line='3']")
    page.click("#actions button")
    expect(page.locator("dialog.sheet h2")).to_contain_text("B")
    expect(page.locator("dialog.sheet .crop")).to_be_hidden()  # no picture of this one was kept


def test_moment_is_exported_from_its_line(open_page: Callable[..., Page], stored: StoredMatch) -> None:
    page = opened(open_page, stored)
    page.wait_for_selector("body[data-line='2']")
    with page.expect_download() as download:
        page.get_by_role("tab", name="Share").click()
        page.click("#moment-zip")
    moment = read_moment(download.value.path())
    assert (moment.about["line"], moment.film is not None, len(moment.record)) == (2, True, 6)


def test_play_is_shared_as_picture_film_and_link(open_page: Callable[..., Page], stored: StoredMatch) -> None:
    page = opened(open_page, stored)
    page.locator("#calls .entry", has_text="K♦").first.click()
    page.wait_for_selector("body[data-line='4']")
    page.get_by_role("tab", name="Share").click()
    with page.expect_download() as png:
        page.get_by_role("button", name="Save as a picture (PNG)").click()
    picture = cv2.imread(str(png.value.path()))
    assert picture is not None
    assert picture.shape == (1280, 1920, 3)
    with page.expect_download() as svg:
        page.get_by_role("link", name="Picture for print (SVG)").click()
    assert "#ff5a47" in svg.value.path().read_text(encoding="utf-8"), "the card that it is about has a frame"
    with page.expect_download() as mp4:
        page.get_by_role("button", name="Send this moment (MP4)").click()
    film = cv2.VideoCapture(str(mp4.value.path()))
    assert film.get(cv2.CAP_PROP_FRAME_HEIGHT) > 90, "a caption stands beneath the film"
    frames = 0
    while film.read()[0]:
        frames += 1
    assert frames >= 80, "all of ten seconds at ten frames a second, but for those before the film"
    page.get_by_role("button", name="Copy a link").click()
    expect(page.locator(".put-right")).to_contain_text("other devices don't reach this table")


@pytest.mark.thorough
def test_chosen_play_leaves_the_board_in_sight(open_page: Callable[..., Page], stored: StoredMatch) -> None:
    page = opened(open_page, stored)
    for size in sizes_in_turn(page):
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        page.locator("#calls .entry").last.click()
        page.wait_for_selector("body[data-line='6']")
        box = page.locator(".felt").bounding_box()
        assert box is not None
        assert box["y"] >= 0, size
        assert box["y"] + box["height"] <= SIZES[size][1], size
        page.locator("#calls .entry").first.click()


@pytest.mark.thorough
def test_tabs_are_moved_by_arrows(open_page: Callable[..., Page], stored: StoredMatch) -> None:
    page = opened(open_page, stored)
    page.get_by_role("tab", name="This play").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Figures")).to_be_focused()
    expect(page.locator("#figures .plot").first).to_be_visible()
    page.keyboard.press("End")
    expect(page.get_by_role("tabpanel", name="Share")).to_be_visible()


def test_shown_events_can_be_corrected_on_the_page(open_page: Callable[..., Page], stored: StoredMatch) -> None:
    page = opened(open_page, stored)
    page.wait_for_selector("body[data-line='2']")
    page.click("#actions button")
    page.locator("dialog.sheet").get_by_role("button", name="That did not happen").click()
    change = page.locator("#calls .change")
    expect(change).to_have_text("A lays the seven of spades → That did not happen")
    page.locator("#actions").get_by_role("button", name="Undo").click()
    expect(change).to_have_count(0)
    expect(page.locator("#calls .entry").first).to_contain_text("A lays the seven of spades")


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("size", ["tablet", "phone"])
def test_the_library_shows_and_finds_matches(open_page: Callable[..., Page], stored: StoredMatch, size: str) -> None:
    page = open_page(f"{stored.address}matches", size=size)
    entry = page.locator(".matches a")
    expect(entry).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.fill("#search", "nobody of that name")
    expect(entry).to_have_count(0)
    page.fill("#search", "kitchen podkidnoy")
    entry.click()
    page.wait_for_selector("body[data-ready]")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("size", ["tablet", "phone"])
def test_statistics_of_the_game_are_shown(open_page: Callable[..., Page], stored: StoredMatch, size: str) -> None:
    page = opened(open_page, stored, size=size)
    page.get_by_role("tab", name="Figures").click()
    plots = page.locator("#figures .plot")
    expect(plots).to_have_count(2)  # no confidence of the camera: people recorded this game
    assert sorted(plots.first.locator(".name").all_text_contents()) == ["A", "B", "C", "Draw pile"]
    tops = plots.first.locator(".name").evaluate_all("names => names.map((name) => name.getBBox().y)")
    assert min(tops) >= 0, "a name above the plot is not seen"
    assert min(lower - upper for upper, lower in pairwise(sorted(tops))) > 12, "names cover one another"
    expect(plots.last).to_contain_text("Nobody took.")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.thorough
def test_evidence_for_a_fault_is_shown_in_the_pages_language(open_page: Callable[..., Page], tmp_path: Path) -> None:
    with stored_match(tmp_path, witness="camera", options={"etiquette": "strict"}) as stored:
        page = opened(open_page, stored, language="ru")
        page.locator("#calls .entry", has_text="К♦").first.click()
        expect(page.locator("#why .cues").first).to_contain_text("Что говорит за это:")
        cue_lines = page.locator("#why .cues").all_inner_texts()
        reasons = [reason for line in cue_lines for reason in line.rstrip(".").partition(": ")[2].split("; ")]
        assert len(reasons) == len(set(reasons)) > 0
        page.locator("#calls .kinds").get_by_role("button", name="вопросы").click()
        page.locator("#calls .entry").first.click()
        page.locator("#why .answers").get_by_role("button", name="Договорились", exact=True).click()
        expect(page.locator("#why .answers")).to_have_count(0)
        expect(page.locator("body")).to_have_attribute("data-line", "6")  # the same event stays chosen


def test_question_of_a_running_match_is_answered_at_its_table(open_page: Callable[..., Page], tmp_path: Path) -> None:
    with stored_match(tmp_path, witness="camera", options={"etiquette": "strict"}, ended=False) as stored:
        stored.played.finish()
        stored.table.live_match = stored.match
        stored.table.on_correct = lambda correction: stored.played.correct(structs.replace(correction, at=10.0))
        page = opened(open_page, stored)
        expect(page.locator("#goes-on").get_by_role("link", name="Back to the table")).to_be_visible()
        page.locator("#calls .entry").last.click()
        page.locator("#why .answers").get_by_role("button", name="It was agreed", exact=True).click()
        expect(page.locator("#why .answers")).to_have_count(0)
        assert stored.matches.record(stored.match)[-1]["event"] == "corrected"
        stored.table.live_match = None
        stored.matches.tables.report(
            "other", "garden", {"match": stored.match, "open": True, "address": "http://10.0.0.7/"}
        )
        page.reload()
        expect(page.locator("#goes-on").get_by_role("link", name="Open that table")).to_be_visible()
        expect(page.locator("#actions").get_by_role("button", name="Put right")).to_have_count(0)
        stored.matches.tables.report("other", "garden", {"match": None, "open": False, "address": None})
        page.reload()
        page.get_by_role("button", name="End this game").click()
        expect(page.locator("#actions").get_by_role("button", name="Put right")).to_be_visible()
        expect(page.locator("#goes-on")).to_be_hidden()
        assert stored.matches.about(stored.match)[0]["ended"] is True


WATCHED = """
addEventListener("playing", ({ target }) => (target.dataset.began = target.currentTime), true);
addEventListener("pause", ({ target }) => (target.dataset.stopped = target.currentTime), true);
"""
"""Script that stores the times at which a film began to play and stopped."""


@pytest.mark.thorough
def test_sheet_plays_the_second_of_the_event_and_stops(open_page: Callable[..., Page], stored: StoredMatch) -> None:
    page = opened(open_page, stored, before=WATCHED)
    page.locator("#calls .entry", has_text="K").first.click()
    page.get_by_role("button", name="Put right").click()
    video = page.get_by_role("dialog").locator("video.second")
    expect(video).to_be_visible()
    stopped = soon(page, lambda: video.get_attribute("data-stopped"))
    assert 5.0 <= float(stopped) < 7.0, "the card of this line was laid at five seconds, the next at seven"  # type: ignore[arg-type]
    video.evaluate("video => delete video.dataset.began")
    page.get_by_role("button", name="Watch it once more").click()
    began = soon(page, lambda: video.get_attribute("data-began"))
    assert 3.7 <= float(began) < 5.0  # type: ignore[arg-type]
