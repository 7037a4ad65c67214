"""Reduce pictures to few colours as an animated GIF does: a palette of 256, with dithering."""

from __future__ import annotations

import cv2
import numpy as np

COLOURS = 256
EVERY_S = 0.25
"""Seconds for which a palette stays."""
ANYHOW = np.array(
    [[b, g, r] for b in (0, 85, 170, 255) for g in (0, 85, 170, 255) for r in (0, 85, 170, 255)], np.float32
)
"""Colours that are always in it."""
CELLS = 32
"""Values of a colour that are distinguished when its nearest one in the palette is looked up."""
BAYER = (
    np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]], np.float32) / 16 - 0.47
)  # fmt: skip
DITHER_LEVELS = 14.0


class Palette:
    """Reduces pictures to few colours, in order of time."""

    def __init__(self) -> None:
        self._table: np.ndarray | None = None
        self._since = -1e9

    def reduce(self, picture: np.ndarray, at: float) -> np.ndarray:
        """Reduce the picture of the time ``at`` (s), (h, w, 3) uint8 BGR, to 256 colours."""
        if self._table is None or at - self._since > EVERY_S:
            self._table, self._since = nearest_colours(picture), at
        height, width = picture.shape[:2]
        dots = np.tile(BAYER, (height // 4 + 1, width // 4 + 1))[:height, :width, None] * DITHER_LEVELS
        cells = (np.clip(picture + dots, 0, 255) * (CELLS / 256)).astype(np.int32)
        return np.asarray(self._table[cells[..., 0], cells[..., 1], cells[..., 2]])


def nearest_colours(picture: np.ndarray) -> np.ndarray:
    """Return (32, 32, 32, 3) uint8: for each coarse colour the nearest one of a palette made for the picture."""
    pixels = picture.reshape(-1, 3)[:: max(1, picture.shape[0] * picture.shape[1] // 6000)].astype(np.float32)
    cv2.setRNGSeed(1)
    stop = (cv2.TERM_CRITERIA_MAX_ITER, 4, 1.0)
    _, _, colours = cv2.kmeans(
        pixels, min(COLOURS - len(ANYHOW), len(pixels)), np.empty(0), stop, 1, cv2.KMEANS_RANDOM_CENTERS
    )
    colours = np.concatenate([colours, ANYHOW])
    axis = (np.arange(CELLS, dtype=np.float32) + 0.5) * (256 / CELLS)
    cells = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    apart = (colours**2).sum(axis=1)[None] - 2 * cells @ colours.T
    return np.asarray(np.round(colours[apart.argmin(axis=1)]).astype(np.uint8).reshape(CELLS, CELLS, CELLS, 3))
