"""
Which requests are let in: before a device is paired only `/pair`, its style and a bare `/health`; afterwards what its
role allows (`webapp.web.pairing`).
"""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import Flask, Response, g, jsonify, redirect, request, url_for

from webapp.web.kept_devices import Role
from webapp.web.pairing import Pairing, is_this_machine

COOKIE = "kozyr-device"
OPEN = frozenset({"/pair", "/static/pair.css", "/health"})
"""All that is served to whoever asks."""
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
        if g.role is None:
            if request.method in READING and not request.path.startswith(NO_PAGES):
                answer = redirect(url_for("pair.pair"), 303)
                answer.headers["Cache-Control"] = "no-store"
                return answer  # type: ignore[return-value]  # werkzeug's Response is what Flask sends as well
            return refused(401, "expected a paired device, got one that is not; open /pair and enter the PIN")
        if g.role is Role.VIEWER and request.method not in READING:
            return refused(403, "expected a referee's device, got a viewer's; a referee's page shows the code for one")
        return None

    @app.context_processor
    def role() -> dict[str, str]:
        return {"role": role_of_request().value}


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
    """Has whoever asks any role?"""
    return g.get("role") is not None


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
