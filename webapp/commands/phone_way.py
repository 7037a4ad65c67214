"""Check for `kozyr doctor` whether a phone can reach this machine: address, open port, certificate."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path

from cryptography import x509

from vision.data_home import data_home
from webapp.commands.finding import Finding
from webapp.web.own_addresses import own_addresses
from webapp.web.port import listen
from webapp.web.tls_certificate import FOLDER

ANSWERS_S = 2.0
FIREWALLS = {
    "win32": "Windows asks once: allow Python in private networks; later: Windows Security, Firewall & network "
    "protection, Allow an app through firewall, tick Python under Private",
    "darwin": "macOS asks once: allow incoming connections; later: System Settings, Network, Firewall, Options, set "
    "Python to allow incoming connections",
    "linux": "if a firewall runs here, open the port: sudo ufw allow {port}/tcp, or "
    "sudo firewall-cmd --add-port={port}/tcp",
}


def phone_findings(port: int, platform: str = sys.platform) -> Iterator[Finding]:
    """Return what a phone needs to become the camera, in the order in which to repair it."""
    addresses = own_addresses("0.0.0.0")
    yield address_finding(addresses)
    if addresses:
        yield reach_finding(addresses[0], port, platform)
    yield certificate_finding(data_home() / FOLDER / "server.pem", addresses, datetime.now().astimezone())


def address_finding(addresses: Sequence[str]) -> Finding:
    """Check whether this machine has an address that a phone can reach."""
    if addresses:
        return Finding("phone address", True, ", ".join(addresses), needed=False)
    mend = "connect this computer and the phone to the same Wi-Fi; no phone can be the camera before"
    return Finding("phone address", False, "none but this machine's own", mend, needed=False)


def reach_finding(address: str, port: int, platform: str = sys.platform) -> Finding:
    """Check whether the port answers at that address; a free port is opened for the check."""
    try:
        listener: socket.socket | None = listen("0.0.0.0", port)
    except OSError:
        listener = None  # a table is served there already
    advice = FIREWALLS.get(platform, FIREWALLS["linux"]).format(port=port)
    try:
        with closing(socket.create_connection((address, port), ANSWERS_S)):
            found = f"{address} answers at {port} from this machine; if a phone gets no answer: {advice}"
            return Finding("phone port", True, found, needed=False)
    except OSError as error:
        return Finding("phone port", False, f"{address} does not answer at {port} ({error})", advice, needed=False)
    finally:
        if listener is not None:
            listener.close()


def certificate_finding(place: Path, addresses: Sequence[str], now: datetime) -> Finding:
    """Check whether the page's certificate is valid now, and for all addresses of this machine."""
    name = "phone certificate"
    if not place.exists():
        return Finding(name, True, "none yet; kozyr makes it at the first start", needed=False)
    mend = "start kozyr once: it makes a new one"
    try:
        certificate = x509.load_pem_x509_certificate(place.read_bytes())
        named = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (OSError, ValueError, x509.ExtensionNotFound):
        return Finding(name, False, f"{place} can't be read", mend, needed=False)
    until = certificate.not_valid_after_utc
    if not certificate.not_valid_before_utc <= now < until:
        return Finding(name, False, f"not valid on {now:%Y-%m-%d}, but until {until:%Y-%m-%d}", mend, needed=False)
    missing = sorted(set(addresses) - {str(each) for each in named.get_values_for_type(x509.IPAddress)})
    if missing:
        return Finding(name, False, f"does not name {', '.join(missing)}", mend, needed=False)
    return Finding(name, True, f"valid until {until:%Y-%m-%d} for every address", needed=False)
