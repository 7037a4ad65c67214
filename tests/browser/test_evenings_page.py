"""Scores: on the page of evenings, and below the result of a game."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import faults_of
from tests.browser.conftest import SIZES, Table, sizes_in_turn
from webapp.store.database import Database
from webapp.store.evenings import FinishedGame
from webapp.store.films import Films
from webapp.store.matches import Matches, RecordEntry, Writing
from webapp.text.catalogue import LANGUAGES

Lay = Callable[..., Table]
Open = Callable[..., Page]
NAMES = ["Александра-Виктория", "Wilhelmina Wolfhause", "דוד"]
LAST_CARDS = {"trump": "h", "turnup": None, "talon": 0, "heap_count": 33, "bout": 9, "beaten_off": 5, "attacker": "A"}


@pytest.fixture
def matches(tmp_path: Path) -> Iterator[Matches]:
    """Store five games of one evening, and one of the day before."""
    database = Database.open(f"sqlite:///{tmp_path / 'kozyr.db'}")
    store = Matches(database, Films(tmp_path / "films"))
    now = datetime(2026, 11, 23, 20, 0, tzinfo=UTC)
    for hours, fool in ((-24, 0), (0, 0), (0.3, 1), (0.6, 0), (0.9, 2), (1.2, 0)):
        announced = {"line": 1, "announce": "result", "kind": "fool", "seats": [NAMES[fool]], "text": ""}
        header = {"kozyr": 1, "rules": "podkidnoy-36", "seats": NAMES, "dealer": NAMES[0]}
        store.append(Writing.begin("kitchen", now + timedelta(hours=hours), {}), [RecordEntry(1, header, (announced,))])
    yield store
    database.close()


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_evenings_are_listed_with_their_scores(lay: Lay, open_page: Open, matches: Matches, language: str) -> None:
    page = open_page(f"{lay(matches=matches).address}evenings", language=language)
    expect(page.locator(".evening")).to_have_count(3)
    rows = page.locator(".evening").first.locator("tbody tr")
    assert [row.split("\t")[:2] for row in rows.all_inner_texts()][-1] == [NAMES[0], "6"]
    expect(page.locator(".plot svg .series")).to_have_count(3)
    for size in sizes_in_turn(page):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"nothing sticks out: {size}"
        cut = "all => all.filter((each) => each.scrollWidth > each.clientWidth + 1).length"
        assert page.locator(".scores").evaluate_all(cut) == 0, f"no column is cut: {size}"
        ways = page.locator(".sub-ways a")
        assert max(ways.evaluate_all("all => all.map((each) => each.getBoundingClientRect().right)")) <= SIZES[size][0]


def test_games_lead_to_their_matches(lay: Lay, open_page: Open, matches: Matches) -> None:
    page = open_page(f"{lay(matches=matches).address}matches")
    page.get_by_role("link", name="Evenings and scores").click()
    page.locator("summary", has_text="The games").first.click()
    expect(page.locator(".evening ol a").first).to_be_visible()
    newest = matches.list()[0]["match"]
    assert newest in [link.get_attribute("href").rpartition("/")[2] for link in page.locator(".evening ol a").all()]  # type: ignore[union-attr]


def test_the_result_shows_the_score_of_the_evening(lay: Lay, open_page: Open) -> None:
    table = lay(start=LAST_CARDS | {"hands": {"A": 1, "B": 2, "C": 0}, "out": ["C"]})
    now = datetime.now(UTC)
    before = FinishedGame("", "kitchen", now, now, ("A", "B", "C"), {"kind": "fool", "seats": ["B"]})
    table.board.publish(earlier=(before, before))
    page = open_page(table.address)
    table.happens({"at": 1.0, "event": "placed", "card": "7s", "by": "A"}, {"at": 2.0, "event": "swept", "to": "B"})
    expect(page.locator(".ending .score")).to_have_text(
        "Lost this evening: \u2068A\u2069\u00a00 · \u2068B\u2069\u00a03 · \u2068C\u2069\u00a00"
    )


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("path", ["evenings", "matches", "matches/newest"])
def test_the_pages_of_what_was_played_keep_wcag_2_2_aa(lay: Lay, open_page: Open, matches: Matches, path: str) -> None:
    address = lay(matches=matches).address + path.replace("newest", str(matches.list()[0]["match"]))
    page = open_page(address)
    page.wait_for_selector("#evenings > *, #matches > *, [data-ready] #calls > *")
    for summary in page.locator("main summary:visible").all():
        summary.click()
    assert faults_of(page) == []
