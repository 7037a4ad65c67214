"""
Estimate which cards of a deck are easily confused: degrade the enrolled pictures with a fixed seed and classify them.

A degraded picture is blurred, dark, noisy, has glare, is half covered by another card or has inexact corners, as
pictures taken at a table are. The share of them that is classified as another card shows before the game which pairs
will cause questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from features.enrolment.deck_file import CardView, LookAlikes
from features.enrolment.known_deck import KnownDeckClassifier
from referee.cards import pack
from vision.detection.classifier import CROP_PX, crop_frame
from vision.detection.detections import CLASS_NAMES

WIDTH, HEIGHT = CROP_PX


# How many degraded pictures are classified, and which pairs are reported. Set by hand, 2026-11.
LOOK_ALIKE_BATCH = 64
"""Crops per batch of the classifier."""

# How strongly a picture is degraded. A pair (from, to) is a uniform range, a single number a standard deviation. Set
# by hand after pictures taken at tables, 2026-11 (``docs/decks.md``).
COVER_AWAY = (0.35, 0.8)
"""Distance of that card's centre from this one's, in card widths and heights."""
COVER_TURN = 0.4
"""Rotation of the covering card in radians."""
OUTLINE_PX = 1.2
"""Error of the corners in pixels of the crop: once for all corners together, once for each corner."""
POOR_VIEW_GLARED = 0.4
"""Share of the pictures with glare on the card."""
POOR_VIEW_GLARE = (40, 170)
"""Grey levels that the glare adds at its centre."""
GLARE_PX = (8, 24)
"""Width of the glare in pixels of the crop (standard deviation)."""
POOR_VIEW_BLUR_PX = (0.5, 2.4)
"""Blur in pixels of the crop (standard deviation)."""
POOR_VIEW_STOPS = (-0.6, 0.6)
"""
Mean and standard deviation of the exposure in stops: pictures of a game are mostly darker than those of the
enrolment.
"""
POOR_VIEW_TINT = 0.06
"""Relative change of each colour channel."""
POOR_VIEW_GRAIN = (1, 7)
"""Sensor noise in grey levels (standard deviation)."""


@dataclass(frozen=True, slots=True)
class LookAlikeSettings:
    """How many degraded pictures are classified, and which pairs are reported. Set by hand, 2026-11."""

    views: int = 8
    """Degraded pictures per card."""
    share: float = 0.05
    """
    Share of confused pictures from which a pair is reported, 0..1. On three tuning decks 0.05 reports 3 % of all pairs
    (59 of 1,890), which hold a quarter of all later confusions (54 of 217; `docs/decks.md`, 2026-11).
    """
    most: int = 12
    """Largest number of reported pairs, the most often confused first."""
    seed: int = 36
    """Seed of the degradation, fixed so that one deck always yields the same pairs."""


COVERED_PICTURES = 0.6
"""Share of the degraded pictures in which another card covers a part of this one. Set by hand, 2026-11."""


@dataclass(frozen=True, slots=True, eq=False)
class PoorViews:
    """Degraded pictures: crops (n, 132, 96, 3) uint8 and classes (n,) intp, the class of each one's card."""

    crops: np.ndarray
    classes: np.ndarray


