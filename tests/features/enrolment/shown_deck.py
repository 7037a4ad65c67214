"""Synthetic deck of random patterns, pictures of it on a table, and a detector and classifier that do not know it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np

from referee.cards import Card
from vision.detection.classifier import CROP_PX, CardClassifier, crop_frame, rectify
from vision.detection.detections import CLASS_NAMES, FACES, Detections

TABLE = (60, 110, 60)
CARD_W, CARD_H = 70, 100
COLUMNS, ROWS = 9, 2
SIZE = (COLUMNS * 80 + 20, ROWS * 120 + 20)


def face(card: Card) -> np.ndarray:
    """Return a white card with a pattern of its own, the same upside down at the other end: (100, 70, 3) uint8."""
    rng = np.random.default_rng(FACES.index(card))
    half = (rng.random((5, 7)) < 0.5).astype(np.uint8) * 255
    picture = np.full((CARD_H, CARD_W), 245, np.uint8)
    picture[:50] = np.minimum(picture[:50], cv2.resize(half, (CARD_W, 50), interpolation=cv2.INTER_NEAREST) | 40)
    picture[50:] = picture[:50][::-1, ::-1]
    return cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR)


def slot(column: int, row: int = 0) -> np.ndarray:
    """Return the corners (4, 2) px of one place in the grid of cards."""
    x, y = 10 + 80 * column, 10 + 120 * row
    return np.array([[x, y], [x + CARD_W, y], [x + CARD_W, y + CARD_H], [x, y + CARD_H]], np.float32)


def table(cards: Mapping[tuple[int, int], Card], seed: int = 0) -> np.ndarray:
    """Return a picture with cards at (column, row), with a camera's noise."""
    picture = np.full((SIZE[1], SIZE[0], 3), TABLE, np.uint8)
    for (column, row), card in cards.items():
        x, y = slot(column, row)[0].astype(int)
        picture[y : y + CARD_H, x : x + CARD_W] = face(card)
    noise = np.random.default_rng(seed).normal(0, 2, picture.shape)
    return np.clip(picture + noise, 0, 255).astype(np.uint8)


def row_of(cards: Sequence[Card], row: int = 0, seed: int = 0) -> np.ndarray:
    """Return a picture of cards side by side."""
    return table({(k, row): card for k, card in enumerate(cards)}, seed)


class PatternNetwork:
    """Fake network: features are the reduced crop, answers the (name, share) of a known card in ``answers_by_card``."""

    checksum = "ab" * 32
    has_features = True

    def __init__(self, answers_by_card: Mapping[Card, tuple[str, float]] | None = None) -> None:
        self._says = answers_by_card or {}
        matrix = cv2.getPerspectiveTransform(
            np.array([[0, 0], [CARD_W, 0], [CARD_W, CARD_H], [0, CARD_H]], np.float32), crop_frame()
        )
        self._known = {card: coarse(cv2.warpPerspective(face(card), matrix, CROP_PX)) for card in self._says}

    def run(self, batch: np.ndarray) -> np.ndarray:
        return self.run_with_features(batch)[0]

    def run_with_features(self, batch: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        crops = (batch.transpose(0, 2, 3, 1)[..., ::-1] * 255).astype(np.uint8)
        features = np.stack([coarse(crop) for crop in crops])
        answers = np.full((len(crops), len(CLASS_NAMES)), 1 / len(CLASS_NAMES), np.float32)
        for row, seen in zip(answers, features, strict=True):
            best = max(self._known, key=lambda card: float(seen @ self._known[card]), default=None)
            if best is not None and seen @ self._known[best] > 0.75:
                name, share = self._says[best]
                row[:] = (1 - share) / (len(CLASS_NAMES) - 1)
                row[CLASS_NAMES.index(name)] = share
        return answers, features


def coarse(crop: np.ndarray) -> np.ndarray:
    """Return a vector of bright and dark parts: (k,) float32, length 1."""
    small = cv2.resize(cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY), (12, 16), interpolation=cv2.INTER_AREA).ravel()
    off = small.astype(np.float32) - small.mean()
    both = np.concatenate([np.maximum(off, 0), np.maximum(-off, 0)])
    unit: np.ndarray = both / max(float(np.linalg.norm(both)), 1e-6)
    return unit


class PatternDetector:
    """Detects a card in each slot that is not empty and classifies it."""

    def __init__(self, classifier: CardClassifier) -> None:
        self.classifier = classifier

    def detect(self, image_bgr: np.ndarray) -> Detections:
        quads = []
        for row in range(ROWS):
            for column in range(COLUMNS):
                x, y = slot(column, row)[0].astype(int)
                if image_bgr[y : y + CARD_H, x : x + CARD_W, 0].std() > 30:
                    quads.append(slot(column, row))
        corners = np.array(quads, np.float32).reshape(-1, 4, 2)
        probabilities = self.classifier.read(image_bgr, corners)
        return Detections(corners, np.full(len(quads), 0.9, np.float32), probabilities)


def crop_of(card: Card, seed: int = 0) -> np.ndarray:
    """Return the classifier's crop of one card on the table."""
    return rectify(table({(0, 0): card}, seed), slot(0)[None])[0]
