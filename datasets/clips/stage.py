"""
The table and the camera over it.

Table frame: millimetres, x to the right, y towards the first seat (down in the picture), z up from the cloth; the
origin lies under the middle of the picture. Yaw turns clockwise as the camera sees it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from datasets.scenes.camera import CARD_MM
from referee.cards import Card

Vector = np.ndarray
"""(3,) float64, table frame, mm."""


@dataclass(frozen=True, slots=True)
class CardPose3D:
    """
    The pose of a card: its middle (mm), ``yaw`` about the vertical, ``pitch`` about its short axis, ``roll``
    about its long axis (radians). ``roll`` 0 is face up, pi face down.
    """

    x: float
    y: float
    z: float = 0.0
    yaw: float = 0.0
    pitch: float = 0.0
    roll: float = 0.0

    @property
    def middle(self) -> Vector:
        """Return the card's middle."""
        return np.array([self.x, self.y, self.z])

    @property
    def is_face_up(self) -> bool:
        """Check whether it lies face up."""
        return bool(np.cos(self.roll) * np.cos(self.pitch) > 0)

    def corners(self, size_mm: tuple[float, float] = CARD_MM) -> np.ndarray:
        """Return (4, 3) mm: top left, top right, bottom right, bottom left of the printed face, face up or down."""
        half_w, half_h = size_mm[0] / 2, size_mm[1] / 2
        flat = np.array([[-half_w, -half_h, 0], [half_w, -half_h, 0], [half_w, half_h, 0], [-half_w, half_h, 0.0]])
        cr, sr = np.cos(self.roll), np.sin(self.roll)
        cp, sp = np.cos(self.pitch), np.sin(self.pitch)
        cy, sy = np.cos(self.yaw), np.sin(self.yaw)
        roll = np.array([[cr, 0, sr], [0, 1, 0], [-sr, 0, cr]])
        pitch = np.array([[1, 0, 0], [0, cp, -sp], [0, sp, cp]])
        yaw = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1.0]])
        return np.asarray(flat @ (yaw @ pitch @ roll).T + self.middle)


@dataclass(frozen=True, slots=True)
class PinholeCamera:
    """
    A pinhole camera that looks at the table's origin from the first seat's side.

    ``elevation_deg``: 90 looks straight down. ``px_per_mm``: scale at the origin. ``view_deg``: horizontal field of
    view.
    """

    size: tuple[int, int] = (1280, 720)
    elevation_deg: float = 64.0
    px_per_mm: float = 1.5
    view_deg: float = 58.0
    roll_deg: float = 0.0
    matrix: np.ndarray = field(init=False, repr=False, compare=False)
    """(3, 4) projection, table mm to homogeneous pixels."""

    def __post_init__(self) -> None:
        width, height = self.size
        focal = width / 2 / np.tan(np.radians(self.view_deg / 2))
        distance = focal / self.px_per_mm
        e, r = np.radians(self.elevation_deg), np.radians(self.roll_deg)
        right = np.array([1.0, 0, 0])
        down = np.array([0, np.sin(e), -np.cos(e)])
        ahead = np.array([0, -np.cos(e), -np.sin(e)])
        rotation = np.stack([right, down, ahead])
        tip = np.array([[np.cos(r), -np.sin(r), 0], [np.sin(r), np.cos(r), 0], [0, 0, 1.0]])
        eye = -ahead * distance
        lens = np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1.0]])
        rotation = tip @ rotation
        matrix = lens @ np.column_stack([rotation, -rotation @ eye])
        object.__setattr__(self, "matrix", matrix)

    def moved(self, pixels: np.ndarray | None) -> PinholeCamera:
        """Return the camera after its picture was transformed by (3, 3) ``pixels``; None: unmoved."""
        if pixels is None:
            return self
        camera = replace(self)
        object.__setattr__(camera, "matrix", pixels @ self.matrix)
        return camera

    def project(self, points_mm: np.ndarray) -> np.ndarray:
        """Project (..., 3) mm to (..., 2) float64 px."""
        h = points_mm @ self.matrix[:, :3].T + self.matrix[:, 3]
        return np.asarray(h[..., :2] / h[..., 2:3])

    @property
    def table(self) -> np.ndarray:
        """Return the (3, 3) homography from table mm (x, y) to pixels."""
        return self.matrix[:, [0, 1, 3]]

    def on_table(self, point_px: np.ndarray) -> np.ndarray:
        """Convert (2,) px to (2,) mm on the table."""
        h = np.linalg.solve(self.table, np.array([*point_px, 1.0]))
        return np.asarray(h[:2] / h[2])


@dataclass(frozen=True, slots=True)
class Stage:
    """
    The layout of one table: the camera, and the places of bout, talon and discard pile in mm.

    Seats as docs/record.md has them: the first at the bottom edge, the others clockwise, evenly by angle round the
    middle.
    """

    seats: tuple[str, ...]
    camera: PinholeCamera = field(default_factory=PinholeCamera)
    talon_mm: tuple[float, float] = (-292.0, 92.0)
    heap_mm: tuple[float, float] = (296.0, 84.0)
    bout_mm: tuple[float, float] = (0.0, 16.0)
    columns: int = 3
    pitch_mm: tuple[float, float] = (122.0, 150.0)

    def seat_angle(self, seat: str) -> float:
        """Return the direction of a seat in the picture, radians clockwise from the right."""
        return float(np.pi / 2 + 2 * np.pi * self.seats.index(seat) / len(self.seats))

    def shoulder(self, seat: str, lean: float = 0.0) -> Vector:
        """
        Return a point on the table well outside the picture, from where the seat's arms come; ``lean``: radians aside.
        """
        angle = self.seat_angle(seat) + lean
        width, height = self.camera.size
        ray = np.array([np.cos(angle), np.sin(angle)])
        reach = min(
            (width / 2 / abs(ray[0])) if abs(ray[0]) > 1e-9 else np.inf,
            (height / 2 / abs(ray[1])) if abs(ray[1]) > 1e-9 else np.inf,
        )
        edge = self.camera.on_table(np.array([width, height]) / 2 + ray * reach)
        out = edge / np.linalg.norm(edge)
        return np.array([*(edge + out * 190.0), 0.0])

    def slot(self, index: int) -> tuple[float, float]:
        """Return the middle (mm) of the place for the ``index``-th attack card."""
        row, order = divmod(index, self.columns)
        middle = (self.columns - 1) // 2
        # From the middle outwards, to the right first: 1 2 0.
        column = middle + (order + 1) // 2 * (1 if order % 2 else -1)
        x = self.bout_mm[0] + (column - (self.columns - 1) / 2) * self.pitch_mm[0] - 8
        y = self.bout_mm[1] + (row - 0.5) * self.pitch_mm[1] - 12
        return x, y

    @property
    def bout_zone(self) -> tuple[float, float, float, float]:
        """Return left, top, right, bottom (mm) of the area that cards of a bout touch."""
        half_w = self.pitch_mm[0] * self.columns / 2 + 15
        half_h = self.pitch_mm[1] + 15
        x, y = self.bout_mm
        return x - half_w, y - half_h, x + half_w, y + half_h


@dataclass(frozen=True, slots=True)
class PosedCard:
    """A card and its pose."""

    card: Card
    pose: CardPose3D
