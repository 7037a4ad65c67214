"""Project arms and cards into the picture, for the painter and the truth alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from datasets.clips.arms import DrawnArm
from datasets.clips.motion import ArmPose
from datasets.clips.stage import CardPose3D, PinholeCamera

ELBOW_HEIGHT_MM = 74.0
"""Height of the forearm's middle line, half a metre behind the fingertips."""
BODY_MM = 11.0
"""Mean height of a hand's body over its own middle plane; its shadow is thrown from there."""

NEAR_MM = 50.0
"""Depth before the camera from which an outline is drawn: nearer points would be tens of thousands of pixels away."""


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


def through(homography: np.ndarray, polygon: np.ndarray) -> np.ndarray:
    """
    Map a closed polygon (n, 2) in mm through a (3, 3) homography to (m, 2) px.

    Its part behind the camera, or less than ``NEAR_MM`` before it, is cut off.
    """
    h = polygon @ homography[:, :2].T + homography[:, 2]
    beyond_mm = h[:, 2] - NEAR_MM
    if (beyond_mm < 0).any():
        corners = []
        for here, there, at, to in zip(h, np.roll(h, -1, 0), beyond_mm, np.roll(beyond_mm, -1), strict=True):
            if at >= 0:
                corners.append(here)
            if (at < 0) != (to < 0):
                corners.append(here + (there - here) * at / (at - to))
        h = np.array(corners).reshape(-1, 3)
    return np.asarray(h[:, :2] / h[:, 2:3])


def arm_outline_px(camera: PinholeCamera, arm: ArmPose, drawn: DrawnArm) -> np.ndarray:
    """Return (n, 2) px: the arm's border in the picture, and beyond its edges."""
    return through(arm_to_px(camera, arm), drawn.outline_mm)


ArmOutline = Callable[[ArmPose, float], np.ndarray]
"""Returns (n, 2) px: the border of an arm in the picture at a time (s)."""


def drawn_outlines(camera: PinholeCamera, arms: Mapping[tuple[str, str], DrawnArm]) -> ArmOutline:
    """Return the outlines of drawn arms."""
    return lambda arm, _: arm_outline_px(camera, arm, arms[arm.seat, arm.hand])


def card_px(camera: PinholeCamera, pose: CardPose3D) -> np.ndarray:
    """Return (4, 2) px: corners of the card, clockwise in the picture, 0-1 a short edge."""
    corners = camera.project(pose.corners())
    a, b, c = corners[0], corners[1], corners[2]
    if (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]) < 0:
        corners = corners[[1, 0, 3, 2]]
    return corners
