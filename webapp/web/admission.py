"""
Authorise requests: an unpaired device may request only `/pair`, its style, a bare `/health` and `/trust`, which
explains the certificate; a paired one what its role allows (`webapp.web.pairing`). The camera may request only its own
page.

Concurrent requests are limited per device, per address and for all guests together, so that nobody occupies every
thread of the server. Live streams and downloads have limits of their own (``webapp.web.stream_places``); requests
counted here are answered within seconds, static files at once. This machine is not limited: its owner could stop the
program anyway.
"""

from __future__ import annotations

from urllib.parse import urlencode, urlsplit

from flask import Flask, Response, g, make_response, redirect, request, url_for

from webapp.web.pairing import Pairing, is_owner, is_this_machine
from webapp.web.responses import fresh, refusal
from webapp.web.route_docs import ANYONE, CAMERA, REFEREE, VIEWER, description_of
from webapp.web.stored_devices import Role
from webapp.web.stream_places import Asker, PlaceShares, StreamPlaces

COOKIE = "kozyr-device"
TRUST = "/trust"
OPEN_STATIC = "/static/pair.css"
"""The one static file that is served to everybody."""
NO_PAGES = ("/api/", "/static/", "/metrics")
"""Endpoints for programs and scripts: refused with a status, while a page redirects to `/pair`."""
READING = frozenset({"GET", "HEAD", "OPTIONS"})
MOST_OF_ONE = 8
"""Most concurrent requests of one device: a browser sends six."""
REQUESTS = PlaceShares(most=36, of_guests=24, of_one_address=16)
"""Most concurrent requests in all, of all guests and of the guests of one address."""


def admit(app: Flask, pairing: Pairing | None) -> None:
    """
    Check every request's role and store it in ``g.role``. None: no pairing, everybody is a referee.

    Refuse a request with 503 while too many others of its device, its address or of guests are being answered.
    """
    busy = StreamPlaces(REQUESTS, leaving=0, of_one_device=MOST_OF_ONE)

    @app.before_request
    def check() -> Response | None:
        address = request.remote_addr
        g.role = (
            Role.REFEREE if pairing is None else pairing.role(device_cookie(), is_this_machine=is_this_machine(address))
        )
        described = description_of(app, request.endpoint)
        needed = VIEWER if described is None else described.role
        if request.path.startswith("/static/"):
            needed = ANYONE if request.path == OPEN_STATIC else CAMERA
        if needed == ANYONE:
            return None
        if g.role is Role.CAMERA:
            if needed == CAMERA:
                return None
            if is_for_page():
                return fresh(make_response(redirect(url_for("camera.page"), 303)))
            return refusal(403, "expected a viewer's or a referee's device, got the camera; it sees its own page alone")
        if g.role is None:
            if is_for_page():
                others = urlencode([(key, text) for key, text in request.args.items(multi=True) if key != "language"])
                asked = f"{request.path}?{others}" if others else request.path
                to = None if asked == "/" else asked
                pair = url_for("pair.pair", to=to, language=request.args.get("language"))
                return fresh(make_response(redirect(pair, 303)))
            return refusal(401, "expected a paired device, got one that is not; open /pair and enter the PIN")
        if g.role is Role.VIEWER and (request.method not in READING or needed == REFEREE):
            return refusal(403, "expected a referee's device, got a viewer's; a referee's page shows the code for one")
        return None

    @app.before_request
    def begin() -> Response | None:
        if is_owner(pairing, request.remote_addr) or request.path.startswith("/static/"):
            return None
        g.busy_place = busy.take(asker_of_request(pairing))
        if g.busy_place is not None:
            return None
        most = f"{MOST_OF_ONE} requests of a device and {REQUESTS.of_one_address} of an address"
        answer = refusal(503, f"expected at most {most} at once, got more; try again", "refused_busy")
        answer.headers["Retry-After"] = "1"
        return answer

    @app.teardown_request
    def end(error: BaseException | None) -> None:
        place = g.pop("busy_place", None)
        if place is not None:
            busy.leave(place)

    @app.context_processor
    def role() -> dict[str, str]:
        return {"role": role_of_request().value}


def is_for_page() -> bool:
    return request.method in READING and not request.path.startswith(NO_PAGES)


def role_of_request() -> Role:
    """Return the role of the request; a viewer's if it has none."""
    role: Role | None = g.get("role")
    return Role.VIEWER if role is None else role


def is_admitted() -> bool:
    return g.get("role") not in (None, Role.CAMERA)


def cookie_name() -> str:
    """Return the cookie's name, which contains the port: browsers share cookies between ports of one machine."""
    try:
        port = urlsplit(f"//{request.host}").port or 80
    except ValueError:
        port = 80
    return f"{COOKIE}-{port}"


def device_cookie() -> str | None:
    return request.cookies.get(cookie_name())


def asking_device(pairing: Pairing | None) -> str:
    """Return an identifier of the requesting device: its pairing, else its address."""
    device = None if pairing is None else pairing.device(device_cookie())
    return device.key if device else request.remote_addr or ""


def asker_of_request(pairing: Pairing | None) -> Asker:
    is_guest = g.get("role") not in (Role.REFEREE, Role.CAMERA)
    return Asker(asking_device(pairing), request.remote_addr or "", is_guest)
