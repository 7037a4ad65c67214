"""
A classifier that has been shown this very deck: what it reads by itself, and how like the card is to each card of the
deck.

Likeness is measured twice. As a whole: the angle between the classifier's features of the two crops, which forgives
light
and place. And at the index: the small picture in the card's corner against the same corner of each known card, shifted
about a little, which is all there is of a card half covered. What counts is by what factor one card is nearer than
another: in a bad picture all are far. The logarithms of both and the classifier's own are added up, weighed so that
nine in
ten of the readings called 0.9 are right (``python -m models.evaluation.enrol_fit``, on decks for tuning).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from referee.cards import pack
from vision.detection.classifier import CardClassifier
from vision.detection.detections import CLASS_NAMES, FACE_COUNT
from vision.enrolment.deck_file import DeckFileError, EnrolledDeck, View

INDEX_CORNER_PX, INDEX_SIZE_PX = (6, 7), (22, 34)
"""
Left and top, width and height in pixels of the index in a crop (96 x 132). Larger takes in the pips, smaller cuts a
ten. Set by hand, 2026-11.
"""
SHIFT_PX = 3
"""Pixels by which it is looked for about there. More take time by their square and find other print. Set by hand,
2026-11."""
SOFT_PX = 9.0
"""
Pixels (standard deviation) over which light changes: what changes so slowly says nothing about print. Less wipes out
bold print, more lets shadows in. Set by hand, 2026-11.
"""
DARKEST = 8
"""Grey levels added before the logarithm of brightness: grain in the dark is no print. Set by hand, 2026-11."""
LEAST_LENGTH = 1e-3
"""Length from which a patch's print counts: an empty one stays empty. Set by hand, 2026-11."""
LEAST_CLASS_SHARE = 1e-6
"""Share that the classifier gives a class at least, so that there is a logarithm of it. Set by hand, 2026-11."""


def unit_features(features: np.ndarray) -> np.ndarray:
    """(n, d) features -> (n, d) unit vectors of what is there; what the network says is not there tells nothing."""
    there = np.maximum(features, 0)
    lengths = np.linalg.norm(there, axis=1, keepdims=True)
    unit: np.ndarray = (there / np.maximum(lengths, 1e-6)).astype(np.float32)
    return unit


def half_turned(crops: np.ndarray) -> np.ndarray:
    """The same cards upside down."""
    return np.ascontiguousarray(crops[:, ::-1, ::-1])


def _print_of(crop: np.ndarray) -> np.ndarray:
    """(h, w) float32: the crop's print, whatever the lamp: logarithms of brightness without what changes slowly."""
    bright = np.log(cv2.cvtColor(crop, cv2.COLOR_BGR2LAB)[..., 0].astype(np.float32) + DARKEST)
    printed: np.ndarray = bright - cv2.GaussianBlur(bright, (0, 0), SOFT_PX)
    return printed


def _normal(patches: np.ndarray) -> np.ndarray:
    """(..., k) patches, each with mean 0 and length 1."""
    centred = patches - patches.mean(axis=-1, keepdims=True)
    unit: np.ndarray = centred / np.maximum(np.linalg.norm(centred, axis=-1, keepdims=True), LEAST_LENGTH)
    return unit


def index_pictures(crops: np.ndarray, shift_px: int = 0) -> np.ndarray:
    """
    (n, h, w, 3) crops -> (n, 2, (2 * shift_px + 1) ** 2, k) float32: the index at either end, in every place about.
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


@dataclass(frozen=True, slots=True)
class LikenessSettings:
    """
    What counts how much.

    Fitted on eight invented decks that no training has met (``python -m models.evaluation.enrol_fit``, 22 November
    2026), then ``whole``, ``index``, ``reading`` and ``trusted`` a tenth less: a few of the sure readings become
    questions, and half of the wrong ones.
    """

    whole: float = 1.14
    """
    Natural logarithms for each e-fold by which one card's features are nearer than another's. Higher believes likeness
    more.
    """
    index: float = 1.1
    """The same for the index. Lower believes it less."""
    whole_blur: float = 0.00019
    """
    Added to the features' distance (1 - cosine): nearer than that says nothing more. Higher levels out good looks.
    """
    index_blur: float = 0.091
    """The same for the index (1 - correlation)."""
    reading: float = 0.036
    """
    Weight of the classifier's own logarithms of which face it is, on a deck of which it knows nothing. Higher
    believes it more. Lower believes likeness more.
    """
    trusted: float = 0.61
    """
    Added to that weight on a deck whose own pictures it named all rightly and surely; in proportion on others.
    Higher leaves decks that it knows to the classifier; lower asks likeness there too.
    """
    kind: float = 0.88
    """
    Weight of its logarithms of whether it is a face, a back or no card, which it knows on any deck. Higher finds
    backs and bare table more surely; lower names them as cards.
    """
    floor: float = 2.1e-5
    """
    Share that a reading gives a name at least. Higher lets likeness overrule the classifier more easily. Lower lets
    a sure misreading stand.
    """
    unlike: float = 0.3
    """
    The cosine that what is no card of the deck is taken to have: backs, no card, cards never shown. Higher finds more
    of those.
    """
    unlike_index: float = 0.05
    """The same for the index. Lower names them as cards of the deck."""
    stranger: float = 0.01
    """
    How likely a card is that the pack lacks, beside one it has. Higher reads more strangers. Lower names strangers
    as cards of the pack. Set by hand, 2026-11.
    """
    slip: float = 0.001
    """
    Share of looks that show something quite different from all that was thought of. Higher makes all readings less
    sure. Lower believes hidden and dazzled looks. Set by hand, 2026-11.
    """


@dataclass(frozen=True, slots=True, eq=False)
class Likenesses:
    """How like n crops are to the deck's cards. whole, index: (n, 54) float32; -inf where a class was never shown."""

    whole: np.ndarray
    index: np.ndarray


