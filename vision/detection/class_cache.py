"""
Cache classifications: a card whose place and appearance are unchanged is not classified again.

One inference finds a dozen cards of which one or two are new. Each card is cropped at its earlier corners and compared
spot by spot, relative to its own contrast. If any spot differs as much as one index differs from another, or if the
earlier reading was uncertain, the card is classified again.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.detection.classifier import CardClassifier
from vision.detection.crop_similarity import crops_match, spot_means
from vision.detection.detections import CLASS_NAMES
from vision.detection.rectification import Picture

# When a card counts as unchanged. Chosen by hand on two development clips and five invented decks, 2026-11.
CLASS_CACHE_MOVED = 0.03
"""Share of a card's size by which its corners may have moved."""
CLASS_CACHE_DIFFERS = 0.1
"""
Share of a card's contrast by which any spot may differ. The two most similar faces of five invented decks, flat and
a little blurred, differ by 0.17.
"""
CLASS_CACHE_LEAST_CONTRAST = 20.0
"""Contrast, of 255, below which the picture is too dark to compare."""


@dataclass(frozen=True, slots=True)
class ClassCacheSettings:
    """When a card counts as unchanged. Chosen by hand on two development clips and five invented decks, 2026-11."""

    kept: int = 64
    """Cards kept in the cache, the most recent ones."""
    reread_below: float = 0.9
    """Share of the most likely class below which a card is classified in every inference."""


@dataclass(frozen=True, slots=True, eq=False)
class _Remembered:
    corners_px: np.ndarray
    spots: np.ndarray
    shares: np.ndarray


class ClassCache:
    """Classifies cards with ``classifier``, reusing the results for unchanged cards."""

    def __init__(self, classifier: CardClassifier, settings: ClassCacheSettings = ClassCacheSettings()) -> None:
        self.classifier = classifier
        self.settings = settings
        self._known: list[_Remembered] = []
        self._picture: tuple[int, ...] = ()

    def read(self, image_bgr: Picture, corners_px: np.ndarray) -> np.ndarray:
        """Classify the cards at (n, 4, 2) px of the picture: (n, 54) float32 over ``CLASS_NAMES``."""
        if image_bgr.shape != self._picture:
            self._known, self._picture = [], image_bgr.shape
        shares = np.zeros((len(corners_px), len(CLASS_NAMES)), np.float32)
        seen: list[_Remembered] = []
        fresh = []
        for index, quad in enumerate(corners_px):
            same = self._same(image_bgr, quad)
            if same is None:
                fresh.append(index)
            else:
                shares[index] = same.shares
                seen.append(same)
        if fresh:
            crops = self.classifier.crops(image_bgr, corners_px[fresh])
            shares[fresh] = self.classifier.name_crops(crops)
            spots = spot_means(crops)
            seen += [
                _Remembered(corners_px[index].copy(), spots[row], shares[index].copy())
                for row, index in enumerate(fresh)
                if shares[index].max() >= self.settings.reread_below
            ]
        left = [card for card in self._known if all(card is not other for other in seen)]
        self._known = (seen + left)[: self.settings.kept]
        return shares

    def _same(self, image_bgr: Picture, quad: np.ndarray) -> _Remembered | None:
        """Return the cached card at this place if its appearance is unchanged, else None."""
        if not self._known:
            return None
        places = np.stack([card.corners_px for card in self._known])
        size = float(np.sqrt(abs(cv2.contourArea(quad.astype(np.float32)))))
        moved = np.abs(places - quad).max(axis=(1, 2))
        for index in np.argsort(moved, kind="stable"):
            card = self._known[int(index)]
            if moved[index] > CLASS_CACHE_MOVED * size:
                return None
            now = spot_means(self.classifier.crops(image_bgr, card.corners_px[None]))[0]
            if crops_match(now, card.spots, CLASS_CACHE_DIFFERS, CLASS_CACHE_LEAST_CONTRAST):
                return card
        return None
