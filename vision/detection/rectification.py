"""Crops of cards: a quad of the picture laid into an upright frame, fine print kept from turning into noise."""

from __future__ import annotations

import cv2
import numpy as np

from vision.geometry.quads import SUBPIXEL_BITS

OUTSIDE = (114, 114, 114)
"""
BGR of what lies beyond the picture's edge or is painted out: the grey with which networks of this kind are trained.
Another value would be news to them.
"""
FARTHEST_OCCLUDER = 8.0
"""Crop sides beyond which the corners of what lies on a card are no corners: the projection has turned them over."""


def crops_at(image_bgr: np.ndarray, corners_px: np.ndarray, frame: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """
    Cut (n, 4, 2) quads so that their corners come to lie at ``frame`` (4, 2): (n, h, w, 3) uint8, ``size`` (w, h).

    Large cards are taken from a reduced picture.
    """
    crops = np.zeros((len(corners_px), size[1], size[0], 3), np.uint8)
    levels = [image_bgr]
    framed = np.linalg.norm(np.roll(frame, -1, axis=0) - frame, axis=1)
    for index, corners in enumerate(corners_px):
        edges = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
        shrink = min(
            float(edges[1] + edges[3]) / float(framed[1] + framed[3]),
            float(edges[0] + edges[2]) / float(framed[0] + framed[2]),
        )
        level = int(max(0.0, np.floor(np.log2(max(shrink, 1e-3)))))
        while len(levels) <= level:
            h, w = levels[-1].shape[:2]
            levels.append(cv2.resize(levels[-1], (max(1, w // 2), max(1, h // 2)), interpolation=cv2.INTER_AREA))
        matrix = cv2.getPerspectiveTransform(corners.astype(np.float32) / 2**level, frame)
        crops[index] = cv2.warpPerspective(levels[level], matrix, size, flags=cv2.INTER_LINEAR, borderValue=OUTSIDE)
    return crops


def paint_occluders(
    crop: np.ndarray, corners_px: np.ndarray, frame: np.ndarray, occluders_px: list[np.ndarray]
) -> None:
    """
    Paint out, on a crop made by ``crops_at`` of the card at ``corners_px`` (4, 2), the cards that lie on it.

    occluders_px: their corners, each (4, 2), on the same picture. What is left is the card's own: an index at its rim
    is then not read together with the face that covers the rest.
    """
    onto = cv2.getPerspectiveTransform(corners_px.astype(np.float32), frame)
    reach = FARTHEST_OCCLUDER * max(crop.shape[:2])
    for occluder in occluders_px:
        laid = cv2.perspectiveTransform(occluder[None].astype(np.float32), onto)[0]
        if np.abs(laid).max() < reach:
            cv2.fillConvexPoly(
                crop, np.round(laid * 2**SUBPIXEL_BITS).astype(np.int32), OUTSIDE, cv2.LINE_AA, SUBPIXEL_BITS
            )
