"""Cut a moment out of a match's film and write it with a caption beneath, to be shown to others."""

from __future__ import annotations

import struct
from pathlib import Path

import cv2
import numpy as np

from vision.capture.film_file import Film
from vision.capture.video_writer import FilmSettings, FilmWriter

BEFORE_S, AFTER_S = 6.0, 4.0
"""Seconds of film before and after the play."""
MOST_PIXELS = 4_000_000
"""Most pixels of a caption; the page draws 1280 x 120. Chosen by hand."""
PNG_HEAD = b"\x89PNG\r\n\x1a\n"


def read_caption(png: bytes) -> np.ndarray:
    """Decode a caption, (h, w, 3) uint8 BGR; ``ValueError`` if it is no PNG or too large."""
    if len(png) < 24 or not png.startswith(PNG_HEAD):
        raise ValueError("expected a caption as PNG, got something else")
    width, height = struct.unpack(">II", png[16:24])
    if not 0 < width * height <= MOST_PIXELS:
        raise ValueError(f"expected a caption of at most {MOST_PIXELS} pixels, got {width}x{height}")
    image = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
    if image is None:
        raise ValueError("expected a caption as PNG, got one that cannot be decoded")
    return np.asarray(image, np.uint8)


def write_moment(film: Film, at_s: float, caption_bgr: np.ndarray, path: Path) -> int:
    """
    Write ten seconds round a time of the match as MP4 with the caption beneath; return the number of frames, 0 if
    the film has none there.

    ``caption_bgr``: (h, w, 3) uint8, scaled to the film's width.
    """
    written, writer, strip = 0, None, None
    begin_s = max(at_s - BEFORE_S, float(film.frames_s[0]))
    try:
        for frame_s, image in film.pictures(begin_s, at_s + AFTER_S):
            if image is None:
                continue
            if writer is None or strip is None:
                width = image.shape[1]
                height = max(2, round(caption_bgr.shape[0] * width / caption_bgr.shape[1]))
                strip = cv2.resize(caption_bgr, (width, height), interpolation=cv2.INTER_AREA)
                writer = FilmWriter(path, (width, image.shape[0] + height), 0.0, FilmSettings())
            writer.add(np.vstack((image, strip)).astype(np.uint8), frame_s - begin_s, wait=True)
            written += 1
    finally:
        if writer is not None:
            writer.close()
    return written
