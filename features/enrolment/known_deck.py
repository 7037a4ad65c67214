"""
Classify cards of an enrolled deck: combine the classifier's own output with the similarity to each enrolled card.

Similarity is measured twice. For the whole card: the angle between the classifier's features of the two crops, which is
robust to light and position. For the index: correlation of the small picture in the card's corner with the same corner
of each enrolled card, shifted by a few pixels; of a half-covered card only the index may be visible. What counts is the
ratio of the distances to two cards, since in a bad picture all distances are large. The logarithms of both and of the
classifier's output are added with weights such that nine in ten readings with probability 0.9 are right (``python -m
models.evaluation.enrol_fit``, on tuning decks).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from features.enrolment.deck_file import CardView, DeckFileError, EnrolledDeck
from referee.cards import pack
from vision.detection.classifier import CardClassifier
from vision.detection.detections import CLASS_NAMES, FACE_COUNT

INDEX_CORNER_PX, INDEX_SIZE_PX = (6, 7), (22, 34)
"""Left and top, width and height in pixels of the index in a crop (96 x 132). Set by hand, 2026-11."""
SHIFT_PX = 3
"""Pixels by which the index is shifted in each direction for the best match. Set by hand, 2026-11."""
SOFT_PX = 9.0
"""
Pixels (standard deviation) of the high-pass filter: slower changes of brightness are light, not print. Set by hand,
2026-11.
"""
DARKEST = 8
"""
Grey levels added before the logarithm of brightness, so that noise in dark areas does not count as print. Set by hand,
2026-11.
"""
LEAST_LENGTH = 1e-3
"""Smallest norm by which a patch is divided: an empty patch stays near zero. Set by hand, 2026-11."""
LEAST_CLASS_SHARE = 1e-6
"""Lower bound of a class share before its logarithm is taken. Set by hand, 2026-11."""


def unit_features(features: np.ndarray) -> np.ndarray:
    """Return (n, d) features as unit vectors of their positive part; negative activations carry no information."""
    there = np.maximum(features, 0)
    lengths = np.linalg.norm(there, axis=1, keepdims=True)
    unit: np.ndarray = (there / np.maximum(lengths, 1e-6)).astype(np.float32)
    return unit


def half_turned(crops: np.ndarray) -> np.ndarray:
    """Return the crops rotated by half a turn."""
    return np.ascontiguousarray(crops[:, ::-1, ::-1])


def _print_of(crop: np.ndarray) -> np.ndarray:
    """
    Return the crop's print, (h, w) float32: log brightness without its slow changes, hence independent of the light.
    """
    bright = np.log(cv2.cvtColor(crop, cv2.COLOR_BGR2LAB)[..., 0].astype(np.float32) + DARKEST)
    printed: np.ndarray = bright - cv2.GaussianBlur(bright, (0, 0), SOFT_PX)
    return printed


def _normal(patches: np.ndarray) -> np.ndarray:
    """Return (..., k) patches with mean 0 and norm 1."""
    centred = patches - patches.mean(axis=-1, keepdims=True)
    unit: np.ndarray = centred / np.maximum(np.linalg.norm(centred, axis=-1, keepdims=True), LEAST_LENGTH)
    return unit


def index_pictures(crops: np.ndarray, shift_px: int = 0) -> np.ndarray:
    """
    Return the indices at both ends of (n, h, w, 3) crops at every shift: (n, 2, (2 * shift_px + 1) ** 2, k) float32.
    """
    (left, top), (width, height) = INDEX_CORNER_PX, INDEX_SIZE_PX
    shifts = [(dx, dy) for dy in range(-shift_px, shift_px + 1) for dx in range(-shift_px, shift_px + 1)]
    out = np.zeros((len(crops), 2, len(shifts), width * height), np.float32)
    for n, crop in enumerate(crops):
        upright = _print_of(crop)
        for end, printed in enumerate((upright, upright[::-1, ::-1])):
            for k, (dx, dy) in enumerate(shifts):
                out[n, end, k] = printed[top + dy : top + dy + height, left + dx : left + dx + width].ravel()
    return _normal(out)


# Weights of the classifier's output and of the similarities. Fitted on eight invented decks that no training has used
# (``python -m models.evaluation.enrol_fit``, 22 November 2026). Then ``whole``, ``index``, ``reading`` and
# ``trusted`` were reduced by a tenth: a few of the sure readings become questions, and half of the wrong ones.
WHOLE_BLUR = 0.00019
"""Added to the features' distance (1 - cosine): smaller distances are not distinguished."""
INDEX_BLUR = 0.091
"""Added to the index's distance (1 - correlation): smaller distances are not distinguished."""
LIKENESS_FLOOR = 2.1e-5
"""Lower bound of a class share in a reading, 0..1."""
LIKENESS_UNLIKE = 0.3
"""Assumed cosine of classes without enrolled pictures: backs, no card, cards never shown."""
UNLIKE_INDEX = 0.05
"""Assumed correlation of the index of classes without enrolled pictures."""
LIKENESS_STRANGER = 0.01
"""Prior of a card outside the pack relative to one of the pack. Set by hand, 2026-11."""
LIKENESS_SLIP = 0.001
"""Prior of an outlier reading that none of the model's classes explains. Set by hand, 2026-11."""


