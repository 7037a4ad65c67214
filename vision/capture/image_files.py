"""
Read picture files to arrays, upright, plain BGR, or give one sentence why not.

Formats whose decoders are young are decoded in a process of their own, since a damaged file may end it.
"""

from __future__ import annotations

import stat
import struct
from pathlib import Path

from vision.capture.decoder_process import DecoderProcess
from vision.capture.picture_decoding import Image as Image
from vision.capture.picture_decoding import PictureError as PictureError
from vision.capture.picture_decoding import decode_here, opened_picture
from vision.capture.picture_limits import LIMITS

OLD_KINDS = ("BMP", "GIF", "JPEG", "JPEG2000", "PNG", "PPM", "TIFF", "WEBP")
"""Formats that are decoded in this process, by Pillow's names."""
YOUNG_KINDS = ("AVIF", "HEIF")
"""Formats of which one changed byte has ended the program (HEIF), or whose decoder is as young (AVIF)."""
KINDS = (*OLD_KINDS, *YOUNG_KINDS)
"""Formats that are read."""

_decoder = DecoderProcess()


def open_picture(path: Path) -> Image:
    """Decode a picture file to (height, width, 3) uint8 BGR, upright by its metadata. Raises ``PictureError``."""
    data = _bytes_of(path)
    try:
        return decode_picture(data)
    except PictureError as error:
        raise PictureError(f"{path}: {error}") from None


def decode_picture(data: bytes, kinds: tuple[str, ...] = KINDS, most_pixels: int = LIMITS.most_jpeg_pixels) -> Image:
    """
    Decode the bytes of a picture to (height, width, 3) uint8 BGR, upright by its metadata.

    Raises ``PictureError`` for a picture of another format than ``kinds`` (Pillow's names) or of more than
    ``most_pixels``, and for one that breaks off or shows a strip only.
    """
    young = tuple(kind for kind in kinds if kind in YOUNG_KINDS)
    if young and data[4:8] == b"ftyp":  # as files of both begin
        return _decoder.decode(data, young, most_pixels)
    return decode_here(data, tuple(kind for kind in kinds if kind not in YOUNG_KINDS), most_pixels)


def is_moving_picture(path: Path) -> bool:
    """Check whether it is a GIF of several pictures, small enough to be played. Nothing is decoded."""
    data = _bytes_of(path)
    try:
        with opened_picture(data, ("GIF",), LIMITS.most_pixels) as picture:
            return bool(getattr(picture, "is_animated", False))
    except (PictureError, OSError, ValueError, struct.error):
        return False


def _bytes_of(path: Path) -> bytes:
    try:
        kind = path.stat().st_mode
        if stat.S_ISDIR(kind):
            raise PictureError(f"{path}: expected a picture, got a folder; name the pictures in it")
        if not stat.S_ISREG(kind):  # reading it may wait for ever, or never end
            raise PictureError(f"{path}: expected a picture's file, got a pipe or a device; save the picture first")
        with path.open("rb") as file:
            data = file.read(LIMITS.most_bytes + 1)
    except FileNotFoundError:
        raise PictureError(f"{path}: expected a picture, found nothing there; check the path") from None
    except PermissionError as error:
        raise PictureError(f"The operating system refused: {path}: {error.strerror}; change its rights") from None
    except OSError as error:
        raise PictureError(f"The operating system refused: {path}: {error.strerror}; check the path") from None
    except ValueError as error:  # a path that no system has
        raise PictureError(f"{path}: expected the path of a picture, got '{error}'; check the path") from None
    if len(data) > LIMITS.most_bytes:
        raise PictureError(
            f"{path}: expected a picture of at most {LIMITS.most_bytes >> 20} MB, got a larger file; make it smaller "
            "first"
        )
    if not data:
        raise PictureError(f"{path}: expected a picture, got an empty file; take or copy it again")
    return data
