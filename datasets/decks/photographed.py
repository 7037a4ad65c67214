"""
A deck cut out of photographs: each face taken flat from a labelled picture on which its four corners are known.

The light, the wear and the camera of the photograph stay in the face, which no drawn deck has.
"""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np

from datasets.decks.deck_art import DeckError

CARD_SHAPE = 63.0 / 88.0
"""Width of a card by its height."""
ROUND = 0.055
"""Radius of a card's corners, in widths of it."""
INSET = 0.006
"""Share of a card's sides that is left out round it: there the table of the photograph shows."""


def from_photos(folder: Path, height_px: int) -> dict[str, np.ndarray]:
    """
    Cut out every card that has a picture of its own, (h, w, 4) uint8 RGBA.

    ``folder`` holds ``labels.jsonl`` with lines of one card with ``corners`` (clockwise, pixels). Only pictures for
    development are opened.
    """
    faces: dict[str, np.ndarray] = {}
    width_px = round(height_px * CARD_SHAPE)
    for text in (folder / "labels.jsonl").read_text("utf-8").splitlines():
        line = json.loads(text)
        cards = line["cards"]
        if line["split"] != "dev" or len(cards) != 1 or "corners" not in cards[0] or cards[0]["card"] in faces:
            continue
        picture = cv2.imread(str(folder / line["picture"]), cv2.IMREAD_COLOR)
        if picture is None:
            raise DeckError(
                f"{folder / line['picture']}: expected a picture that can be opened, got none; copy it again"
            )
        faces[cards[0]["card"]] = _cut(
            np.asarray(picture, np.uint8), np.array(cards[0]["corners"]), width_px, height_px
        )
    if not faces:
        raise DeckError(f"expected pictures of single cards with corners in {folder}, found none; name another folder")
    return faces


def _cut(picture: np.ndarray, corners: np.ndarray, width: int, height: int) -> np.ndarray:
    """Cut out one card, flat and upright, with rounded corners."""
    middle = corners.mean(axis=0)
    quad = (middle + (corners - middle) * (1 - INSET)).astype(np.float32)
    if np.linalg.norm(quad[1] - quad[0]) > np.linalg.norm(quad[2] - quad[1]):
        quad = np.roll(quad, 1, axis=0)
    # Drawn large and made smaller: photographs hold several times the pixels.
    large = (2 * width, 2 * height)
    target = np.array([[0, 0], [large[0], 0], [large[0], large[1]], [0, large[1]]], np.float32)
    flat = cv2.warpPerspective(picture, cv2.getPerspectiveTransform(quad, target), large, flags=cv2.INTER_AREA)
    flat = cv2.resize(flat, (width, height), interpolation=cv2.INTER_AREA)
    return np.dstack([cv2.cvtColor(flat, cv2.COLOR_BGR2RGB), rounded(width, height)])


def rounded(width: int, height: int) -> np.ndarray:
    """Return (height, width) uint8: the alpha of a card with rounded corners."""
    radius = max(1, round(ROUND * width))
    big = np.zeros((height * 4, width * 4), np.uint8)
    r = radius * 4
    cv2.rectangle(big, (r, 0), (width * 4 - 1 - r, height * 4 - 1), 255, -1)
    cv2.rectangle(big, (0, r), (width * 4 - 1, height * 4 - 1 - r), 255, -1)
    for x in (r, width * 4 - 1 - r):
        for y in (r, height * 4 - 1 - r):
            cv2.circle(big, (x, y), r, 255, -1)
    return np.asarray(cv2.resize(big, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
