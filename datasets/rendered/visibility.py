"""
Find out what is seen of each card and arm: a depth buffer over their projections, without rendering.

Depths are distances along the camera's axis (mm), so that what is nearer has the smaller one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from datasets.clips.stage import CardPose3D, PinholeCamera
from datasets.rendered.arm_pose import from_table
from datasets.rendered.people import ArmSurface

ARM, NOBODY = -2, -1


def depth_of(camera: PinholeCamera, points: np.ndarray) -> np.ndarray:
    """Return the depths (...) of (..., 3) points of the table frame."""
    return np.asarray(points @ camera.matrix[2, :3] + camera.matrix[2, 3])


@dataclass(frozen=True, slots=True, eq=False)
class Visible:
    """
    What is seen: ``owner`` (h, w) int16, the number of the card, ``ARM`` or ``NOBODY``; ``areas``, ``visible``: pixels
    of each card alone, within the picture and beyond it, and of them in view.
    """

    owner: np.ndarray
    areas: tuple[int, ...]
    visible: tuple[int, ...]

    @property
    def covered(self) -> tuple[float, ...]:
        """Return the share of each card that is not in view."""
        return tuple(1.0 - min(seen / max(area, 1), 1.0) for seen, area in zip(self.visible, self.areas, strict=True))


def see(camera: PinholeCamera, cards: Sequence[CardPose3D], arms: Sequence[ArmSurface], scale: float = 1.0) -> Visible:
    """Return what is seen of cards and arms, on a picture of ``scale`` times the camera's size."""
    width, height = (round(side * scale) for side in camera.size)
    nearest = np.full((height, width), np.inf)
    owner = np.full((height, width), NOBODY, np.int16)
    for arm in arms:
        for vertices, faces in ((arm.skin, arm.skin_faces), (arm.sleeve, arm.sleeve_faces)):
            _draw_surface(camera, from_table(vertices), faces, scale, nearest, owner)
    areas = []
    for number, pose in enumerate(cards):
        corners = pose.corners()
        quad = camera.project(corners) * scale
        areas.append(round(abs(cv2.contourArea(quad.astype(np.float32)))))
        _draw_card(camera, corners, quad, number, nearest, owner, scale)
    seen = np.bincount(owner[owner >= 0].ravel(), minlength=len(cards))
    return Visible(owner, tuple(areas), tuple(int(count) for count in seen[: len(cards)]))


def _draw_surface(
    camera: PinholeCamera, vertices: np.ndarray, faces: np.ndarray, scale: float, nearest: np.ndarray, owner: np.ndarray
) -> None:
    """Draw the faces of an arm, the farthest first."""
    points, depths = camera.project(vertices) * scale, depth_of(camera, vertices)[faces].mean(axis=1)
    shapes = np.round(points[faces] * 16).astype(np.int32)
    height, width = owner.shape
    inside = (shapes.max(axis=1) >= 0).all(axis=1) & (shapes.min(axis=1) < np.array([width, height]) * 16).all(axis=1)
    layer = np.full(owner.shape, np.inf, np.float32)
    for face in np.argsort(-depths):
        if inside[face]:
            cv2.fillConvexPoly(layer, shapes[face], float(depths[face]), cv2.LINE_8, 4)
    front = layer < nearest
    nearest[front] = layer[front]
    owner[front] = ARM


def _draw_card(
    camera: PinholeCamera, corners: np.ndarray, quad: np.ndarray, number: int, nearest: np.ndarray, owner: np.ndarray,
    scale: float,
) -> None:  # fmt: skip
    """Draw a card where it is nearer than what is there; later ones win where they are as near."""
    height, width = owner.shape
    low = np.maximum(np.floor(quad.min(axis=0)).astype(int), 0)
    high = np.minimum(np.ceil(quad.max(axis=0)).astype(int) + 1, (width, height))
    if (high <= low).any():
        return
    mask = np.zeros((high[1] - low[1], high[0] - low[0]), np.uint8)
    cv2.fillConvexPoly(mask, np.round((quad - low) * 16).astype(np.int32), 1, cv2.LINE_8, 4)
    # Over a plane, 1 / depth is linear in the picture: found from three corners.
    inverse = 1.0 / depth_of(camera, corners)
    a, b, c = np.linalg.solve(np.column_stack([quad[:3], np.ones(3)]), inverse[:3])
    ys, xs = np.mgrid[low[1] : high[1], low[0] : high[0]]
    depth = 1.0 / np.maximum(a * xs + b * ys + c, 1e-9)
    part = (slice(low[1], high[1]), slice(low[0], high[0]))
    front = (mask > 0) & (depth <= nearest[part] + 1e-6)
    nearest[part][front] = depth[front]
    owner[part][front] = number


def arm_outline_px(camera: PinholeCamera, arm: ArmSurface) -> np.ndarray:
    """Return (n, 2) px: the border of the largest patch of an arm in the picture and round it."""
    margin = 200
    points = np.vstack([from_table(arm.skin), from_table(arm.sleeve)])
    faces = np.vstack([arm.skin_faces, arm.sleeve_faces + len(arm.skin)])
    seen = camera.project(points) + margin
    width, height = camera.size
    mask = np.zeros((height + 2 * margin, width + 2 * margin), np.uint8)
    for face in np.round(seen[faces]).astype(np.int32):
        cv2.fillConvexPoly(mask, face, 1)
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not outlines:  # far outside
        return np.asarray(cv2.convexHull((seen - margin).astype(np.float32))[:, 0], np.float64)
    return np.asarray(max(outlines, key=cv2.contourArea)[:, 0] - margin, np.float64)
