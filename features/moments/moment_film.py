"""Cut a moment out of a match's film and write it with a caption beneath, to be shown to others."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from features.moments.moment_zip import AFTER_S, BEFORE_S
from vision.capture.film_file import Film
from vision.capture.image_files import PictureError, decode_picture
from vision.capture.video_writer import FilmSettings, FilmWriter
from webapp.errors import one_line

MOST_PIXELS = 4_000_000
"""Most pixels of a caption; the page draws 1280 x 120. Chosen by hand."""


def read_caption(png: bytes) -> npt.NDArray[np.uint8]:
    """
    Decode a caption, (h, w, 3) uint8 BGR; ``ValueError`` if it is no PNG, too large, a thin strip or an upright one.

    It is scaled to the width of the film, so that an upright one would grow to more than the square of that width.
    """
    try:
        caption = decode_picture(png, ("PNG",), MOST_PIXELS)
    except PictureError as error:
        raise ValueError(f"expected a caption as PNG, got one that cannot be read ({one_line(error)})") from None
    if caption.shape[0] > caption.shape[1]:
        raise ValueError(f"expected a caption that is wider than high, got {caption.shape[1]} x {caption.shape[0]} px")
    return caption


def write_moment(film: Film, at_s: float, caption_bgr: npt.NDArray[np.uint8], path: Path) -> int:
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
