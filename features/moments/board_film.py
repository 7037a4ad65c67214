"""Make a small film of the board out of the pictures that a page draws of a game's positions."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image
from PIL.Image import DecompressionBombError

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
        with Image.open(io.BytesIO(data), formats=FORMATS) as opened:
            if opened.width * opened.height > MOST_PIXELS:
                raise ValueError(f"expected a picture of at most {MOST_PIXELS} pixels, got {opened.size}")
            return np.asarray(opened.convert("RGB"), np.uint8)[..., ::-1]
    except (OSError, SyntaxError, DecompressionBombError) as error:
        raise ValueError(f"expected pictures of the board, got one that cannot be read ({one_line(error)})") from None


def write_board_film(pictures: Sequence[bytes], path: Path) -> None:
    """Write the pictures as an MP4, each shown for ``FRAME_S``; ``ValueError`` where there are none or too many."""
    if not 0 < len(pictures) <= MOST_FRAMES:
        raise ValueError(f"expected 1 to {MOST_FRAMES} pictures of the board, got {len(pictures)}")
    frames = [read_frame(data) for data in pictures]
    height, width = (2 * (side // 2) for side in frames[0].shape[:2])  # H.264 takes even sides alone
    with FilmWriter(path, (width, height), 0.0, FilmSettings()) as film:
        for number, frame in enumerate([*frames, frames[-1]]):
            fitted = cv2.resize(frame, (width, height), interpolation=cv2.INTER_AREA)
            at_s = number * FRAME_S if number < len(frames) else (len(frames) - 1) * FRAME_S + LAST_S
            film.add(np.ascontiguousarray(fitted, np.uint8), at_s, wait=True)
