"""
Serve the page that makes a phone the camera, receive its pictures, and make the code that admits it.

Also a small picture of each camera of this machine, which helps to choose one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

from flask import Blueprint, Response, g, jsonify, make_response, redirect, request

from vision.capture.sources import Source, SourceError, open_source
from vision.capture.stream_address import without_secrets
from webapp.live.film_recorder import encoded_jpeg
from webapp.live.phone_camera import PhoneReport
from webapp.text.catalogue import page_words
from webapp.web.admission import device_cookie, role_of_request
from webapp.web.app_services import AppConfig
from webapp.web.bodies import CameraBody, read_body, wall_clock_ms, whole
from webapp.web.pages import page
from webapp.web.pair_pages import pair_url, qr_svg
from webapp.web.pairing import is_owner
from webapp.web.responses import fresh, language_of_request, refusal
from webapp.web.route_docs import ACCEPTED, CAMERA, HTML, JPEG, REFEREE, VIEWER, described
from webapp.web.setup_api import nothing_to_choose
from webapp.web.stored_devices import Role

LONGEST_PICTURE_BYTES = 1 << 20
"""A picture of 1080p as JPEG has a quarter of that; the page makes its pictures smaller where they are larger."""
LONGEST_PAGE_NAME = 40
REPORT = 'a report such as {"battery": 0.8, "trouble": null}'
CODE_LASTS_S = 600
CAMERA_PERMISSION = "camera=(self), microphone=(), geolocation=(), screen-wake-lock=(self), compute-pressure=(self)"
NO_PHONE = "expected a table that can take a phone as its camera, got none; start kozyr, or kozyr watch phone"


def camera_interface(site: AppConfig) -> Blueprint:
    blueprint = Blueprint("camera", __name__)

    @blueprint.get("/camera", endpoint="page")
    @described(CAMERA, "Make this phone the camera", media=HTML)
    def camera_page() -> Response:
        is_camera = role_of_request() is not Role.VIEWER
        answer = page("camera.html", 200 if is_camera else 403, is_camera=is_camera)
        answer.headers["Permissions-Policy"] = CAMERA_PERMISSION
        return fresh(answer)

    @blueprint.post("/camera/leave")
    @described(CAMERA, "Stop being the camera", media=HTML, status=303)
    def leave() -> Response:
        device = None if site.pairing is None else site.pairing.device(device_cookie())
        if site.pairing is None or device is None or device.role is not Role.CAMERA:
            return refusal(409, "expected the camera, got another device; the page of devices lists them")
        site.pairing.take_back(device.key)
        return make_response(redirect("/pair", 303))

    @blueprint.app_context_processor
    def camera() -> dict[str, bool]:
        return {"is_camera": g.get("role") is Role.CAMERA}

    @blueprint.post("/api/camera/frame")
    @described(
        CAMERA,
        "One JPEG frame",
        {"page": "name of the sending page", "n": "frame number", "captured": "milliseconds since 1970"},
        body="JPEG bytes",
    )
    def frame() -> Response | tuple[Response, int]:
        phone = site.phone
        if phone is None:
            return refusal(503, NO_PHONE)
        request.max_content_length = LONGEST_PICTURE_BYTES
        page_name, number = request.args.get("page", ""), request.args.get("n", type=whole)
        if not 0 < len(page_name) <= LONGEST_PAGE_NAME or number is None:
            return refusal(400, "expected page=NAME and n=NUMBER of the picture, got something else; reload /camera")
        jpeg = request.get_data(cache=False)
        captured_ms = request.args.get("captured", type=wall_clock_ms)
        if not phone.inbox.deliver(jpeg, page_name, number, captured_ms):
            return refusal(409, "expected one camera, got two; another page sends the pictures now")
        return fresh(jsonify(phone.answer(site.board, site.shared_setup)))

    @blueprint.post("/api/camera/report")
    @described(CAMERA, "Battery and state of the phone", body='{"battery": 0.8}', sends=PhoneReport)
    def report() -> Response:
        if site.phone is None:
            return refusal(503, NO_PHONE)
        site.phone.report = read_body(request.get_data(cache=False), PhoneReport, REPORT)
        return fresh(jsonify({"accepted": True}))

    @blueprint.get("/api/camera")
    @described(VIEWER, "The phone that is the camera, if any")
    def state() -> Response:
        return refusal(503, NO_PHONE) if site.phone is None else fresh(jsonify(site.phone.as_json()))

    @blueprint.post("/api/camera/code")
    @described(
        REFEREE,
        "A code that makes one phone the camera",
        answer='{"url": "https://...", "qr": "<svg ...", "seconds": 600, "trust": "http://..."}; `url` is null if no '
        "phone gets here: `text` says why, `let_in` whether POST /pair/open helps",
    )
    def code() -> Response:
        if site.phone is None:
            return refusal(503, NO_PHONE)
        found = camera_url(site)
        if found is None:
            is_local = site.addresses.is_local and is_owner(site.pairing, request.remote_addr)
            word = "phone_needs_host" if site.addresses.is_local else "phone_no_network"
            why = page_words(language_of_request())[word]
            return fresh(jsonify({"url": None, "text": why, "let_in": is_local}))
        trust = f"{str(secure_address(site)).replace('https://', 'http://', 1)}trust"  # explains the certificate
        return fresh(jsonify({"url": found, "qr": qr_svg(found), "seconds": CODE_LASTS_S, "trust": trust}))

    return blueprint


def camera_url(site: AppConfig) -> str | None:
    """Return the address where a phone becomes the camera, with a new code if devices need one; None: nowhere."""
    address = secure_address(site)
    if address is None:
        return None
    return f"{address}camera" if site.pairing is None else pair_url(address, site.pairing.camera_token())


def secure_address(site: AppConfig) -> str | None:
    """Return the https address for phones, None if there is none: browsers give access to the camera only there."""
    return next((address for address in site.addresses.camera if address.startswith("https://")), None)


WIDTH_PX = 320
EXAMPLE = 'JSON such as {"source": "0"}'
FRESH_S = 10.0
"""Seconds for which a small picture is shown again before the camera is opened once more."""
NO_PICTURE = Path(__file__).parent / "static" / "setup" / "no_picture.svg"


class Thumbnails:
    """
    Takes small pictures of cameras, JPEG, at most ``WIDTH_PX`` wide, and keeps them. It opens one camera at a time.
    """

    def __init__(self, opened: Callable[[str], Source] = open_source, now_s: Callable[[], float] = time.monotonic):
        self._opened, self._now_s = opened, now_s
        self._lock = threading.Lock()
        self._stored: dict[str, tuple[float, bytes | None]] = {}

    def take(self, source: str) -> None:
        """Open a camera that is not in use and keep its picture, unless the one that is kept is still fresh."""
        with self._lock:
            taken_s, _ = self._stored.get(source, (-FRESH_S, None))
            if self._now_s() - taken_s < FRESH_S:
                return
            try:
                with self._opened(source) as camera:
                    frame = next(iter(camera), None)
            except SourceError:
                frame = None
            data = None if frame is None else encoded_jpeg(frame.image_bgr, WIDTH_PX)
            self._stored[source] = (self._now_s(), data)

    def of(self, source: str) -> bytes | None:
        """Return the picture of a camera that was taken last; None if it gave none."""
        return self._stored.get(source, (0.0, None))[1]


def source_interface(site: AppConfig) -> Blueprint:
    blueprint, board, taken = Blueprint("source", __name__), site.board, Thumbnails()

    def is_chosen(source: str) -> bool:
        chosen = None if site.shared_setup is None else site.shared_setup.setup.source
        return chosen is not None and source in (chosen, without_secrets(chosen))

    def is_offered(source: str) -> bool:
        return source.isdigit() and source in [
            offered_source["source"] for offered_source in site.table.offered_sources()
        ]

    def no_camera(source: str) -> Response:
        return refusal(404, f"expected a camera of this machine, got {source!r:.60}; GET /api/setup lists them")

    @blueprint.post("/api/setup/thumbnail")
    @described(
        REFEREE,
        "Open a camera of this machine that is not in use, and take its small picture",
        body='{"source": "0"}',
        sends=CameraBody,
        answer=ACCEPTED,
    )
    def take_thumbnail() -> Response:
        if site.shared_setup is None:
            return nothing_to_choose()
        source = read_body(request.get_data(cache=False), CameraBody, EXAMPLE).source
        if not is_chosen(source):  # that one is open already
            if not is_offered(source):
                return no_camera(source)
            taken.take(source)
        return fresh(jsonify({"accepted": True}))

    @blueprint.get("/api/setup/thumbnail")
    @described(
        REFEREE,
        "The small picture of a camera of this machine that was taken last, for referees alone",
        {"source": "camera number, as `GET /api/setup` lists it"},
        media=JPEG,
    )
    def thumbnail() -> Response:
        source = request.args.get("source", "")
        if site.shared_setup is None:
            return nothing_to_choose()
        if is_chosen(source):
            data = None if board.picture is None else encoded_jpeg(board.picture.image_bgr, WIDTH_PX)
        elif is_offered(source):
            data = taken.of(source)
        else:
            return no_camera(source)
        if data is None:
            return fresh(Response(NO_PICTURE.read_bytes(), mimetype="image/svg+xml"))
        return fresh(Response(data, mimetype="image/jpeg"))

    return blueprint
