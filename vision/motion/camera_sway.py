"""
Does the camera itself move, as one held in a hand does? Then every edge in the picture moves, and what is plain
does not.

An arm moves its own edges and leaves those of cards, cups and prints elsewhere as they are; a lamp that flickers
changes plain patches as much as edges. So the picture is taken in quarters: the camera moves where the edges of all
quarters that have any change from frame to frame, while what is plain stays.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.capture.image_files import Image


@dataclass(frozen=True, slots=True)
class CameraSwaySettings:
    """
    When a camera counts as moving. Shares are from 0 to 1, pixels those of the gate's reduced picture.

    Set by hand, 2026-11.
    """

    edge_levels: float = 120.0
    """Where grey levels change by so much over three pixels (Sobel) there is an edge. Higher: faint tables are never
    known to move; lower: noise is edges."""
    least_moved: float = 0.004
    """Where less of the picture has changed, no camera moved. Higher: slow hands are overlooked; lower: dearer."""
    least_px: int = 40
    """A quarter of the picture with fewer such pixels says nothing. More: bare tables are never known to move; fewer:
    specks decide."""
    quarters: int = 3
    """So many quarters must have something to say. More: bare corners keep it from being noticed; fewer: an arm over a
    bare table passes for a camera that moves."""
    edges_moved: float = 0.45
    """So much of a quarter's edges must have changed since the frame before. Higher: slow hands are overlooked; lower:
    an arm in every quarter passes for a camera that moves."""
    plain_moved: float = 0.25
    """Of what is plain no more than this. Higher: a lamp that flickers passes for it; lower: patterned cloths hide
    it."""
    window_s: float = 2.0
    """It is judged over so long ..."""
    share: float = 0.6
    """... of whose frames so many must have moved. Higher, either: told later; lower: a bump is a camera in the
    hand."""
    rest_s: float = 0.6
    """At rest for so long, it has come to rest. Longer: refereed again later; shorter: told to rest while it
    sways."""


class CameraSway:
    """Feed it what moved in every frame; ask it whether the camera does."""

    def __init__(self, settings: CameraSwaySettings = CameraSwaySettings()) -> None:
        self.settings = settings
        self.moves = False
        """Is the camera moving, and has been for a while?"""
        self._lately: deque[tuple[float, bool]] = deque()
        self._moved_at = 0.0

    def feed(self, small: Image, moved: npt.NDArray[np.bool_], at: float) -> bool:
        """
        Take in a reduced picture (rows, columns, 3) and what of it differs from the frame before; ``moves`` then.
        """
        s = self.settings
        is_moved = self._is_moved(small, moved)
        if is_moved:
            self._moved_at = at
        self._lately.append((at, is_moved))
        while at - self._lately[0][0] > s.window_s:
            self._lately.popleft()
        if self.moves:
            self.moves = at - self._moved_at < s.rest_s
        elif at - self._lately[0][0] >= s.window_s * s.share:
            self.moves = sum(moved for _, moved in self._lately) >= s.share * len(self._lately)
        return self.moves

    def _is_moved(self, small: Image, moved: npt.NDArray[np.bool_]) -> bool:
        """Has every edge moved in this frame, and nothing else?"""
        s = self.settings
        if float(moved.mean()) < s.least_moved:
            return False
        grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
        slope = np.abs(cv2.Sobel(grey, cv2.CV_32F, 1, 0)) + np.abs(cv2.Sobel(grey, cv2.CV_32F, 0, 1))
        edges = slope > s.edge_levels
        plain = cv2.dilate(edges.astype(np.uint8), np.ones((7, 7), np.uint8)) == 0
        if plain.any() and float(moved[plain].mean()) > s.plain_moved:
            return False
        rows, columns = (side // 2 for side in moved.shape)
        parts = [np.s_[r : r + rows, c : c + columns] for r in (0, rows) for c in (0, columns)]
        telling = [part for part in parts if int(edges[part].sum()) >= s.least_px]
        return len(telling) >= s.quarters and all(
            float(moved[part][edges[part]].mean()) >= s.edges_moved for part in telling
        )
