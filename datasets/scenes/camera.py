"""A pinhole camera over a flat table: table millimetres to picture pixels, and the small distortion of its lens."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

CARD_MM = (63.0, 88.0)
"""Width and height of a card, poker size; other decks differ by a few per cent."""


@dataclass(frozen=True, slots=True, eq=False)
class TableCamera:
    """
    Looks at the table's origin. ``matrix``: (3, 3) homography, table mm (x right, y towards the viewer) to pixels.

    ``size``: (width, height) in px. ``bend``: radial distortion, r in half diagonals; 0 is a perfect lens.
    """

    matrix: np.ndarray
    size: tuple[int, int]
    bend: float = 0.0
    up: np.ndarray | None = None
    """(3,) what a millimetre above the table adds to the homogeneous pixel; None: heights are not known."""

    def to_px(self, points_mm: np.ndarray) -> np.ndarray:
        """Project (..., 2) table mm to (..., 2) float32 px of the ideal picture, before the lens distorts it."""
        shape = points_mm.shape
        flat = cv2.perspectiveTransform(points_mm.reshape(1, -1, 2).astype(np.float64), self.matrix)[0]
        return flat.reshape(shape).astype(np.float32)

    def lifted_px(self, points_mm: np.ndarray) -> np.ndarray:
        """Project (n, 3) table mm, the third upwards from the table, to (n, 2) float32 px of the ideal picture."""
        flat = np.column_stack([points_mm[:, :2], np.ones(len(points_mm))]) @ self.matrix.T
        seen = flat if self.up is None else flat + points_mm[:, 2:] * self.up
        return (seen[:, :2] / seen[:, 2:]).astype(np.float32)

    def distort(self, points_px: np.ndarray) -> np.ndarray:
        """Map (n, 2) px of the ideal picture to px of the distorted one."""
        if self.bend == 0.0:
            return points_px
        centre = np.array(self.size, np.float64) / 2
        off = points_px - centre
        r2 = (off**2).sum(axis=1, keepdims=True) / (centre**2).sum()
        return centre + off * (1.0 + self.bend * r2)

    def bend_picture(self, image: np.ndarray) -> np.ndarray:
        """Distort a picture as this lens does; the inverse of ``distort`` is found by two steps of iteration."""
        if self.bend == 0.0:
            return image
        width, height = self.size
        centre = np.array(self.size, np.float32) / 2
        ys, xs = np.mgrid[0:height, 0:width].astype(np.float32)
        dx, dy = xs - centre[0], ys - centre[1]
        norm = float((centre**2).sum())
        scale = np.ones_like(dx)
        for _ in range(3):
            scale = 1.0 / (1.0 + self.bend * (dx**2 + dy**2) * scale**2 / norm)
        return cv2.remap(
            image, centre[0] + dx * scale, centre[1] + dy * scale, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT
        )


def look_at_table(
    rng: np.random.Generator,
    size: tuple[int, int],
    card_px: float,
    elevation_deg: float,
    *,
    aim_px: tuple[float, float] | None = None,
) -> TableCamera:
    """
    Return a camera that shows a card at the origin about ``card_px`` tall.

    ``elevation_deg``: 90 looks straight down. ``aim_px``: where the origin appears (default: the picture's middle).
    """
    width, height = size
    focal = max(size) * rng.uniform(0.7, 1.6)
    distance = focal * CARD_MM[1] / card_px
    tilt = np.radians(90.0 - elevation_deg)
    spin = rng.uniform(0, 2 * np.pi)
    roll = np.radians(rng.normal(0, 5))
    cos, sin = np.cos(spin), np.sin(spin)
    turn = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1.0]])
    lean = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    tip = np.array([[np.cos(roll), -np.sin(roll), 0], [np.sin(roll), np.cos(roll), 0], [0, 0, 1.0]])
    rotation = tip @ lean @ turn
    aim = aim_px or (width / 2, height / 2)
    lens = np.array([[focal, 0, aim[0]], [0, focal, aim[1]], [0, 0, 1.0]])
    # A point of the table plane has z = 0: two columns of the rotation and the shift make the homography.
    matrix = lens @ np.column_stack([rotation[:, 0], rotation[:, 1], [0, 0, distance]])
    # The camera looks along +z, so what rises from the table comes nearer.
    up = -(lens @ rotation[:, 2]) / matrix[2, 2]
    bend = float(rng.normal(0, 0.03)) if rng.random() < 0.3 else 0.0
    return TableCamera(matrix / matrix[2, 2], size, bend, up)
