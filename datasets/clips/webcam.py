"""
Simulate a cheap webcam: exposure and white balance that follow what it sees, a lamp that flickers in
bands, focus that hunts, a shutter that stays open long and rolls, noise, few pictures a second, few pixels, hard
compression, the colours of a GIF, a date printed into the picture, black bars.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import cv2
import numpy as np

from datasets.clips.auto_exposure import Servo, white_gains
from datasets.clips.palette import Palette
from datasets.scenes.light import through_jpeg

BANDS = 2.6
"""Bands of a flickering lamp in one picture: the shutter rolls over it in 26 ms of a lamp's 10 ms."""


@dataclass(frozen=True, slots=True)
class WebcamStyle:
    """
    How strong each fault is; 0 switches it off.

    ``exposure``, ``balance``: how far gain and colours are corrected towards grey, 0 to 1, within ``follows_s``
    seconds, first too far by ``overshoot`` of the way. ``white``: how far what is brightest is made white: the cloth,
    and once a card lies there the card. ``flicker``: share by which bands are darker. ``focus``: blur in px while it
    hunts, each time the picture changes much. ``jpeg``: quality, 1 to 100. ``sharpen``: strength of the camera's own
    sharpening. ``date``: printed at the lower edge. ``bars``: share of the height that black bars take. ``size``: width
    of the film in px, 0 as painted. ``shutter_ms``: time for which the shutter is open for a picture, 0 as the light
    says; ``rolling_ms``: time by which the last row is read later than the first. ``rate``: pictures a second that the
    camera makes, 0 one for every frame of the film; the film shows each until the next. ``noise``: grey levels.
    ``gif``: a palette and dots. ``crf``: how hard the film is compressed, 0 as the recipe says.
    """

    exposure: float = 0.0
    balance: float = 0.0
    follows_s: float = 0.7
    flicker: float = 0.0
    focus: float = 0.0
    jpeg: int = 0
    sharpen: float = 0.0
    date: bool = False
    bars: float = 0.0
    size: int = 0
    overshoot: float = 0.0
    white: float = 0.0
    shutter_ms: float = 0.0
    rolling_ms: float = 0.0
    rate: float = 0.0
    noise: float = 0.0
    gif: bool = False
    crf: int = 0

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> WebcamStyle:
        """Draw a style at random."""
        return cls(
            exposure=float(rng.uniform(0.3, 1.0)),
            balance=float(rng.choice([0.0, 0.3, 0.8])),
            follows_s=float(rng.uniform(0.25, 1.2)),
            flicker=float(rng.choice([0.0, 0.0, 0.06, 0.12])),
            focus=float(rng.choice([0.0, 0.0, 2.0, 4.0])),
            jpeg=int(rng.choice([35, 55, 80])),
            sharpen=float(rng.choice([0.0, 0.4, 0.9])),
            date=bool(rng.random() < 0.2),
            bars=float(rng.choice([0.0, 0.0, 0.0, 0.08])),
            size=int(rng.choice([0, 0, 640, 480])),
        )


def style_of(wish: object, seed: int) -> WebcamStyle | None:
    """Return a style from a list of clips: ``"drawn"``, a table of its fields, or nothing."""
    if wish is None:
        return None
    if wish == "drawn":
        return WebcamStyle.drawn(np.random.default_rng((seed, 41)))
    names = {f.name for f in fields(WebcamStyle)}
    if not isinstance(wish, dict) or not wish.keys() <= names:
        raise ValueError(f'expected webcam = "drawn" or a table of {", ".join(sorted(names))}, got {wish!r:.80}')
    return WebcamStyle(**wish)


