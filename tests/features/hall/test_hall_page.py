"""Page of the hall: state of every table, standings, and the error of an unreachable store."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from features.hall.routes import create_hall_app
from features.hall.table_report import table_as_reported
from referee.record import Header, event_from_json
from tests.browser.accessibility import faults_of
from tests.browser.conftest import sizes_in_turn
from tests.webapp.conftest import HEADER
from webapp.live.board import CameraHealth, Condition, SnapshotHub
from webapp.match.log import MatchLog
from webapp.store.database import Database
from webapp.store.matches import Matches, RecordEntry, Writing
from webapp.text.catalogue import LANGUAGES, page_words
from webapp.web.app_services import AppConfig
from webapp.web.serving import Service

Open = Callable[..., Page]
NAMES = ["Александра-Виктория", "Wilhelmina Wolfhause", "דוד"]
STARTED = {"dealer": NAMES[2], "start": {**HEADER["start"], "attacker": NAMES[0], "hands": dict.fromkeys(NAMES, 6)}}  # type: ignore[dict-item]
LEAD = {"at": 1.0, "event": "placed", "card": "7s", "by": NAMES[0]}
BEAT = {"at": 2.0, "event": "placed", "card": "6s", "by": NAMES[1], "on": "7s"}


class Hall:
    """A store, and the page over it."""

    def __init__(self, folder: Path) -> None:
        self._database = Database.open(f"sqlite:///{folder / 'kozyr.db'}")
        self.matches = Matches(self._database)
        self.service = Service.take("127.0.0.1", 0)
        self.service.start(create_hall_app(AppConfig(matches=self.matches), self.matches.tables))

    def report(self, table: str, *events: dict[str, Any], open_: bool = True) -> None:
        """Report the state of a table after these events."""
        match, board = MatchLog(Header.parse({**HEADER, "seats": NAMES, **STARTED})), SnapshotHub()
        match.open()
        match.judge(*map(event_from_json, events))
        board.publish(
            moves=1,
            match="ID",
            camera=CameraHealth(Condition.WATCHING, frames=9, at_s=1.0),
            view=match.view,
            lines=match.lines,
        )
        reported = table_as_reported(board.newest, "http://192.168.1.5:8036/")
        self.matches.tables.report(table, table, {**reported, "open": open_})

    def close(self) -> None:
        """Close the hall."""
        self.service.stop()
        self._database.close()


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    """Open a hall with two tables and a finished game."""
    made = Hall(tmp_path)
    made.report("kitchen", LEAD)
    made.report("garden <b>", LEAD, BEAT)
    fool = {"line": 1, "announce": "result", "kind": "fool", "seats": [NAMES[1]], "text": ""}
    header = {**HEADER, "seats": NAMES}
    made.matches.append(Writing.begin("kitchen", datetime.now(UTC), {}), [RecordEntry(1, header, (fool,))])
    yield made
    made.close()


@pytest.mark.ordinary(2)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_table_is_on_the_page(hall: Hall, open_page: Open, language: str) -> None:
    page = open_page(hall.service.address, language=language)
    expect(page.locator(".one-table")).to_have_count(2)
    named = page_words(language)["table_named"].format(table="garden <b>")
    expect(page.locator(".one-table h2").first).to_contain_text(named.replace("garden <b>", "").strip("«» "))
    expect(page.locator(".one-table h2").first).to_contain_text("garden <b>")
    expect(page.locator(".one-table k-board .card").first).to_be_visible()
    expect(page.locator(".call-text[data-tone=illegal]")).to_have_count(1)
    expect(page.locator("#standings tbody tr")).to_have_count(3)
    expect(page.locator("#newest a")).to_have_count(1)
    for size in sizes_in_turn(page):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"nothing sticks out: {size}"


def test_table_without_a_name_is_named_by_its_people(hall: Hall, open_page: Open) -> None:
    hall.report(socket.gethostname(), LEAD)
    page = open_page(hall.service.address)
    expect(page.locator(".one-table")).to_have_count(3)
    expect(page.locator(".one-table h2", has_text=NAMES[0])).to_have_count(1)
    expect(page.locator("main")).not_to_contain_text(socket.gethostname())


def test_changes_at_a_table_are_shown_without_reloading(hall: Hall, open_page: Open) -> None:
    page = open_page(hall.service.address)
    expect(page.locator(".call-text[data-tone=illegal]")).to_have_count(1)
    hall.report("kitchen", LEAD, BEAT)
    expect(page.locator(".call-text[data-tone=illegal]")).to_have_count(2)
    hall.report("garden <b>", LEAD, open_=False)
    expect(page.get_by_text("This table is closed.")).to_be_visible()


def test_hall_complies_with_wcag_2_2_aa(hall: Hall, open_page: Open) -> None:
    page = open_page(hall.service.address)
    page.wait_for_selector("#standings table")
    assert faults_of(page) == []


def test_failing_store_is_reported_in_the_pages_language(hall: Hall, browser: Browser, tmp_path: Path) -> None:
    """Open the page without the fixture that takes its answer 503 for a failure."""
    page = browser.new_page(locale="fr")
    page.goto(hall.service.address)
    expect(page.locator(".one-table")).to_have_count(2)
    store = tmp_path / "kozyr.db"
    store.rename(tmp_path / "aside.db")
    store.write_text("no database" * 99)
    expect(page.locator("#notice")).to_have_text("Pas de réponse pour le moment.")
    (tmp_path / "aside.db").rename(store)
    expect(page.locator("#notice")).to_be_hidden()
    page.close()


def test_header_of_the_codes_page_leads_to_the_hall(hall: Hall, open_page: Open) -> None:
    page = open_page(f"{hall.service.address}pair")
    page.get_by_role("link", name="All tables").click()
    expect(page.locator(".one-table")).to_have_count(2)
