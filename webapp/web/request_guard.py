"""
Protect the table against foreign web pages.

Every answer forbids the browser to load anything from other servers. Requests must name this machine (an IP address,
``localhost`` or a known name): a foreign page whose name resolves to this machine (DNS rebinding) would otherwise see
the camera. Requests that change something must come from the program's own page, and none of them is a GET. A foreign
page may lead people to a page here, and embed nothing, in no frame either.
"""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from flask import Flask, Response, abort, redirect, request

from webapp.web.admission import READING, TRUST
from webapp.web.app_services import AppConfig
from webapp.web.pairing import is_this_machine

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "media-src 'self'",
        "font-src 'self'",
        "manifest-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # without a referrer a browser sends the forms of a page with the origin null
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


OWN_SITES = frozenset({"same-origin", "none"})
"""What a browser says of where a request comes from: our own page, or the person itself; programs say nothing."""


def is_known_host(netloc: str, names: tuple[str, ...]) -> bool:
    """
    Check whether ``host:port`` names this machine: an IP address, ``localhost``, or one of ``names``.

    >>> is_known_host("127.0.0.1:8036", ()), is_known_host("table.local", ("table.local",))
    (True, True)
    >>> is_known_host("evil.example", ("table.local",))
    False
    """
    try:
        parts = urlsplit(f"//{netloc}")
        name, _ = parts.hostname or "", parts.port  # a wrong port is a ValueError
        if name != "localhost" and name not in names:
            ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def needs_tls(services: AppConfig) -> bool:
    """
    Check whether this plain request is redirected to https.

    The page that explains the certificate is not. Where TLS is optional, only what a phone needs to use its camera is:
    a browser allows the camera over https and on this machine itself alone.
    """
    if request.path == TRUST or request.path.startswith(f"{TRUST}/"):
        return False
    if not services.is_tls_optional:
        return True
    token = request.args.get("token", "")
    is_camera_code = request.path == "/pair" and services.pairing is not None and services.pairing.is_for_camera(token)
    return (request.path == "/camera" or is_camera_code) and not is_this_machine(request.remote_addr)


def protect(app: Flask, services: AppConfig) -> None:

    @app.before_request
    def check() -> Response | None:
        if not is_known_host(request.host, services.addresses.hosts):
            abort(403, f"expected this machine's address, got {request.host!r}; start kozyr with --host {request.host}")
        if services.authority is not None and not request.is_secure and needs_tls(services):
            return redirect(f"https://{request.host}{request.full_path.rstrip('?')}", 308)  # type: ignore[return-value]
        site = request.headers.get("Sec-Fetch-Site", "none")
        if request.method in READING:
            is_link = request.headers.get("Sec-Fetch-Mode") == "navigate"
            if site not in OWN_SITES and not (is_link and request.headers.get("Sec-Fetch-Dest") == "document"):
                abort(403, f"expected a request of kozyr's own page, got one that is {site!r:.20}")
        else:
            if site not in OWN_SITES:
                abort(403, f"expected a press from kozyr's own page, got one that is {site!r:.20}")
            origin = request.headers.get("Origin")
            try:
                is_own = origin is None or urlsplit(origin)[:2] == (request.scheme, request.host)
            except ValueError:
                is_own = False
            if not is_own:
                abort(403, f"expected a press from kozyr's own page, got one from {origin!r}")
        return None

    @app.after_request
    def seal(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response
