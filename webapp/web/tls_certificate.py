"""
Create the page's own certificates: an authority that devices trust once, and this machine's certificate, signed by it.

The authority may sign for this machine's names and networks only (a certificate's *name constraints*), so a stolen key
can impersonate no other site. Both keys are in a folder that only its owner may read.
"""

from __future__ import annotations

import ipaddress
import os
import ssl
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from webapp.private_file import write_private

FOLDER = "tls"
AUTHORITY_NAME = "Kozyr at home"
"""The name under which a phone lists the certificate; the catalogues have it as it is."""
AUTHORITY_LIFE = timedelta(days=3650)
"""Long, since people trust it by hand on every device."""
LIFE = timedelta(days=397)
"""Browsers refuse certificates that are valid for longer than 398 days."""
RENEWED_BEFORE = timedelta(days=30)
"""A certificate that ends sooner is renewed at the start: a program may run for weeks."""
LOOPBACK = ("127.0.0.0/8", "::1/128")
HOME_PREFIX = {4: 24, 6: 64}
"""Bits of an address that identify a home network; the router assigns the rest and changes it now and then."""

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True, slots=True)
class Subjects:
    """The subjects of a certificate: ``names`` in lower case, ``addresses`` of this machine."""

    names: tuple[str, ...]
    addresses: tuple[str, ...]

    @classmethod
    def of(cls, names: Iterable[str], addresses: Iterable[str]) -> Subjects:
        """
        Return the subjects in order, each once; addresses and invalid names among ``names`` are left out.

        >>> Subjects.of(["Kitchen", "0.0.0.0", "localhost", "bad_name"], ["192.168.1.5", "127.0.0.1", "127.0.0.1"])
        Subjects(names=('kitchen', 'localhost'), addresses=('127.0.0.1', '192.168.1.5'))
        """
        kept = set[str]()
        for name in names:  # letters, digits and dashes, no address
            parts = name.split(".")
            is_plain = all(part.isascii() and part.replace("-", "").isalnum() for part in parts)
            if is_plain and not all(part.isdigit() for part in parts):
                kept.add(name.lower())
        return cls(tuple(sorted(kept)), tuple(sorted({str(ipaddress.ip_address(text)) for text in addresses})))


@dataclass(frozen=True, slots=True)
class KeyPair:
    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey


