"""Scoring of small hand-made tables with known figures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from datasets.photos.labels import LabelledCard, LabelledPicture
from models.evaluation.scoring import (
    INVENTED,
    NOT_FOUND,
    NOT_REPORTED,
    WRONG_RANK,
    WRONG_SUIT,
    CardReading,
    calibration_error,
    holds,
    match,
    score_picture,
    score_set,
)


def quad(x: float, y: float, w: float = 60, h: float = 90) -> np.ndarray:
    return np.array([[x, y], [x + w, y], [x + w, y + h], [x, y + h]], np.float32)


def read(card: str, x: float, y: float, confidence: float = 0.9, reported: bool = True) -> CardReading:
    return CardReading(card, confidence, quad(x, y), reported)


def lies(card: str, x: float, y: float) -> LabelledCard:
    return LabelledCard(card, ((x, y, x + 60, y + 90),))


def picture(*cards: LabelledCard, kind: str = "card-boxes") -> LabelledPicture:
    return LabelledPicture(Path("a.jpg"), kind, cards, "dev")


def test_correctly_read_picture_is_exact() -> None:
    score = score_picture(picture(lies("7s", 0, 0), lies("Td", 100, 0)), [read("7s", 2, 1), read("Td", 99, 0)])
    assert (score.right, score.invented, score.missed, score.exact) == (2, 0, 0, True)
    assert score.causes == ()


def test_backs_and_jokers_are_not_scored() -> None:
    score = score_picture(picture(lies("back", 0, 0), lies("joker", 100, 0), lies("7s", 200, 0)), [read("7s", 200, 0)])
    assert score.exact
    assert len(score.cards) == 1


def test_misread_card_counts_as_missed_and_invented_with_a_cause() -> None:
    score = score_picture(picture(lies("7s", 0, 0), lies("9h", 100, 0)), [read("7c", 0, 0), read("6h", 100, 0)])
    assert (score.right, score.invented, score.missed) == (0, 2, 2)
    assert score.causes == (WRONG_SUIT, WRONG_RANK)
    assert [card.rank_right for card in score.cards] == [True, False]
    assert [card.suit_right for card in score.cards] == [False, True]


def test_undetected_and_unreported_cards_have_different_causes() -> None:
    score = score_picture(
        picture(lies("7s", 0, 0), lies("9h", 100, 0)), [read("9h", 100, 0, confidence=0.2, reported=False)]
    )
    assert score.causes == (NOT_FOUND, NOT_REPORTED)
    assert score.claims == ()


def test_reading_without_a_label_is_invented() -> None:
    score = score_picture(picture(lies("7s", 0, 0)), [read("7s", 0, 0), read("Kd", 300, 300, 0.6)])
    assert score.causes == (INVENTED,)
    assert score.claims == ((0.9, True), (0.6, False))
    assert not score.exact


def test_right_name_at_a_wrong_place_counts_only_for_the_set() -> None:
    score = score_picture(picture(lies("7s", 0, 0)), [read("7s", 300, 300)])
    assert score.exact
    assert score.cards[0].read is None


def test_rank_labels_are_matched_by_rank() -> None:
    cards = (lies("K?", 0, 0), lies("K?", 100, 0), lies("A?", 200, 0))
    readings = [read("Ks", 0, 0), read("Kh", 100, 0), read("Kd", 200, 0, 0.5)]
    score = score_picture(picture(*cards, kind="card-boxes-rank-only"), readings)
    assert (score.right, score.invented, score.missed) == (2, 1, 1)
    assert [card.rank_right for card in score.cards] == [True, True, False]
    assert score.claims == ((0.9, True), (0.9, True), (0.5, False))
    assert score_set([score], 0.97).rank_of_all == pytest.approx(2 / 3)
    assert score_set([score], 0.97).suit is None


def test_index_label_belongs_to_the_card_with_a_corner_there() -> None:
    # The nine lies across the seven; the seven's index at its top left is inside both.
    seven, nine = CardReading("7s", 0.9, quad(0, 0, 100, 150)), CardReading("9h", 0.9, quad(-40, -20, 150, 100))
    label = LabelledCard("7s", ((2.0, 2.0, 14.0, 20.0),))
    assert match([label], [nine, seven], by_index=True) == [1]


def test_both_indices_of_a_card_match_one_reading() -> None:
    label = LabelledCard("7s", ((2.0, 2.0, 14.0, 20.0), (86.0, 130.0, 98.0, 148.0)))
    readings = [CardReading("8s", 0.9, quad(200, 0)), CardReading("7s", 0.9, quad(0, 0, 100, 150))]
    score = score_picture(picture(label, kind="index-boxes"), readings)
    assert score.cards[0].read == "7s"


def test_readings_are_matched_one_to_one_by_overlap() -> None:
    labels = [lies("7s", 0, 0), lies("8s", 20, 0)]
    assert match(labels, [read("8s", 18, 0)], by_index=False) == [None, 0]


def test_point_in_quad_is_independent_of_orientation() -> None:
    around = quad(0, 0)
    for corners in (around, around[::-1]):
        assert holds(corners, (30, 45))
        assert not holds(corners, (90, 45))


def test_calibrated_confidence_has_no_calibration_error() -> None:
    claims = [(0.75, i < 75) for i in range(100)] + [(0.25, i < 25) for i in range(100)]
    assert calibration_error(claims) == pytest.approx(0.0)
    assert calibration_error([(1.0, False)]) == pytest.approx(1.0)
    assert calibration_error([]) == 0.0


def test_figures_of_a_set() -> None:
    good = score_picture(
        picture(lies("7s", 0, 0), lies("Td", 100, 0)), [read("7s", 0, 0, 0.99), read("Td", 100, 0, 0.8)]
    )
    bad = score_picture(picture(lies("7s", 0, 0), lies("9h", 100, 0)), [read("7c", 0, 0, 0.98)])
    result = score_set([good, bad], sure_from=0.97)
    assert (result.pictures, result.labelled) == (2, 4)
    assert (result.right, result.invented, result.missed) == (2, 1, 2)
    assert result.precision == pytest.approx(2 / 3)
    assert result.recall == pytest.approx(1 / 2)
    assert result.f1 == pytest.approx(4 / 7)
    assert result.exact == pytest.approx(1 / 2)
    assert result.found == pytest.approx(3 / 4)
    assert result.rank == pytest.approx(1.0)
    assert result.suit == pytest.approx(2 / 3)
    assert result.sure == pytest.approx(2 / 3)
    assert result.wrong_sure == pytest.approx(1 / 2)
    assert dict(result.causes) == {WRONG_SUIT: 1, NOT_FOUND: 1}


def test_empty_set_has_no_shares() -> None:
    result = score_set([], 0.97)
    assert (result.f1, result.exact, result.sure) == (None, None, None)
