"""
Cut off panels beside a film: a drawn strip along one edge of the frame, as editors add a title or a logo.

A camera's pixels are noisy and follow the light, a drawn strip's are not. So if a straight seam crosses the whole
frame, pictures from all over the film are compared: a side that never changes, while the other side does, is no part of
the camera's picture and is cut off. Drawn cards on it lie on no table.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.capture.image_files import Image

Levels = npt.NDArray[np.int16]


# What counts as a panel. Levels are 0..255, shares 0..1. Set by hand, 2026-11.
PANEL_SEAM_LEVELS = 12
"""Smallest difference in levels of neighbouring pixels across a seam."""
PANEL_SEAM_SHARE = 0.8
"""Smallest share of a line across the frame that is seam."""
PANEL_LEAST = 0.1
"""Smallest share of the frame that a panel takes."""
PANEL_SAMPLES = 8
"""Number of pictures from all over the film that are compared."""
DRAWN_LEVELS = 3.0
"""Largest mean change of a panel in levels: codec noise, palette rounding."""
STIR_LEVELS = 20
"""Change in levels of a pixel beyond codec noise: a real change."""
STIR_SHARE = 0.01
"""Share of pixels with a real change from which the strip is no panel."""
PANEL_ALIVE = 5.0
"""Smallest ratio of the film's mean change to the panel's; the film changes by ``ALIVE_LEVELS`` at least."""
ALIVE_LEVELS = 1.5
"""Smallest mean change of the film in levels, see ``PANEL_ALIVE``: a camera's noise."""
PANEL_SEAM_PX = 2
"""Pixels of the picture cut off with a panel: the codec mixes panel and picture there."""


PANEL_MOST = 0.6
"""Largest share of the frame that a panel takes."""
PANEL_BESIDE = 0.15
"""Share of the frame beside the seam that is compared with the panel."""


@dataclass(slots=True)
class _Seam:
    """A seam across the frame, the possible panel outside it, and the strip of film inside it."""

    is_column: bool
    outside: slice
    inside: slice
    changes: list[tuple[float, float]]


def film_beside_panels(first_bgr: Image, samples: Iterable[Image]) -> tuple[slice, slice]:
    """
    Return the rows and columns of the film within a frame (h, w, 3) uint8; all of them without panels.

    ``samples``: pictures from all over the film, expensive to get; requested only while there may be a panel.
    """
    rows, columns = first_bgr.shape[:2]
    seams = _seams(first_bgr, True) + _seams(np.swapaxes(first_bgr, 0, 1), False)
    first: Levels = first_bgr.astype(np.int16)
    remaining = iter(samples)
    while seams and (sample := next(remaining, None)) is not None:
        change = np.abs(sample.astype(np.int16) - first).max(axis=2)
        seams = [seam for seam in seams if _stays(seam, change if seam.is_column else change.T)]
    kept = {True: slice(0, columns), False: slice(0, rows)}
    for seam in seams:
        drawn, film = (float(np.mean(each)) for each in zip(*seam.changes, strict=True)) if seam.changes else (0.0, 0.0)
        if film >= max(PANEL_ALIVE * drawn, ALIVE_LEVELS):
            before, is_first = kept[seam.is_column], seam.outside.start == 0
            start, stop = (seam.inside.start, before.stop) if is_first else (before.start, seam.inside.stop)
            kept[seam.is_column] = slice(max(before.start, start), min(before.stop, stop))
    return kept[False], kept[True]


def _seams(image: Image, is_column: bool) -> list[_Seam]:
    """
    Return where a straight seam crosses the second axis of a picture from end to end, with room for a panel outside it.
    """
    step = np.abs(np.diff(image.astype(np.int16), axis=1)).max(axis=2) > PANEL_SEAM_LEVELS
    share = np.maximum(step[:, :-1], step[:, 1:]).mean(axis=0)  # a seam between two pixels is blurred by one
    length, margin = image.shape[1], PANEL_SEAM_PX
    beside = max(1, round(PANEL_BESIDE * length))
    near, far = PANEL_LEAST * length, PANEL_MOST * length
    found = []
    for at in (int(k) for k in np.flatnonzero(share >= PANEL_SEAM_SHARE) + 1):
        if near <= at <= far:
            found.append(_Seam(is_column, slice(0, at - margin), slice(at + margin, at + margin + beside), []))
        if near <= length - at <= far:
            inside = slice(max(0, at - margin - beside), at - margin)
            found.append(_Seam(is_column, slice(at + margin, length), inside, []))
    return found


def _stays(seam: _Seam, change: npt.NDArray[np.int16]) -> bool:
    """
    Check whether the strip outside the seam is unchanged. ``change`` of each pixel, the seam crossing the second axis.
    """
    outside, inside = change[:, seam.outside], change[:, seam.inside]
    drawn = float(outside.mean())
    if drawn > DRAWN_LEVELS or float((outside > STIR_LEVELS).mean()) > STIR_SHARE:
        return False
    seam.changes.append((drawn, float(inside.mean())))
    return True