class KnownDeck:
    """What the classifier makes of a deck's pictures: made once, when the program starts."""

    def __init__(self, views: Sequence[View], classifier: CardClassifier) -> None:
        crops = np.stack([view.crop for view in views])
        shares, features = classifier.read_crops(np.concatenate([crops, half_turned(crops)]))
        self._features = unit_features(features)
        named = np.array([CLASS_NAMES.index(str(view.card)) for view in views], np.intp)
        self._classes = np.concatenate([named, named])
        self.trust = float(shares[np.arange(len(shares)), self._classes].mean())
        """What share the classifier by itself gives to the names that these cards turned out to have."""
        self._indices = index_pictures(crops)[:, :, 0].reshape(2 * len(crops), -1)
        self._index_classes = np.repeat(named, 2)

    def likenesses(self, crops: np.ndarray, features: np.ndarray) -> Likenesses:
        """Compare n crops and their features with every card."""
        whole = unit_features(features) @ self._features.T
        places = index_pictures(crops, SHIFT_PX)
        n, ends, shifts, k = places.shape
        index = (places.reshape(-1, k) @ self._indices.T).reshape(n, ends * shifts, -1).max(axis=1)
        return Likenesses(_by_class(whole, self._classes), _by_class(index, self._index_classes))


def _by_class(scores: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """(n, m) scores of m pictures -> (n, 54), the best of each class."""
    best = np.full((len(scores), len(CLASS_NAMES)), -np.inf, np.float32)
    for name in np.unique(classes):
        best[:, name] = scores[:, classes == name].max(axis=1)
    return best


def fused(shares: np.ndarray, like: Likenesses, trust: float, pack_size: int, settings: LikenessSettings) -> np.ndarray:
    """
    The classifier's (n, 54) shares and the likenesses -> (n, 54) float32, each row a distribution.

    ``trust``: how right the classifier was by itself about the deck's own pictures, 0..1.
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
    scores[:, :FACE_COUNT] += (s.reading + s.trusted * trust) * np.log(np.maximum(which, s.floor))
    scores -= s.whole * np.log(1 + s.whole_blur - np.where(shown, like.whole, s.unlike))
    scores -= s.index * np.log(1 + s.index_blur - np.maximum(np.where(shown, like.index, s.unlike_index), 0))
    scores += np.where(members, 0.0, np.log(s.stranger))
    scores -= scores.max(axis=1, keepdims=True)
    raised = np.exp(scores)
    likely = raised / raised.sum(axis=1, keepdims=True)
    told: np.ndarray = ((1 - s.slip) * likely + s.slip * members / members.sum()).astype(np.float32)
    return told


class KnownDeckClassifier(CardClassifier):
    """A classifier that has been shown the deck. ``DeckFileError`` where its weights can't do that."""

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
        """(n, 132, 96, 3) uint8 crops -> (n, 54) float32 over ``CLASS_NAMES``."""
        if not len(crops):
            return np.zeros((0, len(CLASS_NAMES)), np.float32)
        shares, features = self.read_crops(crops)
        like = self.known.likenesses(crops, features)
        return fused(shares, like, self.known.trust, self.deck.pack_size, self.likeness)


def must_have_features(classifier: CardClassifier) -> None:
    """``DeckFileError`` where the classifier's weights can't be shown a deck."""
    if not classifier.has_features:
        raise DeckFileError(
            "expected weights whose classifier tells its features, got weights exported without them; use the weights "
            "that came with kozyr, or export yours again with python -m models.training.export"
        )
