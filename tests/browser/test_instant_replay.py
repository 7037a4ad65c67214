"""The last bout once more while the game goes on: it ends by itself, and a new call ends it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from referee.record import event_from_json
from tests.browser.stored_match import StoredMatch, stored_match
from webapp.live.board import CameraHealth, Condition

CALLED = "Beaten off: the cards go to the pile."
"""Text of the page once it knows the game; before that the referee is starting."""
BEGAN = """addEventListener("playing", ({ target }) => (target.dataset.began ??= target.currentTime), true);"""
"""Script that stores the film's time when it began to play."""


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[StoredMatch]:
    """Store a running game with one finished and filmed bout."""
    with stored_match(tmp_path) as made:
        made.table.live_match = made.match
        show(made)
        yield made


def show(stored: StoredMatch, **changes: object) -> None:
    moves = stored.board.newest.moves + 1
    health = CameraHealth(Condition.WATCHING, at_s=9.0)
    shown = {"film": True, "view": stored.played.view, "lines": stored.played.lines}
    stored.board.publish(moves=moves, camera=health, **{**shown, **changes})


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("size", ["tablet", "phone"])
def test_last_bout_is_replayed_from_its_beginning_and_closes(
    open_page: Callable[..., Page], stored: StoredMatch, size: str
) -> None:
    page = open_page(stored.address, size=size, before=BEGAN)
    call = page.locator("#call .words")
    expect(call).to_have_text(CALLED)
    page.click("#replay")
    expect(page.locator(".instant")).to_be_visible()
    expect(page.locator(".instant h2")).to_have_text("Instant replay · Bout 1")
    expect(page.locator(".instant video")).to_have_attribute(
        "data-began", re.compile(r"^0(\.\d+)?$")
    )  # it leads at 1.0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.evaluate("document.querySelector('.instant video').playbackRate = 8")
    expect(page.locator(".instant")).to_be_hidden()
    expect(call).to_have_text(CALLED)


@pytest.mark.thorough
def test_new_call_closes_the_replay(open_page: Callable[..., Page], stored: StoredMatch) -> None:
    page = open_page(stored.address)
    page.click("#replay")
    expect(page.locator(".instant")).to_be_visible()
    page.evaluate("document.querySelector('.instant video').pause()")  # so that it does not end by itself
    stored.played.judge(event_from_json({"at": 9.5, "event": "placed", "card": "9d", "by": "C"}))
    show(stored)
    expect(page.locator(".instant")).to_be_hidden()


@pytest.mark.thorough
def test_film_without_frames_yet_is_reported(open_page: Callable[..., Page], stored: StoredMatch) -> None:
    assert stored.matches.films is not None
    page = open_page(stored.address)
    stored.matches.films.delete(stored.match)
    page.click("#replay")
    expect(page.locator(".instant .none")).to_be_visible()
    page.locator(".instant header button").last.click()
    expect(page.locator(".instant")).to_be_hidden()


@pytest.mark.thorough
def test_replay_is_not_offered_without_a_film(open_page: Callable[..., Page], stored: StoredMatch) -> None:
    page = open_page(stored.address)
    expect(page.locator("#replay")).to_be_visible()
    stored.board.publish(film=False)
    expect(page.locator("#replay")).to_be_hidden()


def happens(stored: StoredMatch, *events: dict[str, object]) -> None:
    stored.played.judge(*map(event_from_json, events))
    show(stored)


FAULT = {"at": 9.4, "event": "placed", "card": "9d", "by": "B"}


def test_fault_is_replayed_automatically_with_controls(open_page: Callable[..., Page], stored: StoredMatch) -> None:
    page = open_page(stored.address)
    expect(page.locator("#call .words")).to_have_text(CALLED)
    expect(page.locator("#replay")).to_be_visible()  # the page knows that there is a film
    happens(stored, FAULT)
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("h2")).to_have_text("What was called")
    assert page.locator("dialog:modal").count() == 0, "the table can be used meanwhile"
    page.locator("#correct").click(trial=True)  # nothing lies over it
    dialog.get_by_role("button", name="Repeat").click()
    dialog.get_by_role("button", name="Half speed").click()
    assert page.locator(".instant video").evaluate("video => video.playbackRate") == 0.5
    dialog.get_by_role("button", name="Pause").click()
    expect(dialog.get_by_role("button", name="Play")).to_be_visible()
    page.get_by_label("Place in the replay").evaluate(
        "range => { range.value = range.min; range.dispatchEvent(new Event('input')); }"
    )
    begin = page.get_by_label("Place in the replay").evaluate("range => Number(range.min)")
    assert page.locator(".instant video").evaluate("video => video.currentTime") == pytest.approx(begin, abs=0.1)
    page.click("#replay")  # while the fault is still shown
    expect(page.locator(".instant h2")).to_have_text("Instant replay · Bout 1")
    page.keyboard.press("Escape")
    expect(page.locator(".instant")).to_be_hidden()


def test_challenge_replays_the_last_play_slowly_on_every_device(
    open_page: Callable[..., Page], stored: StoredMatch
) -> None:
    devices = [open_page(stored.address, size=size) for size in ("tablet", "phone")]
    for page in devices:
        expect(page.locator("#replay")).to_be_visible()
    happens(stored, {"at": 9.5, "event": "pressed", "button": "challenge"})
    for page in devices:
        expect(page.locator(".instant h2")).to_have_text("Challenged")
        expect(page.locator(".instant .verdict")).to_contain_text("Not allowed: A can't add K♦")
        assert page.locator(".instant video").evaluate("video => video.playbackRate") == 0.5
