"""Rectify cards: warp a quad of the picture into an upright crop without aliasing of fine print."""

from __future__ import annotations

import cv2
import numpy as np

from vision.geometry.quads import SUBPIXEL_BITS

OUTSIDE = (114, 114, 114)
"""BGR of what lies outside the picture or is painted out: the padding colour with which the networks were trained."""
FARTHEST_OCCLUDER = 8.0
"""
Distance in crop sides beyond which projected corners of an occluder are invalid: the projection has inverted them.
"""


class PictureLevels:
    """A picture (h, w, 3) uint8 and its reductions to a half, a quarter and so on, each made when first asked for."""

    def __init__(self, image_bgr: np.ndarray) -> None:
        self._levels = [image_bgr]

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the full picture."""
        return self._levels[0].shape

    def level(self, halvings: int) -> np.ndarray:
        """Return the picture halved ``halvings`` times."""
        while len(self._levels) <= halvings:
            h, w = self._levels[-1].shape[:2]
            half = (max(1, w // 2), max(1, h // 2))
            self._levels.append(cv2.resize(self._levels[-1], half, interpolation=cv2.INTER_AREA))
        return self._levels[halvings]


Picture = np.ndarray | PictureLevels
"""A picture (h, w, 3) uint8 that crops are taken from; calls with the same ``PictureLevels`` share its reductions."""


def levels_of(image_bgr: Picture) -> PictureLevels:
    """Return the picture with its reductions."""
    return image_bgr if isinstance(image_bgr, PictureLevels) else PictureLevels(image_bgr)


def crops_at(image_bgr: Picture, corners_px: np.ndarray, frame: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """
    Warp (n, 4, 2) quads so that their corners lie at ``frame`` (4, 2): (n, h, w, 3) uint8, ``size`` (w, h).

    Large cards are taken from a reduced picture to avoid aliasing.
    """
    crops = np.zeros((len(corners_px), size[1], size[0], 3), np.uint8)
    picture = levels_of(image_bgr)
    framed = np.linalg.norm(np.roll(frame, -1, axis=0) - frame, axis=1)
    for index, corners in enumerate(corners_px):
        edges = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
        shrink = min(
            float(edges[1] + edges[3]) / float(framed[1] + framed[3]),
            float(edges[0] + edges[2]) / float(framed[0] + framed[2]),
        )
        level = int(max(0.0, np.floor(np.log2(max(shrink, 1e-3)))))
        matrix = cv2.getPerspectiveTransform(corners.astype(np.float32) / 2**level, frame)
        crops[index] = cv2.warpPerspective(
            picture.level(level), matrix, size, flags=cv2.INTER_LINEAR, borderValue=OUTSIDE
        )
    return crops


def paint_occluders(
    crop: np.ndarray, corners_px: np.ndarray, frame: np.ndarray, occluders_px: list[np.ndarray]
) -> None:
    """
    Paint out the occluders on a crop that ``crops_at`` made of the card at ``corners_px`` (4, 2).

    occluders_px: their corners, each (4, 2), in the same picture. Only the card's own visible part is left, so that an
    index at its rim is not classified together with the face that covers the rest.
    """
    onto = cv2.getPerspectiveTransform(corners_px.astype(np.float32), frame)
    reach = FARTHEST_OCCLUDER * max(crop.shape[:2])
    for occluder in occluders_px:
        laid = cv2.perspectiveTransform(occluder[None].astype(np.float32), onto)[0]
        if np.abs(laid).max() < reach:
            cv2.fillConvexPoly(
                crop, np.round(laid * 2**SUBPIXEL_BITS).astype(np.int32), OUTSIDE, cv2.LINE_AA, SUBPIXEL_BITS
            )
