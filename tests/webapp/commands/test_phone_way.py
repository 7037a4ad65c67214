"""`kozyr doctor` checks the connection of a phone to this machine."""

from __future__ import annotations

import socket
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from webapp.commands import doctor
from webapp.commands.doctor import address_finding, certificate_finding, phone_findings, reach_finding
from webapp.web.port import listen
from webapp.web.tls_certificate import OwnCertificate, Subjects

NOW = datetime.now(UTC)


def free_port() -> int:
    with closing(listen("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def test_missing_network_address_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert address_finding(["192.168.1.5"]).ok
    monkeypatch.setattr(doctor, "own_addresses", lambda host: ())
    monkeypatch.setattr(doctor, "data_home", lambda: tmp_path)
    address, certificate = phone_findings(free_port())
    assert (address.ok, address.needed, "same Wi-Fi" in address.mend) == (False, False, True)
    assert certificate.ok


@pytest.mark.parametrize(
    ("platform", "words"), [("win32", "private networks"), ("darwin", "Network, Firewall"), ("linux", "ufw")]
)
def test_reachable_port_still_mentions_the_firewall(platform: str, words: str) -> None:
    finding = reach_finding("127.0.0.1", free_port(), platform)
    assert finding.ok
    assert words in finding.found


def test_running_table_answers_the_check() -> None:
    with closing(listen("127.0.0.1", 0)) as served:
        assert reach_finding("127.0.0.1", served.getsockname()[1]).ok


def test_unreachable_port_names_the_next_step(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> socket.socket:
        raise TimeoutError("timed out")

    monkeypatch.setattr(socket, "create_connection", refused)
    finding = reach_finding("192.168.1.5", free_port(), "win32")
    assert not finding.ok
    assert "Allow an app through firewall" in finding.mend


def test_certificate_is_valid_for_every_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "server.pem"
    assert "at the first start" in certificate_finding(place, ["192.168.1.5"], NOW).found
    OwnCertificate(tmp_path).context(Subjects.of(["localhost"], ["127.0.0.1", "192.168.1.5"]), NOW)
    assert certificate_finding(place, ["192.168.1.5"], NOW).ok
    moved = certificate_finding(place, ["10.0.0.7", "192.168.1.5"], NOW)
    assert (moved.ok, "10.0.0.7" in moved.found) == (False, True)
    late = certificate_finding(place, ["192.168.1.5"], NOW + timedelta(days=500))
    assert (late.ok, "start kozyr once" in late.mend) == (False, True)
    place.write_text("no certificate")
    assert not certificate_finding(place, [], NOW).ok
    monkeypatch.setattr(doctor, "own_addresses", lambda host: ("127.0.0.1",))
    assert [finding.name for finding in phone_findings(free_port())] == [
        "phone address",
        "phone port",
        "phone certificate",
    ]
