"""
Bars round a film: a picture of one shape put into a frame of another, as editors and video sites do.

Hands come in from the picture's edge; behind a bar they would seem to appear from nowhere. So the bars are cut
off.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.capture.image_files import Image

SPARE_LINES = 2.0
"""Lines by which two bars may differ in a frame of any size: one each by rounding. Set by hand, 2026-11."""


@dataclass(frozen=True, slots=True)
class BarSettings:
    """What counts as a bar. Set by hand, 2026-11."""

    flat: float = 3.0
    """Grey levels by which a bar's pixels may differ from their middle: the codec's own noise, less than a camera's."""
    like: float = 4.0
    """
    Grey levels by which the two bars' colours may be apart. The same holds for bars of two colours: higher takes dark
    picture for a bar; lower leaves bars in.
    """
    least: float = 0.03
    """Share of the frame that a bar takes at least."""
    most: float = 0.4
    """Share of the frame that a bar takes at most."""
    uneven: float = 0.01
    """Share of the frame by which one bar may be thicker than the other."""
    written_on: float = 0.7
    """Share of a line that shows the bar's colour where a date or a title is printed on one of the bars."""
    seam_px: int = 2
    """Pixels of the picture cut off with a bar: the codec mixes the two there."""


def picture_in(image_bgr: Image, settings: BarSettings = BarSettings()) -> tuple[slice, slice]:
    """Rows and columns of the picture itself, within a frame (h, w, 3) uint8; all of them where there are no bars."""
    rows = _between_bars(image_bgr, settings)
    columns = _between_bars(np.swapaxes(image_bgr[rows], 0, 1), settings)
    return rows, columns


def _between_bars(image: Image, settings: BarSettings) -> slice:
    """
    The lines between two bars of one colour, at the beginning and the end of the first axis. One bar may be written on.
    """
    count = len(image)
    low = image.min(axis=1).astype(np.int16)  # (n, 3)
    high = image.max(axis=1).astype(np.int16)
    first, last = _thickness(low, high, settings), _thickness(low[::-1], high[::-1], settings)
    whole = slice(0, count)
    if first > last:
        last = max(last, _written_thickness(image[::-1], image[0], first, settings))
    elif last > first:
        first = max(first, _written_thickness(image, image[-1], last, settings))
    if not all(settings.least * count <= bar <= settings.most * count for bar in (first, last)):
        return whole
    if abs(first - last) > max(SPARE_LINES, settings.uneven * count):
        return whole
    colours = [np.median(bar, axis=(0, 1)) for bar in (image[:first], image[count - last :])]
    if np.abs(colours[0] - colours[1]).max() > settings.like:
        return whole
    return slice(first + settings.seam_px, count - last - settings.seam_px)


def _thickness(low: npt.NDArray[np.int16], high: npt.NDArray[np.int16], settings: BarSettings) -> int:
    """How many lines from the first on have one and the same colour."""
    spread = 2 * settings.flat
    same = ((high - low).max(axis=1) <= spread) & (np.abs(high - high[0]).max(axis=1) <= spread)
    return len(same) if same.all() else int(same.argmin())


def _written_thickness(image: Image, other: Image, most: int, settings: BarSettings) -> int:
    """
    How many of the first ``most`` lines have the colour of ``other``, a line of the bar on the far side, but for what
    is written there.
    """
    away = np.abs(image[:most].astype(np.int16) - np.median(other, axis=0)).max(axis=2)
    same = (away <= 2 * settings.flat).mean(axis=1) >= settings.written_on
    return int(np.flatnonzero(same)[-1]) + 1 if same.any() else 0
