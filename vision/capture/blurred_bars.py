"""
Detect blurred bars: bars beside a film that show the film itself, enlarged and blurred, to fill another frame shape.

Everything that happens in the film appears in such bars again, so that hands seem to come from where nobody sits. The
bars lie on both sides symmetrically, a straight seam separates them from the film, and nothing in them is sharp.
"""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
import numpy.typing as npt

from vision.capture.image_files import Image

ZOOMS = (1.0, 1.15, 1.3)
"""Enlargements of the film in the bars that are tried in turn, relative to filling the frame."""
COMPARED = (36, 64)
"""Width and height in pixels at which bars and film are compared: blurred bars have no finer detail."""

Profile = npt.NDArray[np.float64]
"""(n,): one value for each line of the picture across the examined axis."""


# What counts as blurred bars. Levels are 0..255, shares 0..1. Set by hand on three edited films; on 53 without such
# bars none is found, 2026-11.
BLURRED_BAR_LEAST = 0.08
"""Smallest share of the frame that each bar takes."""
BLURRED_BAR_SEAM_LEVELS = 6
"""Smallest difference in levels of neighbouring pixels across a seam."""
BLURRED_BAR_SEAM_SHARE = 0.5
"""Smallest share of a line across the frame that is seam."""
BLURRED_BAR_UNEVEN = 0.01
"""Largest difference of the two bars' widths, as a share of the frame."""
SHARPEST = 0.3
"""Mean difference in levels of pixels and their neighbours' mean: largest in a bar, smallest in the film."""
BLURRED_BAR_SHARPER = 4.0
"""Smallest ratio of that difference in the film to the one in a bar."""
BLURRED_BAR_SEAM_PX = 2
"""Pixels cut off with a bar: the codec mixes bar and film there."""


BLURRED_BAR_MOST = 0.4
"""Largest share of the frame that each bar takes."""
BLURRED_BAR_ALIKE = 0.5
"""Smallest correlation of a bar with the film enlarged to fill the frame, -1..1."""


def film_between_bars(first_bgr: Image, samples: Iterable[Image]) -> tuple[slice, slice]:
    """
    Return the rows and columns of the film within a frame (h, w, 3) uint8; all of them without bars.

    ``samples``: pictures from all over the film, expensive to get; requested only while there may be bars.
    """
    rows, columns = first_bgr.shape[:2]
    bar = _bar(first_bgr)
    is_beside = bar == 0
    if is_beside:
        bar = _bar(np.swapaxes(first_bgr, 0, 1))
    pictures = (np.swapaxes(sample, 0, 1) if is_beside else sample for sample in samples)
    if not bar or not all(_is_blurred(picture, bar) for picture in pictures):
        return slice(0, rows), slice(0, columns)
    cut = bar + BLURRED_BAR_SEAM_PX
    return (slice(0, rows), slice(cut, columns - cut)) if is_beside else (slice(cut, rows - cut), slice(0, columns))


def _bar(image: Image) -> int:
    """Return how many rows a bar above and one below take; 0 if there are none."""
    rows = len(image)
    step = np.abs(np.diff(image.astype(np.int16), axis=0)).max(axis=2) > BLURRED_BAR_SEAM_LEVELS
    share = np.maximum(step[:-1], step[1:]).mean(axis=1)  # a seam between two pixels is blurred by one
    seams = np.flatnonzero(share >= BLURRED_BAR_SEAM_SHARE) + 1
    below = rows - seams
    for at in (int(k) for k in seams if BLURRED_BAR_LEAST * rows <= k <= BLURRED_BAR_MOST * rows):
        if (np.abs(below - at) <= BLURRED_BAR_UNEVEN * rows).any() and _is_blurred(image, at):
            return at if _shows_the_film(image, at) else 0
    return 0


def _is_blurred(image: Image, bar: int) -> bool:
    """Check whether the first and last ``bar`` rows are blurred and the rest far sharper."""
    grey = cv2.cvtColor(np.ascontiguousarray(image), cv2.COLOR_BGR2GRAY)
    sharp: Profile = np.abs(cv2.Laplacian(grey, cv2.CV_32F)).mean(axis=1).astype(np.float64) / 4
    within = max(1, bar - BLURRED_BAR_SEAM_PX - round(BLURRED_BAR_UNEVEN * len(grey)))
    outside = float(max(sharp[:within].mean(), sharp[-within:].mean()))
    least = max(SHARPEST, BLURRED_BAR_SHARPER * outside)
    return outside <= SHARPEST and float(sharp[bar:-bar].mean()) >= least


def _shows_the_film(image: Image, bar: int) -> bool:
    """Check whether the first and last ``bar`` rows show the rest enlarged to fill the frame."""
    rows, columns = image.shape[:2]
    grey = cv2.cvtColor(np.ascontiguousarray(image), cv2.COLOR_BGR2GRAY)
    film = grey[bar:-bar]
    shown, lines = cv2.resize(grey, COMPARED, interpolation=cv2.INTER_AREA), bar * COMPARED[1] // rows
    for zoom in ZOOMS:
        wide = round(columns / zoom * len(film) / rows)
        tall = round(len(film) / zoom)
        left, top = (columns - wide) // 2, (len(film) - tall) // 2
        filling = cv2.resize(film[top : top + tall, left : left + wide], COMPARED, interpolation=cv2.INTER_AREA)
        one, other = (np.concatenate([each[:lines], each[-lines:]]).ravel() for each in (filling, shown))
        if one.std() > 0 and other.std() > 0 and float(np.corrcoef(one, other)[0, 1]) >= BLURRED_BAR_ALIKE:
            return True
    return False
