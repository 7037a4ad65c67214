"""
Estimate the table's plane from the cards on it: every card is 63 x 88 mm, so a few of them fix plane and scale.

The mapping from picture to table is a homography. It is fitted robustly so that all cards become rectangles of the
right size (sides and diagonals), whatever their rotation; if the fit fails or too few cards are visible, a plain scale
is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from vision.geometry.quads import Array, area

CARD_WIDTH_MM = 63.0
CARD_HEIGHT_MM = 88.0
"""
A poker-size card, the size of most decks. Bridge and Russian cards are up to 6 mm narrower: the scale is then off by a
twentieth at most.
"""

_FROM, _TO = [0, 2, 1, 3, 0, 1], [1, 3, 2, 0, 2, 3]
"""Pairs of corners whose distances are compared: sides and diagonals."""
_DIAGONAL_MM = float(np.hypot(CARD_WIDTH_MM, CARD_HEIGHT_MM))
_LENGTHS = np.array(
    [CARD_WIDTH_MM, CARD_WIDTH_MM, CARD_HEIGHT_MM, CARD_HEIGHT_MM, _DIAGONAL_MM, _DIAGONAL_MM], np.float64
)

Matrix = npt.NDArray[np.float64]

_MOST_STEPS = 60
"""Largest number of steps of the fit; it mostly takes ten. Set by hand, 2026-11, as the two below."""
_LEAST_GAIN = 1e-6
"""Relative decrease of the squared error below which the fit stops."""
_MOST_DAMPING = 1e6
"""Damping from which the fit stops."""


# How far the fit is trusted. Set by hand, 2026-11.
HUBER_MM = 4.0
"""Millimetres above which an error counts linearly, so that a badly found corner does not distort the plane."""
TILT_PRIOR = 0.02
"""Prior towards no perspective, in mm per unit of tilt: it matters only with one or two cards."""
WORST_MM = 9.0
"""Largest accepted median error of the cards' lengths in millimetres; beyond it the plain scale is used."""
FITS_KEPT = 64
"""Number of fits kept; a picture of a fan makes about twenty."""
NEAREST_HORIZON = 0.15
"""Smallest accepted distance of a picture corner from the horizon (1: no perspective, 0: on it)."""


@dataclass(frozen=True, slots=True, eq=False)
class TableFit:
    """A fitted plane. ``to_mm``: 3x3, picture pixels to table mm. ``cards``: the number of cards it was fitted to."""

    to_mm: Matrix
    cards: int


def fit_table(quads_px: Array, picture: tuple[int, int]) -> TableFit:
    """
    Fit the table plane to cards (n, 4, 2) in a picture of (width, height); raise ``ValueError`` without any card.

    The origin of the millimetres is the centre of the picture, x to the right there. The last fits are kept: one
    picture asks for the plane of the same cards several times.
    """
    if len(quads_px) == 0:
        raise ValueError("expected at least one card to measure the table by, got none")
    return _fitted(np.asarray(quads_px, np.float64).tobytes(), picture)


@lru_cache(maxsize=FITS_KEPT)
def _fitted(quads_px: bytes, picture: tuple[int, int]) -> TableFit:
    """Fit the table plane to cards given as the bytes of (n, 4, 2) float64 px."""
    width, height = picture
    unit = width / 2
    middle = np.array([width / 2, height / 2])
    quads = (np.frombuffer(quads_px).reshape(-1, 4, 2) - middle) / unit
    typical = float(np.median([area(quad) for quad in quads.astype(np.float32)]))
    scale = float(np.sqrt(CARD_WIDTH_MM * CARD_HEIGHT_MM / max(typical, 1e-9)))
    plain = np.array([scale, 0.0, 0.0, scale, 0.0, 0.0])
    best = _refine(plain, quads)
    corners = np.array([[x, y] for x in (-1, 1) for y in (-height / width, height / width)])
    nearest = float((1 + corners @ best[4:]).min())
    if _error(best, quads) > WORST_MM or nearest < NEAREST_HORIZON or not np.isfinite(best).all():
        best = plain
    table = np.array([[best[0], best[1], 0.0], [best[2], best[3], 0.0], [best[4], best[5], 1.0]])
    turn = np.arctan2(best[2], best[0])
    upright = np.array([[np.cos(turn), np.sin(turn), 0.0], [-np.sin(turn), np.cos(turn), 0.0], [0.0, 0.0, 1.0]])
    to_unit = np.array([[1 / unit, 0, -middle[0] / unit], [0, 1 / unit, -middle[1] / unit], [0, 0, 1.0]])
    to_mm = upright @ table @ to_unit
    to_mm.setflags(write=False)
    return TableFit(to_mm, len(quads))


def _misses(params: Matrix, quads: Matrix) -> Matrix:
    """Return measured minus true lengths of n quads under each of k mappings (k, 6): (k, n * 6) mm."""
    x, y = quads[None, :, :, 0], quads[None, :, :, 1]
    a, b, c, d, e, f = params.T[:, :, None, None]
    below = 1 + x * e + y * f
    below = np.where(np.abs(below) < 1e-3, 1e-3, below)
    placed = (x * a + y * b + 1j * (x * c + y * d)) / below
    lengths = np.abs(placed[..., _FROM] - placed[..., _TO])
    misses: Matrix = (lengths - _LENGTHS).reshape(len(params), -1)
    return misses


def _error(params: Matrix, quads: Matrix) -> float:
    return float(np.median(np.abs(_misses(params[None], quads))))


def _refine(start: Matrix, quads: Matrix) -> Matrix:
    """
    Refine the mapping by Levenberg-Marquardt with Huber weights; the table's rotation is free and held by the damping.
    """
    params = start.copy()
    steps = np.array([start[0], start[0], start[0], start[0], 1.0, 1.0]) * 1e-5
    aside = np.diag(steps)
    prior = TILT_PRIOR * _DIAGONAL_MM

    def residuals(at: Matrix) -> Matrix:
        misses = _misses(at, quads)
        size = np.maximum(np.abs(misses), 1e-9)
        weights = np.where(size > HUBER_MM, np.sqrt(HUBER_MM / size), 1.0)
        result: Matrix = np.concatenate([misses * weights, at[:, 4:] * prior], axis=1)
        return result

    damping = 1e-2
    now = residuals(params[None])[0]
    for _ in range(_MOST_STEPS):
        slope = ((residuals(params + aside) - now) / steps[:, None]).T
        normal = slope.T @ slope
        try:
            step = np.linalg.solve(normal + damping * np.diag(np.diag(normal) + 1e-9), -slope.T @ now)
        except np.linalg.LinAlgError:
            break
        tried = residuals((params + step)[None])[0]
        if tried @ tried < now @ now:
            gained = 1 - (tried @ tried) / (now @ now)
            params, now, damping = params + step, tried, max(damping / 3, 1e-7)
            if gained < _LEAST_GAIN:
                break
        else:
            damping *= 4
            if damping > _MOST_DAMPING:
                break
    return params
