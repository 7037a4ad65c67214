"""
Simulate the hardest light in which a picture of cards can still be read.

Each takes a picture that was lit already and brings it to one measured state, however it was before: so dark that the
paper is at a sixth of white, so bright that it clips, with a lamp's mirror image on a card, and so on.
"""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

Lamp = Callable[[np.random.Generator, np.ndarray, np.ndarray], np.ndarray]


def paper_level(image: np.ndarray, quads: np.ndarray) -> float:
    """
    Return the brightness of the cards' paper: the 80th percentile within the cards, 0..255; of the picture without
    cards.
    """
    mask = np.zeros(image.shape[:2], np.uint8)
    for quad in quads:
        cv2.fillConvexPoly(mask, np.round(quad).astype(np.int32), 255)
    within = image[mask > 0] if mask.any() else image.reshape(-1, 3)
    return float(np.percentile(within.mean(axis=1), 80))


def _to_paper(image: np.ndarray, quads: np.ndarray, level: float) -> np.ndarray:
    scaled: np.ndarray = image * (level / max(paper_level(image, quads), 4.0))
    return scaled


def _spot(rng: np.random.Generator, shape: tuple[int, int], at: np.ndarray, reach_px: float) -> np.ndarray:
    """Return a soft ellipse, (h, w) float32 0..1."""
    height, width = shape
    ys, xs = np.mgrid[0:height, 0:width].astype(np.float32)
    angle, squeeze = rng.uniform(0, np.pi), rng.uniform(0.4, 1.0)
    along = (xs - at[0]) * np.cos(angle) + (ys - at[1]) * np.sin(angle)
    across = -(xs - at[0]) * np.sin(angle) + (ys - at[1]) * np.cos(angle)
    spot: np.ndarray = np.exp(-((along / reach_px) ** 2) - (across / (reach_px * squeeze)) ** 2)
    return spot


def _noisy(rng: np.random.Generator, image: np.ndarray, sigma: float) -> np.ndarray:
    noisy: np.ndarray = image + rng.standard_normal(image.shape, dtype=np.float32) * sigma
    return noisy


def _some_card(rng: np.random.Generator, quads: np.ndarray, shape: tuple[int, int]) -> tuple[np.ndarray, float]:
    """Return the middle of one random card and the cards' size."""
    if not len(quads):
        return np.array([shape[1] / 2, shape[0] / 2]), shape[0] / 4
    quad = quads[int(rng.integers(len(quads)))]
    return quad.mean(axis=0), float(np.linalg.norm(quad[2] - quad[0]))


def near_dark(rng: np.random.Generator, image: np.ndarray, quads: np.ndarray) -> np.ndarray:
    """Darken until paper is at a sixth of white, close to the sensor's noise."""
    return _noisy(rng, _to_paper(image, quads, 42.0), 2.5)


def over_exposed(rng: np.random.Generator, image: np.ndarray, quads: np.ndarray) -> np.ndarray:
    """Expose paper well past white: thin print fades."""
    return _to_paper(image, quads, 330.0)


def glare(rng: np.random.Generator, image: np.ndarray, quads: np.ndarray) -> np.ndarray:
    """Mirror a lamp in two cards: white spots a third of a card across."""
    for _ in range(2):
        middle, card = _some_card(rng, quads, image.shape[:2])
        at = middle + rng.normal(0, 0.2, 2) * card
        image = image + 260 * _spot(rng, image.shape[:2], at, 0.17 * card)[..., None]
    return image


def lamp(rng: np.random.Generator, image: np.ndarray, quads: np.ndarray) -> np.ndarray:
    """Light one side of the table with one lamp: the far side at a fifth of the light, and everything orange."""
    middle, _ = _some_card(rng, quads, image.shape[:2])
    fall = 0.2 + 0.95 * _spot(rng, image.shape[:2], middle, 0.45 * image.shape[1])
    return _to_paper(image, quads, 190.0) * fall[..., None] * np.array([0.55, 0.85, 1.12], np.float32)


def hard_shadow(rng: np.random.Generator, image: np.ndarray, quads: np.ndarray) -> np.ndarray:
    """Throw a sharp shadow's edge across a card, a third of the light behind it."""
    height, width = image.shape[:2]
    middle, _ = _some_card(rng, quads, (height, width))
    angle = rng.uniform(0, 2 * np.pi)
    ys, xs = np.mgrid[0:height, 0:width].astype(np.float32)
    side = (xs - middle[0]) * np.cos(angle) + (ys - middle[1]) * np.sin(angle)
    shade = 0.33 + 0.67 / (1 + np.exp(np.clip(-side / 1.5, -40, 40)))
    shaded: np.ndarray = _to_paper(image, quads, 225.0) * shade[..., None]
    return shaded


def blue_screen(rng: np.random.Generator, image: np.ndarray, quads: np.ndarray) -> np.ndarray:
    """Light the table with a screen or a neon sign alone: blue, dim, noisy; red print goes dark."""
    return _noisy(rng, _to_paper(image, quads, 95.0) * np.array([1.25, 0.9, 0.5], np.float32), 4.0)


LAMPS: dict[str, Lamp] = {
    "near dark": near_dark,
    "over-exposed": over_exposed,
    "glare": glare,
    "one lamp": lamp,
    "hard shadow": hard_shadow,
    "blue light": blue_screen,
}


def lit_hard(rng: np.random.Generator, image: np.ndarray, quads: np.ndarray, name: str) -> np.ndarray:
    """Return a (h, w, 3) uint8 picture with cards at ``quads`` (n, 4, 2) under the lamp called ``name``."""
    lit: np.ndarray = np.clip(LAMPS[name](rng, image.astype(np.float32), quads), 0, 255).astype(np.uint8)
    return lit


def light_of(image: np.ndarray) -> str:
    """
    Return in a word how a photograph is lit.

    >>> light_of(np.full((8, 8, 3), 20, np.uint8)), light_of(np.full((8, 8, 3), 128, np.uint8))
    ('dark', 'even')
    """
    small = image[::4, ::4].mean(axis=2)
    if small.mean() < 65:
        return "dark"
    if (small >= 250).mean() > 0.12:
        return "over-exposed"
    return "dim" if small.mean() < 100 else "even"
