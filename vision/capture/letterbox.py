"""
Bars round a film: a picture of one shape put into a frame of another, as editors and video sites do.

Hands come in from the picture's edge; behind a bar they would seem to appear from nowhere. So the bars are cut
off.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class BarSettings:
    """
    What counts as a bar.

    ``flat``: the most its pixels differ from their middle, in grey levels: the codec's own noise, less than a camera's.
    ``like``: how far the two bars' colours may be apart. ``least``, ``most``: share of the frame each takes.
    ``uneven``: how much one may be thicker than the other, as a share of the frame. ``seam_px``: where a
    bar was, so much of the picture goes too: the codec mixes the two there.
    """

    flat: float = 3.0
    like: float = 4.0
    least: float = 0.03
    most: float = 0.4
    uneven: float = 0.01
    seam_px: int = 2


def picture_in(image_bgr: Image, settings: BarSettings = BarSettings()) -> tuple[slice, slice]:
    """Rows and columns of the picture itself, within a frame (h, w, 3) uint8; all of them where there are no bars."""
    rows = _between_bars(image_bgr, settings)
    columns = _between_bars(np.swapaxes(image_bgr[rows], 0, 1), settings)
    return rows, columns


def _between_bars(image: Image, settings: BarSettings) -> slice:
    """The lines between two bars of one colour, at the beginning and the end of the first axis."""
    count = len(image)
    low = image.min(axis=1).astype(np.int16)  # (n, 3)
    high = image.max(axis=1).astype(np.int16)
    first, last = _thickness(low, high, settings), _thickness(low[::-1], high[::-1], settings)
    whole = slice(0, count)
    if not all(settings.least * count <= bar <= settings.most * count for bar in (first, last)):
        return whole
    if abs(first - last) > max(2.0, settings.uneven * count):
        return whole
    colours = [image[:first].mean(axis=(0, 1)), image[count - last :].mean(axis=(0, 1))]
    if np.abs(colours[0] - colours[1]).max() > settings.like:
        return whole
    return slice(first + settings.seam_px, count - last - settings.seam_px)


def _thickness(low: npt.NDArray[np.int16], high: npt.NDArray[np.int16], settings: BarSettings) -> int:
    """How many lines from the first on have one and the same colour."""
    spread = 2 * settings.flat
    same = ((high - low).max(axis=1) <= spread) & (np.abs(high - high[0]).max(axis=1) <= spread)
    return len(same) if same.all() else int(same.argmin())
