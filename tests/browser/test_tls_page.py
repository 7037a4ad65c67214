"""Over https the page is a secure context: the screen stays on, and the page may be added to the home screen."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from playwright.sync_api import Browser, BrowserType, expect

from scripts.find_chromium import find_chromium
from tests.browser.conftest import FLAGS
from webapp.live.board import SnapshotHub
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig
from webapp.web.serving import Service
from webapp.web.tls_certificate import OwnCertificate


@pytest.fixture
def secured(tmp_path: Path) -> Iterator[Service]:
    """Serve a page over https."""
    board, certificate, service = SnapshotHub(), OwnCertificate(tmp_path), Service.take("127.0.0.1", 0)
    service.secure(certificate, (), datetime.now(UTC))
    service.start(create_app(AppConfig(authority=certificate.authority), board))
    yield service
    board.close()
    service.stop()


@pytest.fixture
def trusting(browser: Browser, tmp_path: Path, secured: Service) -> Iterator[Browser]:
    """Start a Chromium that trusts only this authority's key."""
    authority = x509.load_pem_x509_certificate((tmp_path / "authority.pem").read_bytes())
    own = x509.load_pem_x509_certificate((tmp_path / "server.pem").read_bytes())
    keys = [
        base64.b64encode(
            hashlib.sha256(
                certificate.public_key().public_bytes(
                    serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
                )
            ).digest()
        ).decode()
        for certificate in (authority, own)
    ]
    kind: BrowserType = browser.browser_type
    flags = (*FLAGS, f"--ignore-certificate-errors-spki-list={','.join(keys)}")
    chromium = kind.launch(executable_path=find_chromium(), args=flags)
    yield chromium
    chromium.close()


@pytest.mark.thorough
def test_screen_lock_and_home_screen_installation_are_available(trusting: Browser, secured: Service) -> None:
    page = trusting.new_context(locale="en").new_page()
    page.add_init_script("window.held = []; navigator.wakeLock.request = async (kind) => window.held.push(kind);")
    page.goto(secured.address)
    assert page.evaluate("isSecureContext")
    page.wait_for_function("held.length > 0")
    assert page.evaluate("held") == ["screen"]
    manifest = page.evaluate("fetch(document.querySelector('[rel=manifest]').href).then((answer) => answer.json())")
    assert (manifest["display"], manifest["start_url"]) == ("standalone", "/")
    for icon in manifest["icons"]:
        assert page.evaluate("src => fetch(`/static/${src}`).then((answer) => answer.status)", icon["src"]) == 200
    session = page.context.new_cdp_session(page)
    hindrances = {
        hindrance["errorId"] for hindrance in session.send("Page.getInstallabilityErrors")["installabilityErrors"]
    }
    assert hindrances <= {"in-incognito"}, "only that the test's browser keeps nothing"
    page.locator(".gear summary").click()
    expect(page.locator("#settings")).to_contain_text("It stays on while the table is shown.")
    expect(page.get_by_role("link", name="Certificate of this table")).to_be_visible()
