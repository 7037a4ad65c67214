"""
What the last looks read: a card that lies as it lay and looks as it looked is not read again.

A look at a table finds a dozen cards of which one or two are new. Each card is cut out where it was cut out before and
compared, spot by spot and measured by its own contrast; where anything differs as much as one index differs from
another, or where the reading was in doubt, it is read anew.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.detection.classifier import CardClassifier
from vision.detection.crop_similarity import crops_match, spot_means
from vision.detection.detections import CLASS_NAMES


@dataclass(frozen=True, slots=True)
class ClassCacheSettings:
    """
    From when on a card is taken to look as it looked. Chosen by hand on two clips for developing and five invented
    decks, 2026-11.
    """

    kept: int = 64
    """Cards remembered, those last seen. More take memory, fewer read a full table again at every look."""
    reread_below: float = 0.9
    """
    Share of the likeliest name below which a card is read again: another look may tell. Higher reads more often, lower
    keeps errors.
    """
    moved: float = 0.03
    """
    Share of a card's size by which its corners may lie elsewhere than before. Higher may keep the reading of a card
    pushed aside, lower reads cards anew that tremble.
    """
    differs: float = 0.1
    """
    Share of a card's contrast by which one of its spots may differ. Higher may keep the name of another card (of five
    invented decks, flat and a little blurred, the two likest faces differ by 0.17), lower reads again for grain.
    """
    least_contrast: float = 20.0
    """
    Contrast, of 255, below which the light is too bad to tell what is the same. Higher reads more often, lower trusts
    dark pictures.
    """


@dataclass(frozen=True, slots=True, eq=False)
class _Remembered:
    corners_px: np.ndarray
    spots: np.ndarray
    shares: np.ndarray


class ClassCache:
    """Reads cards through ``classifier`` (which it keeps), but not those it has just read."""

    def __init__(self, classifier: CardClassifier, settings: ClassCacheSettings = ClassCacheSettings()) -> None:
        self.classifier = classifier
        self.settings = settings
        self._known: list[_Remembered] = []
        self._picture: tuple[int, ...] = ()

    def read(self, image_bgr: np.ndarray, corners_px: np.ndarray) -> np.ndarray:
        """(n, 54) float32 over ``CLASS_NAMES`` for cards at (n, 4, 2) px of the picture."""
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

    def _same(self, image_bgr: np.ndarray, quad: np.ndarray) -> _Remembered | None:
        """The card remembered here that looks as it looked, if there is one."""
        if not self._known:
            return None
        settings = self.settings
        places = np.stack([card.corners_px for card in self._known])
        size = float(np.sqrt(abs(cv2.contourArea(quad.astype(np.float32)))))
        moved = np.abs(places - quad).max(axis=(1, 2))
        for index in np.argsort(moved, kind="stable"):
            card = self._known[int(index)]
            if moved[index] > settings.moved * size:
                return None
            now = spot_means(self.classifier.crops(image_bgr, card.corners_px[None]))[0]
            if crops_match(now, card.spots, settings.differs, settings.least_contrast):
                return card
        return None
