"""Simulate exposure and white balance of a cheap camera, which follow the picture late and overshoot."""

from __future__ import annotations

import numpy as np

WHITE_PERCENTILE = 96.0
"""The camera assumes that pixels brighter than this percentile are white."""
FURTHEST = 1.45
"""Blue and red are corrected by this factor at most, either way."""


class Servo:
    """
    A value that follows a wanted one within ``follows_s`` seconds.

    ``overshoot``: share of a jump by which it first goes too far; 0: it only ever comes nearer.
    """

    def __init__(self, follows_s: float, overshoot: float, start: np.ndarray) -> None:
        self.value = np.array(start, float)
        self._follows_s = follows_s
        self._speed = np.zeros_like(self.value)
        # Share of an oscillator's jump by which it goes too far is exp(-pi z / sqrt(1 - z^2)).
        drop = np.log(overshoot) if overshoot > 0 else 0.0
        self._damping = -drop / np.hypot(np.pi, drop) if overshoot > 0 else 1.0
        self._swings = overshoot > 0

    def follow(self, wanted: np.ndarray, seconds: float) -> np.ndarray:
        """Return the value ``seconds`` later, if ``wanted`` is the target all the while."""
        if not self._swings:
            self.value += (1 - np.exp(-max(seconds, 0.0) / self._follows_s)) * (wanted - self.value)
            return self.value
        pull = 2.2 / self._follows_s
        steps = max(1, int(np.ceil(seconds / 0.01)))
        for _ in range(steps if seconds > 0 else 0):
            step = seconds / steps
            self._speed += step * (pull * pull * (wanted - self.value) - 2 * self._damping * pull * self._speed)
            self.value += step * self._speed
        return self.value


def white_gains(small: np.ndarray) -> np.ndarray:
    """
    Return (3,) BGR factors that take blue or red out of what is brightest in a picture; ``small``: (h, w, 3) float32.

    On a bare cloth that is the cloth; once a white card lies there, it is the card: all colours change. A camera knows
    lamps from candle to sky, and no green light: green stays.
    """
    pixels = small.reshape(-1, 3)
    level = pixels.mean(axis=1)
    blue, _, red = np.maximum(pixels[level >= np.percentile(level, WHITE_PERCENTILE)].mean(axis=0), 4.0)
    gain = np.clip(np.sqrt(red / blue), 1 / FURTHEST, FURTHEST)
    return np.array([gain, 1.0, 1 / gain])
