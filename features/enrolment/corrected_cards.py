"""
Let a deck learn from pictures of its cards that people corrected during games, and show before and after.

The pictures are those that the owner lets kozyr keep (``webapp.store.labelled_pictures``), of games that were played
with this deck. The deck gets some of them as further views, and nothing else: no weights change, and no other deck. It
learns only if that helps. Each kept picture is read twice, by the deck as it was shown and by the deck that has learnt
from all other pictures, so that no picture is recognised by itself. More of them must be right afterwards; and degraded
pictures of the cards that were shown (``confusable_cards``) must be read no worse than before. Otherwise the deck stays
as it was shown, and what it had learnt from corrections before is dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np

from features.enrolment.confusable_cards import poor_views, read_in_batches
from features.enrolment.deck_file import CardView, DeckFileError, EnrolledDeck, load_deck
from features.enrolment.deck_names import deck_path
from features.enrolment.enrolment import keep_deck, sheet_path, write_sheet
from features.enrolment.known_deck import KnownDeckClassifier, must_have_features
from referee.cards import Card, pack
from vision.capture.image_files import PictureError, decode_picture
from vision.detection.card_detector import NetworkCardDetector
from vision.detection.classifier import CardClassifier, rectify
from vision.detection.detections import CLASS_NAMES
from webapp.store.labelled_pictures import CorrectedPicture, LabelledPictures


@dataclass(frozen=True, slots=True)
class CorrectionSettings:
    """How much a deck learns from corrected cards. Set by hand, 2026-11."""

    of_a_card: int = 3
    """Pictures of one card that a deck takes, the newest: as many as it takes of a card that is shown."""
    most: int = 300
    """Pictures that are looked at, the newest: each costs the finder some 50 ms."""
    most_px: int = 512 * 512
    """Pixels of a picture at most; kept ones have 280 x 280 (``webapp.live.film_recorder``)."""
    sure: float = 0.97
    """Share from which a reading counts as sure, as at the table."""


@dataclass(frozen=True, slots=True, eq=False)
class CorrectedCard:
    """A corrected card, what was read in the game, and its crop (132, 96, 3) uint8."""

    card: Card
    was: str
    crop: np.ndarray


@dataclass(frozen=True, slots=True)
class Counted:
    """Readings: how many are right, and how many wrong ones are sure."""

    right: int
    surely_wrong: int

    @classmethod
    def of(cls, shares: np.ndarray, classes: np.ndarray, sure: float) -> Counted:
        """Count (n, 54) shares against the true classes (n,)."""
        is_right = shares.argmax(axis=1) == classes
        return cls(int(is_right.sum()), int((~is_right & (shares.max(axis=1) >= sure)).sum()))


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """
    A deck with and without corrected cards.

    ``deck``: the one that has learnt. ``before``, ``after``: (n, 54) shares of the corrected cards, after without the
    picture itself. ``kept`` and ``own``: the counts before and after, of the corrected cards and of degraded pictures
    of the cards that were shown, ``own_count`` of them.
    """

    deck: EnrolledDeck
    cards: tuple[CorrectedCard, ...]
    before: np.ndarray
    after: np.ndarray
    kept: tuple[Counted, Counted]
    own: tuple[Counted, Counted]
    own_count: int

    @property
    def reason(self) -> str | None:
        """Return why the deck should not learn: ``no-better`` or ``own-worse``; None: it should."""
        (kept_before, kept_after), (own_before, own_after) = self.kept, self.own
        if own_after.right < own_before.right or own_after.surely_wrong > own_before.surely_wrong:
            return "own-worse"
        is_better = kept_after.right > kept_before.right and kept_after.surely_wrong <= kept_before.surely_wrong
        return None if is_better else "no-better"


def pictures_of(deck: str, pictures: LabelledPictures) -> tuple[CorrectedPicture, ...]:
    """Return the kept pictures of games that were played with this deck, the oldest first."""
    return tuple(picture for picture in pictures.all if picture.deck == deck)


def tried(
    deck: EnrolledDeck,
    cards: Sequence[CorrectedCard],
    classifier: CardClassifier,
    settings: CorrectionSettings = CorrectionSettings(),
) -> Trial:
    """Compare the deck as it was shown with one that has learnt from the newest of these cards."""
    shown = replace(deck, views=deck.shown)
    taken, views, places = Counter[Card](), list[CardView](), dict[int, int]()
    for number in reversed(range(len(cards))):
        card = cards[number]
        if taken[card.card] < settings.of_a_card:
            taken[card.card] += 1
            places[number] = len(shown.views) + len(views)
            views.append(CardView(card.card, card.crop, corrected=True))
    learnt = replace(deck, views=(*shown.views, *views))
    apart = np.zeros((len(cards), len(learnt.views)), bool)
    for number, place in places.items():
        apart[number, place] = True
    was, now = KnownDeckClassifier(classifier, shown), KnownDeckClassifier(classifier, learnt)
    crops = np.stack([card.crop for card in cards])
    classes = np.array([CLASS_NAMES.index(str(card.card)) for card in cards], np.intp)
    before, after = was.name_crops(crops), now.name_apart(crops, apart)
    own = poor_views(shown.views)
    own_read = [read_in_batches(reader, own.crops) for reader in (was, now)]
    sure = settings.sure
    return Trial(
        learnt,
        tuple(cards),
        before,
        after,
        (Counted.of(before, classes, sure), Counted.of(after, classes, sure)),
        (Counted.of(own_read[0], own.classes, sure), Counted.of(own_read[1], own.classes, sure)),
        len(own.classes),
    )


def corrected_cards(
    pictures: Sequence[CorrectedPicture],
    deck: EnrolledDeck,
    detector: NetworkCardDetector,
    report: Callable[[float], None] = lambda share: None,
    settings: CorrectionSettings = CorrectionSettings(),
) -> tuple[CorrectedCard, ...]:
    """Return the cards of these pictures; a picture in whose middle no card of the deck is found is left out."""
    members = {str(card): card for card in pack(deck.pack_size)}
    found = []
    newest = pictures[-settings.most :]
    for number, picture in enumerate(newest):
        crop = _middle_card(picture, detector, settings) if picture.card in members else None
        if crop is not None:
            found.append(CorrectedCard(members[picture.card], picture.was, crop))
        report((number + 1) / (len(newest) + 1))
    return tuple(found)


def _middle_card(
    picture: CorrectedPicture, detector: NetworkCardDetector, settings: CorrectionSettings
) -> np.ndarray | None:
    """Return the crop of the card that covers the middle of a picture, the largest; None if there is none."""
    try:
        image = decode_picture(picture.path.read_bytes(), ("JPEG",), settings.most_px)
    except (OSError, PictureError):
        return None
    height, width = image.shape[:2]
    quads = detector.detect(image).corners_px.astype(np.float32)
    over = [quad for quad in quads if cv2.pointPolygonTest(quad, (width / 2, height / 2), False) >= 0]
    if not over:
        return None
    crop: np.ndarray = rectify(image, max(over, key=cv2.contourArea)[None])[0]
    return crop


def learn(
    name: str,
    pictures: LabelledPictures,
    detector: NetworkCardDetector,
    report: Callable[[float], None] = lambda share: None,
) -> Mapping[str, Any]:
    """
    Let the deck learn from the kept pictures of its games if that helps; return what happened (docs/decks.md).

    ``DeckFileError`` if the deck is not there, or can't be written.
    """
    must_have_features(detector.classifier)
    deck = load_deck(name)
    if not deck.shown:
        raise DeckFileError(f"expected a deck whose cards were shown, got {name!r} with none; show them first")
    kept = pictures_of(name, pictures)
    cards = corrected_cards(kept, deck, detector, report)
    if not cards:
        found = {"deck": name, "pictures": len(kept), "used": 0, "learnt": False}
        return {**found, "dropped": forget(name), "reason": "none"}
    trial = tried(deck, cards, detector.classifier)
    is_dropped = False
    if trial.reason is None:
        keep_deck(trial.deck, deck_path(name), detector.classifier)
    else:
        is_dropped = forget(name)
    report(1.0)
    return {
        "deck": name,
        "pictures": len(kept),
        "used": len(cards),
        "before": trial.kept[0].right,
        "after": trial.kept[1].right,
        "own": {"pictures": trial.own_count, "before": trial.own[0].right, "after": trial.own[1].right},
        "learnt": trial.reason is None,
        "dropped": is_dropped,
        "reason": trial.reason,
        "cards": [
            {"card": str(card.card), "was": card.was, "before": _read(before), "after": _read(after)}
            for card, before, after in zip(trial.cards, trial.before, trial.after, strict=True)
        ],
    }


def _read(shares: np.ndarray) -> tuple[str, float]:
    best = int(shares.argmax())
    return CLASS_NAMES[best], round(float(shares[best]), 3)


def forget(name: str) -> bool:
    """
    Drop what the deck has learnt from corrected cards; return whether there was anything.

    The pairs that look alike stay as they are until it learns again.
    """
    deck, path = load_deck(name), deck_path(name)
    if len(deck.shown) == len(deck.views):
        return False
    deck = replace(deck, views=deck.shown)
    deck.save(path)
    write_sheet(deck, sheet_path(path))
    return True
