"""
Decode picture files of any kind to arrays, upright, plain BGR, or give one sentence why not.

Phones, scanners and screenshots give grey, 16-bit, transparent, palette and CMYK pictures, most of them with their
rotation in the metadata only; all are converted to one form. Of an animated picture the first frame is used. A
truncated file is refused rather than half decoded: the missing half may hold cards. A file that states a size beyond
``MOST_PIXELS`` is refused before anything is decoded: a few bytes can state any size, and decoders allocate memory for
it. If a header states several sizes the largest counts; a missing size is None, and such a file is refused. No number
of the file is trusted beyond the file's end.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

_START_OF_SCAN = 0xDA
_NO_SIZE_MARKS = frozenset({0xC4, 0xC8, 0xCC})
"""JPEG markers in 0xC0..0xCF that begin no frame: Huffman tables, a reserved one, arithmetic coding's settings."""
_BARE_MARKS = frozenset({0x01, *range(0xD0, 0xD8)})
"""JPEG markers without a length field."""
_TIFF_WIDTHS, _TIFF_HEIGHTS = (256, 322), (257, 323)
"""TIFF's tags for the sides of the picture and of a tile: a tile is unpacked whole, however small the picture is."""
_PNM_SIZE = re.compile(rb"P[1-6](?:\s|#[^\n]*\n)+(\d{1,9})(?:\s|#[^\n]*\n)+(\d{1,9})\s")
_JPEG_2000_SIZE = b"\xff\x4f\xff\x51"


def kind_of(data: bytes) -> str | None:
    """
    Return the kind of picture by the first bytes, whatever the file is called; None for an unknown one.

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
    Check whether the file ends before its picture does, as far as that shows without decoding: decoders silently fill
    the rest with grey.

    >>> is_cut(b"\\xff\\xd8\\xff\\xda\\x00\\x04..lines", "JPEG")
    True
    """
    if kind == "JPEG":
        scan = next((start + length for mark, start, length in _jpeg_segments(data) if mark == _START_OF_SCAN), -1)
        # An end marker before the picture's own lines belongs to the thumbnail in its header.
        return scan < 0 or data.find(b"\xff\xd9", scan) < 0
    if kind == "PNG":
        return data[12:16] == b"IHDR" and not _png_is_whole(data)
    if kind == "WebP":
        return len(data) < int.from_bytes(data[4:8], "little") + 8
    if kind == "GIF":
        return b"\x3b" not in data[-64:]
    return False


def claimed_size_px(data: bytes, kind: str) -> tuple[int, int] | None:
    """
    Return (width, height) in pixels as stated in the header of a picture of this ``kind`` (``kind_of``); None if not
    found.

    >>> claimed_size_px(b"GIF89a" + (640).to_bytes(2, "little") + (480).to_bytes(2, "little"), "GIF")
    (640, 480)
    """
    try:
        width, height = _SIZE_OF[kind](data)
    except (struct.error, ValueError):  # it breaks off within its header, or has none
        return None
    return (width, height) if width > 0 and height > 0 else None


def _png_is_whole(data: bytes) -> bool:
    """Check whether every chunk is as long as stated, up to the last."""
    place = 8
    while place + 12 <= len(data):
        if data[place + 4 : place + 8] == b"IEND":
            return True
        place += 12 + int.from_bytes(data[place : place + 4], "big")
    return False


