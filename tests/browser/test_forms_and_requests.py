"""
Every form and every request of every page, sent by a real browser under the real headers, as each role, over http and
https, after a change of language too: a form is answered by a page, a script by what it asked for or a sentence.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Page, expect

from scripts.http_reference import all_routes
from tests.browser.conftest import PATIENCE_MS
from tests.webapp.conftest import HEADER
from tests.webapp.services import FakeTable
from webapp.live.board import SnapshotHub
from webapp.live.game_setup import GameSetup
from webapp.live.phone_camera import PhoneCamera
from webapp.live.shared_setup import SharedSetup
from webapp.store.database import Database
from webapp.store.matches import Matches, RecordEntry, Writing
from webapp.text.catalogue import page_words
from webapp.web.app import create_app
from webapp.web.app_services import Addresses, AppConfig
from webapp.web.pairing import Ask, Pairing
from webapp.web.route_docs import HTML, Route
from webapp.web.serving import Service
from webapp.web.tls_certificate import OwnCertificate

ROLES = ("owner", "referee", "viewer", "camera", "nobody")
ROUTES = all_routes()
PAGES = [route.path for route in ROUTES if route.method == "GET" and route.description.media == HTML]
SENT = [route for route in ROUTES if route.description.media != HTML and "events" not in route.path]
ASK = """([method, path]) => fetch(path, {method, body: method === "GET" ? undefined : "{}"})
  .then(async (answer) => [answer.status, await answer.text()])"""


@dataclass
class Site:
    """A table that everybody may join. ``address``: of its pages; ``match``: a match that it keeps."""

    address: str
    pairing: Pairing
    match: str

    def at(self, path: str) -> str:
        named = path.replace("{match}", self.match).replace("{name}", "A")
        return self.address + re.sub(r"{\w+}", "x", named).lstrip("/")

    def join(self, page: Page, role: str) -> None:
        self.pairing.ask = Ask.ELSEWHERE if role == "owner" else Ask.ALWAYS
        if role in ("referee", "camera"):
            self.pairing.renew()
            token = self.pairing.codes.token if role == "referee" else self.pairing.camera_token()
            page.goto(f"{self.address}pair?token={token}")
            page.locator("form button").click()
        elif role == "viewer":
            page.goto(f"{self.address}pair")
            page.locator("#pin").fill(self.pairing.codes.pin)
            page.locator("form button").click()
        page.wait_for_load_state()


@pytest.fixture(params=["http", "https"])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    board, service = SnapshotHub(), Service.take("127.0.0.1", 0)
    matches = Matches(Database.open(f"sqlite:///{tmp_path / 'kept.sqlite'}"))
    writing = Writing.begin("kitchen", datetime.now(UTC), {})
    result = {"kind": "fool", "seats": ["A"]}
    announced = {"line": 1, "announce": "result", **result, "text": ""}
    matches.append(writing, [RecordEntry(1, HEADER, (announced,), result)])
    matches.end(writing)
    pairing = Pairing(time.monotonic, Ask.ALWAYS)
    authority = None
    if request.param == "https":
        certificate = OwnCertificate(tmp_path)
        service.secure(certificate, (), datetime.now(UTC))
        authority = certificate.authority
    config = AppConfig(
        FakeTable(),
        addresses=Addresses(elsewhere=(service.address,), camera=("https://192.168.1.5:8036/",)),
        matches=matches,
        shared_setup=SharedSetup(GameSetup(source="0"), begins=False),
        pairing=pairing,
        authority=authority,
        phone=PhoneCamera(),
    )
    service.start(create_app(config, board))
    yield Site(service.address, pairing, writing.match)
    board.close()
    service.stop()


def device(browser: Browser, site: Site, role: str) -> Page:
    """Return the page of a new device that has joined in this role."""
    page = browser.new_context(ignore_https_errors=True, locale="en").new_page()
    page.set_default_timeout(PATIENCE_MS)
    site.join(page, role)
    return page


FORM = "form[method=post]"


def forms_of(page: Page, site: Site) -> list[tuple[str, int]]:
    """Return each form that this device meets on any page: the address of the page, and the form's number there."""
    met = dict[str, int]()
    for path in PAGES:
        page.goto(site.at(path))
        met[page.url.partition("?")[0]] = page.locator(FORM).count()
    return [(address, place) for address, count in met.items() for place in range(count)]


