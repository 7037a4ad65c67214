"""What motion detection finds in a frame (:mod:`vision.motion.background_subtraction`), and its shared thresholds."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.capture.sources import Image
from vision.geometry.quads import Mask, Matrix
from vision.motion.arm_regions import Flags, PixelPoint

# Thresholds of motion detection. Levels are of 0..255, times in seconds, pixels those of the reduced picture. Chosen
# by hand on development clips, 2026-11.
LONG_SIDE_PX = 320
"""Long side of the reduced picture: a card is still 15 px wide, and a frame takes a millisecond. A camera on its side
sees the table as an upright one does."""
FOREIGN_LEVELS = 16.0
"""A pixel this far from the background is foreign; noise of a reduced picture stays below 5."""
PALE_LEVELS = 10.0
"""
Distance from the background from which a pixel is foreign on a pale cloth, from which a card differs by little but its
print.
"""
MOVING_LEVELS = 11.0
"""A pixel this far from the frame before moves."""
STILL_S = 0.12
"""Seconds without moving after which a region that is no arm becomes part of the table: three frames at 25 a second."""
PART_S = 0.4
"""Seconds without moving after which a part of a restless region becomes part of the table."""
REST_S = 6.0
"""Seconds after which an arm region at rest is an object that stays; the table under it stays hidden."""
GHOST_S = 0.4
"""Seconds without moving after which a region at the edge is checked for a ghost."""
RELIGHT_S = 0.4
"""Seconds without movement after which, when the light or the camera has changed, the background is learned again."""
MOTION_REST_S = 1.5
"""Seconds after which a region all over the picture that lies still is the table, pulled or bumped."""


@dataclass(frozen=True, slots=True)
class MotionSettings:
    """
    Thresholds of motion detection. Levels are of 0..255, times in seconds, pixels those of the reduced picture.

    Chosen by hand on development clips, 2026-11.
    """

    ask_s: float = 0.4
    """Seconds after which an arm region at rest may be a card at the picture's edge: inference is asked for."""
    sure_s: float = 1.0
    """
    Seconds at rest after which a part of a moving region may be a card, and a clearly read card is no arm: a hand never
    holds one as still.
    """


NEVER = -1e9
"""A time in seconds that is long before any other."""

_RIM = np.ones((5, 5), np.uint8)


@dataclass(frozen=True, slots=True)
class Arm:
    """
    One arm in the picture.

    ``label``: its value in ``MotionReport.arm_labels``. ``contact``: where it meets the edge, (x, y) in full-size
    pixels; None if it touches none. ``tip``: its finger tips. ``share``: of the picture's area, 0..1.
    """

    label: int
    contact: PixelPoint | None
    tip: PixelPoint
    share: float


@dataclass(frozen=True, slots=True)
class PictureState:
    """
    What holds for the whole picture. ``relearned``: the light or the camera changed, and the background was learned
    again. ``blind``: it shows nothing (dark, flat, or nearly all foreign). ``sways``: the camera moves.
    """

    relearned: bool = False
    blind: bool = False
    sways: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class MotionReport:
    """
    The result of motion detection on one frame.

    Masks are (rows, columns) of the reduced picture; multiply places by ``scale`` for full-size pixels.
    ``arm_labels``: 0 where no arm is. ``changed``: became part of the table with this frame. ``restless``: residue that
    moves. ``moving``: anything moves. ``picture``: the reduced picture. ``asks``: part of an arm region is at rest, and
    no inference has run on it since. ``still_since``: (rows, columns) in seconds, since when each spot has not moved;
    None if not known. ``camera``: (3, 3), how a swaying camera stands: from full-size pixels of the table as it was
    learned to those of this frame; None for a camera at rest. All else is of the table as it was learned.
    """

    at: float
    scale: float
    arms: tuple[Arm, ...]
    arm_labels: Mask
    changed: Flags
    restless: Flags
    moving: bool
    state: PictureState = PictureState()
    picture: Image | None = None
    asks: bool = False
    still_since: npt.NDArray[np.float32] | None = None
    camera: Matrix | None = None

    def steadied(self, image_bgr: Image) -> Image:
        """Return this report's full-size frame as a camera at rest would have taken it."""
        if self.camera is None:
            return image_bgr
        size, flags = (image_bgr.shape[1], image_bgr.shape[0]), cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
        picture, moved = np.asarray(image_bgr), self.camera[:2]
        steady = cv2.warpAffine(picture, moved, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(steady, np.uint8)

    @property
    def hidden(self) -> Flags:
        """Return where arms hide the table, with a rim for shadows and blur."""
        mask = (self.arm_labels > 0).astype(np.uint8)
        return np.asarray(cv2.dilate(mask, _RIM) > 0)


def reduced(image_bgr: Image, long_px: int) -> Image:
    """
    Return a picture whose long side has ``long_px`` pixels.

    Halving step by step takes a third of the time of one averaging resize.
    """
    rows, columns = image_bgr.shape[:2]
    share, small = long_px / max(rows, columns), image_bgr
    size = max(1, round(columns * share)), max(1, round(rows * share))
    while max(small.shape[:2]) >= 2 * long_px and min(small.shape[:2]) >= 2:
        small = np.asarray(
            cv2.resize(small, (small.shape[1] // 2, small.shape[0] // 2), interpolation=cv2.INTER_AREA), np.uint8
        )
    if small.shape[1::-1] == size:
        return small
    return np.asarray(cv2.resize(small, size, interpolation=cv2.INTER_AREA), np.uint8)
