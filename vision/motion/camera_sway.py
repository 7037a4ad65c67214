"""
Detect a moving camera, as one held in a hand: every edge in the picture moves, and plain areas do not.

An arm moves its own edges and leaves those of cards, cups and prints elsewhere as they are; a flickering lamp changes
plain areas as much as edges. So the camera moves if the edges of all quarters of the picture that have any change from
frame to frame, and plain areas don't.
"""

from __future__ import annotations

from collections import deque

import cv2
import numpy as np
import numpy.typing as npt

from vision.capture.image_files import Image

# Shares are from 0 to 1, pixels those of the reduced picture. Chosen by hand, 2026-11.
EDGE_LEVELS = 120.0
"""Change of grey levels over three pixels (Sobel) from which there is an edge."""
LEAST_MOVED = 0.004
"""If less of the picture has changed, no camera moved."""
LEAST_EDGE_PX = 40
"""A quarter of the picture with fewer pixels of edges says nothing."""
QUARTERS = 3
"""So many quarters must have enough edges."""
EDGES_MOVED, PLAIN_MOVED = 0.45, 0.25
"""Least share of a quarter's edges, and most share of plain areas, that have changed since the frame before."""
WINDOW_S, MOVED_SHARE = 2.0, 0.6
"""The camera moves if so many frames of so many seconds have moved."""
REST_S = 0.6
"""Without movement for so many seconds it is at rest."""


class CameraSway:
    """Judges from what moved in each frame whether the camera moves."""

    def __init__(self) -> None:
        self.moves = False
        """Has the camera been moving for a while?"""
        self._lately: deque[tuple[float, bool]] = deque()
        self._moved_at = 0.0

    def feed(self, small: Image, moved: npt.NDArray[np.bool_], at: float) -> bool:
        """
        Take in a frame, and return ``moves``.

        ``small``: the reduced picture (rows, columns, 3). ``moved``: pixels that differ from the frame before.
        """
        is_moved = self._is_moved(small, moved)
        if is_moved:
            self._moved_at = at
        self._lately.append((at, is_moved))
        while at - self._lately[0][0] > WINDOW_S:
            self._lately.popleft()
        if self.moves:
            self.moves = at - self._moved_at < REST_S
        elif at - self._lately[0][0] >= WINDOW_S * MOVED_SHARE:
            self.moves = sum(moved for _, moved in self._lately) >= MOVED_SHARE * len(self._lately)
        return self.moves

    def _is_moved(self, small: Image, moved: npt.NDArray[np.bool_]) -> bool:
        """Check whether every edge has moved in this frame, and nothing else."""
        if float(moved.mean()) < LEAST_MOVED:
            return False
        grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
        slope = np.abs(cv2.Sobel(grey, cv2.CV_32F, 1, 0)) + np.abs(cv2.Sobel(grey, cv2.CV_32F, 0, 1))
        edges = slope > EDGE_LEVELS
        plain = cv2.dilate(edges.astype(np.uint8), np.ones((7, 7), np.uint8)) == 0
        if plain.any() and float(moved[plain].mean()) > PLAIN_MOVED:
            return False
        rows, columns = (side // 2 for side in moved.shape)
        parts = [np.s_[r : r + rows, c : c + columns] for r in (0, rows) for c in (0, columns)]
        textured = [part for part in parts if int(edges[part].sum()) >= LEAST_EDGE_PX]
        return len(textured) >= QUARTERS and all(
            float(moved[part][edges[part]].mean()) >= EDGES_MOVED for part in textured
        )
