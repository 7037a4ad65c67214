"""Draw table tops from noise, in table millimetres, and their surroundings, as the camera sees them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from datasets.clips.photographed_tops import photographed_top, texture_names
from datasets.clips.stage import PinholeCamera

HALF_MM = (900.0, 700.0)
PX_PER_MM = 1.4
SHAPE = (round(2 * HALF_MM[1] * PX_PER_MM), round(2 * HALF_MM[0] * PX_PER_MM))


def _noise(rng: np.random.Generator, cell_x: float, cell_y: float) -> np.ndarray:
    """Smooth noise about -1..1, SHAPE float32, its grain ``cell`` px wide and high."""
    small = rng.normal(0, 0.55, (max(2, round(SHAPE[0] / cell_y)), max(2, round(SHAPE[1] / cell_x)))).astype(np.float32)
    return cv2.resize(small, (SHAPE[1], SHAPE[0]), interpolation=cv2.INTER_CUBIC)


def wood(rng: np.random.Generator, base: tuple[float, float, float] = (88, 122, 160)) -> np.ndarray:
    """Draw planks with grain, joints between them, each of its own shade; (h, w, 3) float32 BGR."""
    ys = np.mgrid[0 : SHAPE[0], 0 : SHAPE[1]][0].astype(np.float32)
    plank_px = 132 * PX_PER_MM
    plank = np.floor(ys / plank_px).astype(int)
    count = int(plank.max()) + 1
    shade = (1 + rng.normal(0, 0.055, count))[plank].astype(np.float32)
    shift = rng.uniform(0, 4000, count)[plank].astype(np.float32)
    knots = _noise(rng, 420, 70) * 60
    rings = np.sin((ys * 0.36 + knots + shift) * 0.32) * 0.5 + np.sin((ys * 0.9 + knots * 1.7 + shift) * 0.5) * 0.25
    fibre = _noise(rng, 120, 1.6) * 0.7 + _noise(rng, 40, 1.1) * 0.5
    pores = np.clip(_noise(rng, 34, 1.3) - 0.75, 0, 1) * 1.4
    tone = shade * (1 + 0.055 * rings + 0.045 * fibre - 0.16 * pores + 0.035 * _noise(rng, 300, 200))
    joint = np.minimum(ys % plank_px, plank_px - ys % plank_px)
    tone *= 1 - 0.55 * np.exp(-((joint / 1.1) ** 2)) + 0.05 * np.exp(-(((joint - 3) / 1.5) ** 2))
    colour = np.array(base, np.float32) * tone[..., None]
    return np.asarray(colour * (1 + np.array([-0.05, 0.0, 0.03], np.float32) * rings[..., None]))


def felt(rng: np.random.Generator, base: tuple[float, float, float] = (72, 104, 42)) -> np.ndarray:
    """Draw billiard felt: fine fuzz and a little wear; (h, w, 3) float32 BGR."""
    fuzz = cv2.GaussianBlur(rng.normal(0, 1, SHAPE), (0, 0), 0.8) * 1.6 + 0.5 * _noise(rng, 5, 5)
    tone = 1 + 0.050 * fuzz + 0.045 * _noise(rng, 160, 160) + 0.03 * _noise(rng, 420, 300)
    return np.asarray(np.array(base, np.float32) * tone[..., None])


def linen(
    rng: np.random.Generator,
    base: tuple[float, float, float] = (168, 178, 186),
    stripe: tuple[float, float, float] = (70, 70, 158),
) -> np.ndarray:
    """Draw a checked tablecloth with its weave and a few soft folds; (h, w, 3) float32 BGR."""
    ys, xs = np.mgrid[0 : SHAPE[0], 0 : SHAPE[1]].astype(np.float32)
    xs = xs + 5 * _noise(rng, 260, 260)
    ys = ys + 5 * _noise(rng, 260, 260)
    step = 74 * PX_PER_MM
    across = ((xs % step) < step * 0.42).astype(np.float32)
    down = ((ys % step) < step * 0.42).astype(np.float32)
    share = cv2.GaussianBlur((across + down) / 2, (0, 0), 0.8)[..., None]
    weave = 0.035 * (np.sin(xs * 2.1) * np.sin(ys * 2.1)) + 0.03 * rng.normal(0, 1, SHAPE)
    folds = 0.09 * np.exp(-((np.abs(_noise(rng, 500, 260)) / 0.12) ** 2)) * (0.5 + _noise(rng, 300, 300))
    tone = 1 + weave + folds + 0.03 * _noise(rng, 220, 220)
    colour = np.array(base, np.float32) * (1 - share) + np.array(stripe, np.float32) * share
    return np.asarray(colour * tone[..., None].astype(np.float32))


def stone(rng: np.random.Generator, base: tuple[float, float, float] = (150, 156, 160)) -> np.ndarray:
    """Draw a speckled worktop; (h, w, 3) float32 BGR."""
    specks = np.clip(_noise(rng, 3, 3) - 0.5, 0, 1) * 0.5 - np.clip(_noise(rng, 4, 4) - 0.55, 0, 1) * 0.8
    veins = np.exp(-((_noise(rng, 260, 180) + 0.25 * _noise(rng, 40, 30)) ** 2) / 0.004) * 0.10
    tone = 1 + specks - veins + 0.05 * _noise(rng, 300, 300) + 0.02 * rng.normal(0, 1, SHAPE)
    return np.asarray(np.array(base, np.float32) * tone[..., None].astype(np.float32))


def oilcloth(rng: np.random.Generator, base: tuple[float, float, float] = (190, 206, 198)) -> np.ndarray:
    """Draw a kitchen oilcloth printed with blossoms, with fold marks; (h, w, 3) float32 BGR."""
    colour = np.empty((*SHAPE, 3), np.float32)
    colour[:] = base
    inks = [tuple(float(v) for v in rng.uniform(60, 200, 3)) for _ in range(3)]
    step = int(rng.uniform(60, 105) * PX_PER_MM)
    for row, y in enumerate(range(0, SHAPE[0] + step, step)):
        for x in range(0, SHAPE[1] + step, step):
            cx, cy = x + (row % 2) * step // 2 + int(rng.normal(0, 3)), y + int(rng.normal(0, 3))
            ink = inks[int(rng.integers(len(inks)))]
            reach = step * float(rng.uniform(0.16, 0.26))
            for petal in range(5):
                turn = 2 * np.pi * petal / 5 + rng.uniform(0, 1)
                at = (int(cx + reach * np.cos(turn)), int(cy + reach * np.sin(turn)))
                cv2.circle(colour, at, int(reach * 0.7), ink, -1, cv2.LINE_AA)
            cv2.circle(colour, (cx, cy), int(reach * 0.5), (70, 190, 225), -1, cv2.LINE_AA)
    tone = 1 + 0.03 * _noise(rng, 300, 220) + 0.012 * rng.normal(0, 1, SHAPE)
    for offset in (0.3, 0.62):
        tone[:, int(SHAPE[1] * offset) :][:, :4] *= 0.93
    return np.asarray(colour * tone[..., None].astype(np.float32))


def varnish(rng: np.random.Generator, base: tuple[float, float, float]) -> np.ndarray:
    """Draw a plain table: one colour, a little wear, a few scratches and crumbs; (h, w, 3) float32 BGR."""
    tone = 1 + 0.03 * _noise(rng, 380, 300) + 0.012 * _noise(rng, 12, 12) + 0.008 * rng.normal(0, 1, SHAPE)
    colour = np.array(base, np.float32) * tone[..., None].astype(np.float32)
    for _ in range(int(rng.integers(10, 40))):
        start = rng.uniform(0, 1, 2) * (SHAPE[1], SHAPE[0])
        end = start + rng.normal(0, 60, 2)
        level = float(rng.uniform(0.9, 1.1))
        (x0, y0), (x1, y1) = start.astype(int).tolist(), end.astype(int).tolist()
        cv2.line(colour, (x0, y0), (x1, y1), [c * level for c in base], 1, cv2.LINE_AA)
    for _ in range(int(rng.integers(0, 25))):
        at = rng.uniform(0, 1, 2) * (SHAPE[1], SHAPE[0])
        crumb = [float(v) for v in np.array([90, 140, 180]) * rng.uniform(0.6, 1.1)]
        cv2.circle(colour, (int(at[0]), int(at[1])), int(rng.integers(1, 4)), crumb, -1, cv2.LINE_AA)
    return np.asarray(colour)


SURFACES: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
    "wood": wood,
    "walnut": lambda rng: wood(rng, (46, 66, 98)),
    "pale wood": lambda rng: wood(rng, (142, 176, 206)),
    "felt": felt,
    "blue felt": lambda rng: felt(rng, (110, 70, 42)),
    "linen": linen,
    "white cloth": lambda rng: linen(rng, (206, 212, 216), (190, 198, 202)),
    "white table": lambda rng: varnish(rng, (204, 208, 210)),
    "dark table": lambda rng: varnish(rng, (40, 38, 40)),
    "stone": stone,
    "oilcloth": oilcloth,
    "red felt": lambda rng: felt(rng, (44, 36, 120)),
}
KEPT = frozenset({"stone", "oilcloth", "red felt"})
"""Tables for clips that nothing is tuned on: they are used only where a list names them."""


PHOTOGRAPHED = "photo "
"""``photo NAME`` is a table of a photographed texture (``datasets.clips.photographed_tops``)."""


def is_surface(name: str) -> bool:
    """Check whether there is a table of this name."""
    return name in SURFACES or (name.startswith(PHOTOGRAPHED) and name.removeprefix(PHOTOGRAPHED) in texture_names())


def bare_top(name: str, rng: np.random.Generator) -> np.ndarray:
    """Return the bare table, (h, w, 3) float32 BGR of ``SHAPE``."""
    if name.startswith(PHOTOGRAPHED):
        return photographed_top(name.removeprefix(PHOTOGRAPHED), rng, SHAPE, PX_PER_MM)
    return SURFACES[name](rng)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """
    Surroundings of the table: its far edge and its sides (mm from the middle), and the people there, each with a
    place (mm) and a colour.
    """

    far_mm: float = 560.0
    side_mm: float = 760.0
    people: tuple[tuple[tuple[float, float], tuple[float, float, float]], ...] = ()


def _beyond(
    picture: np.ndarray, camera: PinholeCamera, scale: float, room: Surroundings, rng: np.random.Generator
) -> np.ndarray:
    """Replace everything past the table's edge by a floor and people, out of focus."""
    far, side = room.far_mm, room.side_mm
    top = np.array([[-side, -far, 0], [side, -far, 0], [side, 640, 0], [-side, 640, 0.0]])
    corners = camera.project(top) * scale
    table = np.zeros(picture.shape[:2], np.uint8)
    cv2.fillConvexPoly(table, np.round(corners * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
    if table.min() == 255:
        return picture
    height, width = picture.shape[:2]
    rough = rng.normal(0, 1, (6, 9, 3)).astype(np.float32)
    floor = cv2.resize(rough, (width, height), interpolation=cv2.INTER_CUBIC) * 9
    floor += np.array(rng.uniform(28, 90, 3), np.float32)
    for (x, y), colour in room.people:
        middle = camera.project(np.array([x, y, 120.0])) * scale
        wide = float(camera.project(np.array([x + 230, y, 120.0]))[0] * scale - middle[0])
        at = (int(middle[0]), int(middle[1] - 0.5 * wide))
        cv2.ellipse(floor, at, (int(wide), int(wide * 0.95)), 0, 0, 360, [0.8 * c for c in colour], -1)
        cv2.ellipse(floor, (at[0], at[1] - int(wide * 0.5)), (int(wide * 0.8), int(wide * 0.6)), 0, 0, 360, colour, -1)
    floor = cv2.GaussianBlur(floor, (0, 0), 9 * scale)
    # The edge of the table top shows its thickness and throws its shade on the floor.
    rim = camera.project(top - np.array([0, 0, 26.0])) * scale
    slab = np.zeros_like(table)
    cv2.fillConvexPoly(slab, np.round(rim * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
    shade = cv2.GaussianBlur(np.maximum(slab, table), (0, 0), 14 * scale).astype(np.float32)[..., None] / 255
    floor = np.clip(floor * (1 - 0.5 * shade), 0, 255).astype(np.uint8)
    keep = table.astype(np.float32)[..., None] / 255
    return np.asarray((picture * keep + floor * (1 - keep)).astype(np.uint8))


def lay(
    name: str,
    camera: PinholeCamera,
    rng: np.random.Generator,
    dress: Callable[[np.ndarray, float], None] | None = None,
    room: Surroundings | None = None,
) -> np.ndarray:
    """
    Return the table top as the camera sees it, (h, w, 3) uint8 BGR.

    ``dress(canvas, scale)`` may put things on it while it is still ``scale`` times as large. ``room``: where the table
    ends; None: nowhere.
    """
    texture = np.clip(bare_top(name, rng), 0, 255).astype(np.uint8)
    to_mm = np.array([[1 / PX_PER_MM, 0, -HALF_MM[0]], [0, 1 / PX_PER_MM, -HALF_MM[1]], [0, 0, 1.0]])
    scale = 2.0
    double = np.diag([scale, scale, 1.0]) @ camera.table @ to_mm
    width, height = camera.size
    large = cv2.warpPerspective(
        texture, double, (2 * width, 2 * height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT
    )
    if room is not None:
        large = _beyond(large, camera, scale, room, rng)
    if dress:
        dress(large, scale)
    return np.asarray(cv2.resize(large, (width, height), interpolation=cv2.INTER_AREA))
