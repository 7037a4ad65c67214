"""Make a small film of the board out of the pictures that a page draws of a game's positions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from vision.capture.image_files import PictureError, decode_picture
from vision.capture.video_writer import FilmSettings, FilmWriter
from webapp.errors import one_line

FRAME_S = 1.2
"""Seconds for which a position is shown. Chosen by hand: long enough to read a play."""
LAST_S = 3.0
"""Seconds for which the last one is."""
MOST_FRAMES = 120
MOST_PIXELS = 1_000_000
FORMATS = ("WEBP", "JPEG", "PNG")


def read_frame(data: bytes) -> npt.NDArray[np.uint8]:
    """Decode a picture of the board, (h, w, 3) uint8 BGR; ``ValueError`` if it is none or too large."""
    try:
        return decode_picture(data, FORMATS, MOST_PIXELS)
    except PictureError as error:
        raise ValueError(f"expected pictures of the board, got one that cannot be read ({one_line(error)})") from None


def write_board_film(pictures: Sequence[bytes], path: Path) -> None:
    """Write the pictures as an MP4, each shown for ``FRAME_S``; ``ValueError`` where there are none or too many."""
    if not 0 < len(pictures) <= MOST_FRAMES:
        raise ValueError(f"expected 1 to {MOST_FRAMES} pictures of the board, got {len(pictures)}")
    height, width = (2 * (side // 2) for side in read_frame(pictures[0]).shape[:2])  # H.264 takes even sides alone
    with FilmWriter(path, (width, height), 0.0, FilmSettings()) as film:
        for number, frame in enumerate([*pictures, pictures[-1]]):  # decoded one by one: many are a lot of memory
            fitted = cv2.resize(read_frame(frame), (width, height), interpolation=cv2.INTER_AREA)
            at_s = number * FRAME_S if number < len(pictures) else (len(pictures) - 1) * FRAME_S + LAST_S
            film.add(np.ascontiguousarray(fitted, np.uint8), at_s, wait=True)