@dataclass(frozen=True, slots=True)
class LikenessSettings:
    """
    Weights of the classifier's output and of the similarities.

    Fitted on eight invented decks that no training has used (``python -m models.evaluation.enrol_fit``, 22 November
    2026). Then ``whole``, ``index``, ``reading`` and ``trusted`` were reduced by a tenth: a few of the sure readings
    become questions, and half of the wrong ones.
    """

    whole: float = 1.14
    """Log-likelihood per e-fold by which the features of one card are nearer than those of another."""
    index: float = 1.1
    """Log-likelihood per e-fold by which the index of one card is nearer than that of another."""
    reading: float = 0.036
    """Weight of the classifier's log shares of the faces, on a deck unknown to it."""
    trusted: float = 0.61
    """
    Added to ``reading`` on a deck whose enrolled pictures the classifier named all correctly with probability 1; in
    proportion on others.
    """
    kind: float = 0.88
    """Weight of the classifier's log shares of face, back and no card, which it tells apart on any deck."""


@dataclass(frozen=True, slots=True, eq=False)
class Likenesses:
    """Similarities of n crops to the deck's cards. whole, index: (n, 54) float32; -inf for classes without pictures."""

    whole: np.ndarray
    index: np.ndarray


class KnownDeck:
    """The classifier's features of a deck's pictures, computed once when the program starts."""

    def __init__(self, views: Sequence[CardView], classifier: CardClassifier) -> None:
        crops = np.stack([view.crop for view in views])
        shares, features = classifier.read_crops(np.concatenate([crops, half_turned(crops)]))
        self._features = unit_features(features)
        named = np.array([CLASS_NAMES.index(str(view.card)) for view in views], np.intp)
        self._classes = np.concatenate([named, named])
        # Corrected cards are left out: they are there because they were misread.
        is_shown = np.array([not view.corrected for view in views] * 2)
        self.trust = float(shares[np.arange(len(shares)), self._classes][is_shown].mean()) if is_shown.any() else 0.0
        """Mean share that the classifier alone gives to the final names of the cards that were shown, 0..1."""
        self._indices = index_pictures(crops)[:, :, 0].reshape(2 * len(crops), -1)
        self._index_classes = np.repeat(named, 2)

    def likenesses(self, crops: np.ndarray, features: np.ndarray, apart: np.ndarray | None = None) -> Likenesses:
        """
        Compare n crops and their features with every enrolled card.

        ``apart``: (n, views) bool, the views with which a crop is not compared; None: with all.
        """
        whole = unit_features(features) @ self._features.T
        places = index_pictures(crops, SHIFT_PX)
        n, ends, shifts, k = places.shape
        index = (places.reshape(-1, k) @ self._indices.T).reshape(n, ends * shifts, -1).max(axis=1)
        if apart is not None:
            whole = np.where(np.concatenate([apart, apart], axis=1), -np.inf, whole)
            index = np.where(np.repeat(apart, 2, axis=1), -np.inf, index)
        return Likenesses(_by_class(whole, self._classes), _by_class(index, self._index_classes))


