"""The settings of motion detection (:mod:`vision.motion.background_subtraction`)."""

from __future__ import annotations

from dataclasses import dataclass

# Thresholds of motion detection. Levels are of 0..255, times in seconds, pixels those of the reduced picture. Chosen
# by hand on development clips, 2026-11.
WIDTH_PX = 320
"""Width of the reduced picture: a card is still 15 px wide, and a frame takes a millisecond."""
FOREIGN_LEVELS = 16.0
"""A pixel this far from the background is foreign; noise of a reduced picture stays below 5."""
PALE_LEVELS = 10.0
"""The same on a pale cloth, from which a card differs by little but its print."""
MOVING_LEVELS = 11.0
"""A pixel this far from the frame before moves."""
STILL_S = 0.12
"""A region that is no arm becomes part of the table after so long without moving: three frames at 25 a second."""
PART_S = 0.4
"""So does a part of a restless region."""
REST_S = 6.0
"""An arm region at rest for so long is an object to live with; the table under it stays hidden."""
GHOST_S = 0.4
"""A region at the edge is checked for a ghost after so long without moving."""
RELIGHT_S = 0.4
"""After the light or the camera has changed, the background is learned again once nothing moves for so long."""
MOTION_SETTLE_S = 1.5
"""A region all over the picture that lies still for so long is the table, pulled or bumped."""


@dataclass(frozen=True, slots=True)
class MotionSettings:
    """
    Thresholds of motion detection. Levels are of 0..255, times in seconds, pixels those of the reduced picture.

    Chosen by hand on development clips, 2026-11.
    """

    ask_s: float = 0.4
    """An arm region at rest for so long may be a card at the picture's edge: inference is asked for."""
    sure_s: float = 1.0
    """So may a part of one that moves. A clearly read card at rest for so long is no arm: nobody holds one so still."""
