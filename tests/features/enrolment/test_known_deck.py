"""Classification with an enrolled deck: unknown prints are named, and similar cards are reported."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from features.enrolment.confusable_cards import LookAlikeSettings, look_alikes, mistaken_for
from features.enrolment.deck_file import CardView, DeckFileError, EnrolledDeck
from features.enrolment.known_deck import KnownDeckClassifier, Likenesses, LikenessSettings, fused, half_turned
from referee.cards import Card, pack
from tests.features.enrolment.shown_deck import PatternNetwork, crop_of, row_of, slot
from vision.detection.card_detector import load_card_detector
from vision.detection.classifier import CardClassifier
from vision.detection.detections import BACK_INDEX, CLASS_NAMES

CARDS = pack(24)[:12]


def shown(*cards: Card, pack_size: int = 24) -> EnrolledDeck:
    return EnrolledDeck("mine", pack_size, tuple(CardView(card, crop_of(card)) for card in cards))


def names(shares: np.ndarray) -> list[str]:
    return [CLASS_NAMES[int(best)] for best in shares.argmax(axis=1)]


def test_enrolled_cards_are_named_that_the_classifier_cannot_read() -> None:
    classifier = CardClassifier(PatternNetwork())
    picture = row_of(CARDS[:9], seed=7)
    quads = np.stack([slot(k) for k in range(9)])
    assert names(classifier.read(picture, quads)) != [str(card) for card in CARDS[:9]]
    known = KnownDeckClassifier(classifier, shown(*CARDS))
    read = known.read(picture, quads)
    assert names(read) == [str(card) for card in CARDS[:9]]
    assert read.max(axis=1).min() > 0.9
    np.testing.assert_allclose(read.sum(axis=1), 1, rtol=1e-4)


def test_half_turned_cards_get_the_same_names() -> None:
    known = KnownDeckClassifier(CardClassifier(PatternNetwork()), shown(*CARDS))
    crops = half_turned(np.stack([crop_of(card, 3) for card in CARDS]))
    assert names(known.name_crops(crops)) == [str(card) for card in CARDS]


def test_reading_no_cards_returns_an_empty_array() -> None:
    known = KnownDeckClassifier(CardClassifier(PatternNetwork()), shown(*CARDS))
    read = known.read(np.zeros((50, 50, 3), np.uint8), np.zeros((0, 4, 2), np.float32))
    assert read.shape == (0, len(CLASS_NAMES))


def like(**whole: float) -> Likenesses:
    """Return one crop's similarities to some classes, the same as a whole and at the index."""
    out = np.full((1, len(CLASS_NAMES)), -np.inf, np.float32)
    for name, value in whole.items():
        out[0, CLASS_NAMES.index(name)] = value
    return Likenesses(out, out.copy())


def shares(**given: float) -> np.ndarray:
    out = np.full((1, len(CLASS_NAMES)), (1 - sum(given.values())) / (len(CLASS_NAMES) - len(given)))
    for name, value in given.items():
        out[0, CLASS_NAMES.index(name)] = value
    return out


def test_only_clear_likeness_overrules_the_classifier() -> None:
    settings = LikenessSettings()
    sure = fused(shares(**{"6h": 0.9}), like(**{"6h": 0.6, "9h": 0.99}), 1.0, 36, settings)
    assert names(sure) == ["9h"]
    poor = fused(shares(**{"6h": 0.9}), like(**{"6h": 0.60, "9h": 0.61}), 1.0, 36, settings)
    assert names(poor) == ["6h"]


def test_back_is_not_renamed_by_likeness() -> None:
    read = fused(shares(back=0.98), like(**{"6h": 0.3, "9h": 0.2}), 1.0, 36, LikenessSettings())
    assert read[0].argmax() == BACK_INDEX


def test_card_that_was_not_enrolled_is_named_by_the_classifier() -> None:
    read = fused(shares(**{"7h": 0.97}), like(**{"6h": 0.5, "9h": 0.4}), 1.0, 36, LikenessSettings())
    assert names(read) == ["7h"]


def test_card_outside_the_pack_gets_a_low_share() -> None:
    near = like(**{"6h": 0.78, "9h": 0.3})
    inside = fused(shares(**{"7h": 0.9}), near, 1.0, 36, LikenessSettings())
    outside = fused(shares(**{"2h": 0.9}), near, 1.0, 36, LikenessSettings())
    assert outside[0, CLASS_NAMES.index("2h")] < 0.2 * inside[0, CLASS_NAMES.index("7h")]


def test_only_cards_with_similar_print_are_reported_as_look_alikes() -> None:
    six, nine = Card.parse("6h"), Card.parse("9h")
    cards = [card for card in pack(36)[:12] if card not in (six, nine)]
    twin = crop_of(six, 5)
    deck = EnrolledDeck("mine", 36, (*shown(*cards, six).views, CardView(nine, twin)))
    classifier = KnownDeckClassifier(CardClassifier(PatternNetwork()), deck)
    pairs = look_alikes(classifier, LookAlikeSettings(views=4))
    assert {str(pairs[0].one), str(pairs[0].other)} == {"6h", "9h"}
    assert pairs[0].share > 0.25
    assert all(pair.share < 0.15 for pair in pairs[1:])


def test_look_alike_search_depends_only_on_its_seed() -> None:
    classifier = KnownDeckClassifier(CardClassifier(PatternNetwork()), shown(*CARDS[:4]))
    settings = LookAlikeSettings(views=2)
    assert np.array_equal(mistaken_for(classifier, settings), mistaken_for(classifier, settings))
    assert not np.array_equal(mistaken_for(classifier, settings), mistaken_for(classifier, replace(settings, seed=1)))


def test_deck_without_pictures_is_refused() -> None:
    with pytest.raises(DeckFileError, match="expected a deck with pictures of its cards"):
        KnownDeckClassifier(CardClassifier(PatternNetwork()), EnrolledDeck("mine", 36, ()))


def test_weights_without_features_are_refused() -> None:
    class Plain:
        def run(self, batch: np.ndarray) -> np.ndarray:
            return np.full((len(batch), len(CLASS_NAMES)), 1 / len(CLASS_NAMES), np.float32)

    with pytest.raises(DeckFileError, match=r"whose classifier tells its features.*models\.training\.export"):
        KnownDeckClassifier(CardClassifier(Plain()), shown(*CARDS))


def test_shipped_classifier_exports_features_as_declared() -> None:
    classifier = load_card_detector().classifier
    crops = np.stack([crop_of(card) for card in CARDS[:2]])
    if classifier.has_features:
        read, features = classifier.read_crops(crops)
        assert read.shape == (2, len(CLASS_NAMES))
        assert len(features) == 2
        assert len(classifier.checksum) == 64
    else:
        with pytest.raises(DeckFileError, match="features"):
            KnownDeckClassifier(classifier, shown(*CARDS))
