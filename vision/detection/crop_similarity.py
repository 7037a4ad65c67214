"""Describe a crop by a coarse grid of mean colours, enough to decide whether it has changed."""

from __future__ import annotations

import cv2
import numpy as np

GRID = (24, 33)
"""
Columns and rows of the grid: four pixels of a crop each way, one or two strokes of an index. Set by hand, 2026-11.
"""


def spot_means(crops: np.ndarray) -> np.ndarray:
    """Return the mean colours of (n, h, w, 3) uint8 crops: (n, rows, columns, 3) float32."""
    columns, rows = GRID
    means = np.zeros((len(crops), rows, columns, 3), np.float32)
    for index, crop in enumerate(crops):
        means[index] = cv2.resize(crop, GRID, interpolation=cv2.INTER_AREA)
    return means


def contrast_of(spots: np.ndarray) -> float:
    """Return the difference of the brightest and darkest value of (rows, columns, 3) spots, of 255."""
    return float(spots.max() - spots.min())


def crops_match(now: np.ndarray, before: np.ndarray, differs: float, least: float) -> bool:
    """
    Check whether two crops, as (rows, columns, 3) spots, show the same.

    differs: share of the lesser contrast by which any spot may differ; least: contrast below which the answer is no.
    """
    contrast = min(contrast_of(before), contrast_of(now))
    return contrast >= least and float(np.abs(now - before).max()) < differs * contrast
