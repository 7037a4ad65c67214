"""
Make table tops from photographed textures: a seamless tile of the art beside the checkout, laid over the whole table.
"""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np

from datasets.decks.library import default_art

TILE_MM = (170.0, 420.0)
"""How much of a table one tile shows: the photographs don't say."""
RIM_PX = 3
"""Pixels of a tile's edge that are left out, since the sheet that it was cut from shows there."""
FINE_GRAIN = 0.02
"""Share by which single pixels differ: the tiles are thumbnails, fine grain is not in them."""


@cache
def texture_names() -> tuple[str, ...]:
    """Return the names of the available textures, ``("Carpet002", ...)``; none without the folder of art."""
    art = default_art()
    return () if art is None else tuple(sorted(file.stem for file in (art / "textures").glob("*.png")))


def photographed_top(name: str, rng: np.random.Generator, shape: tuple[int, int], px_per_mm: float) -> np.ndarray:
    """
    Return a table of texture ``name``, (h, w, 3) float32 BGR, one tile ``TILE_MM`` wide at random, unevenly worn.

    ``ValueError`` where the texture is not here.
    """
    art = default_art()
    tile = None if art is None else cv2.imread(str(art / "textures" / f"{name}.png"), cv2.IMREAD_COLOR)
    if tile is None:
        raise ValueError(f"expected a texture out of {', '.join(texture_names()) or 'none'}, got {name!r:.40}")
    side = round(float(rng.uniform(*TILE_MM)) * px_per_mm)
    tile = np.rot90(tile[RIM_PX:-RIM_PX, RIM_PX:-RIM_PX], int(rng.integers(4)))
    # Wrapped round before it is enlarged, so that no seam shows where tiles meet.
    rim = 8
    wrapped = cv2.copyMakeBorder(tile, rim, rim, rim, rim, cv2.BORDER_WRAP)
    factor = side / tile.shape[0]
    large = cv2.resize(wrapped, None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC)
    start = round(rim * factor)
    large = large[start : start + side, start : start + side].astype(np.float32)
    high, wide = shape
    repeats = (-(-high // large.shape[0]) + 1, -(-wide // large.shape[1]) + 1, 1)
    from_row, from_column = (int(rng.integers(size)) for size in large.shape[:2])
    table = np.tile(large, repeats)[from_row : from_row + high, from_column : from_column + wide]
    rough = rng.normal(0, 0.05, (5, 7)).astype(np.float32)
    tone = 1 + cv2.resize(rough, (wide, high), interpolation=cv2.INTER_CUBIC).astype(np.float32)
    tone += FINE_GRAIN * rng.standard_normal(shape, np.float32)
    return np.asarray(table * tone[..., None])
