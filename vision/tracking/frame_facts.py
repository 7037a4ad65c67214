"""What tracking needs to know of a frame beside the detections: its time, and what arms hide of it."""

from __future__ import annotations

from dataclasses import dataclass

from vision.geometry.quads import Array, Mask, fill
from vision.motion.arm_regions import Flags
from vision.motion.motion_report import MotionReport


@dataclass(frozen=True, slots=True, eq=False)
class FrameFacts:
    """
    A frame on which inference runs.

    ``at``: seconds. ``arms``: (rows, columns) of the reduced picture, what arms and their shadows hide. ``scale``:
    full-size pixels for one of the reduced picture.
    """

    at: float
    arms: Flags
    scale: float

    @classmethod
    def of(cls, motion: MotionReport) -> FrameFacts:
        """Return the facts of the frame of a motion report."""
        return cls(motion.at, motion.hidden, motion.scale)

    @property
    def shape(self) -> tuple[int, int]:
        """Return rows and columns of the reduced picture."""
        return self.arms.shape[0], self.arms.shape[1]

    def filled(self, quad_px: Array) -> Mask:
        """Return the reduced picture, 255 within a card (4, 2), 0 elsewhere."""
        return fill(self.shape, quad_px, 1 / self.scale)

    def place(self, quad_px: Array) -> Flags:
        """Return which pixels of the reduced picture a card (4, 2) covers."""
        return self.filled(quad_px) > 0
