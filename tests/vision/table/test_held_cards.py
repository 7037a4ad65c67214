"""How far the word of the segmentation goes that a card is in a hand."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import pytest

from tests.vision.tabletop import Armed, Hand, Lying, Tabletop, in_words, reported
from vision.detection.segmentation import ARM, MAP_PX, OTHER
from vision.motion.arm_regions import Flags
from vision.table.filter_model import FilterSettings
from vision.table.held_cards import HeldCards

PLACES = ((-150.0, 0.0), (-50.0, 0.0), (50.0, 0.0), (150.0, 0.0))


@dataclass
class WarmLamp(Armed):
    """A table whose lamp colours cards like skin: the segmentation takes the middle of each for an arm."""

    def label(self, image_bgr: np.ndarray) -> np.ndarray:
        labels = super().label(image_bgr)
        scale = np.array([labels.shape[1] / image_bgr.shape[1], labels.shape[0] / image_bgr.shape[0]])
        for card in self.lying:
            quad = self.quad(card)
            middle = quad.mean(axis=0)
            cv2.fillConvexPoly(labels, np.round((middle + 0.85 * (quad - middle)) * scale).astype(np.int32), ARM)
        return labels


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("kind", [Armed, WarmLamp])
def test_laid_cards_are_reported_where_the_segmentation_takes_them_for_arms(kind: type[Tabletop]) -> None:
    table = kind(seats=("A", "B"))
    cards = [Lying(name, *place) for name, place in zip(("7s", "Td", "Kc", "8h"), PLACES, strict=True)]
    frames = [frames for card in cards for frames in (table.lay("A", card), table.rest(0.6))]
    assert in_words(reported(table, *frames)) == ["7s", "Td", "Kc", "8h"]


def place(left: int, width: int = 8, height: int = 12) -> Flags:
    """Return the pixels of a card on the label map."""
    flags = np.zeros((MAP_PX[1], MAP_PX[0]), bool)
    flags[20 : 20 + height, left : left + width] = True
    return flags


def labels_of(*arms: Flags) -> np.ndarray:
    labels = np.full((MAP_PX[1], MAP_PX[0]), OTHER, np.uint8)
    for arm in arms:
        labels[arm] = ARM
    return labels


def test_arm_counts_where_a_hand_shows_beside_the_card() -> None:
    held, free = place(10), place(40)
    hand = place(4, width=10)
    shares = HeldCards(FilterSettings()).arm_shares(labels_of(hand, free), [(1, held), (2, free)])
    assert shares == {1: pytest.approx(0.5), 2: 0.0}


def test_word_of_the_segmentation_lapses_after_two_cards_that_no_hand_holds() -> None:
    held = HeldCards(FilterSettings())
    assert held.is_reliable
    for _ in range(5):
        held.arm_shares(labels_of(place(40)), [(1, place(40))])
    assert held.is_reliable, "one card, however often it is seen"
    held.arm_shares(labels_of(place(60)), [(2, place(60))])
    assert not held.is_reliable


def test_packets_in_resting_hands_are_no_mistake_of_the_segmentation() -> None:
    held, hands = HeldCards(FilterSettings()), [place(4, width=10), place(34, width=10)]
    shares = held.arm_shares(labels_of(*hands), [(1, place(10)), (2, place(40))])
    assert min(shares.values()) > 0.2
    assert held.is_reliable


def test_card_in_resting_hands_is_not_laid_under_a_warm_lamp() -> None:
    table = WarmLamp(seats=("A", "B"), hands=[Hand(1, (-70.0, -10.0))])
    table.lying += [Lying("Kd", -70.0, -10.0)]
    assert reported(table, table.rest(1.0)) == []
