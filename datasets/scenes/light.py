"""
Simulate light and lens: shadows, lamps, glare, casts, blur, noise and compression, all on float32 BGR pictures 0..255.
"""

from __future__ import annotations

import cv2
import numpy as np


def soft_mask(rng: np.random.Generator, size: tuple[int, int], polygon_px: np.ndarray, blur_px: float) -> np.ndarray:
    """
    Return a filled polygon with soft edges, (h, w) float32 0..1; drawn small and enlarged: shadows have no detail.
    """
    width, height = size
    scale = 4 if blur_px > 6 else 2
    mask = np.zeros((height // scale + 1, width // scale + 1), np.float32)
    cv2.fillPoly(mask, [np.round(polygon_px / scale).astype(np.int32)], 1.0)
    sigma = max(blur_px / scale, 0.5)
    soft = cv2.GaussianBlur(mask, (0, 0), sigma)
    return cv2.resize(soft, size, interpolation=cv2.INTER_LINEAR)


def through_jpeg(image: np.ndarray, quality: int) -> np.ndarray:
    """Return the (h, w, 3) uint8 picture as it looks after JPEG compression; ``quality``: 0 to 100."""
    stored = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return np.asarray(cv2.imdecode(stored, cv2.IMREAD_COLOR), np.uint8)


def blob(rng: np.random.Generator, size: tuple[int, int], spread: tuple[float, float]) -> np.ndarray:
    """
    Draw a soft elliptic spot somewhere on the picture, (h, w) float32 0..1; ``spread``: share of the width, from-to.
    """
    width, height = size
    ys, xs = np.mgrid[0:height:8, 0:width:8].astype(np.float32)
    centre = rng.uniform(-0.1, 1.1, 2) * size
    angle = rng.uniform(0, np.pi)
    dx, dy = xs - centre[0], ys - centre[1]
    a = (dx * np.cos(angle) + dy * np.sin(angle)) / (width * rng.uniform(*spread))
    b = (-dx * np.sin(angle) + dy * np.cos(angle)) / (width * rng.uniform(*spread))
    return cv2.resize(np.exp(-(a**2 + b**2)), size, interpolation=cv2.INTER_LINEAR)


def light_scene(rng: np.random.Generator, image: np.ndarray) -> np.ndarray:
    """Light the whole table with lamps: uneven light, hard and soft shadows, a spotlight, glare, a colour cast."""
    height, width = image.shape[:2]
    size = (width, height)
    gain = np.ones((height, width), np.float32)
    if rng.random() < 0.7:
        corners = rng.uniform(1 - rng.uniform(0, 0.55), 1.1, (2, 2)).astype(np.float32)
        gain *= cv2.resize(corners, size, interpolation=cv2.INTER_LINEAR)
    if rng.random() < 0.15:
        gain *= 0.25 + 0.9 * blob(rng, size, (0.25, 0.8))
    if rng.random() < 0.35:
        for _ in range(int(rng.integers(1, 3))):
            points = rng.uniform(-0.3, 1.3, (int(rng.integers(3, 6)), 2)) * size
            hull = cv2.convexHull(points.astype(np.float32))[:, 0]
            blur = float(rng.choice([1.5, 4, 12, 30]))
            gain *= 1 - rng.uniform(0.2, 0.6) * soft_mask(rng, size, hull, blur)
    image = image * gain[..., None]
    if rng.random() < 0.3:
        for _ in range(int(rng.integers(1, 3))):
            spot = blob(rng, size, (0.02, 0.25))
            image = image + (rng.uniform(40, 200) * spot)[..., None]
    if rng.random() < 0.6:
        warm = rng.normal(0, 0.12)
        image = image * np.array([1 - warm, 1 + rng.normal(0, 0.03), 1 + warm], np.float32)
    return image


DARKEST = 45.0
"""A camera does not leave a picture with less than this at its brighter places."""


def expose(rng: np.random.Generator, image: np.ndarray) -> np.ndarray:
    """Expose the picture as a sensor does: exposure, gamma, contrast; (h, w, 3) float32 0..255."""
    kind = rng.random()
    if kind < 0.6:
        stops = rng.normal(0, 0.25)
    elif kind < 0.82:
        stops = rng.uniform(-1.9, -0.3)
    elif kind < 0.86:
        stops = rng.uniform(-3.0, -1.9)
    else:
        stops = rng.uniform(0.2, 1.2)
    image = image * 2.0**stops
    if rng.random() < 0.5:
        image = 255 * np.power(np.clip(image, 0, 255) / 255, rng.uniform(0.7, 1.4))
    if rng.random() < 0.4:
        low, high = rng.uniform(0, 40), rng.uniform(190, 255)
        image = low + np.clip(image, 0, 255) * (high - low) / 255
    bright = float(np.percentile(image[::4, ::4], 95))
    # Where there is any light at all, a camera opens up.
    return image * (DARKEST / bright) if 1.0 < bright < DARKEST else image


def smear(rng: np.random.Generator, image: np.ndarray, strength: float = 1.0) -> np.ndarray:
    """Blur by defocus or motion; ``strength`` scales with the picture (1 for a width of about 416 px)."""
    kind = rng.random()
    if kind < 0.35:
        return cv2.GaussianBlur(image, (0, 0), rng.uniform(0.3, 1.3) * strength)
    if kind < 0.45:
        length = max(3, int(rng.uniform(2, 6) * strength) | 1)
        kernel = np.zeros((length, length), np.float32)
        angle = rng.uniform(0, np.pi)
        middle = length // 2
        step = np.array([np.cos(angle), np.sin(angle)]) * middle
        cv2.line(
            kernel,
            tuple(int(v) for v in np.round(middle - step)),
            tuple(int(v) for v in np.round(middle + step)),
            1.0,
        )
        return cv2.filter2D(image, -1, kernel / kernel.sum())
    if kind < 0.6:  # a phone that sharpens
        soft = cv2.GaussianBlur(image, (0, 0), 1.2)
        return image + rng.uniform(0.3, 1.2) * (image - soft)
    return image


def develop(rng: np.random.Generator, image: np.ndarray) -> np.ndarray:
    """Add noise, grey pictures and compression, as in the file that arrives: (h, w, 3) float32 -> uint8."""
    height, width = image.shape[:2]
    if rng.random() < 0.7:
        sigma = abs(rng.normal(0, 5))
        coarse = rng.random() < 0.3
        shape = (height // 2, width // 2, 3) if coarse else (height, width, 1 if rng.random() < 0.5 else 3)
        grain = rng.standard_normal(shape, dtype=np.float32) * sigma
        image = image + (cv2.resize(grain, (width, height)) if coarse else grain)
    out = np.clip(image, 0, 255).astype(np.uint8)
    if rng.random() < 0.06:
        out = cv2.cvtColor(cv2.cvtColor(out, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    if rng.random() < 0.5:
        quality = int(rng.integers(25, 95))
        out = through_jpeg(out, quality)
    return out
