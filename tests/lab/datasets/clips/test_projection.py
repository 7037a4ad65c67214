"""Projection of arms: the part behind the camera is clipped."""

from __future__ import annotations

import numpy as np
import pytest

from datasets.clips.arms import DrawnArm
from datasets.clips.motion import ArmPose
from datasets.clips.projection import NEAR_MM, arm_outline_px
from datasets.clips.stage import PinholeCamera

CAMERA = PinholeCamera(elevation_deg=40.0)


def outline(length_mm: float) -> np.ndarray:
    """Return the outline of an arm of this length and 100 mm wide, which comes from the camera's side."""
    along = np.linspace(0.0, -length_mm, 2000)
    outline_mm = np.array([*((u, -50.0) for u in along), *((u, 50.0) for u in along[::-1])])
    drawn = DrawnArm(np.zeros((1, 1, 4), np.uint8), np.eye(3), outline_mm)
    arm = ArmPose("Anna", "right", (0.0, 0.0, 30.0), -np.pi / 2)
    return arm_outline_px(CAMERA, arm, drawn)


def test_arm_behind_the_camera_has_a_finite_outline() -> None:
    points_px = outline(3000.0)
    assert np.isfinite(points_px).all()
    assert np.abs(points_px).max() < 2 * CAMERA.size[0] / NEAR_MM * 1000
    assert points_px[:, 1].max() > CAMERA.size[1], "it leaves the picture at its lower edge"
    assert points_px[:, 1].min() > 0, "it does not reappear at the upper edge"


@pytest.mark.parametrize("length_mm", [100.0, 300.0])
def test_arm_before_the_camera_keeps_its_whole_outline(length_mm: float) -> None:
    assert len(outline(length_mm)) == 4000
