"""Help to choose the source: serve a small picture of each camera, and try the address of a stream."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
from flask import Blueprint, Response, jsonify, request

from vision.capture.sources import Source, SourceError, open_source
from vision.capture.stream_address import without_secrets
from webapp.errors import one_line
from webapp.live.board import Board
from webapp.live.stream_secrets import with_secret
from webapp.web.api import fresh, refusal
from webapp.web.app_services import AppConfig
from webapp.web.bodies import StreamBody, read_body
from webapp.web.setup_api import nothing_to_choose

WIDTH_PX = 320
STREAM = 'JSON such as {"source": "http://192.168.1.5:8080/video"}'
FRESH_S = 10.0
"""Seconds for which a small picture is shown again before the camera is opened once more."""
NO_PICTURE = Path(__file__).parent / "static" / "setup" / "no_picture.svg"


class Thumbnails:
    """
    Takes small pictures of cameras, JPEG, ``WIDTH_PX`` wide. It opens one camera at a time.
    """

    def __init__(self, opened: Callable[[str], Source] = open_source, now_s: Callable[[], float] = time.monotonic):
        self._opened, self._now_s = opened, now_s
        self._lock = threading.Lock()
        self._kept: dict[str, tuple[float, bytes | None]] = {}

    def of(self, source: str) -> bytes | None:
        """Return the picture of a camera that is not in use; None if it gives none."""
        with self._lock:
            taken_s, data = self._kept.get(source, (-FRESH_S, None))
            if self._now_s() - taken_s >= FRESH_S:
                data = self._taken(source)
                self._kept[source] = (self._now_s(), data)
            return data

    def _taken(self, source: str) -> bytes | None:
        try:
            with self._opened(source) as camera:
                frame = next(iter(camera), None)
        except SourceError:
            return None
        return None if frame is None else small_jpeg(frame.image_bgr)


def small_jpeg(image_bgr: np.ndarray) -> bytes:
    """Encode a (h, w, 3) uint8 BGR picture as a small JPEG."""
    height, width = image_bgr.shape[:2]
    size = (WIDTH_PX, max(1, round(height * WIDTH_PX / width)))
    return bytes(cv2.imencode(".jpg", cv2.resize(image_bgr, size, interpolation=cv2.INTER_AREA))[1].tobytes())


def source_interface(services: AppConfig, board: Board, thumbnails: Thumbnails | None = None) -> Blueprint:
    """Return the blueprint; it answers 503 if no game can be set up."""
    blueprint = Blueprint("source", __name__)
    taken = thumbnails or Thumbnails()

    @blueprint.get("/api/setup/thumbnail")
    def thumbnail() -> Response:
        desk, source = services.desk, request.args.get("source", "")
        if desk is None:
            return nothing_to_choose()
        if desk.setup.source is not None and source in (desk.setup.source, without_secrets(desk.setup.source)):
            data = None if board.picture is None else small_jpeg(board.picture.image_bgr)
        elif source.isdigit() and source in [each["source"] for each in services.table.offered_sources()]:
            data = taken.of(source)
        else:
            return refusal(404, f"expected a camera of this machine, got {source!r:.60}; GET /api/setup lists them")
        if data is None:
            return fresh(Response(NO_PICTURE.read_bytes(), mimetype="image/svg+xml"))
        return fresh(Response(data, mimetype="image/jpeg"))

    @blueprint.post("/api/setup/try")
    def tried() -> Response:
        if services.desk is None:
            return nothing_to_choose()
        try:
            source = read_body(request.get_data(cache=False), StreamBody, STREAM).source
            with open_source(with_secret(source, (services.desk.setup.source,))) as stream:
                width, height = stream.size
        except (ValueError, SourceError) as error:
            return refusal(400, one_line(error))
        return fresh(jsonify({"source": source, "width": width, "height": height}))

    return blueprint
