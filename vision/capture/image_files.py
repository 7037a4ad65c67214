"""
Picture files as arrays: whatever kind they are, upright, plain BGR, or one sentence why not.

Phones, scanners and screen grabs give grey, 16-bit, transparent, palette and CMYK pictures, and most turn them by a
note in the file only; all of them come out alike. Of a moving picture the first frame is taken. A file that breaks off
is refused rather than half read: the missing half may hold cards.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]

LEAST_SIDE_PX = 8
"""Narrower than this no card can be told from a line."""
SLIMMEST = 12.0
"""Longer than this many widths is a strip torn off a picture, or a broken header; no camera makes it."""


class PictureError(Exception):
    """A picture that can't be read; the text is one sentence for the user."""


def open_picture(path: Path) -> Image:
    """A picture file as (height, width, 3) uint8 BGR, upright as its camera meant it. Raises ``PictureError``."""
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
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        image = None
    if image is None:
        raise PictureError(f"{path}: expected a {kind} picture, got one that can't be decoded; export it again")
    height, width = image.shape[:2]
    if min(height, width) < LEAST_SIDE_PX or max(height, width) > SLIMMEST * min(height, width):
        raise PictureError(f"{path}: expected a picture of a table, got a strip of {width} x {height} px; name another")
    return np.asarray(image, np.uint8)


def _bytes_of(path: Path) -> bytes:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise PictureError(f"{path}: expected a picture, found nothing there; check the path") from None
    except IsADirectoryError:
        raise PictureError(f"{path}: expected a picture, got a folder; name the pictures in it") from None
    except PermissionError:
        if path.is_dir():  # how Windows says that this is a folder
            raise PictureError(f"{path}: expected a picture, got a folder; name the pictures in it") from None
        raise PictureError(
            f"{path}: expected a picture that may be read, got no permission; change its rights"
        ) from None
    except (OSError, ValueError) as error:
        told = error.strerror if isinstance(error, OSError) else error
        raise PictureError(f"{path}: expected a picture that can be read, got '{told}'; check the path") from None
    if not data:
        raise PictureError(f"{path}: expected a picture, got an empty file; take or copy it again")
    return data


def kind_of(data: bytes) -> str | None:
    """
    What kind of picture the first bytes say it is, whatever the file is called; None for none we know.

    >>> kind_of(b"GIF89a..."), kind_of(b"Dear Anna,")
    ('GIF', None)
    """
    if data[4:8] == b"ftyp":  # a family of formats: the first names in the box tell which
        brands = data[8:64]
        if b"avif" in brands or b"avis" in brands:
            return "AVIF"
        return "HEIC" if any(brand in brands for brand in (b"heic", b"heix", b"hevc", b"mif1", b"msf1")) else None
    if data[:4] == b"RIFF":
        return "WebP" if data[8:12] == b"WEBP" else None
    starts = {
        b"\xff\xd8\xff": "JPEG",
        b"\x89PNG\r\n\x1a\n": "PNG",
        b"GIF8": "GIF",
        b"BM": "BMP",
        b"II*\x00": "TIFF",
        b"MM\x00*": "TIFF",
        b"\x00\x00\x00\x0cjP": "JPEG 2000",
        b"\xffO\xffQ": "JPEG 2000",
    }
    named = next((kind for start, kind in starts.items() if data.startswith(start)), None)
    if named is None and data[:1] == b"P" and data[1:2] in b"123456" and data[2:3].isspace():
        return "PNM"
    return named


def is_cut(data: bytes, kind: str) -> bool:
    """
    Does the file end before its picture does? Only where that shows without decoding: decoders fill in grey silently.

    >>> is_cut(b"\\xff\\xd8\\xff\\xda\\x00\\x04..lines", "JPEG")
    True
    """
    if kind == "JPEG":
        return data.find(b"\xff\xd9", _scan_of_jpeg(data)) < 0
    if kind == "PNG":
        return b"IEND" not in data[-4096:]
    if kind == "WebP":
        return len(data) < int.from_bytes(data[4:8], "little") + 8
    if kind == "GIF":
        return b"\x3b" not in data[-64:]
    return False


def _scan_of_jpeg(data: bytes) -> int:
    """Where the picture's own lines begin: an end mark before that belongs to the small preview in its head."""
    place = 2
    while place + 4 <= len(data) and data[place] == 0xFF:
        mark = data[place + 1]
        if mark == 0xFF:  # padding
            place += 1
            continue
        length = int.from_bytes(data[place + 2 : place + 4], "big")
        if mark == 0xDA:
            return place + 2 + length
        place += 2 + length
    return len(data)
