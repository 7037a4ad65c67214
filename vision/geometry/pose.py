"""A place on the table in millimetres from the middle of the picture: x to the right, y towards its bottom edge."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pose:
    """A card's centre in mm, and the direction of its long side (degrees, 0 <= turn < 180)."""

    x_mm: float
    y_mm: float
    turn_deg: float = 0.0

    def distance_mm(self, other: Pose) -> float:
        """
        Return the distance of the centres in mm.

        >>> Pose(10, 10).distance_mm(Pose(40, 50))
        50.0
        """
        return float(((self.x_mm - other.x_mm) ** 2 + (self.y_mm - other.y_mm) ** 2) ** 0.5)
