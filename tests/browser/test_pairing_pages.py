"""Joining a table in a real browser."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Table
from webapp.web.pairing import Ask, Pairing
from webapp.web.stored_devices import Role

Lay = Callable[..., Table]
Open = Callable[..., Page]
LEAD = {"at": 1.0, "event": "placed", "card": "7s", "by": "A"}


@pytest.fixture
def pairing() -> Pairing:
    return Pairing(time.monotonic, Ask.ALWAYS)


def test_pin_opens_the_table_without_buttons(lay: Lay, open_page: Open, pairing: Pairing) -> None:
    table = lay(pairing)
    table.happens(LEAD)
    page = open_page(table.address, "phone")
    expect(page).to_have_url(f"{table.address}pair")
    page.get_by_label("six digits").fill(pairing.codes.pin)
    page.get_by_role("button", name="Watch").click()
    expect(page.locator("#call .words")).to_contain_text("7♠")
    expect(page.get_by_role("button", name="B: I take")).to_be_hidden()
    assert [device.role for device in pairing.devices()] == [Role.VIEWER]


def test_code_opens_the_table_with_buttons_and_the_devices_page(lay: Lay, open_page: Open, pairing: Pairing) -> None:
    table = lay(pairing)
    table.happens(LEAD)
    page = open_page(f"{table.address}pair?token={pairing.codes.token}", "upright")
    page.get_by_role("button", name="Join as referee").click()
    expect(page.get_by_role("button", name="B: I take")).to_be_visible()
    page.get_by_role("link", name="Devices").click()
    page.get_by_role("button", name="Make new codes").click()
    expect(page.locator(".pin")).to_have_text(f"{pairing.codes.pin[:3]} {pairing.codes.pin[3:]}")
    expect(page.locator(".qr svg")).to_have_count(2)  # to watch, and to referee
    page.wait_for_load_state("networkidle")
    page.get_by_role("button", name="Send away").click()
    expect(page.get_by_label("six digits")).to_be_visible()
    assert pairing.devices() == ()


@pytest.mark.ordinary(2)
@pytest.mark.parametrize("size", ["tablet", "upright", "phone"])
@pytest.mark.parametrize("language", ["ru", "he"])
def test_pairing_pages_fit_the_screen(lay: Lay, open_page: Open, pairing: Pairing, size: str, language: str) -> None:
    table = lay(pairing)
    page = open_page(f"{table.address}pair?token={pairing.codes.token}", size, language)
    page.get_by_role("button").click()
    expect(page).to_have_url(table.address)
    page.goto(f"{table.address}pair")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_code_for_watching_fills_the_digits_in(lay: Lay, open_page: Open, pairing: Pairing) -> None:
    table = lay(pairing)
    referee = open_page(f"{table.address}pair?token={pairing.codes.token}")
    referee.get_by_role("button", name="Join as referee").click()
    referee.goto(f"{table.address}pair")
    expect(referee.locator(".qr svg")).to_have_count(1)  # that for a referee is used up
    page = open_page(f"{table.address}pair?pin={pairing.codes.pin}", "phone")
    expect(page.get_by_label("six digits")).to_have_value(pairing.codes.pin)
    page.get_by_role("button", name="Watch").click()
    expect(page.locator("#call")).to_be_visible()
    assert [device.role for device in pairing.devices()] == [Role.REFEREE, Role.VIEWER]
