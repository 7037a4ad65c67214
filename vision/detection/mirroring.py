"""
Recognise a mirrored picture, as front cameras and some webcams send it, by the cards in it.

The indices of 2 to 7, 9, 10 and J are not symmetric. A mirrored card is read less surely than its crop turned back: a
5 may be read as an 8, but hardly ever for certain. So each card is read both ways. The evidence of a card is the
logarithm of the ratio of the chances that the readings are wrong, and that of several cards is added.

Counted on 48 photographs of the development split (``dev``), as they are and mirrored: none of those as they are has
evidence above 0. Of the 24 mirrored ones with three cards and more 19 are recognised; in the others the cards read
alike both ways, most of them rightly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vision.capture.image_files import Image
from vision.capture.sources import Source
from vision.detection.card_detector import CardDetector, NetworkCardDetector
from vision.detection.classifier import CardClassifier
from vision.detection.detections import FACE_COUNT, Detections

# Shares are from 0 to 1. Chosen by hand on those photographs, 2026-11.
READABLE = 0.3
"""Least share of the likeliest face of a card that is read both ways."""
UNSURE = 0.998
"""A card that is read more surely than this does not make a picture suspect (``reads_unsurely``)."""
CLEAR = 0.99
"""Turned back, a card must be read as surely as this to be evidence for a mirrored picture."""
MISREAD = 0.002
"""The chance that a reading is wrong is at least this."""
READ_MOST = 8
"""Most cards of a picture that are read both ways, those first of which the finder is surest; eight take 30 ms."""
SAMPLES = 8
"""Most pictures of a recording that are read; two or three decide in most recordings."""
SPEAKS, CARDS, CERTAIN = 1.0, 2, 5.0
"""Least evidence of a card that counts, number of such cards by name, and least evidence of all together."""


@dataclass(frozen=True, slots=True)
class MirrorEvidence:
    """
    Evidence that a picture is mirrored. ``cards``, ``against``: indices into ``CLASS_NAMES`` of the cards that speak
    for it and against it, as they read turned back and as they are. ``log_odds``: of all together. Evidence of several
    pictures can be added; a card that shows in several counts once.
    """

    cards: frozenset[int] = frozenset()
    against: frozenset[int] = frozenset()
    log_odds: float = 0.0

    def __add__(self, other: MirrorEvidence) -> MirrorEvidence:
        return MirrorEvidence(self.cards | other.cards, self.against | other.against, self.log_odds + other.log_odds)

    @property
    def is_mirrored(self) -> bool:
        """Check whether the picture is certainly mirrored."""
        return len(self.cards) >= CARDS and not self.against and self.log_odds >= CERTAIN


def mirror_evidence(classifier: CardClassifier, image_bgr: Image, seen: Detections) -> MirrorEvidence:
    """Read the cards of a picture both ways. ``seen``: its detections."""
    surest_first = np.argsort(-seen.confidence)
    readable = seen.probabilities[surest_first, :FACE_COUNT].max(axis=1, initial=0.0) >= READABLE
    cards = seen.corners_px[surest_first[readable][:READ_MOST]]
    if not len(cards):
        return MirrorEvidence()
    crops = classifier.crops(image_bgr, cards)
    upright, turned = (
        classifier.name_crops(np.ascontiguousarray(images))[:, :FACE_COUNT] for images in (crops, crops[:, :, ::-1])
    )
    wrong, turned_wrong = 1 - upright.max(axis=1), 1 - turned.max(axis=1)
    evidence = np.log((wrong + MISREAD) / (turned_wrong + MISREAD))
    evidence[(evidence > 0) & (turned_wrong > 1 - CLEAR)] = 0.0
    return MirrorEvidence(
        frozenset(map(int, turned[evidence >= SPEAKS].argmax(axis=1))),
        frozenset(map(int, upright[evidence <= -SPEAKS].argmax(axis=1))),
        float(evidence.sum()),
    )


def is_mirrored(source: Source, detector: CardDetector) -> bool:
    """
    Check whether a recording is mirrored: pictures from all over it are read until that is certain, or excluded.

    False for a live source, and where ``SAMPLES`` pictures leave it open.
    """
    evidence = MirrorEvidence()
    if not isinstance(detector, NetworkCardDetector):
        return False
    for image_bgr in source.samples(SAMPLES):
        evidence += mirror_evidence(detector.classifier, image_bgr, detector.detect(image_bgr))
        if evidence.is_mirrored or evidence.against:
            break
    detector.forget()
    return evidence.is_mirrored


def reads_unsurely(seen: Detections) -> bool:
    """Check whether enough cards are read unsurely for the picture to be mirrored: in others nothing has to be read."""
    surest = seen.probabilities[:, :FACE_COUNT].max(axis=1, initial=0.0)
    return int(((surest >= READABLE) & (surest < UNSURE)).sum()) >= CARDS


def turned_back(corners_px: np.ndarray, width: int) -> np.ndarray:
    """
    Return quads (..., 4, 2) of the mirrored picture, ``width`` pixels wide, clockwise again.

    >>> turned_back(np.array([[0, 0], [3, 0], [3, 5], [0, 5.0]]), 10).tolist()
    [[6.0, 0.0], [9.0, 0.0], [9.0, 5.0], [6.0, 5.0]]
    """
    turned = corners_px[..., [1, 0, 3, 2], :].copy()
    turned[..., 0] = width - 1 - turned[..., 0]
    return turned
