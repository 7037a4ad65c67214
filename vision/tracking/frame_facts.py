"""One look at the table: when it was taken, and what of the picture arms hid then."""

from __future__ import annotations

from dataclasses import dataclass

from vision.geometry.quads import Array, Mask, fill
from vision.motion.background_subtraction import MotionReport
from vision.motion.patches import Flags


@dataclass(frozen=True, slots=True, eq=False)
class FrameFacts:
    """
    ``at``: seconds. ``arms``: (rows, columns) of the reduced picture, what arms and their shadows hid. ``scale``:
    full-size pixels for one of the reduced picture.
    """

    at: float
    arms: Flags
    scale: float

    @classmethod
    def of(cls, report: MotionReport) -> FrameFacts:
        """A look at the frame that the gate told of."""
        return cls(report.at, report.hidden, report.scale)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the reduced picture."""
        return self.arms.shape[0], self.arms.shape[1]

    def filled(self, quad_px: Array) -> Mask:
        """The reduced picture, 255 where a card (4, 2) lies, 0 elsewhere."""
        return fill(self.shape, quad_px, 1 / self.scale)

    def place(self, quad_px: Array) -> Flags:
        """Where on the reduced picture a card (4, 2) lies."""
        return self.filled(quad_px) > 0
