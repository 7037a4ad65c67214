"""Make surfaces under the cards: table tops drawn from noise, stripes and checks, or from texture tiles."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

TILE_PX = 256


def load_tiles(folder: Path | None) -> list[np.ndarray]:
    """Load all texture tiles of a folder as BGR; an empty list without one."""
    if folder is None or not folder.is_dir():
        return []
    tiles = [cv2.imread(str(path)) for path in sorted(folder.iterdir())]
    return [tile for tile in tiles if tile is not None]


def noise(rng: np.random.Generator, shape: tuple[int, int], cell: int) -> np.ndarray:
    """Smooth noise in -1..1, (h, w) float32, with features about ``cell`` px wide; seamless at tile size."""
    height, width = shape
    small = rng.uniform(-1, 1, (max(2, height // cell), max(2, width // cell))).astype(np.float32)
    return cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC)


def any_colour(rng: np.random.Generator) -> np.ndarray:
    """
    Draw a random colour of tables: mostly white, grey, black, browns, greens; now and then anything. (3,) float32 BGR.
    """
    kind = rng.random()
    if kind < 0.25:
        level = rng.uniform(150, 250)
        return (level + rng.normal(0, 6, 3)).astype(np.float32)
    if kind < 0.4:
        return (rng.uniform(10, 90) + rng.normal(0, 6, 3)).astype(np.float32)
    if kind < 0.6:
        hue, saturation, value = rng.uniform(8, 20), rng.uniform(60, 180), rng.uniform(50, 220)
    elif kind < 0.7:
        hue, saturation, value = rng.uniform(45, 85), rng.uniform(80, 220), rng.uniform(40, 150)
    else:
        hue, saturation, value = rng.uniform(0, 180), rng.uniform(20, 220), rng.uniform(40, 240)
    pixel = np.array([[[hue, saturation, value]]], np.uint8)
    return cv2.cvtColor(pixel, cv2.COLOR_HSV2BGR)[0, 0].astype(np.float32)


def drawn_tile(rng: np.random.Generator) -> np.ndarray:
    """Draw one table top, (256, 256, 3) uint8: plain, grained, striped, checked, woven, speckled or flowered."""
    shape = (TILE_PX, TILE_PX)
    base = any_colour(rng)
    tile = np.empty((*shape, 3), np.float32)
    tile[:] = base
    kind = rng.integers(0, 8)
    if kind in (0, 1):  # plain, a little uneven
        tile += noise(rng, shape, int(rng.integers(20, 120)))[..., None] * rng.uniform(0, 12)
    elif kind == 2:  # wood grain
        grain = noise(rng, (TILE_PX, 8), int(rng.integers(2, 12)))
        fine = cv2.resize(grain, shape) + 0.5 * noise(rng, shape, 40)
        tile += fine[..., None] * rng.uniform(8, 35) * np.array([0.7, 0.9, 1.0], np.float32)
        for x in range(0, TILE_PX, int(rng.integers(40, 130))):
            tile[x : x + 2] *= rng.uniform(0.4, 0.9)
    elif kind in (3, 4):  # stripes, plaid
        other = any_colour(rng)
        step = int(rng.integers(6, 64))
        stripe = (np.arange(TILE_PX) // step % 2).astype(np.float32)
        mask = stripe[None, :] * np.ones(shape, np.float32)
        if kind == 4:
            mask = (mask + stripe[:, None]) / np.float32(2)
        tile += mask[..., None] * (other - base)
    elif kind == 5:  # weave, carpet
        tile += rng.normal(0, rng.uniform(5, 35), (*shape, 1)).astype(np.float32)
        tile[:] = cv2.GaussianBlur(tile, (3, 3), float(rng.uniform(0.3, 1.2)))
    elif kind == 6:  # speckles, terrazzo
        for _ in range(int(rng.integers(30, 200))):
            spot = tuple(int(v) for v in rng.integers(0, TILE_PX, 2))
            cv2.circle(tile, spot, int(rng.integers(1, 7)), tuple(float(v) for v in any_colour(rng)), -1)
    else:  # big print: flowers, leaves, letters
        for _ in range(int(rng.integers(3, 14))):
            colour = tuple(float(v) for v in any_colour(rng))
            centre = rng.integers(0, TILE_PX, 2)
            for angle in np.linspace(0, 2 * np.pi, int(rng.integers(3, 8)), endpoint=False):
                at = centre + rng.uniform(8, 22) * np.array([np.cos(angle), np.sin(angle)])
                axes = (int(rng.integers(6, 24)), int(rng.integers(3, 12)))
                cv2.ellipse(tile, tuple(int(v) for v in at), axes, float(np.degrees(angle)), 0, 360, colour, -1)
    tile += rng.normal(0, rng.uniform(0, 4), tile.shape).astype(np.float32)
    return np.clip(tile, 0, 255).astype(np.uint8)


def lay_surface(
    rng: np.random.Generator, matrix: np.ndarray, size: tuple[int, int], tiles: list[np.ndarray]
) -> np.ndarray:
    """
    Return the table top seen by the camera, (h, w, 3) uint8: a tile repeated over the plane, recoloured and grained.
    """
    tile = tiles[int(rng.integers(len(tiles)))] if tiles and rng.random() < 0.55 else drawn_tile(rng)
    if rng.random() < 0.4:
        tile = cv2.cvtColor(tile, cv2.COLOR_BGR2HSV)
        tile[..., 0] = (tile[..., 0].astype(int) + int(rng.integers(-15, 16))) % 180
        tile[..., 1] = np.clip(tile[..., 1] * rng.uniform(0.3, 1.4), 0, 255)
        tile = cv2.cvtColor(tile, cv2.COLOR_HSV2BGR)
    if rng.random() < 0.5:
        tile = np.clip(tile.astype(np.float32) * rng.uniform(0.4, 1.5) + rng.uniform(-20, 40), 0, 255).astype(np.uint8)
    mm_per_px = rng.uniform(0.5, 3.0) * 200 / tile.shape[0]
    angle = rng.uniform(0, np.pi)
    cos, sin = np.cos(angle) * mm_per_px, np.sin(angle) * mm_per_px
    to_mm = np.array([[cos, -sin, rng.uniform(-300, 300)], [sin, cos, rng.uniform(-300, 300)], [0, 0, 1.0]])
    return cv2.warpPerspective(tile, matrix @ to_mm, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP)
