"""How a crop looks, in a few hundred numbers: enough to tell whether it looks as it looked."""

from __future__ import annotations

import cv2
import numpy as np

GRID = (24, 33)
"""
Columns and rows of spots: four pixels of a crop each way, a stroke of an index or two. More take time and see grain,
fewer blur an index away. Set by hand, 2026-11.
"""


def spot_means(crops: np.ndarray) -> np.ndarray:
    """(n, h, w, 3) uint8 crops -> (n, rows, columns, 3) float32 means."""
    columns, rows = GRID
    means = np.zeros((len(crops), rows, columns, 3), np.float32)
    for index, crop in enumerate(crops):
        means[index] = cv2.resize(crop, GRID, interpolation=cv2.INTER_AREA)
    return means


def contrast_of(spots: np.ndarray) -> float:
    """From the darkest to the lightest of (rows, columns, 3) spots, of 255."""
    return float(spots.max() - spots.min())


def crops_match(now: np.ndarray, before: np.ndarray, differs: float, least: float) -> bool:
    """
    Do two crops, as (rows, columns, 3) spots, show the same?

    differs: share of the lesser contrast by which no spot may differ; least: contrast below which nothing is known.
    """
    contrast = min(contrast_of(before), contrast_of(now))
    return contrast >= least and float(np.abs(now - before).max()) < differs * contrast
