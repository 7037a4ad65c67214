"""
Limits of what a decoder of pictures may produce, each checked before anything is decoded.

A few bytes can state any size, and decoders allocate memory for it and spend time on it. ``docs/security.md`` lists
what every decoder and every scaling produces at most.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PictureLimits:
    """Limits of pictures, by what their decoders produce of them. Set by hand, 2026-11, unless a source is named."""

    most_bytes: int = 256 << 20
    """Largest size of a file in bytes: 65 megapixels of three bytes are 195 million, as JPEG a tenth of that."""
    most_pixels: int = 65_000_000
    """Largest number of pixels of a picture that is decoded whole; four bytes each."""
    most_jpeg_pixels: int = 260_000_000
    """
    Largest number of pixels of a JPEG; phone cameras reach 200 megapixels. Above ``most_pixels`` it is decoded at half
    its sides, which takes no more memory. One of several scans is not: its coefficients are kept whole.
    """
    most_scans: int = 100
    """Most scans of a JPEG, each a pass over the whole picture; libjpeg's own tools write no more."""
    most_segments: int = 10_000
    """Most segments of a JPEG: a colour profile and metadata of 64 kB each are some hundred."""
    least_side_px: int = 8
    """Smallest number of pixels of the shorter side."""
    slimmest: float = 12.0
    """Largest ratio of longer to shorter side: what is scaled to another's width grows by no more."""


LIMITS = PictureLimits()
_MARKER = re.compile(rb"\xff([\x01-\xcf\xd8-\xfe])")
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_PROGRESSIVE = frozenset((0xC2, 0xC6, 0xCA, 0xCE))
_WITHOUT_LENGTH = frozenset((0x01, 0xD8))
_END, _SCAN = 0xD9, 0xDA


class TooMuchError(ValueError):
    """A picture whose decoder would produce or spend too much; the text says what was expected and what came."""


@dataclass(frozen=True, slots=True)
class JpegStructure:
    """``scans`` of a JPEG; ``is_reducible``: it is decoded line by line, at half its sides if that is wanted."""

    scans: int
    is_reducible: bool

    @classmethod
    def of(cls, data: bytes, limits: PictureLimits = LIMITS) -> JpegStructure:
        """
        Return the structure by the markers, as libjpeg finds them; ``TooMuchError`` for too many scans or segments.

        A JPEG that is progressive, or has a scan for each component, is decoded as a whole: libjpeg keeps two bytes of
        every coefficient, and each scan passes over all of them.
        """
        scans, segments, components, is_reducible, place = 0, 0, 0, True, 0
        while (found := _MARKER.search(data, place)) is not None:
            kind, place = found[1][0], found.end()
            segments += 1
            if segments > limits.most_segments:
                raise TooMuchError(f"expected a JPEG of at most {limits.most_segments} segments, got more")
            if kind == _END:
                break
            if kind in _WITHOUT_LENGTH:
                continue
            if kind in _FRAMES:
                components = data[place + 7] if place + 7 < len(data) else 0
                is_reducible = is_reducible and kind not in _PROGRESSIVE
            elif kind == _SCAN:
                scans += 1
                if scans == 1 and place + 2 < len(data) and data[place + 2] < components:
                    is_reducible = False
                if scans > limits.most_scans:
                    raise TooMuchError(f"expected a JPEG of at most {limits.most_scans} scans, got more")
            place += int.from_bytes(data[place : place + 2], "big")
        return cls(scans, is_reducible)
