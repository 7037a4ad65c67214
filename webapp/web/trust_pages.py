"""Serve `/trust`, which explains how a phone trusts this machine's certificate, over plain http too."""

from __future__ import annotations

import plistlib
import uuid
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from flask import Blueprint, Response, abort, make_response, render_template, request

from webapp.text.page_labels import words_of
from webapp.web.admission import TRUST
from webapp.web.pages import language_of_request
from webapp.web.request_guard import policy

STEPS = {"android": 5, "iphone": 5}
NO_CERTIFICATE = "expected a table with a certificate, got one without; start kozyr, or kozyr watch phone"


def trust_pages(authority: Path | None) -> Blueprint:
    """Return the blueprint. ``authority``: the certificate; without one its routes answer 404."""
    blueprint = Blueprint("trust", __name__)

    @blueprint.get(TRUST)
    def trust() -> Response:
        certificate = certificate_in(authority)
        language = language_of_request()
        agent = request.headers.get("User-Agent", "")
        is_apple = any(each in agent for each in ("iPhone", "iPad", "Macintosh"))
        text = render_template(
            "trust.html",
            language=language,
            **words_of(language),
            kinds=("iphone", "android") if is_apple else ("android", "iphone"),
            steps=STEPS,
            fingerprint=fingerprint(certificate),
            page=f"https://{request.host}/",
        )
        answer = make_response(text)
        answer.headers["Content-Security-Policy"] = policy()
        answer.headers["Cache-Control"] = "no-store"
        return answer

    @blueprint.get(f"{TRUST}/kozyr.crt")
    def crt() -> Response:
        data = certificate_in(authority).public_bytes(serialization.Encoding.DER)
        return handed_out(data, "application/x-x509-ca-cert", "kozyr.crt")

    @blueprint.get(f"{TRUST}/kozyr.mobileconfig")
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
    """Return a file to install."""
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
        "PayloadDisplayName": "Kozyr at home",
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
