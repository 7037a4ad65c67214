"""The live picture: the newest frame with its cards outlined, as JPEG. Made when asked for, once a frame."""

from __future__ import annotations

import threading

import cv2
import numpy as np

from webapp.live.board import Picture

WIDEST_PX = 960
"""What a tablet shows in half its width, at twice the pixels; the full frame would only cost its battery."""
QUALITY = 80

_lock = threading.Lock()
_newest: tuple[Picture, bytes] | None = None


def as_jpeg(picture: Picture) -> bytes:
    """The picture as JPEG bytes, at most ``WIDEST_PX`` wide. Pages that ask for the same one share the work."""
    global _newest
    with _lock:
        if _newest is None or _newest[0] is not picture:
            _newest = (picture, encode(outlined(picture)))
        return _newest[1]


def outlined(picture: Picture) -> np.ndarray:
    """The frame with what the eye made of it drawn over it; (h, w, 3) uint8, a new array."""
    if picture.view is None:
        return np.array(picture.image_bgr, copy=True)
    from vision.view.overlay import draw

    drawn: np.ndarray = draw(picture.image_bgr, picture.view)
    return drawn


def encode(image_bgr: np.ndarray) -> bytes:
    """(h, w, 3) uint8 BGR to JPEG."""
    height, width = image_bgr.shape[:2]
    if width > WIDEST_PX:
        size = (WIDEST_PX, max(1, round(height * WIDEST_PX / width)))
        image_bgr = cv2.resize(image_bgr, size, interpolation=cv2.INTER_AREA)
    done, data = cv2.imencode(".jpg", image_bgr, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    if not done:
        raise ValueError(f"expected an image that JPEG can hold, got one of {width} x {height} px")
    return data.tobytes()