class OwnCertificate:
    """The authority and this machine's certificate in a folder; ``OSError`` if it cannot be written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.authority = folder / "authority.pem"

    def context(self, subjects: Subjects, now: datetime) -> ssl.SSLContext:
        """Return the TLS context for these subjects; create or renew certificates that are too old or for others."""
        self._folder.mkdir(parents=True, exist_ok=True)
        if os.name == "posix":
            self._folder.chmod(0o700)
        authority = self._read("authority")
        if authority is None or not is_good_until(authority, now) or not may_sign(authority, subjects):
            authority = make_authority(subjects, now)
            self._write("authority", authority)
        own = self._read("server")
        if own is None or not is_good_until(own, now) or not is_for(own, subjects) or not is_signed(own, authority):
            own = make_certificate(authority, subjects, now)
            self._write("server", own)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(self._folder / "server.pem", self._folder / "server.key")
        return context

    def _read(self, name: str) -> KeyPair | None:
        """Read a certificate and its key; None if they are missing or cannot be used."""
        try:
            certificate = x509.load_pem_x509_certificate((self._folder / f"{name}.pem").read_bytes())
            key = serialization.load_pem_private_key((self._folder / f"{name}.key").read_bytes(), None)
        except (OSError, ValueError):
            return None
        if not isinstance(key, ec.EllipticCurvePrivateKey) or key.public_key() != certificate.public_key():
            return None
        return KeyPair(certificate, key)

    def _write(self, name: str, pair: KeyPair) -> None:
        key = pair.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        write_private(self._folder / f"{name}.key", key)
        write_private(self._folder / f"{name}.pem", pair.certificate.public_bytes(serialization.Encoding.PEM))


def make_authority(subjects: Subjects, now: datetime) -> KeyPair:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, AUTHORITY_NAME)])
    permitted = [*map(x509.DNSName, subjects.names), *map(x509.IPAddress, own_networks(subjects.addresses))]
    builder = (
        _builder(name, name, key, now, AUTHORITY_LIFE)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs=True), critical=True)
        .add_extension(x509.NameConstraints(permitted_subtrees=permitted, excluded_subtrees=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
    return KeyPair(builder.sign(key, hashes.SHA256()), key)


def own_networks(addresses: Iterable[str]) -> tuple[Network, ...]:
    """
    Return the networks of this machine's addresses; for a public address, that address alone.

    >>> [str(each) for each in own_networks(["127.0.0.1", "192.168.1.5", "192.168.1.6", "8.8.8.8"])]
    ['127.0.0.0/8', '::1/128', '192.168.1.0/24', '8.8.8.8/32']
    """
    networks: list[Network] = [ipaddress.ip_network(network) for network in LOOPBACK]
    for text in addresses:
        address = ipaddress.ip_address(text)
        is_home = address.is_private
        network = ipaddress.ip_network((address, HOME_PREFIX[address.version]), strict=False)
        if not _is_within(text, networks):
            networks.append(network if is_home else ipaddress.ip_network(text))
    return tuple(networks)


def make_certificate(authority: KeyPair, subjects: Subjects, now: datetime) -> KeyPair:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Kozyr")])
    addresses = [x509.IPAddress(ipaddress.ip_address(address)) for address in subjects.addresses]
    alternatives = x509.SubjectAlternativeName([*map(x509.DNSName, subjects.names), *addresses])
    by = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key())
    life = min(LIFE, authority.certificate.not_valid_after_utc - now)
    builder = (
        _builder(name, authority.certificate.subject, key, now, life)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(alternatives, critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(by, critical=False)
    )
    return KeyPair(builder.sign(authority.key, hashes.SHA256()), key)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, now: datetime, life: timedelta
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))  # a tablet's clock may be behind
        .not_valid_after(now + life)
    )


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs,
        key_cert_sign=signs,
        crl_sign=signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def is_good_until(pair: KeyPair, now: datetime) -> bool:
    return pair.certificate.not_valid_before_utc <= now < pair.certificate.not_valid_after_utc - RENEWED_BEFORE


def is_for(pair: KeyPair, subjects: Subjects) -> bool:
    try:
        named = pair.certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return False
    addresses = {str(address) for address in named.get_values_for_type(x509.IPAddress)}
    return set(subjects.names) <= set(named.get_values_for_type(x509.DNSName)) and set(subjects.addresses) <= addresses


def is_signed(pair: KeyPair, authority: KeyPair) -> bool:
    try:
        pair.certificate.verify_directly_issued_by(authority.certificate)
    except Exception:  # whatever is wrong with it, it is created again
        return False
    return True


def may_sign(authority: KeyPair, subjects: Subjects) -> bool:
    try:
        constraints = authority.certificate.extensions.get_extension_for_class(x509.NameConstraints).value
    except x509.ExtensionNotFound:
        return False
    permitted = constraints.permitted_subtrees or []
    names = [name.value for name in permitted if isinstance(name, x509.DNSName)]
    networks = [name.value for name in permitted if isinstance(name, x509.IPAddress)]
    is_named = all(
        any(name == permitted_name or name.endswith(f".{permitted_name}") for permitted_name in names)
        for name in subjects.names
    )
    return is_named and all(_is_within(address, networks) for address in subjects.addresses)


def _is_within(address: str, networks: Iterable[Address | Network]) -> bool:
    found = ipaddress.ip_address(address)
    return any(
        found in network for network in networks if isinstance(network, Network) and network.version == found.version
    )
