"""
Read the suits of a deck that prints all four in one red ink: by their shapes, with the colours taken out of the crops.

On nearly every deck a red suit is hearts or diamonds, and the classifier relies on it: a red spade is a diamond to it,
surely. Where a black suit is read, the picture shows both colours. Where every card is read as hearts or diamonds, the
cards are read without colours, too, and Bayes' rule tells how probable a single ink is: each red card whose shape is a
spade or a club speaks for it. Both readings are mixed with that probability.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from referee.cards import Suit
from vision.detection.detections import EVEN_ODDS, FACE_COUNT, FACES, Detections
from vision.detection.rectification import Picture

ONE_INK = 0.01
"""Probability that a picture shows a deck of one red ink. Set by hand: such decks are a novelty."""
SHAPE_MISREAD = 0.02
"""
Probability that the shape of a red suit is read as a black one: 4 of 257 red cards of `dev` photographs in nine sets,
2026-11.
"""

IS_RED = np.array([face.suit in (Suit.HEARTS, Suit.DIAMONDS) for face in FACES])
"""Which classes of faces are hearts or diamonds, (52,)."""


class ShapeClassifier(Protocol):
    """What is used of ``CardClassifier``."""

    def crops(
        self, image_bgr: Picture, corners_px: np.ndarray, occluders_px: Sequence[list[np.ndarray]] | None = None
    ) -> np.ndarray:
        """Return the crops of cards at (n, 4, 2) px, with the cards that lie on each painted out."""
        ...

    def name_shapes(self, crops: np.ndarray) -> np.ndarray:
        """Classify crops by what is printed, without its colours: (n, 54)."""
        ...


def with_shapes_of_one_ink(
    classifier: ShapeClassifier, image_bgr: Picture, seen: Detections, occluders_px: Sequence[list[np.ndarray]]
) -> Detections:
    """
    Return the detections with the suits of a deck of one red ink read by their shapes.

    occluders_px: for each card those that lie on it, (4, 2) px each.
    """
    faces = np.flatnonzero((seen.best < FACE_COUNT) & (seen.probabilities.max(axis=1, initial=0.0) >= EVEN_ODDS))
    if not len(faces) or not IS_RED[seen.best[faces]].all():
        return seen
    crops = classifier.crops(image_bgr, seen.corners_px[faces], [occluders_px[k] for k in faces.tolist()])
    shapes = classifier.name_shapes(crops)
    one_ink = probability_of_one_ink(shapes)
    probabilities = seen.probabilities.copy()
    probabilities[faces] = (1.0 - one_ink) * probabilities[faces] + one_ink * shapes
    return Detections(seen.corners_px, seen.confidence, probabilities)


def probability_of_one_ink(shapes: npt.NDArray[np.float32]) -> float:
    """
    Return the probability that red cards, all that a picture shows, are of a deck of one ink.

    shapes: (n, 54), their readings without colours.
    """
    red, black = shapes[:, :FACE_COUNT][:, IS_RED].sum(axis=1), shapes[:, :FACE_COUNT][:, ~IS_RED].sum(axis=1)
    # In one ink either suit is as likely; in two inks a black shape is a misread red one.
    given_one, given_two = (red + black) / 2, (1.0 - SHAPE_MISREAD) * red + SHAPE_MISREAD * black
    is_face = red + black >= EVEN_ODDS
    odds = ONE_INK / (1.0 - ONE_INK) * float(np.prod(given_one[is_face] / given_two[is_face], dtype=np.float64))
    return odds / (1.0 + odds)
