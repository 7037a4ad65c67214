"""
Compute the table's outline in the picture for the film, which must not show the people and the room around it.

The outline is the convex hull of all cards detected so far, the piles, and the zones that people set, with a margin for
hands that reach in. It grows as the game spreads; after a camera movement it starts again. Before the first detection
it is empty.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.layout import EVERYWHERE
from vision.view.pipeline_view import PipelineView

Points = npt.NDArray[np.float32]


# What counts as the table. Set by hand, 2026-11, on the development clips.
OUTLINE_GROWS = 0.25
"""Card diagonals by which a point must lie outside before the outline grows."""


@dataclass(frozen=True, slots=True)
class OutlineSettings:
    """What counts as the table. Set by hand, 2026-11, on the development clips."""

    margin: float = 1.2
    """Margin around the hull in card diagonals: hands that lay and sweep are visible, faces are not."""


class TableOutline:
    """
    Updates the outline with each view; ``polygon_px`` is the outline in the newest picture, None before any detection.
    """

    def __init__(self, settings: OutlineSettings = OutlineSettings()) -> None:
        self._settings = settings
        self._hull: Points | None = None
        self._drawn_for: tuple[float | None, tuple[int, int]] | None = None  # camera's last move, picture size
        self.polygon_px: npt.NDArray[np.int32] = np.zeros((0, 2), np.int32)

    def follow(self, view: PipelineView) -> npt.NDArray[np.int32]:
        """Update with a view; return the outline, (n, 2) int32 in pixels, the same array while it is unchanged."""
        if (view.moved_at, view.layout.picture) != self._drawn_for:
            self._drawn_for, self._hull = (view.moved_at, view.layout.picture), None
        cards = [np.array(card.corners_px, np.float32) for card in view.cards if card.is_confirmed]
        if not cards:
            return self.polygon_px
        diagonal = float(np.median([np.linalg.norm(quad[0] - quad[2]) for quad in cards]))
        points = np.concatenate([*cards, *_marked_zones(view)])
        if self._hull is not None and not self._is_outside(points, diagonal):
            return self.polygon_px
        known = points if self._hull is None else np.concatenate([self._hull, points])
        self._hull = np.asarray(cv2.convexHull(known.astype(np.float32)), np.float32).reshape(-1, 2)
        self.polygon_px = _grown(self._hull, self._settings.margin * diagonal, view.layout.picture)
        return self.polygon_px

    def _is_outside(self, points: Points, diagonal: float) -> bool:
        assert self._hull is not None
        limit = -OUTLINE_GROWS * diagonal
        return any(cv2.pointPolygonTest(self._hull, (float(x), float(y)), True) < limit for x, y in points)


def outline_round(cards_px: npt.NDArray[np.float32], picture: tuple[int, int]) -> npt.NDArray[np.int32]:
    """
    Return the outline around the cards of one picture, (n, 2) int32 in pixels; empty without cards.

    ``cards_px``: (n, 4, 2). ``picture``: (width, height).
    """
    if not len(cards_px):
        return np.zeros((0, 2), np.int32)
    diagonal = float(np.median(np.linalg.norm(cards_px[:, 0] - cards_px[:, 2], axis=1)))
    hull = np.asarray(cv2.convexHull(cards_px.reshape(-1, 2).astype(np.float32)), np.float32).reshape(-1, 2)
    return _grown(hull, OutlineSettings().margin * diagonal, picture)


def _marked_zones(view: PipelineView) -> list[Points]:
    """Return the corners of the piles and of the zones that people set."""
    layout = view.layout
    size = np.array(layout.picture, np.float32)
    found = [pile for pile in (layout.talon_px, *layout.heaps_px) if pile is not None]
    bout = layout.zones.bout
    if bout is not None and tuple(bout) != EVERYWHERE:
        found.append(np.array(bout, np.float32) * size)
    return [np.asarray(points, np.float32).reshape(-1, 2) for points in found]


def _grown(hull: Points, margin_px: float, picture: tuple[int, int]) -> npt.NDArray[np.int32]:
    """Return the hull with a margin around it, within the picture."""
    turns = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    ring = np.stack([np.cos(turns), np.sin(turns)], axis=1) * margin_px
    points = (hull[:, None] + ring[None]).reshape(-1, 2).astype(np.float32)
    outline = np.asarray(cv2.convexHull(points)).reshape(-1, 2)
    return np.clip(np.round(outline), 0, np.array(picture) - 1).astype(np.int32)
