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
    """How often the cards are looked at, and from when on a pair is told. Set by hand, 2026-11."""

    looks: int = 8
    """Bad looks at each card. More take longer and tell shares more exactly. Fewer tell them roughly, and sooner."""
    share: float = 0.05
    """
    Share of bad looks mistaken from which a pair is told, 0..1. Higher tells fewer pairs; at this on three decks
    for tuning 3 % of all pairs (59 of 1,890) are told, with a quarter of all later mistakes (54 of 217;
    `docs/decks.md`, 2026-11). Lower tells more, most of which are never mistaken.
    """
    most: int = 12
    """Pairs told at most, the worst first. More are read by nobody. Fewer leave out cards that will be mistaken."""
    batch: int = 64
    """Crops read in one go. More take memory and are hardly quicker. Fewer take longer altogether."""
    seed: int = 36
    """
    Of the chance by which looks are made bad: the same deck is told the same pairs. Its value means nothing. Higher
    or lower, it is as good.
    """


@dataclass(frozen=True, slots=True)
class BadLookSettings:
    """
    How bad a simulated look is; (from, to) are evenly spread, a single number is a standard deviation.

    More of anything makes more pairs look alike. Set by hand after looks at tables, 2026-11 (``docs/decks.md``).
    """

    covered: float = 0.6
    """
    Share of looks at which another card lies over this one. Higher tells more pairs that share all but one index;
    lower fewer.
    """
    cover_away: tuple[float, float] = (0.35, 0.8)
    """
    How far that card's middle lies away, in card widths and heights. Farther covers less of the card; nearer hides
    both indices.
    """
    cover_turn: float = 0.4
    """Radians by which it is turned. More leaves other parts in view; less always the same rim."""
    outline_px: float = 1.2
    """
    Pixels of the crop by which all corners, and each for itself, are found off. More mistakes small prints; less
    hides what badly found corners do.
    """
    glared: float = 0.4
    """Share of looks with glare on the card. More tells pairs that differ in one spot; less leaves them out."""
    glare: tuple[float, float] = (40, 170)
    """Grey levels that it adds in its middle. More wipes out more of the print; less is a soft shine."""
    glare_px: tuple[float, float] = (8, 24)
    """How wide it is, in pixels of the crop (standard deviation). Wider wipes out both indices; narrower neither."""
    blur_px: tuple[float, float] = (0.5, 2.4)
    """
    How soft the picture is, in pixels of the crop (standard deviation). More mistakes ranks of like outline; less
    none.
    """
    stops: tuple[float, float] = (-0.6, 0.6)
    """
    Mean and spread of the exposure in stops: looks are darker than the showing by and large. Higher in the mean
    clips white cards; lower loses dark prints. More spread makes looks unlike each other.
    """
    tint: float = 0.06
    """By which share each colour is stronger or weaker. More mistakes suits by their colour; less none."""
    grain: tuple[float, float] = (1, 7)
    """
    Grey levels of the sensor's noise (standard deviation). More mistakes small prints; less is a camera in
    daylight.
    """


def bad_look(
    rng: np.random.Generator, crop: np.ndarray, occluder: np.ndarray, settings: BadLookSettings = BadLookSettings()
) -> np.ndarray:
    """A (132, 96, 3) uint8 crop made worse; ``occluder``: another card, which may come to lie over it."""
    s = settings
    frame = crop_frame()
    picture: np.ndarray = crop.astype(np.float32)
    if rng.random() < s.covered:
        away = rng.uniform(*s.cover_away) * (frame[2] - frame[0])
        angle = rng.uniform(0, 2 * np.pi)
        turn = rng.normal(0, s.cover_turn)
        middle = frame.mean(axis=0)
        rotation = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        over = ((frame - middle) @ rotation + middle + away * (np.cos(angle), np.sin(angle))).astype(np.float32)
        laid = cv2.warpPerspective(occluder, cv2.getPerspectiveTransform(frame, over), CROP_PX)
        mask = np.zeros((HEIGHT, WIDTH), np.uint8)
        cv2.fillConvexPoly(mask, np.round(over).astype(np.int32), 1)
        picture[mask > 0] = laid[mask > 0]
    missed = (frame + rng.normal(0, s.outline_px, 2) + rng.normal(0, s.outline_px, (4, 2))).astype(np.float32)
    picture = cv2.warpPerspective(
        picture, cv2.getPerspectiveTransform(missed, frame), CROP_PX, borderMode=cv2.BORDER_REPLICATE
    )
    if rng.random() < s.glared:
        ys, xs = np.mgrid[0:HEIGHT, 0:WIDTH]
        gap = (xs - rng.uniform(0, WIDTH)) ** 2 + (ys - rng.uniform(0, HEIGHT)) ** 2
        picture += (rng.uniform(*s.glare) * np.exp(-gap / (2 * rng.uniform(*s.glare_px) ** 2)))[..., None]
    picture = cv2.GaussianBlur(picture, (0, 0), rng.uniform(*s.blur_px))
    picture = picture * 2.0 ** rng.normal(*s.stops) * (1 + rng.normal(0, s.tint, 3))
    picture += rng.normal(0, rng.uniform(*s.grain), (HEIGHT, WIDTH, 1))
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
            occluder = views[int(rng.integers(len(views)))].crop
            crops.append(bad_look(rng, views[numbers[k % len(numbers)]].crop, occluder))
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


def in_words(pairs: Sequence[LookAlikes]) -> str:
    """
    The pairs for people.

    >>> from referee.cards import Card
    >>> in_words([LookAlikes(Card.parse("6h"), Card.parse("9h"), 0.21)])
    '6h and 9h (21 of 100 bad looks)'
    """
    return ", ".join(f"{pair.one} and {pair.other} ({pair.share * 100:.0f} of 100 bad looks)" for pair in pairs)
