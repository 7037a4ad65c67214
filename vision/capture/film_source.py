"""
Read the film of a stored match as a source: its frames at the match's times, whole or from one second to another.

Pixels outside the table's outline were blackened before they were written, and the outline grows as the game spreads.
Motion detection would take each growth for a new object. So missing pixels are filled with their last visible value,
or, before the first one, with their median over the film; pixels that are never visible stay black.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.capture.film_file import Film
from vision.capture.sources import USUAL_FPS, Frame, Image, Source

SHORTEST_S = 1e-3
"""Shortest time in seconds between two frames that counts for a frame rate."""
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class OutlineFilling:
    """How the black outside the table's outline is found and filled. Set by hand, 2026-11, on the shipped recording."""

    black: int = 20
    """Grey value, 0 to 255, up to which a pixel may be blackened: the encoder is not exact."""
    rim_px: int = 6
    """Pixels inside the outline that are filled too: the encoder blurs its edge."""
    step: int = 4
    """Spacing in pixels of the grid on which the outline is searched."""
    samples: int = 9
    """Frames, spread over the film, from which the median picture is computed."""


class FilmSource(Source):
    """
    Return the frames of ``film`` from ``begin_s`` to ``end_s`` (seconds of the match); ``at`` is the match's time.

    A fragment that cannot be decoded is left out, with a note.
    """

    def __init__(
        self,
        film: Film,
        name: str,
        begin_s: float = 0.0,
        end_s: float = float("inf"),
        filling: OutlineFilling = OutlineFilling(),
    ) -> None:
        self._film, self._span, self._filling = film, (begin_s, end_s), filling
        times = film.frames_s[(film.frames_s >= begin_s) & (film.frames_s <= end_s)]
        step_s = float(np.median(np.diff(times))) if len(times) > 1 else 0.0
        fps = 1 / step_s if step_s > SHORTEST_S else USUAL_FPS
        super().__init__(name, fps, film.picture_size, False, len(times))

    def __iter__(self) -> Iterator[Frame]:
        number = 0
        canvas = self._usual()
        for at, image in self._film.pictures(*self._span):
            if image is None:
                self.notes.append(
                    f"{self.name}: expected a second of film at {at:.1f} s, got one that can't be decoded; "
                    "it is left out"
                )
                continue
            shown = shown_part(image, self._filling)
            if shown is not None:
                canvas = np.where(shown[..., None], image, canvas)
                image = canvas
            yield Frame(image, number, at)
            number += 1

    def _usual(self) -> Image:
        """Return the median of each pixel over the frames that show it; (h, w, 3) uint8, black if none does."""
        begin, end = np.searchsorted(self._film.frames_s, self._span)
        places = np.linspace(begin, max(begin, end - 1), self._filling.samples + 2)[1:-1] if end > begin else ()
        images = [self._film.picture(float(self._film.frames_s[round(place)])) for place in places]
        seen = [image for image in images if image is not None]
        width, height = self.size
        if not seen:
            return np.zeros((height, width, 3), np.uint8)
        parts = [shown_part(image, self._filling) for image in seen]
        shown = np.stack([np.ones((height, width), bool) if part is None else part for part in parts])[..., None]
        # Missing values are sorted to the end; the middle of the rest is the median.
        values = np.sort(np.where(shown, np.stack(seen), 255), axis=0)
        middle = np.maximum(shown.sum(axis=0, keepdims=True) - 1, 0) // 2
        usual = np.take_along_axis(values, np.broadcast_to(middle, (1, *values.shape[1:])), axis=0)[0]
        return np.where(shown.any(axis=0), usual, 0).astype(np.uint8)


def shown_part(image: Image, filling: OutlineFilling = OutlineFilling()) -> Mask | None:
    """
    Return where a frame, (h, w, 3) uint8, shows the table: (h, w) bool; None if it shows all.

    The outline is convex: it is the hull of all that is not black.
    """
    small = image[:: filling.step, :: filling.step].max(axis=2)
    lit = cv2.morphologyEx((small > filling.black).astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    points = cv2.findNonZero(lit)
    mask = np.zeros(image.shape[:2], np.uint8)
    if points is None:
        return mask.astype(bool)
    hull = cv2.convexHull(points) * filling.step
    if cv2.contourArea(hull) >= 0.995 * (image.shape[0] - filling.step) * (image.shape[1] - filling.step):
        return None
    cv2.fillConvexPoly(mask, hull, 1)
    # Pixels outside the hull at the picture's own edge are no rim of the outline.
    edge = cv2.copyMakeBorder(mask, 2 * filling.step, *(3 * (2 * filling.step,)), cv2.BORDER_REPLICATE)
    size = 2 * filling.rim_px + 1
    eroded = cv2.erode(edge, np.ones((size, size), np.uint8))
    inner = eroded[2 * filling.step : -2 * filling.step, 2 * filling.step : -2 * filling.step]
    return np.asarray(inner, np.uint8).astype(bool)