def poor_view(rng: np.random.Generator, crop: np.ndarray, occluder: np.ndarray) -> np.ndarray:
    """Return a degraded (132, 96, 3) uint8 crop; ``occluder``: crop of another card that may cover a part of it."""
    frame = crop_frame()
    picture: np.ndarray = crop.astype(np.float32)
    if rng.random() < COVERED_PICTURES:
        away = rng.uniform(*COVER_AWAY) * (frame[2] - frame[0])
        angle = rng.uniform(0, 2 * np.pi)
        turn = rng.normal(0, COVER_TURN)
        middle = frame.mean(axis=0)
        rotation = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        over = ((frame - middle) @ rotation + middle + away * (np.cos(angle), np.sin(angle))).astype(np.float32)
        laid = cv2.warpPerspective(occluder, cv2.getPerspectiveTransform(frame, over), CROP_PX)
        mask = np.zeros((HEIGHT, WIDTH), np.uint8)
        cv2.fillConvexPoly(mask, np.round(over).astype(np.int32), 1)
        picture[mask > 0] = laid[mask > 0]
    missed = (frame + rng.normal(0, OUTLINE_PX, 2) + rng.normal(0, OUTLINE_PX, (4, 2))).astype(np.float32)
    picture = cv2.warpPerspective(
        picture, cv2.getPerspectiveTransform(missed, frame), CROP_PX, borderMode=cv2.BORDER_REPLICATE
    )
    if rng.random() < POOR_VIEW_GLARED:
        ys, xs = np.mgrid[0:HEIGHT, 0:WIDTH]
        gap = (xs - rng.uniform(0, WIDTH)) ** 2 + (ys - rng.uniform(0, HEIGHT)) ** 2
        picture += (rng.uniform(*POOR_VIEW_GLARE) * np.exp(-gap / (2 * rng.uniform(*GLARE_PX) ** 2)))[..., None]
    picture = cv2.GaussianBlur(picture, (0, 0), rng.uniform(*POOR_VIEW_BLUR_PX))
    picture = picture * 2.0 ** rng.normal(*POOR_VIEW_STOPS) * (1 + rng.normal(0, POOR_VIEW_TINT, 3))
    picture += rng.normal(0, rng.uniform(*POOR_VIEW_GRAIN), (HEIGHT, WIDTH, 1))
    worse: np.ndarray = np.clip(picture, 0, 255).astype(np.uint8)
    return worse


def poor_views(views: Sequence[CardView], settings: LookAlikeSettings = LookAlikeSettings()) -> PoorViews:
    """Degrade the pictures of each card, ``settings.views`` of each: the same ones for the same pictures."""
    by_card: dict[str, list[int]] = {}
    for number, view in enumerate(views):
        by_card.setdefault(str(view.card), []).append(number)
    rng = np.random.default_rng(settings.seed)
    crops, classes = [], []
    for name, numbers in by_card.items():
        for k in range(settings.views):
            occluder = views[int(rng.integers(len(views)))].crop
            crops.append(poor_view(rng, views[numbers[k % len(numbers)]].crop, occluder))
            classes.append(CLASS_NAMES.index(name))
    return PoorViews(np.stack(crops), np.array(classes, np.intp))


def read_in_batches(classifier: KnownDeckClassifier, crops: np.ndarray) -> np.ndarray:
    """Classify (n, 132, 96, 3) crops, some at a time: (n, 54) float32."""
    starts = range(0, len(crops), LOOK_ALIKE_BATCH)
    return np.concatenate([classifier.name_crops(crops[start : start + LOOK_ALIKE_BATCH]) for start in starts])


def mistaken_for(classifier: KnownDeckClassifier, settings: LookAlikeSettings = LookAlikeSettings()) -> np.ndarray:
    """
    Return (54, 54) float64: for each card (row) the mean class shares of its degraded pictures; rows of cards without
    pictures are 0.
    """
    poor = poor_views(classifier.deck.views, settings)
    read = np.zeros((len(CLASS_NAMES), len(CLASS_NAMES)))
    for name_index, row in zip(poor.classes, read_in_batches(classifier, poor.crops), strict=True):
        read[name_index] += row / settings.views
    return read


def look_alikes(
    classifier: KnownDeckClassifier, settings: LookAlikeSettings = LookAlikeSettings()
) -> tuple[LookAlikes, ...]:
    """Return the most easily confused pairs of the classifier's deck, the most often confused first."""
    return pairs_of(mistaken_for(classifier, settings), classifier.deck.pack_size, settings)


def pairs_of(read: np.ndarray, pack_size: int, settings: LookAlikeSettings) -> tuple[LookAlikes, ...]:
    """Return the pairs to report, from the matrix of ``mistaken_for``."""
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


def in_words(pairs: Sequence[LookAlikes]) -> str:
    """
    Return the pairs as text for people.

    >>> from referee.cards import Card
    >>> in_words([LookAlikes(Card.parse("6h"), Card.parse("9h"), 0.21)])
    '6h and 9h (21 of 100 bad looks)'
    """
    return ", ".join(f"{pair.one} and {pair.other} ({pair.share * 100:.0f} of 100 bad looks)" for pair in pairs)