def _jpeg_segments(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield (marker, position of its length field, length in bytes) up to the picture's own lines."""
    place = 2
    while place + 4 <= len(data) and data[place] == 0xFF:
        mark = data[place + 1]
        if mark == 0xFF:  # padding
            place += 1
            continue
        if mark in _BARE_MARKS:
            place += 2
            continue
        length = int.from_bytes(data[place + 2 : place + 4], "big")
        yield mark, place + 2, length
        if mark == _START_OF_SCAN:
            return
        place += 2 + length


def _jpeg_size(data: bytes) -> tuple[int, int]:
    for mark, start, _ in _jpeg_segments(data):
        if 0xC0 <= mark <= 0xCF and mark not in _NO_SIZE_MARKS:
            height, width = struct.unpack_from(">HH", data, start + 3)
            return width, height
    raise ValueError("no frame")


def _png_size(data: bytes) -> tuple[int, int]:
    if data[12:16] != b"IHDR":
        raise ValueError("no header")
    width, height = struct.unpack_from(">II", data, 16)
    return width, height


def _gif_size(data: bytes) -> tuple[int, int]:
    width, height = struct.unpack_from("<HH", data, 6)
    return width, height


def is_film(data: bytes) -> bool:
    """
    Check whether it is a GIF of at least two pictures. Nothing is decoded.

    >>> is_film(b"GIF89a" + bytes(7) + b"\\x2c" + bytes(9) + b"\\x02\\x00" + b";")
    False
    """
    if kind_of(data) != "GIF" or len(data) < 13:
        return False

    def table_bytes(flags: int) -> int:
        return 3 << ((flags & 7) + 1) if flags & 0x80 else 0

    at, pictures = 13 + table_bytes(data[10]), 0
    while at + 10 <= len(data) and pictures < 2:
        if data[at] == 0x2C:  # a picture: place and size, perhaps colours, a code size, then blocks
            pictures += 1
            at += 11 + table_bytes(data[at + 9])
        elif data[at] == 0x21:  # an extension: a label, then blocks
            at += 2
        else:
            break
        while at < len(data) and data[at]:
            at += 1 + data[at]
        at += 1
    return pictures > 1


def _bmp_size(data: bytes) -> tuple[int, int]:
    (header_length,) = struct.unpack_from("<I", data, 14)
    width, height = struct.unpack_from("<HH" if header_length == 12 else "<ii", data, 18)
    return width, abs(height)  # a negative height: its lines run from top to bottom


def _webp_size(data: bytes) -> tuple[int, int]:
    chunk = data[12:16]
    if chunk == b"VP8X":
        low_width, high_width, low_height, high_height = struct.unpack_from("<HBHB", data, 24)
        return 1 + low_width + (high_width << 16), 1 + low_height + (high_height << 16)
    if chunk == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    width, height = struct.unpack_from("<HH", data, 26)
    return width & 0x3FFF, height & 0x3FFF


def _tiff_size(data: bytes) -> tuple[int, int]:
    order = "<" if data.startswith(b"II") else ">"
    (place,) = struct.unpack_from(f"{order}I", data, 4)
    (count,) = struct.unpack_from(f"{order}H", data, place)
    sides: dict[int, int] = {}
    for entry in range(place + 2, place + 2 + 12 * count, 12):
        tag, kind = struct.unpack_from(f"{order}HH", data, entry)
        if tag in (*_TIFF_WIDTHS, *_TIFF_HEIGHTS):
            (value,) = struct.unpack_from(f"{order}H" if kind == 3 else f"{order}I", data, entry + 8)
            sides[tag] = max(value, sides.get(tag, 0))
    width, height = (max(sides.get(tag, 0) for tag in tags) for tags in (_TIFF_WIDTHS, _TIFF_HEIGHTS))
    return width, height


def _jpeg_2000_size(data: bytes) -> tuple[int, int]:
    sizes, place = [], data.find(_JPEG_2000_SIZE)
    while place >= 0:
        width, height, left, top = struct.unpack_from(">4I", data, place + 8)
        (channels,) = struct.unpack_from(">H", data, place + 40)
        if channels > 4:  # each takes as much memory as the picture
            raise ValueError("no picture for eyes")
        sizes.append((width - left, height - top))
        place = data.find(_JPEG_2000_SIZE, place + 4)
    return max(sizes, key=lambda size: size[0] * size[1])


def _avif_size(data: bytes) -> tuple[int, int]:
    sizes, place = [], data.find(b"ispe")
    while place >= 0:
        sizes.append(struct.unpack_from(">II", data, place + 8))
        place = data.find(b"ispe", place + 4)
    width, height = max(sizes, key=lambda size: size[0] * size[1])
    return width, height


def _pnm_size(data: bytes) -> tuple[int, int]:
    found = _PNM_SIZE.match(data)
    if found is None:
        raise ValueError("no header")
    return int(found[1]), int(found[2])


_SIZE_OF = {
    "AVIF": _avif_size,
    "BMP": _bmp_size,
    "GIF": _gif_size,
    "JPEG": _jpeg_size,
    "JPEG 2000": _jpeg_2000_size,
    "PNG": _png_size,
    "PNM": _pnm_size,
    "TIFF": _tiff_size,
    "WebP": _webp_size,
}


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
