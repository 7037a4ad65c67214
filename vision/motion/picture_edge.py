"""
Where the picture ends, and arms come in: at its border, or where the black begins that lies round what a film shows.

A kept film shows the table alone (``vision/capture/video_writer.py``), others are round or tilted within black. What a
camera sees is never quite black up to its border, and even from frame to frame.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.capture.sources import Image
from vision.motion.motion_settings import MotionSettings

Flags = npt.NDArray[np.bool_]
PixelPoint = tuple[float, float]

_NEAR = np.ones((3, 3), np.uint8)


class PictureEdge:
    """Of pictures of one size, reduced as the gate reduces them."""

    def __init__(self, settings: MotionSettings) -> None:
        self._settings = settings
        self._share = 0.0
        self._rim: tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]] | None = None

    def feed(self, background: Image) -> None:
        """The table (h, w, 3) uint8 as it is thought to be: is there black round it?"""
        s = self._settings
        black = cv2.inRange(background, (0, 0, 0), (s.black_levels,) * 3)
        share = cv2.countNonZero(black) / black.size
        if self._rim is not None and abs(share - self._share) < s.black_share:
            return
        self._share = share
        rim = _outline(black > 0, s) if share >= s.black_share else None
        self._rim = _border(black.shape) if rim is None else rim

    def contacts(self, where: Flags) -> list[PixelPoint]:
        """Middles of the runs along the edge that a patch covers, as (x, y); small gaps are bridged."""
        assert self._rim is not None
        rim_x, rim_y = self._rim
        on = np.flatnonzero(where[rim_y, rim_x])
        if len(on) == 0:
            return []
        gap = self._settings.contact_gap_px
        runs = np.split(on, np.flatnonzero(np.diff(on) > gap) + 1)
        if len(runs) > 1 and runs[0][0] + len(rim_x) - runs[-1][-1] <= gap:
            runs[0] = np.concatenate([runs[-1] - len(rim_x), runs[0]])
            runs.pop()
        least = self._settings.contact_px
        return [(float(rim_x[run].mean()), float(rim_y[run].mean())) for run in runs if len(run) >= least]


def _border(shape: tuple[int, ...]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Columns and rows of the picture's border, all the way round."""
    rows, columns = shape
    across, down = np.arange(columns), np.arange(rows)
    last_column, last_row = np.full(rows, columns - 1), np.full(columns, rows - 1)
    rim_x = np.concatenate([across, last_column, across[::-1], np.zeros(rows, int)])
    return rim_x, np.concatenate([np.zeros(columns, int), down, last_row, down[::-1]])


def _outline(black: Flags, settings: MotionSettings) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]] | None:
    """Columns and rows of the outline of what is shown; None where the black does not reach the border."""
    count, patches, stats, _ = cv2.connectedComponentsWithStats(black.astype(np.uint8), connectivity=4)
    rows, columns = black.shape
    hidden = np.zeros(black.shape, np.uint8)
    for k in range(1, count):
        left, top, wide, tall, size = (int(v) for v in stats[k])
        at_border = left == 0 or top == 0 or left + wide == columns or top + tall == rows
        if at_border and size >= settings.black_share * black.size:
            hidden[patches == k] = 1
    if not hidden.any():
        return None
    # Where black meets the picture a film's compression has made a mixture of both.
    shown = (cv2.dilate(hidden, _NEAR) == 0).astype(np.uint8)
    outlines, _ = cv2.findContours(shown, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not outlines:
        return None
    outline = max(outlines, key=cv2.contourArea)[:, 0]
    return outline[:, 0].astype(np.intp), outline[:, 1].astype(np.intp)
