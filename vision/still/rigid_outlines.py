"""
Cards outlined as what they are: rigid, of the deck's size, on the table's plane.

Of a card that another lies on, the corner refiner tells the corners in view well and the hidden ones badly. So it is
asked again and again, and after each pass the card is laid rigidly by what shows of it. From outlines that are half the
cover's, or that span two cards, it so comes to the card's own within two or three passes. The plane and the size are
those of the cards on top, which are seen whole.
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
from vision.geometry.plane_homography import Matrix
from vision.geometry.quads import Array, area, boxes_meet, iou, warp

Refine = Callable[[Array], Array]
"""(n, 4, 2) proposed corners -> (n, 4, 2) better ones."""


@dataclass(frozen=True, slots=True)
class RigidSettings:
    """
    When an outline is laid anew and how. Chosen on 120 development tables of photographed pairs, 2026-11: of 44
    outlines asked about 34 shared less than 0.85 with the card before, 9 after, and 4 were worse than before.
    """

    hidden_weight: float = 0.15
    """What a hidden corner counts beside one in view, 0..1."""
    passes: int = 3
    """Passes of the corner refiner."""
    same_size: float = 0.13
    """Share by which sides and diagonals may miss a card's for an outline to be left as it is."""
    covered: float = 0.3
    """How surely a card must lie on it for its corners to be in doubt."""
    smaller: float = 0.8
    """Area, in whole cards, up to which an outline is cut whatever lies on it."""
    larger: float = 1.15
    """Area, in whole cards, from which an outline spans two whatever lies on it."""
    part_area: float = 0.8
    """Share of a card's area up to which what lies within it is a part of it."""
    part_within: float = 0.85
    """Share of such a part that lies within that card."""
    as_sure: float = 0.97
    """Share of a name from which the new outline is believed, though the old one read a little surer."""


@dataclass(frozen=True, slots=True, eq=False)
class CardPlane:
    """``to_mm``: 3x3, from the picture to the table. ``size_mm``: (short, long) edges of the deck's cards there."""

    to_mm: Matrix
    size_mm: tuple[float, float]

    @property
    def to_px(self) -> Matrix:
        """And back."""
        return np.asarray(np.linalg.inv(self.to_mm), np.float64)

    def laid(self, quad: Array, weights: Array) -> Array:
        """The card of this deck that best fits the corners of a quad (4, 2) px, each counting as its weight says."""
        return warp(self.to_px, rigid_by(warp(self.to_mm, quad), weights, self.size_mm))

    def cards(self, quad: Array) -> float:
        """How many cards' area a quad (4, 2) px has."""
        return area(warp(self.to_mm, quad)) / (self.size_mm[0] * self.size_mm[1])


def plane_of(corners_px: Array, on_it: Array, picture: tuple[int, int], settings: CompletionSettings) -> CardPlane:
    """
    The plane and size of n cards (n, 4, 2), one at least; ``on_it`` (n,): how surely another lies on each.

    picture: (width, height).
    """
    top = on_it < RigidSettings().covered
    plane = plane_of_whole_cards(corners_px[top] if top.any() else corners_px, picture, settings)
    assert plane is not None, "no card to tell the plane by"
    laid = warp(plane.to_mm, corners_px)
    whole = [quad for quad in laid if is_whole(quad, settings)] or list(laid)
    short, long = np.median([edges_of(quad) for quad in whole], axis=0)
    return CardPlane(plane.to_mm, (float(short), float(long)))


def nearly_meet(quads: Array) -> npt.NDArray[np.bool_]:
    """(n, n): do the upright boxes round two of n cards (n, 4, 2) meet, or all but? A cut card ends at its cover."""
    middles = quads.mean(axis=1, keepdims=True)
    return boxes_meet(middles + (1 + REACH) * (quads - middles)) & ~np.eye(len(quads), dtype=bool)


def lying_together(quads: Array, shared: Array) -> npt.NDArray[np.intp]:
    """(n,) how many of n cards (n, 4, 2) lie together with each, of which those that only touch do not count."""
    sizes = np.array([area(quad) for quad in quads])
    return group_sizes(shared >= ONLY_TOUCHES * np.minimum(sizes[:, None], sizes[None]))


def badly_outlined(
    corners_px: Array, on_it: Array, meet: npt.NDArray[np.bool_], plane: CardPlane, settings: RigidSettings
) -> list[int]:
    """Which of n cards (n, 4, 2) are outlined as no card can lie; ``meet``: (n, n) bool, which of them meet."""
    tolerant = replace(CompletionSettings(), same_size=settings.same_size)
    return [
        k
        for k, quad in enumerate(corners_px)
        if meet[k].any()
        and not is_whole(warp(plane.to_mm, quad), tolerant)
        and (on_it[k] >= settings.covered or not settings.smaller < plane.cards(quad) < settings.larger)
    ]


def settled(
    quads: Array, lids: Sequence[Sequence[Array]], refine: Refine, plane: CardPlane, settings: RigidSettings
) -> tuple[Array, Array]:
    """
    Proposed outlines (n, 4, 2) moved onto the cards that show there, and (n,) how far each still moved in the end.

    lids: for each what may lie on it, (4, 2) px. Moved: 1 less the intersection over union of the last two; 1 where
    the refiner would not tell.
    """
    moved = np.ones(len(quads), np.float32)
    for _ in range(settings.passes):
        found = refine(quads)
        better = np.stack([plane.laid(*each) for each in zip(found, _weights(found, lids, settings), strict=True)])
        is_told = np.abs(found - quads).max(axis=(1, 2)) > 0
        shares = np.array([iou(new, old) for new, old in zip(better, quads, strict=True)])
        moved, quads = np.where(is_told, 1 - shares, 1).astype(np.float32), better
    return quads, moved


def _weights(quads: Array, lids: Sequence[Sequence[Array]], settings: RigidSettings) -> Array:
    """(n, 4): what each corner counts."""
    return np.array(
        [
            [
                1.0 if all(cv2.pointPolygonTest(lid, corner, False) < 0 for lid in over) else settings.hidden_weight
                for corner in quad.tolist()
            ]
            for quad, over in zip(quads, lids, strict=True)
        ],
        np.float32,
    )
