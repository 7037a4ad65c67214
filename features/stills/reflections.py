"""
Tell a card from the reflection of another one in a glossy table.

A card that stands or is tilted on a glossy table is seen twice: its print again, mirrored at the edge on which it
stands, and darker. Such a mirror image is a card to the finder, and its name is whatever the mirrored signs resemble.
Two cards that lie edge to edge are equally bright, and their indices are not mirror images.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.detection.detections import FACE_COUNT, Detections
from vision.detection.rectification import Picture, crops_at
from vision.geometry.quads import Array


@dataclass(frozen=True, slots=True)
class ReflectionModel:
    """
    When an outline is a mirror image of the card beside it.

    Chosen by hand, 2026-11, on drawn reflections and on the one photograph of such a case, which is a guard's.
    """

    meets: float = 0.12
    """Distance of the corners of the common edge, as a share of its length."""
    dimmer: float = 0.8
    """Largest brightness of the mirror image's paper over the card's."""
    alike: float = 0.6
    """Smallest correlation of the mirrored print with the card's, where they fit best."""
    shift_px: int = 4
    """Pixels of the crops by which they may be displaced: both outlines are inexact."""
    depth: float = 0.45
    """Share of the card's other edges up to which print is compared: the table's rim may cut off the rest."""
    least_shown: float = 0.3
    """Share of that part which lies inside the picture, at least."""
    crop_px: tuple[int, int] = (64, 40)
    """Width, along the common edge, and height of the compared crops in pixels."""


def without_reflections(image_bgr: Picture, seen: Detections, model: ReflectionModel | None = None) -> Detections:
    """
    Return the detections in a (h, w, 3) picture that are no mirror images of the card beside them.

    Only faces are compared: a back is its own mirror image, so that one in a shadow would pass for a reflection.
    """
    model = model or ReflectionModel()
    quads, faces = seen.corners_px, np.flatnonzero(seen.best < FACE_COUNT)
    return seen.only(
        [
            k not in faces or not any(_is_reflection(image_bgr, quad, quads[j], model) for j in faces if j != k)
            for k, quad in enumerate(quads)
        ]
    )


def _is_reflection(image_bgr: Picture, quad: Array, card: Array, model: ReflectionModel) -> bool:
    """Check whether what shows at ``quad`` is the mirror image of the ``card``, (4, 2) px each."""
    for side in range(4):
        first, second = card[side], card[(side + 1) % 4]
        length = float(np.linalg.norm(second - first))
        for own in range(4):
            # Both outlines run clockwise, so that the common edge runs the other way in the second one.
            apart = max(np.linalg.norm(quad[(own + 1) % 4] - first), np.linalg.norm(quad[own] - second))
            if apart < model.meets * length:
                return _is_mirrored(image_bgr, np.roll(card, -side, axis=0), np.roll(quad, -own, axis=0), model)
    return False


def _is_mirrored(image_bgr: Picture, card: Array, quad: Array, model: ReflectionModel) -> bool:
    """Check the print along the common edge, which is 0-1 of the ``card`` and 1-0 of the ``quad``."""
    width, height = model.crop_px
    # The quad's outline away from the edge is uncertain: the card's own depth is taken, mirrored at the edge.
    frame = np.array([[0, 0], [width, 0], [width, height / model.depth], [0, height / model.depth]], np.float32)
    image = np.stack([card[0], card[1], quad[3], quad[2]]).astype(np.float32)
    crops = crops_at(image_bgr, np.stack([card.astype(np.float32), image]), frame, model.crop_px)
    spots = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=2).reshape(1, -1, 2).astype(np.float32)
    at_px = cv2.perspectiveTransform(spots, cv2.getPerspectiveTransform(frame, image))[0]
    size = image_bgr.shape[1], image_bgr.shape[0]
    is_row_shown = ((at_px >= 0) & (at_px < size)).all(axis=1).reshape(height, width).all(axis=1)
    rows = height if is_row_shown.all() else int(is_row_shown.argmin())
    if rows < max(model.least_shown * height, 3 * model.shift_px):
        return False
    own, mirrored = (cv2.cvtColor(crop[:rows], cv2.COLOR_BGR2LAB).astype(np.float32) for crop in crops)
    if np.percentile(mirrored[..., 0], 80) > model.dimmer * np.percentile(own[..., 0], 80):
        return False
    inner = _print(own)[model.shift_px : -model.shift_px, model.shift_px : -model.shift_px]
    return float(cv2.matchTemplate(_print(mirrored), inner, cv2.TM_CCOEFF_NORMED).max()) >= model.alike


def _print(lab: Array) -> Array:
    """
    Return how far each spot of a crop (h, w, 3) in Lab is from its paper, (h, w): hue counts twice as much as light.
    """
    apart = np.linalg.norm((lab - np.median(lab, axis=(0, 1))) * (0.5, 1.0, 1.0), axis=2).astype(np.float32)
    return np.asarray(cv2.GaussianBlur(apart, (0, 0), 1.2), np.float32)