@pytest.mark.ordinary(3)
@pytest.mark.parametrize("role", ROLES)
def test_every_form_of_every_page_is_answered_by_a_page(browser: Browser, site: Site, role: str) -> None:
    looking = device(browser, site, role)
    forms = forms_of(looking, site)
    looking.context.close()
    assert len(forms) >= {"referee": 2, "camera": 2}.get(role, 1)
    for address, place in forms:
        for language in ("en", "ru"):
            page = device(browser, site, role)  # a form may end this device's role
            page.goto(f"{address}?language={language}")
            form = page.locator(FORM).nth(place)
            if form.locator("#pin").count():
                form.locator("#pin").fill(site.pairing.codes.pin)
            with page.expect_navigation(wait_until="commit") as answered:
                form.locator("button").click()
            answer = answered.value
            assert answer is not None
            where = (address, place, language, answer.status)
            assert answer.headers["content-type"].startswith("text/html"), where
            assert answer.status < 400 or (role, answer.status) == ("camera", 409), where  # it may not watch as well
            expect(page.locator("html")).to_have_attribute("lang", language)
            assert page.get_by_role("heading", level=1, name=page_words(language)["refused_title"]).count() == 0, where
            page.context.close()


@pytest.mark.ordinary(3)
@pytest.mark.parametrize("role", ROLES)
def test_every_request_of_a_script_is_answered_in_a_sentence(browser: Browser, site: Site, role: str) -> None:
    page = device(browser, site, role)
    page.goto(site.at("/camera" if role == "camera" else "/evenings"))
    sentences = set(page_words("en").values())
    for route in sorted(SENT, key=lambda route: route.method == "DELETE"):
        status, text = page.evaluate(ASK, [route.method, site.at(route.path)])
        assert status < 400 or is_sentence(text, sentences), (route.method, route.path, status, text[:200])
        assert "kozyr's own page" not in text, (route.method, route.path)
    page.context.close()


def is_sentence(text: str, sentences: set[str]) -> bool:
    answered: dict[str, Any] = json.loads(text)
    return answered["text"] in sentences


def opens_in_place(route: Route) -> bool:
    """Check whether a browser shows the answer instead of saving it."""
    return route.method == "GET" and "export" not in route.path


@pytest.mark.ordinary(3)
@pytest.mark.parametrize("role", ROLES)
def test_refused_address_that_a_person_opens_is_a_page(browser: Browser, site: Site, role: str) -> None:
    page = device(browser, site, role)
    refused: list[Any] = []
    page.on("response", lambda got: refused.append(got) if got.request.is_navigation_request() else None)
    words = page_words("ru")
    for route in filter(opens_in_place, SENT):
        refused.clear()
        with suppress(Error):  # a file that is saved, or an empty answer, is no page
            page.goto(f"{site.at(route.path).replace(site.match, 'gone')}?language=ru")
        if refused and refused[-1].status >= 400 and route.path != "/health":
            assert refused[-1].headers["content-type"].startswith("text/html"), route.path
            page.get_by_role("heading", level=1).wait_for()
            assert page.get_by_role("link", name=words["refused_back"]).or_(page.locator("nav")).count(), route.path
    page.context.close()


def test_page_that_answers_a_form_leads_to_another_language(browser: Browser) -> None:
    board, service = SnapshotHub(), Service.take("127.0.0.1", 0)
    table = FakeTable()
    table.open_to_devices = lambda: True  # type: ignore[method-assign]
    service.start(
        create_app(AppConfig(table, pairing=Pairing(time.monotonic), addresses=Addresses(is_local=True)), board)
    )
    page = browser.new_page(locale="en")
    page.goto(f"{service.address}pair")
    page.locator(FORM).locator("button").click()
    expect(page).to_have_url(f"{service.address}pair/open")
    page.locator(".gear summary").click()
    page.get_by_role("link", name="Русский").click()
    expect(page.locator("h1")).to_have_text(page_words("ru")["devices_title"])
    page.close()
    board.close()
    service.stop()
