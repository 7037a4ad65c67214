"""Replaying kept detections: the stages take pictures that are decoded only when they are needed."""

from __future__ import annotations

from typing import Any

import numpy as np

from vision.motion.motion_report import MotionReport

SHAPE = (9, 16)


class Undecoded:
    """A picture as ``benchmarks.replay_cache.LazyPicture``, without a film."""

    shape = (90, 160, 3)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.full(self.shape, 7, np.uint8)


def test_frame_of_a_replayed_swaying_camera_is_steadied() -> None:
    nothing = np.zeros(SHAPE, bool)
    report = MotionReport(0.0, 10.0, (), np.zeros(SHAPE, np.uint8), nothing, nothing, False, camera=np.eye(3))
    picture: Any = Undecoded()
    assert (report.steadied(picture) == 7).all()
