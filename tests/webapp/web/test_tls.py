"""TLS: generated certificates, and a client that trusts only them."""

from __future__ import annotations

import http.client
import json
import os
import socket
import ssl
import stat
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization

from tests.patience import PATIENCE_S
from webapp.live.board import SnapshotHub
from webapp.match.view import View
from webapp.private_file import write_private
from webapp.web.app import create_app
from webapp.web.app_services import AppConfig
from webapp.web.pairing import Ask, Pairing
from webapp.web.serving import Service
from webapp.web.tls_certificate import KeyPair, OwnCertificate, Subjects, make_certificate

NOW = datetime.now(UTC)
HERE = Subjects.of(["localhost", "kitchen"], ["127.0.0.1", "192.168.1.5"])


def certificate_in(folder: Path, name: str = "server") -> x509.Certificate:
    return x509.load_pem_x509_certificate((folder / f"{name}.pem").read_bytes())


def addresses(certificate: x509.Certificate) -> list[str]:
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return [str(address) for address in names.get_values_for_type(x509.IPAddress)]


def test_certificate_is_renewed_when_old_or_for_other_addresses(tmp_path: Path) -> None:
    own = OwnCertificate(tmp_path / "tls")

    def made(subjects: Subjects, now: datetime) -> tuple[int, int]:
        own.context(subjects, now)
        return certificate_in(tmp_path / "tls", "authority").serial_number, certificate_in(
            tmp_path / "tls"
        ).serial_number

    first = made(HERE, NOW)
    assert made(HERE, NOW + timedelta(days=300)) == first
    late = made(HERE, NOW + timedelta(days=370))
    assert (late[0], late[1] != first[1]) == (first[0], True)
    moved = made(Subjects.of(["localhost", "kitchen"], ["127.0.0.1", "192.168.1.77"]), NOW + timedelta(days=370))
    assert (moved[0], moved[1] != late[1]) == (first[0], True)
    assert addresses(certificate_in(tmp_path / "tls")) == ["127.0.0.1", "192.168.1.77"]
    for address in ("10.0.0.7", "203.0.113.9"):
        elsewhere = made(Subjects.of(["localhost"], [address]), NOW + timedelta(days=370))
        assert elsewhere[0] != first[0], "the earlier authority is not valid for another network"


@pytest.mark.skipif(os.name != "posix", reason="other systems keep a user's folder from others by themselves")
def test_keys_are_readable_only_by_the_owner(tmp_path: Path) -> None:
    OwnCertificate(tmp_path / "tls").context(HERE, NOW)
    assert stat.S_IMODE((tmp_path / "tls").stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "tls").iterdir()} == {0o600}
    assert len(list((tmp_path / "tls").iterdir())) == 4


@pytest.mark.parametrize("broken", ["server.key", "server.pem", "authority.key", "authority.pem"])
def test_damaged_files_are_replaced(tmp_path: Path, broken: str) -> None:
    own = OwnCertificate(tmp_path)
    own.context(HERE, NOW)
    (tmp_path / broken).write_text("no certificate")
    own.context(HERE, NOW)
    assert (tmp_path / broken).read_text() != "no certificate"
    certificate_in(tmp_path).verify_directly_issued_by(certificate_in(tmp_path, "authority"))


def handshake(folder: Path, host: str) -> None:
    """Make a TLS handshake in memory with a client that trusts only the authority."""
    server, client = (
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER),
        ssl.create_default_context(cafile=folder / "authority.pem"),
    )
    server.load_cert_chain(folder / "server.pem", folder / "server.key")
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = (
        server.wrap_bio(to_server, to_client, server_side=True),
        client.wrap_bio(to_client, to_server, server_hostname=host),
    )
    for _ in range(6):
        for end in ends:
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue
    assert ends[1].version() is not None, "the handshake is complete"


def test_authority_is_valid_only_for_local_addresses(tmp_path: Path) -> None:
    OwnCertificate(tmp_path).context(HERE, NOW)
    handshake(tmp_path, "192.168.1.5")
    key = serialization.load_pem_private_key((tmp_path / "authority.key").read_bytes(), None)
    authority = KeyPair(certificate_in(tmp_path, "authority"), key)  # type: ignore[arg-type]
    forged = make_certificate(authority, Subjects.of(["bank.example"], []), NOW)
    plain = serialization.NoEncryption()
    pkcs8 = serialization.PrivateFormat.PKCS8
    write_private(tmp_path / "server.key", forged.key.private_bytes(serialization.Encoding.PEM, pkcs8, plain))
    write_private(tmp_path / "server.pem", forged.certificate.public_bytes(serialization.Encoding.PEM))
    with pytest.raises(ssl.SSLCertVerificationError, match="permitted subtree"):
        handshake(tmp_path, "bank.example")


