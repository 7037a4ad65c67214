"""
Decode pictures to arrays in this process, upright, plain BGR, or give one sentence why not.

Phones, scanners and screenshots give grey, 16-bit, transparent, palette and CMYK pictures, most of them with their
rotation in the metadata only; Pillow reads them and all are converted to one form. Of an animated picture the first
frame is used. A truncated file is refused rather than half decoded: the missing half may hold cards. The size that the
header states and the scans of a JPEG are checked before anything is decoded (``vision.capture.picture_limits``).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import PIL.ExifTags
import PIL.Image

from vision.capture.picture_limits import LIMITS, JpegStructure, TooMuchError

Image = npt.NDArray[np.uint8]

NAMES = {"HEIF": "HEIC", "JPEG2000": "JPEG 2000", "MPO": "JPEG", "PPM": "PNM", "WEBP": "WebP"}
"""Names for people of formats that Pillow names otherwise. MPO: a JPEG that holds more pictures, or a phone's film."""

STARTS = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF8", b"II*\x00", b"MM\x00*")
BOXES = (b"ftypheic", b"ftypheix", b"ftypmif1", b"ftypavif")
"""First bytes, and bytes 4 to 12, of files that are pictures even where the rest is damaged."""
STRIP_PX = 512
"""Lines that are copied at a time, so that only they are in memory a third time."""

UPRIGHT: dict[int, Callable[[Image], Any]] = {
    2: lambda image: cv2.flip(image, 1),
    3: lambda image: cv2.rotate(image, cv2.ROTATE_180),
    4: lambda image: cv2.flip(image, 0),
    5: cv2.transpose,
    6: lambda image: cv2.rotate(image, cv2.ROTATE_90_CLOCKWISE),
    7: lambda image: cv2.rotate(cv2.transpose(image), cv2.ROTATE_180),
    8: lambda image: cv2.rotate(image, cv2.ROTATE_90_COUNTERCLOCKWISE),
}
"""EXIF's orientation -> what turns the picture upright."""

PIL.Image.MAX_IMAGE_PIXELS = None  # Pillow's own limit, which warns first; ours is checked when a picture is opened


class PictureError(Exception):
    """A picture that cannot be read; the text is one sentence for the user."""


def decode_here(data: bytes, kinds: tuple[str, ...], most_pixels: int) -> Image:
    """
    Decode the bytes of a picture in this process to (height, width, 3) uint8 BGR, upright by its metadata.

    Raises ``PictureError`` for a picture of another format than ``kinds`` (Pillow's names) or of more than
    ``most_pixels``, and for one that breaks off or shows a strip only.
    """
    with opened_picture(data, kinds, most_pixels) as picture:
        kind = NAMES.get(str(picture.format), picture.format)
        try:
            picture.load()
            image = _plain(picture)
        except Exception as error:  # Pillow's decoders raise errors of many kinds on damaged files
            is_cut = "truncated" in str(error).lower()
            what = "one that breaks off; copy it again" if is_cut else "one that can't be decoded; export it again"
            raise PictureError(f"expected a whole {kind} picture, got {what}") from None
        turned = 1
        if kind != "HEIC":  # whose decoder turns it
            with contextlib.suppress(Exception):  # damaged metadata are ignored
                turned = picture.getexif().get(PIL.ExifTags.Base.Orientation, 1)
    return np.asarray(UPRIGHT[turned](image) if turned in UPRIGHT else image, np.uint8)


@contextlib.contextmanager
def opened_picture(data: bytes, kinds: tuple[str, ...], most_pixels: int) -> Iterator[PIL.Image.Image]:
    """Open a picture without decoding it, reduced where it is a large JPEG; check the size that its header states."""
    try:
        picture = PIL.Image.open(BytesIO(data), formats=kinds)
    except Exception as error:  # Pillow's parsers raise errors of many kinds on damaged headers
        if isinstance(error, PIL.UnidentifiedImageError) and not data.startswith(STARTS) and data[4:12] not in BOXES:
            raise PictureError(
                f"expected a picture (JPEG, PNG, HEIC, WebP, ...), got {len(data)} bytes of something else; name "
                "another"
            ) from None
        raise PictureError("expected a whole picture, got one that breaks off; copy it again") from None
    with picture:
        try:
            is_jpeg = picture.format in ("JPEG", "MPO")
            is_reducible = is_jpeg and JpegStructure.of(data).is_reducible
            _check_size(*picture.size, most_pixels, is_reducible=is_reducible)
        except TooMuchError as error:
            raise PictureError(f"{error}; make it smaller, or save it anew as an ordinary JPEG") from None
        width, height = picture.size
        if width * height > LIMITS.most_pixels:
            picture.draft(None, (width // 2, height // 2))
        yield picture


def _check_size(width: int, height: int, most_pixels: int, *, is_reducible: bool) -> None:
    """Raise ``TooMuchError`` for a picture that is too large to be decoded, ``PictureError`` for a strip."""
    whole = min(most_pixels, LIMITS.most_pixels)
    if width * height > (min(most_pixels, LIMITS.most_jpeg_pixels) if is_reducible else whole):
        or_jpeg = f", or a JPEG of at most {LIMITS.most_jpeg_pixels // 1_000_000}" if most_pixels > whole else ""
        raise TooMuchError(
            f"expected a picture of at most {whole / 1_000_000:g} megapixels{or_jpeg}, got one of {width} x {height} px"
        )
    if min(height, width) < LIMITS.least_side_px or max(height, width) > LIMITS.slimmest * min(height, width):
        raise PictureError(f"expected a picture of a table, got a strip of {width} x {height} px; name another")


def _plain(picture: PIL.Image.Image) -> Image:
    """Return a loaded picture as (height, width, 3) uint8 BGR."""
    is_deep = picture.mode.startswith("I")
    image = np.empty((picture.height, picture.width, 3), np.uint8)
    for top in range(0, picture.height, STRIP_PX):
        bottom = min(top + STRIP_PX, picture.height)
        strip = picture.crop((0, top, picture.width, bottom))
        if is_deep:  # grey of 16 bits
            image[top:bottom] = (np.asarray(strip).astype(np.int64) >> 8).clip(0, 255)[..., None]
        else:
            cv2.cvtColor(
                np.asarray(strip if picture.mode == "RGB" else strip.convert("RGB")),
                cv2.COLOR_RGB2BGR,
                image[top:bottom],
            )
    return image
