"""
Which cards of a deck are hard to tell apart: its pictures are made worse in seeded ways and read again.

A bad look is soft, dark, grainy, glared upon, half covered by another card or badly outlined, as looks at a table are.
What share of them is taken for another card tells before the game which pairs will be asked about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from referee.cards import pack
from vision.detection.classifier import CROP_PX, crop_frame
from vision.detection.detections import CLASS_NAMES
from vision.enrolment.deck_file import LookAlikes
from vision.enrolment.known_deck import KnownDeckClassifier

WIDTH, HEIGHT = CROP_PX


@dataclass(frozen=True, slots=True)
class LookAlikeSettings:
    """How badly the cards are looked at, and from when on a pair is told."""

    looks: int = 8
    """Bad looks at each card."""
    share: float = 0.05
    """Pairs of which a smaller share is mistaken are not told."""
    most: int = 12
    """Pairs told at most, the worst first."""
    batch: int = 64
    """Crops read in one go, a bound on memory."""
    seed: int = 36


def bad_look(rng: np.random.Generator, crop: np.ndarray, lid: np.ndarray) -> np.ndarray:
    """A (132, 96, 3) uint8 crop made worse; ``lid``: another card, which may come to lie over it."""
    frame = crop_frame()
    picture: np.ndarray = crop.astype(np.float32)
    if rng.random() < 0.6:
        away = rng.uniform(0.35, 0.8) * (frame[2] - frame[0])
        angle = rng.uniform(0, 2 * np.pi)
        turn = rng.normal(0, 0.4)
        middle = frame.mean(axis=0)
        rotation = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        over = ((frame - middle) @ rotation + middle + away * (np.cos(angle), np.sin(angle))).astype(np.float32)
        laid = cv2.warpPerspective(lid, cv2.getPerspectiveTransform(frame, over), CROP_PX)
        mask = np.zeros((HEIGHT, WIDTH), np.uint8)
        cv2.fillConvexPoly(mask, np.round(over).astype(np.int32), 1)
        picture[mask > 0] = laid[mask > 0]
    missed = (frame + rng.normal(0, 1.2, 2) + rng.normal(0, 1.2, (4, 2))).astype(np.float32)
    picture = cv2.warpPerspective(
        picture, cv2.getPerspectiveTransform(missed, frame), CROP_PX, borderMode=cv2.BORDER_REPLICATE
    )
    if rng.random() < 0.4:
        ys, xs = np.mgrid[0:HEIGHT, 0:WIDTH]
        gap = (xs - rng.uniform(0, WIDTH)) ** 2 + (ys - rng.uniform(0, HEIGHT)) ** 2
        picture += (rng.uniform(40, 170) * np.exp(-gap / (2 * rng.uniform(8, 24) ** 2)))[..., None]
    picture = cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.5, 2.4))
    picture = picture * 2.0 ** rng.normal(-0.6, 0.6) * (1 + rng.normal(0, 0.06, 3))
    picture += rng.normal(0, rng.uniform(1, 7), (HEIGHT, WIDTH, 1))
    worse: np.ndarray = np.clip(picture, 0, 255).astype(np.uint8)
    return worse


def mistaken_for(classifier: KnownDeckClassifier, settings: LookAlikeSettings = LookAlikeSettings()) -> np.ndarray:
    """(54, 54) float64: of the bad looks at the row's card, what is read, as shares; rows of cards not shown are 0."""
    views = classifier.deck.views
    by_card: dict[str, list[int]] = {}
    for number, view in enumerate(views):
        by_card.setdefault(str(view.card), []).append(number)
    rng = np.random.default_rng(settings.seed)
    crops, classes = [], []
    for name, numbers in by_card.items():
        for k in range(settings.looks):
            lid = views[int(rng.integers(len(views)))].crop
            crops.append(bad_look(rng, views[numbers[k % len(numbers)]].crop, lid))
            classes.append(CLASS_NAMES.index(name))
    read = np.zeros((len(CLASS_NAMES), len(CLASS_NAMES)))
    for start in range(0, len(crops), settings.batch):
        shares = classifier.name_crops(np.stack(crops[start : start + settings.batch]))
        for name_index, row in zip(classes[start : start + settings.batch], shares, strict=True):
            read[name_index] += row / settings.looks
    return read


def look_alikes(
    classifier: KnownDeckClassifier, settings: LookAlikeSettings = LookAlikeSettings()
) -> tuple[LookAlikes, ...]:
    """The pairs of the classifier's deck that are hard to tell apart, the worst first."""
    return pairs_of(mistaken_for(classifier, settings), classifier.deck.pack_size, settings)


def pairs_of(read: np.ndarray, pack_size: int, settings: LookAlikeSettings) -> tuple[LookAlikes, ...]:
    """``mistaken_for`` -> the pairs worth telling."""
    cards = pack(pack_size)
    place = [CLASS_NAMES.index(str(card)) for card in cards]
    between = read[np.ix_(place, place)]
    both = (between + between.T) / 2
    found = [
        LookAlikes(cards[i], cards[j], float(both[i, j]))
        for i in range(len(cards))
        for j in range(i + 1, len(cards))
        if both[i, j] >= settings.share
    ]
    return tuple(sorted(found, key=lambda pair: -pair.share)[: settings.most])


def told(pairs: Sequence[LookAlikes]) -> str:
    """
    The pairs for people.

    >>> from referee.cards import Card
    >>> told([LookAlikes(Card.parse("6h"), Card.parse("9h"), 0.21)])
    '6h and 9h (21 of 100 bad looks)'
    """
    return ", ".join(f"{pair.one} and {pair.other} ({pair.share * 100:.0f} of 100 bad looks)" for pair in pairs)
