"""
Serve the pages for pairing: the one that asks for a code, a referee's page with codes and devices, and `/trust`, which
explains how a phone trusts this machine's certificate, over plain http too.
"""

from __future__ import annotations

import math
import plistlib
import uuid
from pathlib import Path
from urllib.parse import urlencode, urlsplit, urlunsplit

import segno
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from flask import Blueprint, Response, abort, current_app, make_response, redirect, request, url_for
from werkzeug.exceptions import HTTPException
from werkzeug.routing import RoutingException

from webapp.text.catalogue import page_words
from webapp.web.admission import TRUST, asking_device, cookie_name, device_cookie, is_admitted, role_of_request
from webapp.web.app_services import AppConfig
from webapp.web.pages import page
from webapp.web.pairing import Pairing, RefusedError, device_kind, is_owner
from webapp.web.responses import fresh, language_of_request
from webapp.web.route_docs import ANYONE, HTML, REFEREE, VIEWER, described, description_of
from webapp.web.stored_devices import Role
from webapp.web.tls_certificate import AUTHORITY_NAME

A_YEAR_S = 365 * 24 * 3600
OPENED_WITHIN_S = 5
"""Seconds after which the page is loaded again from the server that other devices reach, too."""
STATUS = {"wrong": 403, "used": 403, "replaced": 403, "closed": 429, "full": 503, "camera": 409}


def pair_url(address: str, token: str | None) -> str:
    """
    Return the address where a referee's device is paired; without a token, where a PIN is entered.

    >>> pair_url("http://192.168.1.5:8036/", "ab")
    'http://192.168.1.5:8036/pair?token=ab'
    """
    return f"{address}pair" + (f"?{urlencode({'token': token})}" if token else "")


def qr_svg(text: str) -> str:
    return str(segno.make(text, error="m").svg_inline(scale=6, border=3, dark="#000", light="#fff", omitsize=True))


def pair_pages(site: AppConfig) -> Blueprint:
    """Return the blueprint; without pairing nobody needs a code."""
    pairing, phone = site.pairing, site.phone
    blueprint = Blueprint("pair", __name__)

    def end(device: str) -> None:
        site.places.end(device)
        site.downloads.places.end(device)

    if pairing is not None:
        pairing.on_gone = end

    @blueprint.get("/pair")
    @described(
        ANYONE,
        "Enter a code or PIN; for a referee: codes and devices",
        {"token": "of a QR code", "pin": "of a QR code for watching, filled in", "to": "page that was asked for"},
        media=HTML,
    )
    def pair() -> Response:
        if is_admitted() and role_of_request() is Role.REFEREE and "token" not in request.args:
            return devices_page(site)
        return code_page(pairing, 200)

    @blueprint.post("/pair")
    @described(
        ANYONE,
        "Join with a form's `token` or `pin`",
        {"to": "page to go on to"},
        body="form: `token` or `pin`",
        media=HTML,
        status=303,
    )
    def join() -> Response:
        if pairing is None:
            return make_response(redirect("/", 303))
        token, pin = request.form.get("token", ""), "".join(request.form.get("pin", "").split())
        address, kind = request.remote_addr or "", device_kind(request.headers.get("User-Agent", ""))
        try:
            if token:
                cookie = pairing.join_with_token(token, address, kind, device_cookie())
            else:
                cookie = pairing.join_with_pin(pin, address, kind, device_cookie())
        except RefusedError as error:
            return code_page(pairing, STATUS[error.reason], error)
        device = pairing.device(cookie)
        answer = make_response(redirect(page_asked_for(Role.VIEWER if device is None else device.role), 303))
        if device is not None and device.role is Role.CAMERA:
            end(device.key)  # the streams that it followed before it became the camera
            if phone is not None:
                phone.paired()
            answer = make_response(redirect("/camera", 303))
        answer.set_cookie(
            cookie_name(), cookie, max_age=A_YEAR_S, samesite="Lax", httponly=True, secure=request.is_secure
        )
        return answer

    @blueprint.post("/pair/open")
    @described(REFEREE, "Let other devices in; from this machine alone", media=HTML)
    def open_to_devices() -> Response:
        if not is_owner(pairing, request.remote_addr):
            abort(403, "expected this machine, got another device; it can't let devices in")
        answer = make_response(redirect("/pair", 303))
        if site.table.open_to_devices():
            answer = devices_page(site)
            answer.headers["Refresh"] = f"{OPENED_WITHIN_S}; url=/pair"
        return answer

    @blueprint.post("/pair/codes")
    @described(REFEREE, "Make new codes", media=HTML, status=303)
    def renew() -> Response:
        if pairing is not None:
            pairing.renew()
        return make_response(redirect("/pair", 303))

    @blueprint.post("/pair/devices/<key>/take-back")
    @described(REFEREE, "Take a device's role back", media=HTML, status=303)
    def take_back(key: str) -> Response:
        if pairing is not None and pairing.take_back(key):  # one that is gone already is as wanted
            end(key)
        return make_response(redirect("/pair", 303))

    return blueprint


def page_asked_for(role: Role) -> str:
    """Return the page of this site that `to` names, with its query; the table's page if the role may not open it."""
    try:
        asked = urlsplit(request.args.get("to", ""))
        endpoint, _ = current_app.url_map.bind_to_environ(request.environ).match(asked.path, method="GET")
    except (ValueError, HTTPException, RoutingException):
        return "/"
    found = description_of(current_app, endpoint)
    is_open = found is not None and found.media == HTML and (found.role == VIEWER or role is Role.REFEREE)
    return (
        urlunsplit(("", "", asked.path, asked.query, ""))
        if is_open and asked.path.startswith("/") and not asked.netloc
        else "/"
    )


