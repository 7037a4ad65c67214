"""Determine and print the addresses of a served page, for this machine and for others."""

from __future__ import annotations

import socket
from datetime import datetime
from pathlib import Path

from vision.data_home import data_home
from webapp.commands.options import ServingOptions
from webapp.commands.pairing import announce_pairing
from webapp.errors import UnusableInputError
from webapp.output import note
from webapp.web.pair_pages import pair_url
from webapp.web.pairing import Ask, Pairing
from webapp.web.serving import Service, open_browser
from webapp.web.tls_certificate import FOLDER, OwnCertificate


def secured(service: Service, options: ServingOptions, *, takes_phone: bool = False) -> Path | None:
    """
    Serve the page over TLS if that is asked for, or beside plain http for a phone that may be the camera.

    Return the certificate that devices may be asked to trust, None where there is no TLS.
    """
    if not options.tls and not (takes_phone and service.addresses_elsewhere):
        return None
    certificate = OwnCertificate(data_home() / FOLDER)
    try:
        service.secure(certificate, own_names(options.host), datetime.now().astimezone(), prefers=options.tls)
    except UnusableInputError as error:
        if options.tls:
            raise
        note(f"no phone can be the camera: {error}")
        return None
    return certificate.authority


def own_names(host: str) -> tuple[str, ...]:
    """Return the host names under which this machine may be requested."""
    name = socket.gethostname().lower()
    return tuple({host.lower(), name, f"{name.partition('.')[0]}.local"})


def announce_page(
    what: str, options: ServingOptions, service: Service, pairing: Pairing, *, opens: bool = True
) -> None:
    """Print the addresses of the page of ``what`` and how others get in; open it here unless that is switched off."""
    note(f"{what} is at {service.address}")
    for address in service.addresses_elsewhere:
        if address != service.address:
            note(f"from other devices: {address}")
    announce_pairing(options, pairing, service.address, service.addresses_elsewhere)
    if opens and options.opens_browser and not open_browser(first_page(service.address, pairing)):
        note("open that address in a browser")


def first_page(address: str, pairing: Pairing) -> str:
    """Return the address that this machine's browser opens, with a token if it needs one."""
    return pair_url(address, pairing.codes.token) if pairing.ask is Ask.ALWAYS else address
