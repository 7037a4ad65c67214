"""Cards that do not lie flat: arched or with one end curled up, drawn as flat strips that meet at their edges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from datasets.scenes.camera import TableCamera
from datasets.scenes.layouts import ScenePose


@dataclass(frozen=True, slots=True, eq=False)
class Strip:
    """A flat part of a card: where on the face (4, 2) in shares of its size, where in the picture, how bright."""

    face: np.ndarray
    quad: np.ndarray
    lit: float


WHOLE_FACE = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
STRIPS = 7
"""Flat parts that a bent card is drawn of."""


def bend(rng: np.random.Generator, camera: TableCamera, pose: ScenePose, card_mm: tuple[float, float]) -> list[Strip]:
    """Bend a card: arched along or across, or one end curled up."""
    along = bool(rng.random() < 0.6)
    height = float(rng.uniform(2, 9)) * (1.0 if along else 0.7)
    curled = bool(rng.random() < 0.35)
    marks = np.linspace(0, 1, STRIPS + 1)
    rise = height * 1.6 * np.clip(marks - 0.45, 0, None) ** 2 / 0.3 if curled else height * 4 * marks * (1 - marks)
    cos, sin = np.cos(pose.turn), np.sin(pose.turn)

    def place(shares: np.ndarray, up_mm: np.ndarray) -> np.ndarray:
        flat = (shares - 0.5) * card_mm @ np.array([[cos, sin], [-sin, cos]]) + (pose.x, pose.y)
        return camera.lifted_px(np.column_stack([flat, up_mm]))

    towards = rng.normal(0, 1)
    strips = []
    for start, end, low, high in zip(marks[:-1], marks[1:], rise[:-1], rise[1:], strict=True):
        if along:
            face = np.array([[0, start], [1, start], [1, end], [0, end]], np.float32)
            ups = np.array([low, low, high, high])
        else:
            face = np.array([[start, 0], [end, 0], [end, 1], [start, 1]], np.float32)
            ups = np.array([low, high, high, low])
        slope = (high - low) / ((end - start) * card_mm[1 if along else 0])
        strips.append(Strip(face, place(face, ups), float(np.clip(1 + 0.5 * towards * slope, 0.6, 1.3))))
    return strips


def outline_of(strips: list[Strip]) -> np.ndarray:
    """Return the polygon that a card's strips fill together, (n, 2)."""
    if len(strips) == 1:
        return strips[0].quad
    across = strips[0].face[1, 0] < 1  # strips from left to right
    first, second = ((0, 3), (1, 2)) if across else ((1, 0), (2, 3))
    one = [strips[0].quad[first[0]], *(strip.quad[second[0]] for strip in strips)]
    other = [strips[0].quad[first[1]], *(strip.quad[second[1]] for strip in strips)]
    return np.array([*one, *reversed(other)], np.float32)


def corners_of(strips: list[Strip]) -> np.ndarray:
    """Return the corners (4, 2) of the card that the strips make up."""
    if len(strips) == 1:
        return strips[0].quad
    first, last = strips[0].quad, strips[-1].quad
    if strips[0].face[1, 0] < 1:
        return np.array([first[0], last[1], last[2], first[3]], np.float32)
    return np.array([first[0], first[1], last[2], last[3]], np.float32)
