"""Project arms and cards into the picture, for the painter and the truth alike."""

from __future__ import annotations

import numpy as np

from datasets.clips.arms import DrawnArm
from datasets.clips.motion import ArmPose
from datasets.clips.stage import CardPose3D, PinholeCamera

ELBOW_HEIGHT_MM = 74.0
"""Height of the forearm's middle line, half a metre behind the fingertips."""
BODY_MM = 11.0
"""Mean height of a hand's body over its own middle plane; its shadow is thrown from there."""


def arm_plane(arm: ArmPose) -> np.ndarray:
    """Return the (4, 3) matrix from local mm of the arm (u, v, 1) to homogeneous table mm."""
    cos, sin = np.cos(arm.yaw), np.sin(arm.yaw)
    x, y, z = arm.tip
    rise = (ELBOW_HEIGHT_MM - z) / 500.0
    return np.array([[cos, -sin, x], [sin, cos, y], [-rise, 0, z], [0, 0, 1.0]])


def arm_to_px(camera: PinholeCamera, arm: ArmPose) -> np.ndarray:
    """Return the (3, 3) homography from local mm of the arm to pixels."""
    return np.asarray(camera.matrix @ arm_plane(arm))


def shadow_to_px(camera: PinholeCamera, arm: ArmPose, shift: tuple[float, float]) -> np.ndarray:
    """Return the homography of the arm's shadow on the table; ``shift``: mm aside for each mm of height."""
    plane = arm_plane(arm)
    heights = plane[2] + np.array([0, 0, BODY_MM])
    plane[0] += shift[0] * heights
    plane[1] += shift[1] * heights
    plane[2] = 0
    return np.asarray(camera.matrix @ plane)


def through(homography: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Map (n, 2) points through a (3, 3) homography."""
    h = points @ homography[:, :2].T + homography[:, 2]
    return np.asarray(h[:, :2] / h[:, 2:3])


def arm_outline_px(camera: PinholeCamera, arm: ArmPose, drawn: DrawnArm) -> np.ndarray:
    """Return (n, 2) px: the arm's border in the picture, and beyond its edges."""
    return through(arm_to_px(camera, arm), drawn.outline_mm)


def card_px(camera: PinholeCamera, pose: CardPose3D) -> np.ndarray:
    """Return (4, 2) px: corners of the card, clockwise in the picture, 0-1 a short edge."""
    corners = camera.project(pose.corners())
    a, b, c = corners[0], corners[1], corners[2]
    if (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]) < 0:
        corners = corners[[1, 0, 3, 2]]
    return corners