class Secured:
    """A served page, and clients that trust only its authority."""

    def __init__(self, folder: Path) -> None:
        self.board = SnapshotHub()
        self.pairing = Pairing(lambda: 0.0, Ask.ALWAYS)
        certificate = OwnCertificate(folder)
        self.service = Service.take("127.0.0.1", 0)
        self.service.secure(certificate, ("kitchen",), NOW)
        self.trust = ssl.create_default_context(cafile=certificate.authority)
        self.place = str(urlsplit(self.service.address).hostname), int(urlsplit(self.service.address).port or 0)
        services = AppConfig(pairing=self.pairing, authority=certificate.authority)
        self.service.start(create_app(services, self.board))

    def connection(self) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection(*self.place, timeout=PATIENCE_S, context=self.trust)

    def close(self) -> None:
        self.board.close()
        self.service.stop()


@pytest.fixture
def secured(tmp_path: Path) -> Iterator[Secured]:
    served = Secured(tmp_path)
    yield served
    served.close()


def paired(secured: Secured) -> dict[str, str]:
    """Pair a referee's device and return the header with its cookie."""
    connection = secured.connection()
    form = urlencode({"token": secured.pairing.codes.token})
    connection.request("POST", "/pair", form, {"Content-Type": "application/x-www-form-urlencoded"})
    cookie = connection.getresponse().headers["Set-Cookie"]
    connection.close()
    assert "Secure" in cookie.split("; ")
    return {"Cookie": cookie.partition(";")[0]}


def test_device_pairs_reads_presses_and_gets_streams_over_tls(secured: Secured) -> None:
    assert secured.service.address.startswith("https://127.0.0.1:")
    cookie = paired(secured)
    with closing(secured.connection()) as connection:
        connection.request("GET", "/api/state", headers=cookie)
        state = connection.getresponse()
        assert (state.status, json.loads(state.read())["seats"]) == (200, [])
        origin = {"Origin": secured.service.address.rstrip("/")}
        for name, status in (("https", 503), ("http", 403)):
            sent = {"Origin": origin["Origin"].replace("https", name), "Content-Type": "application/json"}
            connection.request("POST", "/api/film", '{"on": true}', cookie | sent)
            answer = connection.getresponse()
            assert (name, answer.status) == (name, status)
            answer.read()
        connection.request("GET", "/certificate", headers=cookie)
        assert b"BEGIN CERTIFICATE" in connection.getresponse().read()


def test_live_stream_is_sent_without_delay_over_tls(secured: Secured) -> None:
    connection = secured.connection()
    connection.request("GET", "/api/events", headers=paired(secured))
    stream = connection.getresponse()
    secured.board.publish(moves=1, view=View(seats=("A", "B")))
    while not (line := stream.readline()).startswith(b"data: {") or b'"seats": ["A", "B"]' not in line:
        assert line
    for number in range(2, 40):  # a worker writes while the server's thread reads
        secured.board.publish(moves=number, view=View(seats=tuple(f"player {number}" for number in range(number))))
    while b'"player 38"' not in (line := stream.readline()):
        assert line
    connection.close()


def test_long_request_is_received_completely(secured: Secured) -> None:
    cookie = paired(secured) | {"X-Long": "x" * 100_000}
    with closing(secured.connection()) as connection:
        connection.request("GET", "/api/state", headers=cookie)
        assert connection.getresponse().status == 200


def test_request_without_tls_is_redirected(secured: Secured) -> None:
    connection = http.client.HTTPConnection(*secured.place, timeout=PATIENCE_S)
    connection.request("GET", "/pair?token=ab")
    answer = connection.getresponse()
    host = f"{secured.place[0]}:{secured.place[1]}"
    assert (answer.status, answer.headers["Location"]) == (308, f"https://{host}/pair?token=ab")
    connection.close()


@pytest.mark.parametrize("sent", [b"", b"\x16", b"\x16\x03\x01\x02\x00\x01\x00", b"\x16" + b"x" * 3000])
def test_invalid_handshake_does_not_block_others(secured: Secured, sent: bytes) -> None:
    with socket.create_connection(secured.place, timeout=PATIENCE_S) as rude:
        rude.sendall(sent)
        for _ in range(3):
            with closing(secured.connection()) as connection:
                connection.request("GET", "/health")
                assert connection.getresponse().status == 200


def test_unwritable_certificate_folder_is_one_sentence(tmp_path: Path) -> None:
    from webapp.errors import UnusableInputError

    (tmp_path / "tls").write_text("a file")
    service = Service.take("127.0.0.1", 0)
    with pytest.raises(UnusableInputError, match="The operating system refused:"):
        service.secure(OwnCertificate(tmp_path / "tls"), (), NOW)
    service.stop()
