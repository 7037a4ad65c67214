"""Table tops: wood, felt and woven cloth drawn from noise, in table millimetres, and how the camera sees them."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from datasets.clips.stage import Camera

HALF_MM = (900.0, 700.0)
PX_PER_MM = 1.4
SHAPE = (round(2 * HALF_MM[1] * PX_PER_MM), round(2 * HALF_MM[0] * PX_PER_MM))


def _noise(rng: np.random.Generator, cell_x: float, cell_y: float) -> np.ndarray:
    """Smooth noise about -1..1, SHAPE float32, its grain ``cell`` px wide and high."""
    small = rng.normal(0, 0.55, (max(2, round(SHAPE[0] / cell_y)), max(2, round(SHAPE[1] / cell_x)))).astype(np.float32)
    return cv2.resize(small, (SHAPE[1], SHAPE[0]), interpolation=cv2.INTER_CUBIC)


def wood(rng: np.random.Generator, base: tuple[float, float, float] = (88, 122, 160)) -> np.ndarray:
    """Planks with grain, joints between them, each of its own shade; (h, w, 3) float32 BGR."""
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
    """Billiard felt: fine fuzz and a little wear; (h, w, 3) float32 BGR."""
    fuzz = cv2.GaussianBlur(rng.normal(0, 1, SHAPE), (0, 0), 0.8) * 1.6 + 0.5 * _noise(rng, 5, 5)
    tone = 1 + 0.050 * fuzz + 0.045 * _noise(rng, 160, 160) + 0.03 * _noise(rng, 420, 300)
    return np.asarray(np.array(base, np.float32) * tone[..., None])


def linen(
    rng: np.random.Generator,
    base: tuple[float, float, float] = (168, 178, 186),
    stripe: tuple[float, float, float] = (70, 70, 158),
) -> np.ndarray:
    """A checked tablecloth with its weave and a few soft folds; (h, w, 3) float32 BGR."""
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


SURFACES: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
    "wood": wood,
    "walnut": lambda rng: wood(rng, (46, 66, 98)),
    "pale wood": lambda rng: wood(rng, (142, 176, 206)),
    "felt": felt,
    "blue felt": lambda rng: felt(rng, (110, 70, 42)),
    "linen": linen,
    "white cloth": lambda rng: linen(rng, (206, 212, 216), (190, 198, 202)),
}


def lay(
    name: str, camera: Camera, rng: np.random.Generator, dress: Callable[[np.ndarray, float], None] | None = None
) -> np.ndarray:
    """
    The table top as the camera sees it, (h, w, 3) uint8 BGR.

    ``dress(canvas, scale)`` may put things on it while it is still ``scale`` times as large.
    """
    texture = np.clip(SURFACES[name](rng), 0, 255).astype(np.uint8)
    to_mm = np.array([[1 / PX_PER_MM, 0, -HALF_MM[0]], [0, 1 / PX_PER_MM, -HALF_MM[1]], [0, 0, 1.0]])
    scale = 2.0
    double = np.diag([scale, scale, 1.0]) @ camera.table @ to_mm
    width, height = camera.size
    large = cv2.warpPerspective(
        texture, double, (2 * width, 2 * height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT
    )
    if dress:
        dress(large, scale)
    return np.asarray(cv2.resize(large, (width, height), interpolation=cv2.INTER_AREA))
