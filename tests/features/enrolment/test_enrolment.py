"""Enrolment of a deck: stills in rows, cards one after another, repeated cards, and the report of missing cards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pytest

from features.enrolment.deck_file import DeckFileError, EnrolledDeck
from features.enrolment.deck_names import card_list
from features.enrolment.enrolment import Enrolment, Learnt, WantedDeck
from features.enrolment.name_assignment import NamedBy
from referee.cards import Card, pack
from tests.features.enrolment.shown_deck import PatternDetector, PatternNetwork, row_of, table
from vision.capture.sources import Frame
from vision.detection.classifier import CardClassifier

SPADES, HEARTS = card_list("6s-As"), card_list("6h-Ah")
PACK = pack(24)


def enrolment(
    answers_by_card: dict[Card, tuple[str, float]] | None = None,
    pack_size: int = 36,
    order: Sequence[Card] = (),
    known: EnrolledDeck | None = None,
) -> Enrolment:
    classifier = CardClassifier(PatternNetwork(answers_by_card))
    return Enrolment(PatternDetector(classifier), classifier, WantedDeck("mine", pack_size, known, tuple(order)))


def right(cards: Iterable[Card], share: float = 0.9) -> dict[Card, tuple[str, float]]:
    """Return the answers of a classifier that names these cards correctly."""
    return {card: (str(card), share) for card in cards}


def stills(showing: Enrolment, *pictures: np.ndarray) -> Learnt:
    """Enrol from pictures as ``sources`` plays a folder of them: four frames each."""
    number = 0
    for picture in pictures:
        for k in range(4):
            showing.feed(Frame(picture, number, number * 0.4, cut=k == 0 and number > 0))
            number += 1
    return showing.learnt()


def film(showing: Enrolment, pictures: Iterable[np.ndarray], fps: float = 4) -> Learnt:
    """Enrol from a video with one picture a frame."""
    for number, picture in enumerate(pictures):
        showing.feed(Frame(picture, number, number / fps))
    return showing.learnt()


def one_by_one(cards: Sequence[Card], frames: int = 3) -> list[np.ndarray]:
    """Return pictures of cards laid one after another at one place, with a hand between them; noise never repeats."""
    pictures = []
    for k, card in enumerate(cards):
        pictures += [table({(0, 0): card}, seed=10 * k + n) for n in range(frames)]
        pictures.append(table({}, seed=10 * k + 9))
    return pictures


def cards_of(learnt: Learnt) -> list[Card]:
    return [naming.card for naming in learnt.namings]


def test_given_order_names_rows_that_the_classifier_cannot_read() -> None:
    learnt = stills(enrolment(order=SPADES + HEARTS), row_of(SPADES), row_of(HEARTS))
    assert cards_of(learnt) == [*SPADES, *HEARTS]
    assert learnt.deck.learnt == set(SPADES + HEARTS)
    assert {naming.by for naming in learnt.namings} == {NamedBy.ORDER}
    assert learnt.deck.doubtful == ()


def test_two_rows_on_one_picture_are_named_from_top_left() -> None:
    picture = table({(k, 0): card for k, card in enumerate(SPADES)} | {(k, 1): card for k, card in enumerate(HEARTS)})
    learnt = stills(enrolment(order=SPADES + HEARTS), picture)
    assert cards_of(learnt) == [*SPADES, *HEARTS]


def test_given_order_names_cards_shown_one_by_one() -> None:
    order = [SPADES[k] for k in (3, 1, 4, 0)]
    learnt = film(enrolment(order=order), one_by_one(order))
    assert cards_of(learnt) == order


def test_cards_in_any_order_are_named_by_a_classifier_that_knows_them() -> None:
    cards = [PACK[int(k)] for k in np.random.default_rng(3).permutation(24)]
    learnt = film(enrolment(right(cards), 24), one_by_one(cards))
    assert cards_of(learnt) == cards
    assert learnt.deck.lacking == ()
    assert all(len([view for view in learnt.deck.views if view.card == card]) == 3 for card in cards)


def test_card_shown_twice_is_enrolled_once() -> None:
    cards = [PACK[0], PACK[1], PACK[0]]
    learnt = film(enrolment(right(PACK), 24), one_by_one(cards))
    assert cards_of(learnt) == [PACK[0], PACK[1]]
    assert learnt.repeats == 1


def test_two_cards_on_one_picture_are_never_merged() -> None:
    answers_by_card = {SPADES[0]: ("6s", 0.8), SPADES[1]: ("6s", 0.7)}
    learnt = stills(enrolment(answers_by_card), row_of(SPADES[:2]))
    assert (learnt.shown, learnt.repeats) == (2, 0)
    assert cards_of(learnt) == [SPADES[0]]
    assert learnt.nameless == 1


def test_moving_card_is_not_enrolled() -> None:
    pictures = [table({(k, 0): SPADES[0]}, seed=k) for k in range(5)]
    learnt = film(enrolment(right(SPADES)), pictures)
    assert learnt.deck.views == ()
    assert len(learnt.deck.lacking) == 36


def test_missing_cards_are_listed_and_can_be_added() -> None:
    first = film(enrolment(right(PACK), 24), one_by_one(PACK[:4])).deck
    assert first.lacking == PACK[4:]
    added = film(enrolment(right(PACK), 24, known=first), one_by_one(PACK[4:7]))
    assert added.deck.lacking == PACK[7:]
    assert cards_of(added) == list(PACK[4:7])


def test_known_card_shown_again_keeps_its_name() -> None:
    first = film(enrolment(right(PACK), 24), one_by_one(PACK[:4])).deck
    again = film(enrolment(right(PACK), 24, known=first), one_by_one(PACK[:2]))
    assert cards_of(again) == []
    assert again.deck.learnt == set(PACK[:4])


def test_confused_cards_are_marked_as_doubtful() -> None:
    answers_by_card = right(PACK[2:]) | {PACK[0]: (str(PACK[0]), 0.4), PACK[1]: (str(PACK[0]), 0.4)}
    learnt = film(enrolment(answers_by_card, 24), one_by_one(PACK))
    assert set(learnt.deck.doubtful) == set(PACK[:2])
    assert learnt.deck.lacking == ()


def test_order_longer_than_the_shown_cards_is_refused() -> None:
    with pytest.raises(DeckFileError, match=r"expected the 18 cards of --order, saw 17 \(9, 8 at a time\)"):
        stills(enrolment(order=SPADES + HEARTS), row_of(SPADES), row_of(HEARTS[:8]))


def test_order_that_contradicts_sure_readings_is_refused() -> None:
    mixed = [SPADES[k] for k in (4, 0, 7, 2, 8, 1, 3, 6, 5)]
    with pytest.raises(DeckFileError, match=r"--order \(6s 7s .*looks more like Ts 6s Ks"):
        stills(enrolment(right(SPADES), order=SPADES), row_of(mixed))


def test_frame_of_a_lost_camera_is_skipped() -> None:
    showing = enrolment(right(SPADES))
    assert not showing.feed(Frame(row_of(SPADES), 0, 0.0, lost="the camera sends no pictures"))
    assert showing.inferences == 0
