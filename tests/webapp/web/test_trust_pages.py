"""`/trust`: served over plain http without pairing, with the authority's certificate and never its key."""

from __future__ import annotations

import plistlib
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography import x509
from flask.testing import FlaskClient

from webapp.live.board import SnapshotHub
from webapp.text.catalogue import LANGUAGES
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig
from webapp.web.pairing import Pairing
from webapp.web.tls_certificate import OwnCertificate, Subjects

NOW = datetime.now(UTC)


@pytest.fixture
def authority(tmp_path: Path) -> Path:
    own = OwnCertificate(tmp_path)
    own.context(Subjects.of(["localhost", "kitchen"], ["127.0.0.1", "192.168.1.5"]), NOW)
    return own.authority


@pytest.fixture(params=[True, False], ids=["beside plain http", "tls alone"])
def stranger(request: pytest.FixtureRequest, board: SnapshotHub, authority: Path) -> FlaskClient:
    """Return the client of an unpaired phone over plain http."""
    services = AppConfig(authority=authority, is_tls_optional=request.param, pairing=Pairing(lambda: 0.0))
    client = create_app(services, board).test_client()
    client.environ_base["REMOTE_ADDR"] = "192.168.1.7"
    return client


@pytest.mark.ordinary(2)
@pytest.mark.parametrize("language", LANGUAGES)
def test_page_has_five_steps_with_drawings(stranger: FlaskClient, language: str) -> None:
    page = stranger.get(f"/trust?language={language}")
    assert page.status_code == 200
    assert page.text.count("<svg") == 10
    assert page.text.count("<li>") == 10
    assert "/trust/kozyr.crt" in page.text
    assert "/trust/kozyr.mobileconfig" in page.text
    assert "<script" not in page.text


def test_instructions_for_the_own_phone_come_first(stranger: FlaskClient) -> None:
    for agent, first in (
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0)", "iphone"),
        ("Mozilla/5.0 (Linux; Android 15)", "android"),
    ):
        page = stranger.get("/trust", headers={"User-Agent": agent}).text
        assert re.findall(r'h2 id="(\w+)"', page)[0] == first


def test_certificate_is_served_without_its_key(stranger: FlaskClient, authority: Path) -> None:
    answer = stranger.get("/trust/kozyr.crt")
    assert answer.mimetype == "application/x-x509-ca-cert"
    own = x509.load_pem_x509_certificate(authority.read_bytes())
    assert x509.load_der_x509_certificate(answer.data) == own
    profile = stranger.get("/trust/kozyr.mobileconfig")
    assert profile.mimetype == "application/x-apple-aspen-config"
    contents = plistlib.loads(profile.data)
    assert contents["PayloadType"] == "Configuration"
    (inner,) = contents["PayloadContent"]
    assert inner["PayloadType"] == "com.apple.security.root"
    assert x509.load_der_x509_certificate(inner["PayloadContent"]) == own
    assert stranger.get("/trust/kozyr.mobileconfig").data == profile.data, "the profile is the same on every download"
    assert b"PRIVATE KEY" not in answer.data + profile.data
    for path in ("/trust/authority.key", "/trust/../tls/authority.key"):
        assert stranger.get(path).status_code in (303, 308, 404)


def test_authority_may_sign_only_for_this_machine(authority: Path) -> None:
    certificate = x509.load_pem_x509_certificate(authority.read_bytes())
    constraints = certificate.extensions.get_extension_for_class(x509.NameConstraints)
    assert constraints.critical
    permitted = [str(permitted_subtree.value) for permitted_subtree in constraints.value.permitted_subtrees or ()]
    assert permitted == ["kitchen", "localhost", "127.0.0.0/8", "::1/128", "192.168.1.0/24"]


def test_trust_page_is_missing_without_a_certificate(board: SnapshotHub) -> None:
    client = create_app(AppConfig(), board).test_client()
    for path in ("/trust", "/trust/kozyr.crt", "/trust/kozyr.mobileconfig"):
        answer = client.get(path)
        assert (answer.status_code, "start kozyr" in answer.get_json()["error"]) == (404, True)
