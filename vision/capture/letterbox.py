"""
Cut off bars of one colour around a film, as editors and video sites add them to fit another frame shape. Hands come in
at the picture's edge; behind a bar they would seem to appear from nowhere.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from vision.capture.image_files import Image

SPARE_LINES = 2.0
"""Lines by which the widths of two bars may differ in a frame of any size: rounding, one each. Set by hand, 2026-11."""


# What counts as a bar. Set by hand, 2026-11.
BAR_FLAT = 3.0
"""Largest difference in grey levels of a bar's pixels from their median: codec noise, smaller than a camera's."""
BAR_LIKE = 4.0
"""Largest difference in grey levels of the two bars' colours."""
BAR_LEAST = 0.03
"""Smallest share of the frame that a bar takes."""
BAR_UNEVEN = 0.01
"""Largest difference of the two bars' widths, as a share of the frame."""
WRITTEN_ON = 0.7
"""Smallest share of a line with the bar's colour if a date or a title is printed on one of the bars."""
BAR_SEAM_PX = 2
"""Pixels of the picture cut off with a bar: the codec mixes bar and picture there."""


BAR_MOST = 0.4
"""Largest share of the frame that a bar takes."""


def picture_in(image_bgr: Image) -> tuple[slice, slice]:
    """Return the rows and columns of the picture within a frame (h, w, 3) uint8; all of them without bars."""
    rows = _between_bars(image_bgr)
    columns = _between_bars(np.swapaxes(image_bgr[rows], 0, 1))
    return rows, columns


def _between_bars(image: Image) -> slice:
    """Return the lines between two bars of one colour at the ends of the first axis. One bar may have text on it."""
    count = len(image)
    low = image.min(axis=1).astype(np.int16)  # (n, 3)
    high = image.max(axis=1).astype(np.int16)
    first, last = _thickness(low, high), _thickness(low[::-1], high[::-1])
    whole = slice(0, count)
    if first > last:
        last = max(last, _written_thickness(image[::-1], image[0], first))
    elif last > first:
        first = max(first, _written_thickness(image, image[-1], last))
    if not all(BAR_LEAST * count <= bar <= BAR_MOST * count for bar in (first, last)):
        return whole
    if abs(first - last) > max(SPARE_LINES, BAR_UNEVEN * count):
        return whole
    colours = [np.median(bar, axis=(0, 1)) for bar in (image[:first], image[count - last :])]
    if np.abs(colours[0] - colours[1]).max() > BAR_LIKE:
        return whole
    return slice(first + BAR_SEAM_PX, count - last - BAR_SEAM_PX)


def _thickness(low: npt.NDArray[np.int16], high: npt.NDArray[np.int16]) -> int:
    """Return how many lines from the first on have a single colour."""
    spread = 2 * BAR_FLAT
    same = ((high - low).max(axis=1) <= spread) & (np.abs(high - high[0]).max(axis=1) <= spread)
    return len(same) if same.all() else int(same.argmin())


def _written_thickness(image: Image, other: Image, most: int) -> int:
    """
    Return how many of the first ``most`` lines have the colour of ``other``, a line of the opposite bar, apart from
    text.
    """
    away = np.abs(image[:most].astype(np.int16) - np.median(other, axis=0)).max(axis=2)
    same = (away <= 2 * BAR_FLAT).mean(axis=1) >= WRITTEN_ON
    return int(np.flatnonzero(same)[-1]) + 1 if same.any() else 0
