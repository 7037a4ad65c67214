"""Print the addresses of a page and the codes for pairing, and write them to the file for programs."""

from __future__ import annotations

import io
import socket
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import segno

from vision.data_home import data_home
from webapp.commands.options import ServingOptions
from webapp.errors import UnusableInputError
from webapp.output import as_line, note, note_picture
from webapp.private_file import write_private
from webapp.web.pair_pages import pair_url
from webapp.web.pairing import Ask, Codes, Pairing
from webapp.web.port import PORT
from webapp.web.serving import Service, open_browser
from webapp.web.stored_devices import StoredDevices
from webapp.web.tls_certificate import FOLDER as CERTIFICATES
from webapp.web.tls_certificate import OwnCertificate

FOLDER = "devices"


def pairing_for(options: ServingOptions) -> Pairing:
    """Return the pairing that the command line asks for, with the devices paired at this port before."""
    port = PORT if options.port is None else options.port
    stored = StoredDevices(
        data_home() / FOLDER / f"{port}.json" if port else None
    )  # any free port is another next time
    return Pairing(time.monotonic, Ask(options.pair or Ask.ELSEWHERE.value), stored=stored)


def announce_pairing(options: ServingOptions, pairing: Pairing, address: str, elsewhere: Sequence[str]) -> None:
    """
    Print the codes, now and whenever they change; write ``--pairing FILE`` or raise ``UnusableInputError``.

    ``address``: the page on this machine. ``elsewhere``: where other devices find it.
    """
    place = options.pairing
    url = next(iter(elsewhere), address)

    def write(codes: Codes) -> None:
        if place is not None:
            text = as_line({"url": url, "token": codes.token, "pin": codes.pin}) + "\n"
            write_private(place, text.encode())

    def show(codes: Codes) -> None:
        if pairing.ask is not Ask.ALWAYS and not elsewhere:
            return
        note(f"to watch on another device: {url} and the PIN {codes.pin}")
        if codes.token is not None:
            target = pair_url(url, codes.token)
            note(f"to referee on another device, once within ten minutes: {target}")
            show_qr(target)

    def tell(codes: Codes) -> None:
        try:
            write(codes)
        except OSError as error:
            note(f"the codes can't be written to {place} ({error.strerror}); the page of devices shows them")
        show(codes)

    try:
        write(pairing.codes)
    except OSError as error:
        raise UnusableInputError(
            f"The operating system refused: {place}: {error.strerror}; name another file with --pairing"
        ) from None
    if pairing.ask is Ask.NEVER:
        note("--pair never: whoever reaches this address can watch the table, press, correct and set up")
        return
    pairing.on_codes = tell
    show(pairing.codes)


def announce_camera(url: str | None) -> None:
    if url is None:
        note("no phone can reach this page; start with --host 0.0.0.0, or with --tls for a browser on this machine")
        return
    note(f"to make a phone the camera, once within ten minutes: {url}")
    show_qr(url)


def show_qr(target: str) -> None:
    drawn = io.StringIO()
    segno.make(target, error="l").terminal(out=drawn, border=2, compact=True)
    note_picture(drawn.getvalue())


def secured(service: Service, options: ServingOptions, *, takes_phone: bool = False) -> Path | None:
    """
    Serve the page over TLS if that is asked for, or beside plain http for a phone that may be the camera.

    Return the certificate that devices may be asked to trust, None where there is no TLS.
    """
    if not options.tls and not (takes_phone and service.addresses_elsewhere):
        return None
    certificate = OwnCertificate(data_home() / CERTIFICATES)
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
    page = pair_url(service.address, pairing.codes.token) if pairing.ask is Ask.ALWAYS else service.address
    if opens and options.opens_browser and not open_browser(page):
        note("open that address in a browser")
