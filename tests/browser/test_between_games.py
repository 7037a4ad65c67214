"""Between two games: the standing of a series, who plays next, and the fool of the evening."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Page, expect

from referee.cards import Card
from tests.browser.accessibility import faults_of
from tests.browser.conftest import Table, sizes_in_turn, soon
from vision.view.pipeline_view import SeenCard
from webapp.live.game_setup import GameSetup
from webapp.live.series import Series
from webapp.live.shared_setup import SharedSetup
from webapp.store.evenings import NEVER, FinishedGame
from webapp.text.catalogue import page_words

Lay = Callable[..., Table]
Open = Callable[..., Page]
SEATS = ("Anna", "Boris")
LAST = {"trump": "h", "turnup": None, "talon": 0, "heap_count": 32, "bout": 9, "beaten_off": 5, "attacker": "Anna"}
EARLIER = tuple(
    FinishedGame("", "kitchen", NEVER, NEVER, SEATS, {"kind": "fool", "seats": [name]}) for name in ("Anna", "Boris")
)


@pytest.fixture
def shared_setup() -> SharedSetup:
    shared = SharedSetup(GameSetup(source="0", seats=SEATS), begins=True)
    shared.take_up()
    return shared


@pytest.fixture
def over(lay: Lay, shared_setup: SharedSetup) -> Table:
    """Return a table at which Boris has just lost the third game of the evening, and with it a series to two."""
    start = {**LAST, "hands": {"Anna": 1, "Boris": 3}}
    table = lay(shared_setup=shared_setup, seats=list(SEATS), dealer="Boris", start=start)
    table.board.publish(earlier=EARLIER, series=Series(2))
    table.happens(
        {"at": 1.0, "event": "placed", "card": "7s", "by": "Anna"}, {"at": 3.0, "event": "swept", "to": "Boris"}
    )
    return table


def test_fool_of_a_series_is_announced_and_another_one_begins(
    over: Table, open_page: Open, shared_setup: SharedSetup
) -> None:
    page = open_page(over.address)
    expect(page.locator(".ending .score")).to_have_text("The fool of the series: Boris")
    page.get_by_role("button", name="Another series to 2").click()
    soon(page, lambda: shared_setup.is_asked)
    begun = shared_setup.take_up()
    assert begun is not None
    assert (begun.dealer, begun.lead) == ("Boris", "Anna")
    assert over.board.newest.series == Series(2, since=3)


def test_next_game_asks_to_gather_the_cards_of_a_game_given_up(
    lay: Lay, browser: Browser, shared_setup: SharedSetup
) -> None:
    start = {"trump": "h", "turnup": "9h", "talon": 24, "hands": {"Anna": 6, "Boris": 6}, "attacker": "Anna"}
    table = lay(shared_setup=shared_setup, seats=list(SEATS), dealer="Boris", start=start)
    assert table.board.picture is not None
    view = table.board.picture.view
    assert view is not None
    turnup = SeenCard(1, ((0, 0), (9, 0), (9, 9), (0, 9)), Card.parse("9h"), 1.0, "turnup", None, True)
    table.board.show(replace(table.board.picture, view=replace(view, cards=(turnup,))))
    page = browser.new_page(locale="en")  # a refusal is an error elsewhere
    page.goto(table.address)
    page.get_by_role("button", name="Give up").click()
    page.clock.install()
    page.get_by_role("dialog").get_by_role("button", name="Boris", exact=True).click()
    table.happens({"at": 1.0, "event": "pressed", "button": "resign", "by": "Boris"})
    page.get_by_role("button", name="Next game", exact=True).click()
    notice = page.locator("#notice")
    expect(notice).to_contain_text("I see the nine of hearts under the draw pile. Gather them")
    page.clock.fast_forward(7000)
    expect(notice).to_contain_text("Gather them")
    assert not shared_setup.is_asked
    notice.get_by_role("button", name="It is so all the same").click()
    soon(page, lambda: shared_setup.is_asked)
    expect(notice).to_be_hidden()
    page.context.close()


def test_player_joins_between_two_games_without_set_up(over: Table, open_page: Open, shared_setup: SharedSetup) -> None:
    page = open_page(over.address)
    page.get_by_role("button", name="Who plays next").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("Vera")
    page.keyboard.press("Enter")
    dialog.get_by_role("button", name="Vera: one place back").click()
    expect(dialog.locator(".next-seats bdi")).to_have_text(["Anna", "Vera", "Boris"])
    dialog.get_by_role("button", name="Next game").click()
    soon(page, lambda: shared_setup.is_asked)
    begun = shared_setup.take_up()
    assert begun is not None
    assert (begun.seats, begun.dealer, begun.lead) == (("Anna", "Vera", "Boris"), "Boris", "Anna")


@pytest.mark.ordinary(2)
@pytest.mark.parametrize("language", ["en", "ru", "he"])
def test_evening_ends_with_its_fool_and_a_table_of_losses(over: Table, open_page: Open, language: str) -> None:
    page = open_page(over.address, language=language)
    words = page_words(language)
    page.get_by_role("button", name=words["evening_end"]).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Boris")
    expect(dialog.locator("tbody tr")).to_have_count(2)
    for size in sizes_in_turn(page, ("tablet", "phone", "television")):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), size
    assert faults_of(page) == []


def test_series_is_chosen_in_set_up(lay: Lay, open_page: Open) -> None:
    shared = SharedSetup(GameSetup(source="0", seats=SEATS), begins=False)
    table = lay(shared_setup=shared)
    page = open_page(f"{table.address}setup#start")
    page.get_by_role("button", name="First to 5").click()
    soon(page, lambda: table.board.newest.series == Series(5))
    expect(page.get_by_role("button", name="First to 5")).to_have_attribute("aria-pressed", "true")