def _by_class(scores: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Reduce (n, m) scores of m pictures to (n, 54), the best of each class."""
    best = np.full((len(scores), len(CLASS_NAMES)), -np.inf, np.float32)
    for name in np.unique(classes):
        best[:, name] = scores[:, classes == name].max(axis=1)
    return best


def fused(shares: np.ndarray, like: Likenesses, trust: float, pack_size: int, settings: LikenessSettings) -> np.ndarray:
    """
    Combine the classifier's (n, 54) shares with the similarities: (n, 54) float32, each row sums to 1.

    ``trust``: mean share that the classifier alone gave to the right names on the deck's pictures, 0..1.
    """
    s = settings
    shown = np.isfinite(like.whole)
    members = np.zeros(len(CLASS_NAMES), bool)
    members[[CLASS_NAMES.index(str(card)) for card in pack(pack_size)]] = True
    members[FACE_COUNT:] = True
    is_face = shares[:, :FACE_COUNT].sum(axis=1, keepdims=True)
    which = shares[:, :FACE_COUNT] / np.maximum(is_face, 1e-9)
    scores = s.kind * np.log(np.maximum(shares, LEAST_CLASS_SHARE))
    scores[:, :FACE_COUNT] = s.kind * np.log(np.maximum(is_face, LEAST_CLASS_SHARE))
    scores[:, :FACE_COUNT] += (s.reading + s.trusted * trust) * np.log(np.maximum(which, LIKENESS_FLOOR))
    scores -= s.whole * np.log(1 + WHOLE_BLUR - np.where(shown, like.whole, LIKENESS_UNLIKE))
    scores -= s.index * np.log(1 + INDEX_BLUR - np.maximum(np.where(shown, like.index, UNLIKE_INDEX), 0))
    scores += np.where(members, 0.0, np.log(LIKENESS_STRANGER))
    scores -= scores.max(axis=1, keepdims=True)
    raised = np.exp(scores)
    likely = raised / raised.sum(axis=1, keepdims=True)
    smoothed: np.ndarray = ((1 - LIKENESS_SLIP) * likely + LIKENESS_SLIP * members / members.sum()).astype(np.float32)
    return smoothed


class KnownDeckClassifier(CardClassifier):
    """A classifier adapted to an enrolled deck. Raises ``DeckFileError`` if its weights export no features."""

    def __init__(
        self, classifier: CardClassifier, deck: EnrolledDeck, likeness: LikenessSettings = LikenessSettings()
    ) -> None:
        super().__init__(classifier.network, classifier.settings)
        must_have_features(classifier)
        if not deck.views:
            raise DeckFileError(
                f"expected a deck with pictures of its cards, got {deck.name!r} with none; show it again: "
                f"kozyr enrol {deck.name!r} SOURCE"
            )
        self.deck = deck
        self.likeness = likeness
        self.known = KnownDeck(deck.views, classifier)

    def name_crops(self, crops: np.ndarray) -> np.ndarray:
        """Classify (n, 132, 96, 3) uint8 crops: (n, 54) float32 over ``CLASS_NAMES``."""
        return self.name_apart(crops, None)

    def name_apart(self, crops: np.ndarray, apart: np.ndarray | None) -> np.ndarray:
        """As ``name_crops``; ``apart``: (n, views) bool, the deck's views with which a crop is not compared."""
        if not len(crops):
            return np.zeros((0, len(CLASS_NAMES)), np.float32)
        shares, features = self.read_crops(crops)
        like = self.known.likenesses(crops, features, apart)
        return fused(shares, like, self.known.trust, self.deck.pack_size, self.likeness)


def must_have_features(classifier: CardClassifier) -> None:
    """Raise ``DeckFileError`` if the classifier's weights export no features."""
    if not classifier.has_features:
        raise DeckFileError(
            "expected weights whose classifier tells its features, got weights exported without them; use the weights "
            "that came with kozyr, or export yours again with python -m models.training.export"
        )