def code_page(pairing: Pairing | None, status: int, error: RefusedError | None = None) -> Response:
    trouble, token = None, request.args.get("token", "")
    if error is not None:
        words = page_words(language_of_request())
        trouble, token = words[f"pair_{error.reason}"].format(seconds=math.ceil(error.wait_s)), ""
    is_for_camera = pairing is not None and pairing.is_for_camera(token)
    pin = "" if error is not None else request.args.get("pin", "")
    to = request.args.get("to") or None
    answer = fresh(page("pair.html", status, token=token, pin=pin, trouble=trouble, is_for_camera=is_for_camera, to=to))
    if status == 429 and error is not None:
        answer.headers["Retry-After"] = str(math.ceil(error.wait_s))
    return answer


def devices_page(site: AppConfig) -> Response:
    card, pairing, addresses = None, site.pairing, site.addresses
    if pairing is not None and addresses.elsewhere:
        codes = pairing.codes
        url = pair_url(addresses.elsewhere[0], codes.token)
        watching = f"{pair_url(addresses.elsewhere[0], None)}?{urlencode({'pin': codes.pin})}"
        card = {"qr_svg": qr_svg(url), "watching": watching, "watching_svg": qr_svg(watching), "codes": codes}
    return fresh(
        page(
            "devices.html",
            here=url_for("pair.pair"),
            card=card,
            asks=pairing is not None,
            addresses=addresses.elsewhere,
            is_local=addresses.is_local,
            is_owners=is_owner(pairing, request.remote_addr),
            devices=() if pairing is None else pairing.devices(),
            own=asking_device(pairing),
        )
    )


STEPS = {"android": 5, "iphone": 5}
NO_CERTIFICATE = "expected a table with a certificate, got one without; start kozyr, or kozyr watch phone"


def trust_pages(site: AppConfig) -> Blueprint:
    blueprint, authority = Blueprint("trust", __name__), site.authority

    @blueprint.get(TRUST)
    @described(ANYONE, "How a phone trusts this table's certificate, also over plain http", media=HTML)
    def trust() -> Response:
        certificate = certificate_in(authority)
        agent = request.headers.get("User-Agent", "")
        is_apple = any(kind in agent for kind in ("iPhone", "iPad", "Macintosh"))
        return fresh(
            page(
                "trust.html",
                kinds=("iphone", "android") if is_apple else ("android", "iphone"),
                steps=STEPS,
                fingerprint=fingerprint(certificate),
                page=f"https://{request.host}/",
            )
        )

    @blueprint.get(f"{TRUST}/kozyr.crt")
    @described(ANYONE, "The authority's certificate (DER)", media="application/x-x509-ca-cert")
    def crt() -> Response:
        data = certificate_in(authority).public_bytes(serialization.Encoding.DER)
        return handed_out(data, "application/x-x509-ca-cert", "kozyr.crt")

    @blueprint.get(f"{TRUST}/kozyr.mobileconfig")
    @described(ANYONE, "The same as a profile for iPhone and iPad", media="application/x-apple-aspen-config")
    def profile() -> Response:
        data = ios_profile(certificate_in(authority))
        return handed_out(data, "application/x-apple-aspen-config", "kozyr.mobileconfig")

    return blueprint


def certificate_in(authority: Path | None) -> x509.Certificate:
    """Read the authority's certificate, never its key; abort with 404 if there is none."""
    if authority is None:
        abort(404, NO_CERTIFICATE)
    return x509.load_pem_x509_certificate(authority.read_bytes())


def handed_out(data: bytes, kind: str, name: str) -> Response:
    answer = Response(data, mimetype=kind)
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    answer.headers["Cache-Control"] = "no-store"
    return answer


def fingerprint(certificate: x509.Certificate) -> str:
    """Return the first 64 bits of the SHA-256 in four groups, by which people compare certificates."""
    text = certificate.fingerprint(hashes.SHA256()).hex().upper()
    return " ".join(text[place : place + 4] for place in range(0, 16, 4))


def ios_profile(certificate: x509.Certificate) -> bytes:
    """Return a configuration profile with the certificate; the same certificate gives the same profile."""
    data = certificate.public_bytes(serialization.Encoding.DER)
    name = certificate.fingerprint(hashes.SHA256()).hex()
    own, whole = (str(uuid.uuid5(uuid.NAMESPACE_OID, f"{name}-{part}")).upper() for part in ("certificate", "profile"))
    inner = {
        "PayloadType": "com.apple.security.root",
        "PayloadVersion": 1,
        "PayloadIdentifier": f"kozyr.trust.{own}",
        "PayloadUUID": own,
        "PayloadDisplayName": AUTHORITY_NAME,
        "PayloadCertificateFileName": "kozyr.crt",
        "PayloadContent": data,
    }
    return plistlib.dumps(
        {
            "PayloadType": "Configuration",
            "PayloadVersion": 1,
            "PayloadIdentifier": "kozyr.trust",
            "PayloadUUID": whole,
            "PayloadDisplayName": "Kozyr",
            "PayloadDescription": "Lets this device trust the page of the Kozyr table in this home, and no other site.",
            "PayloadRemovalDisallowed": False,
            "PayloadContent": [inner],
        }
    )
