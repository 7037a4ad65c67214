"""
Fit outlines as rigid cards of the deck's size on the table's plane.

For a partly covered card the corner refiner is exact at visible corners and inexact at hidden ones. So it is run
repeatedly, and after each pass a rigid card is fitted to the visible corners. From outlines that are half the cover's,
or that span two cards, this converges to the card's own within two or three passes. Plane and size are estimated from
the uncovered cards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from vision.detection.crowding import group_sizes
from vision.detection.z_order import ONLY_TOUCHES
from vision.geometry.amodal_completion import REACH, CompletionSettings, is_whole, plane_of_whole_cards
from vision.geometry.card_chains import edges_of, rigid_by
from vision.geometry.quads import Array, Matrix, area, boxes_meet, iou, warp

Refine = Callable[[Array], Array]
"""Refines (n, 4, 2) proposed corners: (n, 4, 2), in the same order."""


# When an outline is fitted again and how. Chosen on 120 development tables of photographed pairs, 2026-11: of 44
# outlines tested, 34 had less than 0.85 in common with the card before, 9 after, and 4 became worse.
HIDDEN_WEIGHT = 0.15
"""Weight of a hidden corner relative to a visible one, 0..1."""
RIGID_PASSES = 3
"""Passes of the corner refiner."""
RIGID_SMALLER = 0.8
"""Area in whole cards up to which an outline counts as cut, whatever lies on it."""
RIGID_LARGER = 1.15
"""Area in whole cards from which an outline counts as spanning two, whatever lies on it."""
PART_AREA = 0.8
"""Share of a card's area up to which a detection inside it is a part of it."""
PART_WITHIN = 0.85
"""Share of such a part that lies inside that card."""
AS_SURE = 0.97
"""Class share from which the new outline is accepted even if the old one read a little more surely."""
RIGID_SAME_SIZE = 0.13
"""Share by which sides and diagonals may differ from a card's for an outline to be left unchanged."""
RIGID_COVERED = 0.3
"""Probability that another card lies on it from which a card's corners are doubted."""


@dataclass(frozen=True, slots=True, eq=False)
class CardPlane:
    """``to_mm``: 3x3, from the picture to the table. ``size_mm``: (short, long) edges of the deck's cards there."""

    to_mm: Matrix
    size_mm: tuple[float, float]

    @property
    def to_px(self) -> Matrix:
        """Return the inverse: from the table to the picture."""
        return np.asarray(np.linalg.inv(self.to_mm), np.float64)

    def laid(self, quad: Array, weights: Array) -> Array:
        """Fit a card of this deck to the corners of a quad (4, 2) px with the given weights (4,)."""
        return warp(self.to_px, rigid_by(warp(self.to_mm, quad), weights, self.size_mm))

    def cards(self, quad: Array) -> float:
        """Return the area of a quad (4, 2) px in whole cards."""
        return area(warp(self.to_mm, quad)) / (self.size_mm[0] * self.size_mm[1])


def plane_of(corners_px: Array, on_it: Array, picture: tuple[int, int], settings: CompletionSettings) -> CardPlane:
    """
    Estimate the plane and card size from n cards (n, 4, 2), at least one; ``on_it`` (n,): the probability that each is
    covered.

    picture: (width, height).
    """
    top = on_it < RIGID_COVERED
    plane = plane_of_whole_cards(corners_px[top] if top.any() else corners_px, picture, settings)
    assert plane is not None, "no card to tell the plane by"
    laid = warp(plane.to_mm, corners_px)
    whole = [quad for quad in laid if is_whole(quad, settings)] or list(laid)
    short, long = np.median([edges_of(quad) for quad in whole], axis=0)
    return CardPlane(plane.to_mm, (float(short), float(long)))


def nearly_meet(quads: Array) -> npt.NDArray[np.bool_]:
    """
    Return (n, n), whether the bounding boxes of two of n cards (n, 4, 2) meet or nearly meet: a cut outline ends at its
    cover.
    """
    middles = quads.mean(axis=1, keepdims=True)
    return boxes_meet(middles + (1 + REACH) * (quads - middles)) & ~np.eye(len(quads), dtype=bool)


def lying_together(quads: Array, shared: Array) -> npt.NDArray[np.intp]:
    """Return for each of n cards (n, 4, 2) the size of its group, (n,); cards that only touch are not connected."""
    sizes = np.array([area(quad) for quad in quads])
    return group_sizes(shared >= ONLY_TOUCHES * np.minimum(sizes[:, None], sizes[None]))


def badly_outlined(corners_px: Array, on_it: Array, meet: npt.NDArray[np.bool_], plane: CardPlane) -> list[int]:
    """Return which of n cards (n, 4, 2) have an impossible outline; ``meet``: (n, n) bool, which of them meet."""
    tolerant = replace(CompletionSettings(), same_size=RIGID_SAME_SIZE)
    return [
        k
        for k, quad in enumerate(corners_px)
        if meet[k].any()
        and not is_whole(warp(plane.to_mm, quad), tolerant)
        and (on_it[k] >= RIGID_COVERED or not RIGID_SMALLER < plane.cards(quad) < RIGID_LARGER)
    ]


def fitted_outlines(
    quads: Array, occluders: Sequence[Sequence[Array]], refine: Refine, plane: CardPlane
) -> tuple[Array, Array]:
    """
    Move proposed outlines (n, 4, 2) onto the visible cards; return them and (n,) how far each moved in the last pass.

    lids: for each the cards that may lie on it, (4, 2) px. Moved: 1 less the intersection over union of the last two
    outlines; 1 if the refiner rejected its own result.
    """
    moved = np.ones(len(quads), np.float32)
    for _ in range(RIGID_PASSES):
        quads, moved = fitted_once(quads, occluders, refine, plane)
    return quads, moved


def fitted_once(
    quads: Array, occluders: Sequence[Sequence[Array]], refine: Refine, plane: CardPlane
) -> tuple[Array, Array]:
    """Run one pass of ``fitted_outlines``."""
    found = refine(quads)
    better = np.stack([plane.laid(*seen) for seen in zip(found, visible_weights(found, occluders), strict=True)])
    is_moved = np.abs(found - quads).max(axis=(1, 2)) > 0
    shares = np.array([iou(new, old) for new, old in zip(better, quads, strict=True)])
    return better, np.where(is_moved, 1 - shares, 1).astype(np.float32)


def visible_weights(quads: Array, occluders: Sequence[Sequence[Array]]) -> Array:
    """Return the weight of each corner, (n, 4)."""
    return np.array(
        [
            [
                1.0 if all(cv2.pointPolygonTest(lid, corner, False) < 0 for lid in over) else HIDDEN_WEIGHT
                for corner in quad.tolist()
            ]
            for quad, over in zip(quads, occluders, strict=True)
        ],
        np.float32,
    )
