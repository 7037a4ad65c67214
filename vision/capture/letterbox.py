"""
Cut off what stands beside a film and is no part of the camera's picture.

* **Bars of one colour**, as editors and video sites add them to fit another frame shape. Hands come in at the picture's
  edge; behind a bar they would seem to appear from nowhere.
* **Blurred bars**, which show the film itself, enlarged and blurred. Everything that happens in the film appears in
  them again, so that hands seem to come from where nobody sits. They lie on both sides symmetrically, a straight seam
  separates them from the film, and nothing in them is sharp.
* **Panels**: a drawn strip along one edge of the frame, with a title or a logo. A camera's pixels are noisy and follow
  the light, a drawn strip's are not. So if a straight seam crosses the whole frame, pictures from all over the film are
  compared: a side that never changes, while the other side does, is cut off. Drawn cards on it lie on no table.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
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
        one, other = (np.concatenate([picture[:lines], picture[-lines:]]).ravel() for picture in (filling, shown))
        if one.std() > 0 and other.std() > 0 and float(np.corrcoef(one, other)[0, 1]) >= BLURRED_BAR_ALIKE:
            return True
    return False


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
        drawn, film = (
            (float(np.mean(changes)) for changes in zip(*seam.changes, strict=True)) if seam.changes else (0.0, 0.0)
        )
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
