"""
Decode picture files of any kind to arrays, upright, plain BGR, or give one sentence why not.

Phones, scanners and screenshots give grey, 16-bit, transparent, palette and CMYK pictures, most of them with their
rotation in the metadata only; all are converted to one form. Of an animated picture the first frame is used. A
truncated file is refused rather than half decoded: the missing half may hold cards. A file that states a size beyond
``MOST_PIXELS`` is refused before anything is decoded.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from vision.capture.image_headers import claimed_size_px, is_cut, is_film, kind_of

Image = npt.NDArray[np.uint8]

LEAST_SIDE_PX = 8
"""Smallest number of pixels of the shorter side. Set by hand, 2026-11."""
SLIMMEST = 12.0
"""Largest ratio of longer to shorter side. Set by hand, 2026-11."""


MOST_PIXELS = 65_000_000
"""Largest number of pixels of a picture; phone cameras reach 64 megapixels. Set by hand, 2026-11."""
MOST_BYTES = 256 << 20
"""
Largest size of a picture's file in bytes. Set by hand, 2026-11: 65 megapixels of three bytes are 195 million, as JPEG a
tenth of that.
"""


class PictureError(Exception):
    """A picture that cannot be read; the text is one sentence for the user."""


def open_picture(path: Path) -> Image:
    """Decode a picture file to (height, width, 3) uint8 BGR, upright by its metadata. Raises ``PictureError``."""
    data = _bytes_of(path)
    kind = kind_of(data)
    if kind is None:
        raise PictureError(
            f"{path}: expected a picture (JPEG, PNG, WebP, ...), got {len(data)} bytes of something else; name another"
        )
    if kind == "HEIC":
        raise PictureError(f"{path}: expected a JPEG or PNG, got a HEIC photograph; export it as JPEG first")
    if is_cut(data, kind):
        raise PictureError(f"{path}: expected a whole {kind} picture, got one that breaks off; copy it again")
    size = claimed_size_px(data, kind)
    if size is not None and size[0] * size[1] > MOST_PIXELS:
        raise PictureError(
            f"{path}: expected a picture of at most {MOST_PIXELS // 1_000_000} megapixels, got one of {size[0]} x "
            f"{size[1]} px; make it smaller first"
        )
    try:
        image = None if size is None else cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        image = None
    if image is None:
        raise PictureError(f"{path}: expected a {kind} picture, got one that can't be decoded; export it again")
    height, width = image.shape[:2]
    if min(height, width) < LEAST_SIDE_PX or max(height, width) > SLIMMEST * min(height, width):
        raise PictureError(f"{path}: expected a picture of a table, got a strip of {width} x {height} px; name another")
    return np.asarray(image, np.uint8)


def is_moving_picture(path: Path) -> bool:
    """Check whether it is a GIF of several pictures, small enough to be played."""
    data = _bytes_of(path)
    size = claimed_size_px(data, "GIF") if is_film(data) else None
    return size is not None and size[0] * size[1] <= MOST_PIXELS


def _bytes_of(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise PictureError(f"{path}: expected a picture, found nothing there; check the path") from None
    except IsADirectoryError:
        raise PictureError(f"{path}: expected a picture, got a folder; name the pictures in it") from None
    except PermissionError:
        if path.is_dir():  # Windows' error for a folder
            raise PictureError(f"{path}: expected a picture, got a folder; name the pictures in it") from None
        raise PictureError(
            f"{path}: expected a picture that may be read, got no permission; change its rights"
        ) from None
    except (OSError, ValueError) as error:
        cause = error.strerror if isinstance(error, OSError) else error
        raise PictureError(f"{path}: expected a picture that can be read, got '{cause}'; check the path") from None
    if len(data) > MOST_BYTES:
        raise PictureError(
            f"{path}: expected a picture of at most {MOST_BYTES >> 20} MB, got a larger file; make it smaller first"
        )
    if not data:
        raise PictureError(f"{path}: expected a picture, got an empty file; take or copy it again")
    return data
