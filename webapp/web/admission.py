"""
Which requests are let in: before a device is paired only `/pair`, its style, a bare `/health` and `/trust`, which
explains the certificate; afterwards what its role allows (`webapp.web.pairing`). The camera is served its own page
alone.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import Flask, Response, g, jsonify, redirect, request, url_for

from webapp.web.kept_devices import Role
from webapp.web.pairing import Pairing, is_this_machine

COOKIE = "kozyr-device"
TRUST = "/trust"
OPEN = frozenset({"/pair", "/static/pair.css", "/health", TRUST, f"{TRUST}/kozyr.crt", f"{TRUST}/kozyr.mobileconfig"})
"""All that is served to whoever asks."""
OF_CAMERA = frozenset({"/camera", "/camera/leave", "/api/camera/frame", "/api/camera/report"})
"""All that the camera may ask for, beside what is open and the static files of pages."""
NO_PAGES = ("/api/", "/static/", "/metrics")
"""What programs and pages fetch: refused with a status, where a page leads to `/pair`."""
READING = frozenset({"GET", "HEAD", "OPTIONS"})


def admit(app: Flask, pairing: Pairing | None) -> None:
    """Check every request's role; ``g.role`` holds it. None: nobody is asked, everybody is referee."""

    @app.before_request
    def check() -> Response | None:
        address = request.remote_addr
        g.role = (
            Role.REFEREE if pairing is None else pairing.role(device_cookie(), is_this_machine=is_this_machine(address))
        )
        if request.path in OPEN:
            return None
        if g.role is Role.CAMERA:
            if request.path in OF_CAMERA or request.path.startswith("/static/"):
                return None
            if is_for_page():
                return sent_to("camera.page")
            return refused(403, "expected a viewer's or a referee's device, got the camera; it sees its own page alone")
        if g.role is None:
            if is_for_page():
                return sent_to("pair.pair")
            return refused(401, "expected a paired device, got one that is not; open /pair and enter the PIN")
        if g.role is Role.VIEWER and request.method not in READING:
            return refused(403, "expected a referee's device, got a viewer's; a referee's page shows the code for one")
        return None

    @app.context_processor
    def role() -> dict[str, str]:
        return {"role": role_of_request().value}


def is_for_page() -> bool:
    """Does the request ask for a page that people look at?"""
    return request.method in READING and not request.path.startswith(NO_PAGES)


def sent_to(page: str) -> Response:
    """The way to another page, never kept by a cache."""
    answer = redirect(url_for(page), 303)
    answer.headers["Cache-Control"] = "no-store"
    return answer  # type: ignore[return-value]  # werkzeug's Response is what Flask sends as well


def refused(status: int, message: str) -> Response:
    """A refusal, never kept by a cache."""
    answer = jsonify({"error": message})
    answer.status_code = status
    answer.headers["Cache-Control"] = "no-store"
    return answer


def role_of_request() -> Role:
    """The role of whoever asks; a viewer's where there is none."""
    role: Role | None = g.get("role")
    return Role.VIEWER if role is None else role


def is_admitted() -> bool:
    """Has whoever asks a role that sees the table?"""
    return g.get("role") not in (None, Role.CAMERA)


def cookie_name() -> str:
    """The cookie's name, by port: cookies know none, and another table may be served by this machine too."""
    try:
        port = urlsplit(f"//{request.host}").port or 80
    except ValueError:
        port = 80
    return f"{COOKIE}-{port}"


def device_cookie() -> str | None:
    """What the device that asks shows to prove itself."""
    return request.cookies.get(cookie_name())


def asking_device(pairing: Pairing | None) -> str:
    """One word for the device that asks: its pairing, else its address."""
    device = None if pairing is None else pairing.device(device_cookie())
    return device.key if device else request.remote_addr or ""