class Webcam:
    """Shows pictures as the webcam would, in order of time."""

    def __init__(self, style: WebcamStyle, rng: np.random.Generator) -> None:
        self.style = style
        self._phase = float(rng.uniform(0, 1))
        self._servo = Servo(style.follows_s, style.overshoot, np.ones(3))
        self._chance = rng
        self._next = -1e9
        self._palette = Palette() if style.gif else None
        self._before: np.ndarray | None = None
        self._at = 0.0
        self._hunts_at = -1e9
        self._rest: np.ndarray | None = None

    def is_due(self, at: float) -> bool:
        """Check whether the camera makes a new picture at ``at`` (s). Else the film shows the last one again."""
        if not self.style.rate:
            return True
        if at < self._next:
            return False
        # A camera that can't keep up takes now one frame more, now one less.
        self._next = (
            max(self._next, at - 0.5 / self.style.rate) + float(self._chance.uniform(0.6, 1.4)) / self.style.rate
        )
        return True

    def see(self, picture: np.ndarray, at: float) -> np.ndarray:
        """Return the camera's picture of the time ``at`` (s), (h, w, 3) uint8 BGR."""
        s = self.style
        small = cv2.resize(picture, (64, 36), interpolation=cv2.INTER_AREA).astype(np.float32)
        if s.focus:
            picture = self._focused(picture, small, at)
        if s.exposure or s.balance or s.white:
            picture = self._exposed(picture, small, at)
        self._at = at
        if s.flicker:
            rows = np.arange(picture.shape[0], dtype=np.float32) / picture.shape[0]
            wave = 1 - s.flicker * (0.5 + 0.5 * np.sin(2 * np.pi * (BANDS * rows + self._phase + 7.3 * at)))
            picture = np.clip(picture * wave[:, None, None], 0, 255).astype(np.uint8)
        if s.size:
            height = round(picture.shape[0] * s.size / picture.shape[1] / 2) * 2
            picture = cv2.resize(picture, (s.size, height), interpolation=cv2.INTER_AREA)
        if s.noise:
            picture = self._noisy(picture)
        if s.sharpen:
            soft = cv2.GaussianBlur(picture, (0, 0), 1.2)
            picture = cv2.addWeighted(picture, 1 + s.sharpen, soft, -s.sharpen, 0)
        if s.jpeg:
            picture = through_jpeg(picture, s.jpeg)
        if self._palette is not None:
            picture = self._palette.reduce(picture, at)
        return self._framed(np.ascontiguousarray(picture), at)

    def _noisy(self, picture: np.ndarray) -> np.ndarray:
        """Add grain, and blotches of colour as a small sensor has them at high gain."""
        height, width = picture.shape[:2]
        level = self.style.noise * float(np.clip(self._servo.value.mean(), 0.5, 2.0))
        grain = self._chance.normal(0, level, (height, width, 1)).astype(np.float32)
        blotches = self._chance.normal(0, level * 0.8, (height // 4 + 1, width // 4 + 1, 3)).astype(np.float32)
        stretched = cv2.resize(blotches, (width, height), interpolation=cv2.INTER_LINEAR)
        return np.clip(picture + grain + stretched, 0, 255).astype(np.uint8)

    def _exposed(self, picture: np.ndarray, small: np.ndarray, at: float) -> np.ndarray:
        """Change gain and colours slowly towards what would make the picture grey."""
        s = self.style
        seen = small.reshape(-1, 3).mean(axis=0)
        if self._rest is None:
            self._rest = seen  # it has got used to the empty table
        level = float(self._rest.mean()) / max(float(seen.mean()), 1.0)
        hue = (self._rest / self._rest.mean()) / np.maximum(seen / max(float(seen.mean()), 1.0), 1e-3)
        wanted = level**s.exposure * hue**s.balance
        if s.white:
            wanted = wanted * white_gains(small) ** s.white
        if self._at == 0.0 and s.white:
            self._servo.value[:] = wanted  # it has been on for a while
        gain = np.clip(self._servo.follow(wanted, at - self._at), 0.3, 4.0)
        table = np.clip(np.arange(256)[:, None] * gain, 0, 255).astype(np.uint8).reshape(256, 1, 3)
        return np.asarray(cv2.LUT(picture, table))

    def _focused(self, picture: np.ndarray, small: np.ndarray, at: float) -> np.ndarray:
        """Move the lens out of focus and back some time after the picture has changed much."""
        if self._before is None or float(np.abs(small - self._before).mean()) > 9:
            if self._before is not None and at - self._hunts_at > 2.5:
                self._hunts_at = at
            self._before = small
        since = at - self._hunts_at
        if not 0.2 < since < 1.1:
            return picture
        blur = self.style.focus * float(np.sin(np.pi * (since - 0.2) / 0.9)) * picture.shape[1] / 1280
        return np.asarray(cv2.GaussianBlur(picture, (0, 0), blur)) if blur > 0.3 else picture

    def _framed(self, picture: np.ndarray, at: float) -> np.ndarray:
        """Draw a date and black bars, where the camera or a program prints them."""
        height, width = picture.shape[:2]
        if self.style.bars:
            bar = round(height * self.style.bars)
            picture[:bar] = picture[height - bar :] = 0
        if self.style.date:
            text = f"2026-11-23 19:{14 + int(at) // 60:02d}:{int(at) % 60:02d}"
            size = width / 1100
            for colour, thick in (((0, 0, 0), 3), ((235, 235, 235), 1)):
                cv2.putText(
                    picture, text, (round(width * 0.03), round(height * 0.95)), cv2.FONT_HERSHEY_SIMPLEX, size, colour,
                    thick, cv2.LINE_AA,
                )  # fmt: skip
        return picture
