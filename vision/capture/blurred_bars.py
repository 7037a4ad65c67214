"""
Bars beside a film that show the film itself, enlarged and blurred: how editors fill a frame of another shape.

Whatever happens in the film happens in such bars once more: hands come in where nobody sits. They lie on both sides
alike, a straight seam divides them from the film, and nothing in them is sharp.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.capture.image_files import Image

ZOOMS = (1.0, 1.15, 1.3)
"""How many times larger than to fill the frame the film may be shown in the bars: editors differ. Tried in turn."""
COMPARED = (36, 64)
"""Width and height in pixels at which bars and film are compared: what is blurred has no more."""

Profile = npt.NDArray[np.float64]
"""(n,): a value for each line of the picture across the axis looked along."""


@dataclass(frozen=True, slots=True)
class BlurredBarSettings:
    """
    What counts as blurred bars. Levels are of 0..255, shares from 0 to 1. Set by hand on three edited films; on 53
    without such bars none is found, 2026-11.
    """

    least: float = 0.08
    """Share of the frame that each bar takes at least."""
    most: float = 0.4
    """Share of the frame that each bar takes at most."""
    seam_levels: int = 6
    """Neighbouring pixels on the two sides of a seam differ by this much."""
    seam_share: float = 0.5
    """So much of a line across the frame is seam."""
    uneven: float = 0.01
    """Share of the frame by which the two bars may differ."""
    sharpest: float = 0.3
    """Mean levels by which a bar's pixels differ from their neighbours' mean, at most, and a film's at least."""
    sharper: float = 4.0
    """The film's differ so many times as much."""
    alike: float = 0.5
    """Correlation of a bar with what the film shows there once it fills the frame, -1..1."""
    seam_px: int = 2
    """Pixels cut off with a bar: the codec mixes the two there."""


def film_between_bars(
    first_bgr: Image, samples: Iterable[Image], settings: BlurredBarSettings = BlurredBarSettings()
) -> tuple[slice, slice]:
    """
    Rows and columns of the film itself, within a frame (h, w, 3) uint8; all of them where no bars lie beside it.

    ``samples``: pictures from all over the film, dear to get; they are asked for only while there may be bars.
    """
    rows, columns = first_bgr.shape[:2]
    bar = _bar(first_bgr, settings)
    is_beside = bar == 0
    if is_beside:
        bar = _bar(np.swapaxes(first_bgr, 0, 1), settings)
    pictures = (np.swapaxes(sample, 0, 1) if is_beside else sample for sample in samples)
    if not bar or not all(_is_blurred(picture, bar, settings) for picture in pictures):
        return slice(0, rows), slice(0, columns)
    cut = bar + settings.seam_px
    return (slice(0, rows), slice(cut, columns - cut)) if is_beside else (slice(cut, rows - cut), slice(0, columns))


def _bar(image: Image, settings: BlurredBarSettings) -> int:
    """How many rows a bar above and one below take; 0 where none do."""
    rows = len(image)
    step = np.abs(np.diff(image.astype(np.int16), axis=0)).max(axis=2) > settings.seam_levels
    share = np.maximum(step[:-1], step[1:]).mean(axis=1)  # a seam between two pixels is blurred by one
    seams = np.flatnonzero(share >= settings.seam_share) + 1
    below = rows - seams
    for at in (int(k) for k in seams if settings.least * rows <= k <= settings.most * rows):
        if (np.abs(below - at) <= settings.uneven * rows).any() and _is_blurred(image, at, settings):
            return at if _shows_the_film(image, at, settings) else 0
    return 0


def _is_blurred(image: Image, bar: int, settings: BlurredBarSettings) -> bool:
    """Is nothing sharp in the first and last ``bar`` rows, and the rest far sharper?"""
    grey = cv2.cvtColor(np.ascontiguousarray(image), cv2.COLOR_BGR2GRAY)
    sharp: Profile = np.abs(cv2.Laplacian(grey, cv2.CV_32F)).mean(axis=1).astype(np.float64) / 4
    within = max(1, bar - settings.seam_px - round(settings.uneven * len(grey)))
    outside = float(max(sharp[:within].mean(), sharp[-within:].mean()))
    least = max(settings.sharpest, settings.sharper * outside)
    return outside <= settings.sharpest and float(sharp[bar:-bar].mean()) >= least


def _shows_the_film(image: Image, bar: int, settings: BlurredBarSettings) -> bool:
    """Do the first and last ``bar`` rows show what the rest would, enlarged so far that it fills the frame?"""
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
        if one.std() > 0 and other.std() > 0 and float(np.corrcoef(one, other)[0, 1]) >= settings.alike:
            return True
    return False
