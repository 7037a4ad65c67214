"""Make the live picture: the newest frame with its cards outlined, as JPEG, on request and once per frame."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor

import cv2
import numpy as np

from vision.view.overlay import draw
from webapp.live.board import Picture

WIDEST_PX = 960
"""Pixels: half a tablet's width at two pixels per point; the full frame would only use more battery."""
QUALITY = 80

DRAWN_WITHIN_S = 20.0

_lock = threading.Lock()
_newest: tuple[Picture, Future[bytes]] | None = None
_drawing = ThreadPoolExecutor(1, "picture")
"""Draws for all web threads: OpenCV keeps 6 MB of fonts for each thread that ever wrote text on a picture."""


def as_jpeg(picture: Picture) -> bytes:
    """Return the picture as JPEG bytes, at most ``WIDEST_PX`` wide; cached for pages that request the same one."""
    global _newest
    with _lock:
        if _newest is None or _newest[0] is not picture:
            _newest = (picture, _drawing.submit(lambda: encode(outlined(picture))))
        drawn = _newest[1]
    return drawn.result(DRAWN_WITHIN_S)


def outlined(picture: Picture) -> np.ndarray:
    """Return the frame with the vision pipeline's view drawn on it; (h, w, 3) uint8, a new array."""
    if picture.view is None:
        return np.array(picture.image_bgr, copy=True)
    drawn: np.ndarray = draw(picture.image_bgr, picture.view)
    return drawn


def encode(image_bgr: np.ndarray) -> bytes:
    """Encode (h, w, 3) uint8 BGR as JPEG."""
    height, width = image_bgr.shape[:2]
    if width > WIDEST_PX:
        size = (WIDEST_PX, max(1, round(height * WIDEST_PX / width)))
        image_bgr = cv2.resize(image_bgr, size, interpolation=cv2.INTER_AREA)
    done, data = cv2.imencode(".jpg", image_bgr, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    if not done:
        raise ValueError(f"expected an image that JPEG can hold, got one of {width} x {height} px")
    return data.tobytes()
